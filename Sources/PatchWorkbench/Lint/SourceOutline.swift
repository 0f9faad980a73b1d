/// How a script uses its local names.
///
/// It finds the names that are never used, the names that hide others, and the operations on names and on constants.
///
/// The output of Lua's compiler shows the globals that a script uses (`Chunk`), but not enough about its locals.
struct SourceOutline {
    /// A word of the script.
    struct Place {
        let line: Int
        /// The offset in bytes from the beginning of the script.
        let start: Int
        let end: Int
        /// The number of its text among the names; -1 for an operator.
        let name: Int32
    }

    /// A local name.
    struct Variable {
        let place: Place
        /// For a parameter: its function, as an index into `functions`, and its position, from 0.
        let parameter: (function: Int, index: Int)?
        var isRead = false
        var isAssigned = false
    }

    /// A function that the script defines.
    struct Function {
        /// The line of its keyword `function`.
        let line: Int
        /// The last part of the name that it is defined with; empty if it has none.
        let name: String
        var parameters: [Int] = []
    }

    /// A use of a member of the value of a name.
    struct Member {
        /// The number of the name as it is written, and its local variable, if it is a local.
        let receiver: Int32
        let variable: Int?
        let name: Place
        /// For `name:method(…)`: the number of arguments, and whether there may be more.
        let call: (count: Int, isOpen: Bool)?
        /// For `self.method(…)` whose first argument is not `self`: the same.
        var dotCall: (count: Int, isOpen: Bool)?
    }

    /// An operation on a value.
    enum Operation: Equatable {
        case call(arguments: Int, isOpen: Bool)
        case index, length, arithmetic, concatenation
    }

    /// Why an operator has the same result whatever the values are.
    enum Constant {
        /// It is an `or` of a condition, and a constant that is true is after it.
        case or
        /// It makes a number, and a number in a condition is true.
        case number
        /// It is an `or` after `and nil` or `and false`.
        case and
    }

    /// The known facts about a value before the script runs.
    enum Operand {
        case variable(Int)
        case constant(Basic)
        case unknown

        /// Whether it is a constant that counts as true.
        var isTrue: Bool {
            if case .constant(let type) = self { type != .nil && type != .boolean } else { false }
        }

        /// Whether it is a constant that has no metamethods.
        var isScalar: Bool {
            if case .constant(let type) = self { type != .table && type != .string } else { false }
        }
    }

    /// A type of Lua.
    enum Basic: String {
        case number, string, boolean, `nil`, table, function
    }

    var variables: [Variable] = []
    var functions: [Function] = []
    var operations: [(operand: Operand, operation: Operation, place: Place)] = []
    /// Pairs of a local and the local of the same script that it hides.
    var shadows: [(variable: Int, hidden: Int)] = []
    /// The `name:method` calls and the `name.member` uses.
    var members: [Member] = []
    /// The members that the script adds to tables, such as `string.trim`.
    var assignedMembers: Set<String> = []
    /// The names that are passed to `require`; nil for a name that is known only when the script runs.
    var required: [String?] = []
    /// The operators that have the same result whatever the values are.
    var constants: [(place: Place, constant: Constant)] = []
    /// Classes that `waxClass` names.
    var waxClasses: [Place] = []

    private let source: [UInt8]
    private(set) var names = ScriptNames()
    private var tokens: LuaTokens
    var token: LuaTokens.Token
    var ahead: LuaTokens.Token
    /// For each name, its current variable; -1 for a global.
    private var variableOf: [Int32] = []
    /// The names that are declared, each with its variable before the declaration.
    private var declared: [(name: Int32, before: Int32)] = []
    /// How many scopes are open around this place.
    var scopes = 1
    var depth = 0
    /// The names that have a meaning here.
    let (itself, type, require, waxClass): (Int32, Int32, Int32, Int32)

    /// The error if the script does not compile, or is nested deeper than the outline reads.
    struct GivenUp: Error {}
    /// The deepest nesting. Each level takes up to 5 KiB of stack under a sanitizer, and a thread of a queue has 512 KiB.
    static let deepest = 40

    /// - Parameter source: A script that compiles.
    init(_ source: [UInt8]) {
        self.source = source
        (itself, type) = (names.number(of: "self"), names.number(of: "type"))
        (require, waxClass) = (names.number(of: "require"), names.number(of: "waxClass"))
        tokens = LuaTokens(source)
        token = tokens.next()
        ahead = tokens.next()
        do { try block() } catch { self.variables.indices.forEach { self.variables[$0].isRead = true } }
        sortOperations()
    }

    /// The operations on the parameters of functions, ordered by function; and the index of each function's first one.
    private var operationsOn: [Int] = []
    private var starts: [Int] = []

    private mutating func sortOperations() {
        func function(_ operand: Operand) -> Int? {
            if case .variable(let variable) = operand { variables[variable].parameter?.function } else { nil }
        }
        starts = Array(repeating: 0, count: functions.count + 1)
        for operation in operations { if let function = function(operation.operand) { starts[function + 1] += 1 } }
        for index in functions.indices { starts[index + 1] += starts[index] }
        operationsOn = Array(repeating: 0, count: starts[functions.count])
        var next = starts
        for (index, operation) in operations.enumerated() {
            guard let function = function(operation.operand) else { continue }
            operationsOn[next[function]] = index
            next[function] += 1
        }
    }

    /// The local names that are declared up to a line.
    func names(upTo line: Int) -> [String] { variables.filter { $0.place.line <= line }.map { text($0.place) } }

    /// The first line that declares a local name; nil if none does.
    func line(ofLocal name: String) -> Int? { variables.first { text($0.place) == name }?.place.line }

    /// The function that begins on a line, if there is only one.
    func onlyFunction(onLine line: Int) -> Int? {
        // The functions are in the order of their lines.
        var (low, high) = (0, functions.count)
        while low < high {
            let middle = (low + high) / 2
            if functions[middle].line < line { low = middle + 1 } else { high = middle }
        }
        guard low < functions.count, functions[low].line == line,
            low + 1 == functions.count || functions[low + 1].line != line
        else { return nil }
        return low
    }

    /// The places of the operations on the parameters of a function.
    func operations(onParametersOf function: Int) -> ArraySlice<Int> {
        operationsOn[starts[function]..<starts[function + 1]]
    }

    /// The text of a word.
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

    /// The place of the token.
    func place(_ name: Int32 = -1) -> Place {
        Place(line: token.line, start: token.start, end: token.start + token.text.count, name: name)
    }

    // MARK: names

    mutating func declare(_ place: Place, parameter: (function: Int, index: Int)? = nil) {
        let hidden = find(place.name)
        variables.append(Variable(place: place, parameter: parameter))
        let index = variables.count - 1
        if let hidden, place.name != itself, !text(place).hasPrefix("_") { shadows.append((index, hidden)) }
        while variableOf.count <= place.name { variableOf.append(-1) }
        declared.append((place.name, variableOf[Int(place.name)]))
        variableOf[Int(place.name)] = Int32(index)
        if let parameter { functions[parameter.function].parameters.append(index) }
    }

    func find(_ name: Int32) -> Int? {
        guard name < variableOf.count, variableOf[Int(name)] >= 0 else { return nil }
        return Int(variableOf[Int(name)])
    }

    mutating func inScope(_ body: (inout SourceOutline) throws -> Void) throws {
        let outside = declared.count
        scopes += 1
        depth += 1
        guard depth < Self.deepest else { throw GivenUp() }
        try body(&self)
        depth -= 1
        scopes -= 1
        while declared.count > outside {
            let (name, before) = declared.removeLast()
            variableOf[Int(name)] = before
        }
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
            try condition()
            try expect(.do)
            try inScope { try $0.block() }
            return try expect(.end)
        }
        if take(.repeat) {
            return try inScope { outline in
                try outline.block()
                try outline.expect(.until)
                try outline.condition()
            }
        }
        if take(.if) { return try ifStatement() }
        if take(.for) { return try forStatement() }
        if isAt(.function) { return try functionStatement() }
        if take(.local) { return isAt(.function) ? try localFunction() : try localStatement() }
        try assignmentOrCall()
    }

    mutating func ifStatement() throws {
        repeat {
            try condition()
            try expect(.then)
            try inScope { try $0.block() }
        } while take(.elseif)
        if take(.else) { try inScope { try $0.block() } }
        try expect(.end)
    }

    mutating func condition() throws {
        if let constant = try expression().constant { constants.append(constant) }
    }

    mutating func forStatement() throws {
        var names = [try name()]
        while take(.comma) { names.append(try name()) }
        guard take(.assign) || take(.in) else { throw GivenUp() }
        _ = try expressions()
        try expect(.do)
        try inScope { outline in
            for name in names {
                outline.declare(name)
                outline.variables[outline.variables.count - 1].isRead = true
            }
            try outline.block()
        }
        try expect(.end)
    }

    mutating func functionStatement() throws {
        let line = token.line
        advance()
        let first = try name()
        var last = first
        var isMethod = false
        if isAt(.dot) || isAt(.colon) {
            use(first)
            var path = text(first)
            while isAt(.dot) || isAt(.colon) {
                isMethod = isAt(.colon)
                advance()
                last = try name()
                path += ".\(text(last))"
            }
            assignedMembers.insert(path)
        } else if let index = find(first.name) {
            variables[index].isAssigned = true
        }
        try functionBody(line: line, name: text(last), isMethod: isMethod)
    }

    mutating func localFunction() throws {
        let line = token.line
        advance()
        declare(try name())
        try functionBody(line: line)
    }

    mutating func localStatement() throws {
        var names: [Place] = []
        repeat {
            names.append(try name())
            if take(.less) {
                let attribute = try name()
                try expect(.greater)
                // The name is used when it is closed.
                if text(attribute) == "close" { names.removeLast() }
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
            if let index = target.assigns { variables[index].isAssigned = true }
            if let member = target.member { assignedMembers.insert("\(names[member.table]).\(text(member.name))") }
        }
    }

    mutating func functionBody(line: Int, name: String = "", isMethod: Bool = false) throws {
        functions.append(Function(line: line, name: name))
        let function = functions.count - 1
        try expect(.open)
        try inScope { outline in
            var index = 0
            if isMethod {
                let start = outline.token.start
                let itself = Place(line: line, start: start, end: start + 4, name: outline.itself)
                outline.declare(itself, parameter: (function, index))
                index += 1
            }
            while !outline.isAt(.close) {
                if !outline.take(.dots) {
                    outline.declare(try outline.name(), parameter: (function, index))
                    index += 1
                }
                if !outline.take(.comma) { break }
            }
            try outline.expect(.close)
            try outline.block()
        }
        try expect(.end)
    }
}
