/// How a script uses its local names: which are never used, which hide others, and which operations are done on them
/// and on constants.
///
/// The output of Lua's compiler shows the globals that a script uses (`Chunk`), but not enough about its locals.
struct SourceOutline {
    /// A word of the script.
    struct Place {
        let line: Int
        /// The offset in bytes from the beginning of the script.
        let start: Int
        let text: String
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
        /// The line of its word `function`.
        let line: Int
        /// The last part of the name that it is defined with; empty if it has none.
        let name: String
        var parameters: [Int] = []
    }

    /// A use of a member of the value of a name.
    struct Member {
        /// The name as it is written, and its local variable, if it is a local.
        let receiver: String
        let variable: Int?
        let name: Place
        /// For `name:method(…)`: the number of arguments, and whether there may be more.
        let call: (count: Int, isOpen: Bool)?
    }

    /// An operation on a value.
    enum Operation {
        case call(arguments: Int, isOpen: Bool)
        case index, length, arithmetic, concatenation
    }

    /// What is known about a value before the script runs.
    enum Operand {
        case variable(Int)
        /// `number`, `string`, `boolean`, `nil`, `table` or `function`.
        case constant(String)
        case unknown

        /// Whether it is a constant that counts as true.
        var isTrue: Bool {
            if case .constant(let type) = self { type != "nil" && type != "boolean" } else { false }
        }

        /// Whether it is a constant that has no metamethods.
        var isScalar: Bool {
            if case .constant(let type) = self { type != "table" && type != "string" } else { false }
        }
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
    /// The names that are passed to `require`; nil for one that is known only when the script runs.
    var required: [String?] = []
    /// The `or` of conditions that are always true, because a constant is after it.
    var constantOrs: [Place] = []
    /// Classes that `waxClass` names.
    var waxClasses: [Place] = []

    var tokens: LuaTokens
    var token: LuaTokens.Token
    var ahead: LuaTokens.Token
    var scopes: [[String: Int]] = [[:]]
    var depth = 0

    /// The script does not compile, or is nested deeper than the outline reads.
    struct GivenUp: Error {}
    /// Each level takes up to 5 KiB of stack under a sanitizer, and a thread of a queue has 512 KiB.
    static let deepest = 40

    /// - Parameter source: A script that compiles.
    init(_ source: [UInt8]) {
        tokens = LuaTokens(source)
        token = tokens.next()
        ahead = tokens.next()
        do { try block() } catch { self.variables.indices.forEach { self.variables[$0].isRead = true } }
        for (index, function) in functions.enumerated() { functionsOnLine[function.line, default: []].append(index) }
        for (index, operation) in operations.enumerated() {
            guard case .variable(let variable) = operation.operand, let parameter = variables[variable].parameter else {
                continue
            }
            operationsOn[parameter.function, default: []].append(index)
        }
    }

    /// The local names that are declared up to a line.
    func names(upTo line: Int) -> [String] { variables.filter { $0.place.line <= line }.map(\.place.text) }

    /// The functions that begin on a line, and the operations on the parameters of a function.
    private var functionsOnLine: [Int: [Int]] = [:]
    private var operationsOn: [Int: [Int]] = [:]

    /// The function that begins on a line, if there is only one.
    func onlyFunction(onLine line: Int) -> Int? {
        guard let all = functionsOnLine[line], all.count == 1 else { return nil }
        return all[0]
    }

    /// The places of the operations on the parameters of a function.
    func operations(onParametersOf function: Int) -> [Int] { operationsOn[function] ?? [] }

    /// The classes that `waxClass` names, each once.
    var classNames: [String] {
        var seen: Set<String> = []
        return waxClasses.map(\.text).filter { seen.insert($0).inserted }
    }

    // MARK: tokens

    mutating func advance() {
        token = ahead
        ahead = tokens.next()
    }

    func isAt(_ symbol: String) -> Bool { token.kind != .string && token.isSymbol(symbol) }

    mutating func take(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws { guard take(symbol) else { throw GivenUp() } }

    mutating func name() throws -> Place {
        guard token.kind == .name else { throw GivenUp() }
        defer { advance() }
        return here
    }

    var here: Place { Place(line: token.line, start: token.start, text: token.text) }

    // MARK: names

    mutating func declare(_ place: Place, parameter: (function: Int, index: Int)? = nil) {
        let hidden = find(place.text)
        variables.append(Variable(place: place, parameter: parameter))
        let index = variables.count - 1
        if let hidden, !place.text.hasPrefix("_"), place.text != "self" { shadows.append((index, hidden)) }
        scopes[scopes.count - 1][place.text] = index
        if let parameter { functions[parameter.function].parameters.append(index) }
    }

    func find(_ name: String) -> Int? {
        for scope in scopes.reversed() { if let index = scope[name] { return index } }
        return nil
    }

    mutating func inScope(_ body: (inout SourceOutline) throws -> Void) throws {
        scopes.append([:])
        depth += 1
        guard depth < Self.deepest else { throw GivenUp() }
        try body(&self)
        depth -= 1
        scopes.removeLast()
    }

    // MARK: statements

    static let endings = ["end", "else", "elseif", "until"]

    mutating func block() throws {
        while token.kind != .end, !Self.endings.contains(where: isAt) {
            if take("return") {
                if token.kind != .end, !Self.endings.contains(where: isAt), !isAt(";") { _ = try expressions() }
                _ = take(";")
                return
            }
            try statement()
        }
    }

    mutating func statement() throws {
        if take(";") { return }
        if take("::") {
            _ = try name()
            return try expect("::")
        }
        if isAt("goto"), ahead.kind == .name {
            advance()
            return advance()
        }
        if take("break") { return }
        if take("do") {
            try inScope { try $0.block() }
            return try expect("end")
        }
        if take("while") {
            try condition()
            try expect("do")
            try inScope { try $0.block() }
            return try expect("end")
        }
        if take("repeat") {
            return try inScope { outline in
                try outline.block()
                try outline.expect("until")
                try outline.condition()
            }
        }
        if take("if") { return try ifStatement() }
        if take("for") { return try forStatement() }
        if isAt("function") { return try functionStatement() }
        if take("local") { return isAt("function") ? try localFunction() : try localStatement() }
        try assignmentOrCall()
    }

    mutating func ifStatement() throws {
        repeat {
            try condition()
            try expect("then")
            try inScope { try $0.block() }
        } while take("elseif")
        if take("else") { try inScope { try $0.block() } }
        try expect("end")
    }

    mutating func condition() throws {
        if let place = try expression().constantOr { constantOrs.append(place) }
    }

    mutating func forStatement() throws {
        var names = [try name()]
        while take(",") { names.append(try name()) }
        guard take("=") || take("in") else { throw GivenUp() }
        _ = try expressions()
        try expect("do")
        try inScope { outline in
            for name in names {
                outline.declare(name)
                outline.variables[outline.variables.count - 1].isRead = true
            }
            try outline.block()
        }
        try expect("end")
    }

    mutating func functionStatement() throws {
        let line = token.line
        advance()
        let first = try name()
        var last = first.text
        var isMethod = false
        if isAt(".") || isAt(":") {
            use(first)
            var path = first.text
            while isAt(".") || isAt(":") {
                isMethod = isAt(":")
                advance()
                last = try name().text
                path += ".\(last)"
            }
            assignedMembers.insert(path)
        } else if let index = find(first.text) {
            variables[index].isAssigned = true
        }
        try functionBody(line: line, name: last, isMethod: isMethod)
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
            if take("<") {
                let attribute = try name()
                try expect(">")
                // It is used when it is closed.
                if attribute.text == "close" { names.removeLast() }
            }
        } while take(",")
        if take("=") { _ = try expressions() }
        for name in names { declare(name) }
    }

    mutating func assignmentOrCall() throws {
        var targets = [try suffixed()]
        while take(",") { targets.append(try suffixed()) }
        guard take("=") else { return }
        _ = try expressions()
        for target in targets {
            if let index = target.assigns { variables[index].isAssigned = true }
            if let member = target.member { assignedMembers.insert(member) }
        }
    }

    mutating func functionBody(line: Int, name: String = "", isMethod: Bool = false) throws {
        functions.append(Function(line: line, name: name))
        let function = functions.count - 1
        try expect("(")
        try inScope { outline in
            var index = 0
            if isMethod {
                let itself = Place(line: line, start: outline.token.start, text: "self")
                outline.declare(itself, parameter: (function, index))
                index += 1
            }
            while !outline.isAt(")") {
                if !outline.take("...") {
                    outline.declare(try outline.name(), parameter: (function, index))
                    index += 1
                }
                if !outline.take(",") { break }
            }
            try outline.expect(")")
            try outline.block()
        }
        try expect("end")
    }
}
