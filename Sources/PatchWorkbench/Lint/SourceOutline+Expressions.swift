// What a script computes: calls, operators, tables, and where names are read.
extension SourceOutline {
    mutating func use(_ place: Place) { if let index = find(place.text) { variables[index].isRead = true } }

    /// Reads expressions. Returns how many there are, and whether the last one may be several values.
    mutating func expressions() throws -> (count: Int, isOpen: Bool) {
        var count = 0
        var isOpen = false
        repeat {
            isOpen = try expression().isOpen
            count += 1
        } while take(",")
        return (count, isOpen)
    }

    struct Expression {
        var operand: Operand = .unknown
        /// Whether it may be several values: a call, or `...`.
        var isOpen = false
        /// The variable that an assignment to it would change.
        var assigns: Int?
        /// The first `or` in it between a comparison and a constant that is true.
        var constantOr: Place?
        /// `table.name`, if it is one.
        var member: String?
    }

    static let binary: [String: (left: Int, right: Int)] = [
        "or": (1, 1), "and": (2, 2), "<": (3, 3), ">": (3, 3), "<=": (3, 3), ">=": (3, 3), "~=": (3, 3), "==": (3, 3),
        "|": (4, 4), "~": (5, 5), "&": (6, 6), "<<": (7, 7), ">>": (7, 7), "..": (9, 8), "+": (10, 10), "-": (10, 10),
        "*": (11, 11), "/": (11, 11), "//": (11, 11), "%": (11, 11), "^": (14, 13),
    ]
    static let unary = 12

    mutating func expression(above limit: Int = 0) throws -> Expression {
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
                left = Expression(
                    operand: sign == "not" ? .constant("boolean") : .unknown,
                    constantOr: sign == "not" ? inner.constantOr : nil)
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
            var constantOr: Place?
            if ["and", "or"].contains(place.text) {
                constantOr = left.constantOr ?? right.constantOr
                if place.text == "or", case .constant("boolean") = left.operand, right.operand.isTrue {
                    constantOr = place
                }
            }
            left = Expression(
                operand: operation == nil
                    ? isComparison && place.text.count < 3 ? .constant("boolean") : .unknown : .unknown,
                constantOr: constantOr)
        }
        return left
    }

    mutating func simple() throws -> Expression {
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

    mutating func table() throws {
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
    mutating func suffixed() throws -> Expression {
        var expression = Expression()
        var written: String?
        var variable: Int?
        if take("(") {
            let inner = try self.expression()
            expression = Expression(operand: inner.operand, constantOr: inner.constantOr)
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
    var isTarget: Bool { depth == scopes.count - 1 }

    /// Reads the arguments of a call. Returns how many there are, and whether the last one may be several values.
    ///
    /// - Parameter function: The name that is called, as it is written.
    mutating func arguments(of function: String?) throws -> (count: Int, isOpen: Bool) {
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
