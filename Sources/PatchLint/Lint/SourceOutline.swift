/// The names of a script, and the members of their values that it uses.
///
/// The output of Lua's compiler shows the globals that a script uses (`GlobalUses`), but not enough about its locals.
struct SourceOutline {
    struct Place {
        let line: Int
        /// Its bytes in the script.
        let range: Range<Int>
        /// The number of its text among the names.
        let name: Int32
    }

    /// A use of a member of the value of a name.
    struct Member {
        /// The number of the name as it is written.
        let receiver: Int32
        let name: Place
        /// For `name:method(…)`: the number of arguments, and whether there may be more.
        let call: (count: Int, isOpen: Bool)?
        /// Whether `self` is a parameter of a function that is defined with a name.
        let isInMethod: Bool
        /// For `self.method(…)` whose first argument is not `self`: the same.
        var dotCall: (count: Int, isOpen: Bool)?
    }

    var locals: [Place] = []
    /// The last parts of the names that functions are defined with.
    var functionNames: Set<String> = []
    /// The `name:method` calls and the `name.member` uses.
    var members: [Member] = []
    /// The members that the script adds to tables, such as `string.trim`.
    var assignedMembers: Set<String> = []
    /// The names that are passed to `require`; nil for a name that is known only when the script runs.
    var required: [String?] = []
    var waxClasses: [Place] = []

    private let source: [UInt8]
    private(set) var names = ScriptNames()
    private var tokens: LuaTokens
    var token: LuaTokens.Token
    var ahead: LuaTokens.Token
    var isInMethod = false
    var depth = 0
    /// The names that have a meaning here.
    let (itself, require, waxClass): (Int32, Int32, Int32)

    /// The error if the script does not compile, or is nested deeper than the outline reads.
    struct GivenUp: Error {}
    /// The deepest nesting. Each level takes up to 5 KiB of stack under a sanitizer, and a thread of a queue has 512
    /// KiB.
    static let deepest = 40

    /// - Parameter source: A script that compiles.
    init(_ source: [UInt8]) {
        self.source = source
        itself = names.number(of: "self")
        require = names.number(of: "require")
        waxClass = names.number(of: "waxClass")
        tokens = LuaTokens(source)
        token = tokens.next()
        ahead = tokens.next()
        do { try block() } catch {}
    }

    func names(upTo line: Int) -> [String] { locals.filter { $0.line <= line }.map(text) }

    /// The first line that declares a local name; nil if none does.
    func line(ofLocal name: String) -> Int? { locals.first { text($0) == name }?.line }

    func text(_ place: Place) -> String { names[place.name] }

    /// The classes that `waxClass` names, each once.
    var classNames: [String] {
        var seen: Set<String> = []
        return waxClasses.map(text).filter { seen.insert($0).inserted }
    }

    // MARK: tokens

    mutating func advance() {
        token = ahead
        ahead = tokens.next()
    }

    func isAt(_ word: LuaTokens.Word) -> Bool { token.word == word }

    mutating func take(_ word: LuaTokens.Word) -> Bool {
        guard token.word == word else { return false }
        advance()
        return true
    }

    mutating func expect(_ word: LuaTokens.Word) throws { guard take(word) else { throw GivenUp() } }

    /// The number of a token's text among the names.
    mutating func number(of token: LuaTokens.Token) -> Int32 { names.number(of: token.text, in: source) }

    mutating func name() throws -> Place {
        guard token.kind == .name else { throw GivenUp() }
        let number = number(of: token)
        let place = place(number)
        advance()
        return place
    }

    func place(_ name: Int32) -> Place {
        Place(line: token.line, range: token.start..<token.start + token.text.count, name: name)
    }

    mutating func declare(_ place: Place, isOfMethod: Bool = false) {
        locals.append(place)
        if place.name == itself { isInMethod = isOfMethod }
    }

    mutating func inScope(_ body: (inout SourceOutline) throws -> Void) throws {
        let wasInMethod = isInMethod
        depth += 1
        guard depth < Self.deepest else { throw GivenUp() }
        try body(&self)
        depth -= 1
        isInMethod = wasInMethod
    }

    // MARK: statements

    private var isAtEnd: Bool {
        switch token.word {
        case .end, .else, .elseif, .until: true
        default: token.kind == .end
        }
    }

    mutating func block() throws {
        while !isAtEnd {
            if take(.return) {
                if !isAtEnd, !isAt(.semicolon) { _ = try expressions() }
                _ = take(.semicolon)
                return
            }
            try statement()
        }
    }

    mutating func statement() throws {
        if take(.semicolon) { return }
        if take(.label) {
            _ = try name()
            return try expect(.label)
        }
        if isAt(.goto), ahead.kind == .name {
            advance()
            return advance()
        }
        if take(.break) { return }
        if take(.do) {
            try inScope { try $0.block() }
            return try expect(.end)
        }
        if take(.while) {
            _ = try expression()
            try expect(.do)
            try inScope { try $0.block() }
            return try expect(.end)
        }
        if take(.repeat) {
            return try inScope { outline in
                try outline.block()
                try outline.expect(.until)
                _ = try outline.expression()
            }
        }
        if take(.if) { return try ifStatement() }
        if take(.for) { return try forStatement() }
        if take(.function) { return try functionStatement() }
        if take(.local) { return take(.function) ? try localFunction() : try localStatement() }
        try assignmentOrCall()
    }

    mutating func ifStatement() throws {
        repeat {
            _ = try expression()
            try expect(.then)
            try inScope { try $0.block() }
        } while take(.elseif)
        if take(.else) { try inScope { try $0.block() } }
        try expect(.end)
    }

    mutating func forStatement() throws {
        var names = [try name()]
        while take(.comma) { names.append(try name()) }
        guard take(.assign) || take(.in) else { throw GivenUp() }
        _ = try expressions()
        try expect(.do)
        try inScope { outline in
            for name in names { outline.declare(name) }
            try outline.block()
        }
        try expect(.end)
    }

    mutating func functionStatement() throws {
        var last = try name()
        var path = text(last)
        var isMethod = false
        if isAt(.dot) || isAt(.colon) {
            while isAt(.dot) || isAt(.colon) {
                isMethod = isAt(.colon)
                advance()
                last = try name()
                path += ".\(text(last))"
            }
            assignedMembers.insert(path)
        }
        functionNames.insert(text(last))
        try functionBody(hasName: true, isMethod: isMethod)
    }

    mutating func localFunction() throws {
        declare(try name())
        try functionBody()
    }

    mutating func localStatement() throws {
        var names: [Place] = []
        repeat {
            names.append(try name())
            if take(.less) {
                _ = try name()
                try expect(.greater)
            }
        } while take(.comma)
        if take(.assign) { _ = try expressions() }
        for name in names { declare(name) }
    }

    mutating func assignmentOrCall() throws {
        var targets = [try suffixed()]
        while take(.comma) { targets.append(try suffixed()) }
        guard take(.assign) else { return }
        _ = try expressions()
        for target in targets {
            if let member = target.member { assignedMembers.insert("\(names[member.table]).\(text(member.name))") }
        }
    }

    /// - Parameters:
    ///   - hasName: Whether the function is defined with a name.
    ///   - isMethod: Whether its first parameter is an unwritten `self`.
    mutating func functionBody(hasName: Bool = false, isMethod: Bool = false) throws {
        try expect(.open)
        try inScope { outline in
            if isMethod { outline.declare(outline.place(outline.itself), isOfMethod: hasName) }
            while !outline.isAt(.close) {
                if !outline.take(.dots) { outline.declare(try outline.name(), isOfMethod: hasName) }
                if !outline.take(.comma) { break }
            }
            try outline.expect(.close)
            try outline.block()
        }
        try expect(.end)
    }
}
