/// Reads the outline of a script by recursive descent: the statements here, the expressions in another file.
struct OutlineReader {
    var outline = SourceOutline()
    let source: [UInt8]
    private var tokens: LuaTokens
    private(set) var token: LuaTokens.Token
    private(set) var ahead: LuaTokens.Token
    private(set) var isInMethod = false
    private var depth = 0
    /// The numbers of the other names that have a meaning here.
    let require: ScriptNames.ID
    let waxClass: ScriptNames.ID

    /// The error if the script does not compile, or is nested deeper than the outline reads.
    struct GivenUp: Error {}
    /// The deepest nesting. Each level takes up to 5 KiB of stack under a sanitizer, and a thread of a queue has 512
    /// KiB.
    private static let deepest = 40

    init(_ source: [UInt8]) {
        self.source = source
        require = outline.names.number(of: "require")
        waxClass = outline.names.number(of: "waxClass")
        tokens = LuaTokens(source)
        token = tokens.next()
        ahead = tokens.next()
    }

    /// Reads the script, up to a place where it gives up.
    mutating func readAll() {
        do { try block() } catch { outline.isWhole = false }
    }

    // MARK: tokens

    mutating func advance() {
        token = ahead
        ahead = tokens.next()
    }

    func isAt(_ word: LuaTokens.Word) -> Bool { token.word == word }

    /// Advances past a keyword or symbol, if it is here. Returns whether it is.
    mutating func take(_ word: LuaTokens.Word) -> Bool {
        guard token.word == word else { return false }
        advance()
        return true
    }

    mutating func expect(_ word: LuaTokens.Word) throws { guard take(word) else { throw GivenUp() } }

    /// The number of a token's text among the names.
    mutating func number(of token: LuaTokens.Token) -> ScriptNames.ID {
        outline.names.number(of: token.text, in: source)
    }

    /// The number of a string's value among the names.
    mutating func value(of token: LuaTokens.Token) -> ScriptNames.ID {
        outline.names.number(of: String(decoding: token.value(in: source), as: UTF8.self))
    }

    /// Reads a name.
    mutating func name() throws -> SourceOutline.Place {
        guard token.kind == .name else { throw GivenUp() }
        defer { advance() }
        return SourceOutline.Place(line: token.line, range: token.text, id: number(of: token))
    }

    /// Notes a local name.
    ///
    /// - Parameter isOfMethod: Whether it is a parameter of a function that is defined as a member or a global.
    private mutating func declare(_ place: SourceOutline.Place, isOfMethod: Bool = false) {
        outline.locals.append(place)
        if place.id == outline.itself { isInMethod = isOfMethod }
    }

    /// Reads something that is nested in what is read now.
    mutating func nested<Value>(_ read: (inout OutlineReader) throws -> Value) throws -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw GivenUp() }
        return try read(&self)
    }

    /// Reads a block with local names of its own.
    private mutating func inScope(_ read: (inout OutlineReader) throws -> Void) throws {
        let wasInMethod = isInMethod
        try nested(read)
        isInMethod = wasInMethod
    }

    // MARK: statements

    private var isAtEnd: Bool {
        switch token.word {
        case .end, .else, .elseif, .until: true
        default: token.kind == .end
        }
    }

    private mutating func block() throws {
        while !isAtEnd {
            if take(.return) {
                if !isAtEnd, !isAt(.semicolon) { _ = try expressions() }
                _ = take(.semicolon)
                return
            }
            try statement()
        }
    }

    private mutating func statement() throws {
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
            return try inScope { reader in
                try reader.block()
                try reader.expect(.until)
                _ = try reader.expression()
            }
        }
        if take(.if) { return try ifStatement() }
        if take(.for) { return try forStatement() }
        if take(.function) { return try functionStatement() }
        if take(.local) { return take(.function) ? try localFunction() : try localStatement() }
        try assignmentOrCall()
    }

    private mutating func ifStatement() throws {
        repeat {
            _ = try expression()
            try expect(.then)
            try inScope { try $0.block() }
        } while take(.elseif)
        if take(.else) { try inScope { try $0.block() } }
        try expect(.end)
    }

    private mutating func forStatement() throws {
        var names = [try name()]
        while take(.comma) { names.append(try name()) }
        guard take(.assign) || take(.in) else { throw GivenUp() }
        _ = try expressions()
        try expect(.do)
        try inScope { reader in
            for name in names { reader.declare(name) }
            try reader.block()
        }
        try expect(.end)
    }

    private mutating func functionStatement() throws {
        var last = try name()
        var path = outline.text(last)
        var isMethod = false
        if isAt(.dot) || isAt(.colon) {
            while isAt(.dot) || isAt(.colon) {
                isMethod = isAt(.colon)
                advance()
                last = try name()
                path += ".\(outline.text(last))"
            }
            outline.assignedMembers.insert(path)
        }
        outline.functionNames.insert(outline.text(last))
        try functionBody(isMember: true, isMethod: isMethod)
    }

    private mutating func localFunction() throws {
        declare(try name())
        try functionBody()
    }

    private mutating func localStatement() throws {
        var names: [SourceOutline.Place] = []
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

    private mutating func assignmentOrCall() throws {
        var targets = [try suffixed()]
        while take(.comma) { targets.append(try suffixed()) }
        guard take(.assign) else { return }
        _ = try expressions()
        for target in targets {
            guard case .member(let name, of: let table) = target else { continue }
            outline.assignedMembers.insert("\(outline.names[table]).\(outline.text(name))")
        }
    }

    /// Reads the parameters and the block of a function.
    ///
    /// - Parameters:
    ///   - isMember: Whether the function is defined by a statement `function NAME`, which is not local.
    ///   - isMethod: Whether its first parameter is an unwritten `self`.
    mutating func functionBody(isMember: Bool = false, isMethod: Bool = false) throws {
        try expect(.open)
        try inScope { reader in
            if isMethod {
                let token = reader.token
                reader.declare(
                    .init(line: token.line, range: token.text, id: reader.outline.itself), isOfMethod: isMember)
            }
            while !reader.isAt(.close) {
                if !reader.take(.dots) { reader.declare(try reader.name(), isOfMethod: isMember) }
                if !reader.take(.comma) { break }
            }
            try reader.expect(.close)
            try reader.block()
        }
        try expect(.end)
    }
}
