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

        /// Whether it is a constant that has no metamethods.
        fileprivate var isScalar: Bool {
            if case .constant(let type) = self { type != "table" && type != "string" } else { false }
        }
    }

    private(set) var variables: [Variable] = []
    private(set) var functions: [Function] = []
    private(set) var operations: [(operand: Operand, operation: Operation, place: Place)] = []
    /// Pairs of a local and the local of the same script that it hides.
    private(set) var shadows: [(variable: Int, hidden: Int)] = []
    /// The `name:method` calls and the `name.member` uses.
    private(set) var members: [Member] = []
    /// The members that the script adds to tables, such as `string.trim`.
    private(set) var assignedMembers: Set<String> = []
    /// The names that are passed to `require`; nil for one that is known only when the script runs.
    private(set) var required: [String?] = []
    /// Classes that `waxClass` names.
    private(set) var waxClasses: [Place] = []

    private var tokens: LuaTokens
    private var token: LuaTokens.Token
    private var ahead: LuaTokens.Token
    private var scopes: [[String: Int]] = [[:]]
    private var openFunctions: [Int] = []
    private var depth = 0

    /// The script does not compile, or is nested deeper than the outline reads.
    private struct GivenUp: Error {}
    /// Each level takes up to 5 KiB of stack under a sanitizer, and a thread of a queue has 512 KiB.
    private static let deepest = 40

    /// - Parameter source: A script that compiles.
    init(_ source: [UInt8]) {
        tokens = LuaTokens(source)
        token = tokens.next()
        ahead = tokens.next()
        do { try block() } catch { self.variables.indices.forEach { self.variables[$0].isRead = true } }
    }

    // MARK: tokens

    private mutating func advance() {
        token = ahead
        ahead = tokens.next()
    }

    private func isAt(_ symbol: String) -> Bool { token.kind != .string && token.isSymbol(symbol) }

    private mutating func take(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    private mutating func expect(_ symbol: String) throws { guard take(symbol) else { throw GivenUp() } }

    private mutating func name() throws -> Place {
        guard token.kind == .name else { throw GivenUp() }
        defer { advance() }
        return here
    }

    private var here: Place { Place(line: token.line, start: token.start, text: token.text) }

    // MARK: names

    private mutating func declare(_ place: Place, parameter: (function: Int, index: Int)? = nil) {
        let hidden = find(place.text)
        variables.append(Variable(place: place, parameter: parameter))
        let index = variables.count - 1
        if let hidden, !place.text.hasPrefix("_"), place.text != "self" { shadows.append((index, hidden)) }
        scopes[scopes.count - 1][place.text] = index
        if let parameter { functions[parameter.function].parameters.append(index) }
    }

    private func find(_ name: String) -> Int? {
        for scope in scopes.reversed() { if let index = scope[name] { return index } }
        return nil
    }

    private mutating func inScope(_ body: (inout SourceOutline) throws -> Void) throws {
        scopes.append([:])
        depth += 1
        guard depth < Self.deepest else { throw GivenUp() }
        try body(&self)
        depth -= 1
        scopes.removeLast()
    }

    // MARK: statements

    private static let endings = ["end", "else", "elseif", "until"]

    private mutating func block() throws {
        while token.kind != .end, !Self.endings.contains(where: isAt) {
            if take("return") {
                if token.kind != .end, !Self.endings.contains(where: isAt), !isAt(";") { _ = try expressions() }
                _ = take(";")
                return
            }
            try statement()
        }
    }

    private mutating func statement() throws {
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
            _ = try expression()
            try expect("do")
            try inScope { try $0.block() }
            return try expect("end")
        }
        if take("repeat") {
            return try inScope { outline in
                try outline.block()
                try outline.expect("until")
                _ = try outline.expression()
            }
        }
        if take("if") { return try ifStatement() }
        if take("for") { return try forStatement() }
        if isAt("function") { return try functionStatement() }
        if take("local") { return isAt("function") ? try localFunction() : try localStatement() }
        try assignmentOrCall()
    }

    private mutating func ifStatement() throws {
        repeat {
            _ = try expression()
            try expect("then")
            try inScope { try $0.block() }
        } while take("elseif")
        if take("else") { try inScope { try $0.block() } }
        try expect("end")
    }

    private mutating func forStatement() throws {
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

    private mutating func functionStatement() throws {
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

    private mutating func localFunction() throws {
        let line = token.line
        advance()
        declare(try name())
        try functionBody(line: line)
    }

    private mutating func localStatement() throws {
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

    private mutating func assignmentOrCall() throws {
        var targets = [try suffixed()]
        while take(",") { targets.append(try suffixed()) }
        guard take("=") else { return }
        _ = try expressions()
        for target in targets {
            if let index = target.assigns { variables[index].isAssigned = true }
            if let member = target.member { assignedMembers.insert(member) }
        }
    }

    private mutating func functionBody(line: Int, name: String = "", isMethod: Bool = false) throws {
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

    // MARK: expressions

    private mutating func use(_ place: Place) { if let index = find(place.text) { variables[index].isRead = true } }

    /// Reads expressions. Returns how many there are, and whether the last one may be several values.
    private mutating func expressions() throws -> (count: Int, isOpen: Bool) {
        var count = 0
        var isOpen = false
        repeat {
            isOpen = try expression().isOpen
            count += 1
        } while take(",")
        return (count, isOpen)
    }

    private struct Expression {
        var operand: Operand = .unknown
        /// Whether it may be several values: a call, or `...`.
        var isOpen = false
        /// The variable that an assignment to it would change.
        var assigns: Int?
        /// `table.name`, if it is one.
        var member: String?
    }

    private static let binary: [String: (left: Int, right: Int)] = [
        "or": (1, 1), "and": (2, 2), "<": (3, 3), ">": (3, 3), "<=": (3, 3), ">=": (3, 3), "~=": (3, 3), "==": (3, 3),
        "|": (4, 4), "~": (5, 5), "&": (6, 6), "<<": (7, 7), ">>": (7, 7), "..": (9, 8), "+": (10, 10), "-": (10, 10),
        "*": (11, 11), "/": (11, 11), "//": (11, 11), "%": (11, 11), "^": (14, 13),
    ]
    private static let unary = 12

    private mutating func expression(above limit: Int = 0) throws -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw GivenUp() }
        var left: Expression
        let place = here
        if isAt("not") || isAt("-") || isAt("#") || isAt("~") {
            let sign = token.text
            advance()
            let inner = try expression(above: Self.unary)
            switch sign {
            case "#": operations.append((inner.operand, .length, place))
            case "-", "~": operations.append((inner.operand, .arithmetic, place))
            default: break
            }
            // The result of a metamethod of another value is known only when the script runs.
            if case .constant = inner.operand, sign != "not" {
                left = Expression(operand: .constant("number"))
            } else {
                left = Expression(operand: sign == "not" ? .constant("boolean") : .unknown)
            }
        } else {
            left = try simple()
        }
        while token.kind == .symbol || token.kind == .name, let priority = Self.binary[token.text],
            priority.left > limit
        {
            let place = here
            advance()
            let right = try expression(above: priority.right)
            let operation: Operation? =
                switch place.text {
                case "..": .concatenation
                case "or", "and", "==", "~=", "<", ">", "<=", ">=": nil
                default: .arithmetic
                }
            if let operation {
                // The other operand may have a metamethod for the operation. The sandbox has none for concatenation.
                let isSure = place.text == ".."
                if isSure || right.operand.isScalar { operations.append((left.operand, operation, place)) }
                if isSure || left.operand.isScalar { operations.append((right.operand, operation, place)) }
            }
            let isComparison =
                place.text.hasPrefix("<") || place.text.hasPrefix(">") || ["==", "~="].contains(place.text)
            left = Expression(
                operand: operation == nil
                    ? isComparison && place.text.count < 3 ? .constant("boolean") : .unknown : .unknown)
        }
        return left
    }

    private mutating func simple() throws -> Expression {
        switch token.kind {
        case .number:
            advance()
            return Expression(operand: .constant("number"))
        case .string:
            advance()
            return Expression(operand: .constant("string"))
        case .symbol where isAt("{"):
            try table()
            return Expression(operand: .constant("table"))
        case .symbol where isAt("..."):
            advance()
            return Expression(isOpen: true)
        case .name where isAt("nil"):
            advance()
            return Expression(operand: .constant("nil"))
        case .name where isAt("true") || isAt("false"):
            advance()
            return Expression(operand: .constant("boolean"))
        case .name where isAt("function"):
            let line = token.line
            advance()
            try functionBody(line: line)
            return Expression(operand: .constant("function"))
        default: return try suffixed()
        }
    }

    private mutating func table() throws {
        try expect("{")
        while !isAt("}") {
            if isAt("[") {
                advance()
                _ = try expression()
                try expect("]")
                try expect("=")
                _ = try expression()
            } else if token.kind == .name, ahead.kind == .symbol, ahead.text == "=" {
                advance()
                advance()
                _ = try expression()
            } else {
                _ = try expression()
            }
            guard take(",") || take(";") else { break }
        }
        try expect("}")
    }

    /// Reads a name or an expression in parentheses, and the members, indexes and calls that follow it.
    private mutating func suffixed() throws -> Expression {
        var expression = Expression()
        var written: String?
        var variable: Int?
        if take("(") {
            expression = Expression(operand: try self.expression().operand)
            try expect(")")
        } else {
            let place = try name()
            written = place.text
            // If it is passed on, as in `pcall(require, name)`, it may be called with any name.
            if place.text == "require", !isAt("("), token.kind != .string { required.append(nil) }
            if let index = find(place.text) {
                variable = index
                expression = Expression(operand: .variable(index), assigns: index)
                // An assignment alone does not use it.
                if !(isAt("=") || isAt(",") && isTarget) { variables[index].isRead = true }
            }
        }
        while true {
            let place = here
            if isAt(".") || isAt("[") {
                operations.append((expression.operand, .index, place))
                expression = Expression()
                if take(".") {
                    let member = try name()
                    if let written {
                        members.append(Member(receiver: written, variable: variable, name: member, call: nil))
                        expression.member = "\(written).\(member.text)"
                    }
                } else {
                    advance()
                    _ = try self.expression()
                    try expect("]")
                }
            } else if take(":") {
                let method = try name()
                operations.append((expression.operand, .index, place))
                let call = try arguments(of: nil)
                if let written {
                    members.append(Member(receiver: written, variable: variable, name: method, call: call))
                }
                expression = Expression(isOpen: true)
            } else if isAt("(") || isAt("{") || token.kind == .string {
                let (count, isOpen) = try arguments(of: written)
                operations.append((expression.operand, .call(arguments: count, isOpen: isOpen), place))
                expression = Expression(isOpen: true)
            } else {
                return expression
            }
            written = nil
        }
    }

    /// Whether the current name may be one of several targets of an assignment. Within an expression it counts as a use.
    private var isTarget: Bool { depth == scopes.count - 1 }

    /// Reads the arguments of a call. Returns how many there are, and whether the last one may be several values.
    ///
    /// - Parameter function: The name that is called, as it is written.
    private mutating func arguments(of function: String?) throws -> (count: Int, isOpen: Bool) {
        let isBracket = isAt("(")
        if isBracket { advance() }
        let constant = token.kind == .string ? token.text : nil
        let isOnly = !isBracket || ahead.isSymbol(")")
        // A script that checks the type of a local may use it as any type.
        if function == "type", token.kind == .name, let index = find(token.text) { variables[index].isAssigned = true }
        if function == "require" { required.append(isOnly ? constant : nil) }
        if function == "waxClass", isAt("{"), ahead.kind == .string {
            waxClasses.append(Place(line: ahead.line, start: ahead.start, text: ahead.text))
        }
        if !isBracket {
            _ = try simple()
            return (1, false)
        }
        guard !take(")") else { return (0, false) }
        let all = try expressions()
        try expect(")")
        return all
    }
}
