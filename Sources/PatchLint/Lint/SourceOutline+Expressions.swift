// The expressions of a script: calls, operators, tables, and where names are read.
extension SourceOutline {
    /// Reads expressions, and returns how many there are and whether the last one may be several values.
    mutating func expressions() throws -> (count: Int, isOpen: Bool) {
        var count = 0
        var isOpen = false
        repeat {
            isOpen = try expression().isOpen
            count += 1
        } while take(.comma)
        return (count, isOpen)
    }

    struct Expression {
        var kind: Kind?
        /// Whether it may be several values: a call, or `...`.
        var isOpen = false
        /// The first operator in it that makes it constant if it is a condition.
        var constant: (place: Place, constant: Constant)?
        /// Whether it is nil or false as the script writes it, and whether it is an `and` that ends with this.
        var isFalse = false
        var endsFalse = false
        /// The number of the table's name, and the member's name, if it is `table.name`.
        var member: (table: Int32, name: Place)?
    }

    /// How tightly an operator binds to its left and its right operand; nil if the word is not an operator.
    private static func priority(_ word: LuaTokens.Word) -> (left: Int, right: Int)? {
        switch word {
        case .or: (1, 1)
        case .and: (2, 2)
        case .less, .greater, .lessOrEqual, .greaterOrEqual, .unequal, .equal: (3, 3)
        case .bar: (4, 4)
        case .tilde: (5, 5)
        case .ampersand: (6, 6)
        case .shiftLeft, .shiftRight: (7, 7)
        case .join: (9, 8)
        case .plus, .minus: (10, 10)
        case .times, .divide, .floorDivide, .modulo: (11, 11)
        case .power: (14, 13)
        default: nil
        }
    }

    static let unary = 12

    mutating func expression(above limit: Int = 0) throws -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw GivenUp() }
        var left: Expression
        let sign = token.word
        if sign == .not || sign == .minus || sign == .length || sign == .tilde {
            let place = place()
            advance()
            let inner = try expression(above: Self.unary)
            // The result of a metamethod of another value is known only when the script runs.
            if inner.kind != nil, sign != .not {
                left = Expression(kind: .other, constant: (place, .number))
            } else {
                left = Expression(
                    kind: sign == .not ? .boolean : nil,
                    constant: sign == .not ? inner.constant : sign == .length ? (place, .number) : nil)
            }
        } else {
            left = try simple()
        }
        while let priority = Self.priority(token.word), priority.left > limit {
            let (place, word) = (place(), token.word)
            advance()
            let right = try expression(above: priority.right)
            var kind: Kind?
            var constant: (place: Place, constant: Constant)?
            switch word {
            case .join: break
            case .equal, .unequal, .less, .greater, .lessOrEqual, .greaterOrEqual: kind = .boolean
            case .or, .and:
                constant = left.constant ?? right.constant
                if word == .or, left.kind == .boolean, right.kind == .other { constant = (place, .or) }
                if word == .or, left.endsFalse { constants.append((place, .and)) }
            default: constant = (place, .number)
            }
            left = Expression(kind: kind, constant: constant, endsFalse: word == .and && right.isFalse)
        }
        return left
    }

    mutating func simple() throws -> Expression {
        switch token.kind {
        case .number:
            advance()
            return Expression(kind: .other)
        case .string:
            advance()
            return Expression(kind: .other)
        case .symbol where isAt(.openBrace):
            try table()
            return Expression(kind: .other)
        case .symbol where isAt(.dots):
            advance()
            return Expression(isOpen: true)
        case .name where isAt(.nil):
            advance()
            return Expression(kind: .nil, isFalse: true)
        case .name where isAt(.true) || isAt(.false):
            let isFalse = isAt(.false)
            advance()
            return Expression(kind: .boolean, isFalse: isFalse)
        case .name where isAt(.function):
            advance()
            try functionBody()
            return Expression(kind: .other)
        default: return try suffixed()
        }
    }

    mutating func table() throws {
        try expect(.openBrace)
        while !isAt(.closeBrace) {
            if isAt(.openBracket) {
                advance()
                _ = try expression()
                try expect(.closeBracket)
                try expect(.assign)
                _ = try expression()
            } else if token.kind == .name, ahead.word == .assign {
                advance()
                advance()
                _ = try expression()
            } else {
                _ = try expression()
            }
            guard take(.comma) || take(.semicolon) else { break }
        }
        try expect(.closeBrace)
    }

    /// Reads a name or an expression in parentheses, and the members, indexes and calls that follow it.
    mutating func suffixed() throws -> Expression {
        var expression = Expression()
        var written: Int32?
        if take(.open) {
            let inner = try self.expression()
            expression = Expression(
                kind: inner.kind, constant: inner.constant, isFalse: inner.isFalse, endsFalse: inner.endsFalse)
            try expect(.close)
        } else {
            let name = try name().name
            written = name
            // If `require` is passed on, as in `pcall(require, name)`, it may be called with any name.
            if name == require, !isAt(.open), token.kind != .string { required.append(nil) }
        }
        // The member of `self` that may be called next, without `self` as the first argument.
        var named: Int?
        while true {
            let callee = named
            named = nil
            if isAt(.dot) || isAt(.openBracket) {
                expression = Expression()
                if take(.dot) {
                    let member = try name()
                    if let written {
                        if written == itself, isAt(.open), !(ahead.kind == .name && number(of: ahead) == itself) {
                            named = members.count
                        }
                        members.append(
                            Member(receiver: written, name: member, call: nil, isInMethod: isInMethod))
                        expression.member = (written, member)
                    }
                } else {
                    advance()
                    _ = try self.expression()
                    try expect(.closeBracket)
                }
            } else if take(.colon) {
                let method = try name()
                let call = try arguments(of: nil)
                if let written {
                    members.append(Member(receiver: written, name: method, call: call, isInMethod: isInMethod))
                }
                expression = Expression(isOpen: true)
            } else if isAt(.open) || isAt(.openBrace) || token.kind == .string {
                let call = try arguments(of: written)
                if let callee { members[callee].dotCall = call }
                expression = Expression(isOpen: true)
            } else {
                return expression
            }
            written = nil
        }
    }

    /// Reads the arguments of a call, and returns how many there are and whether the last one may be several values.
    ///
    /// - Parameter function: The name that is called, as it is written.
    mutating func arguments(of function: Int32?) throws -> (count: Int, isOpen: Bool) {
        let isBracket = isAt(.open)
        if isBracket { advance() }
        if function == require {
            let isOnly = !isBracket || ahead.word == .close
            let number = number(of: token)
            required.append(isOnly && token.kind == .string ? names[number] : nil)
        }
        if function == waxClass, isAt(.openBrace), ahead.kind == .string {
            let number = number(of: ahead)
            waxClasses.append(
                Place(line: ahead.line, range: ahead.start..<ahead.start + ahead.text.count, name: number))
        }
        if !isBracket {
            _ = try simple()
            return (1, false)
        }
        guard !take(.close) else { return (0, false) }
        let all = try expressions()
        try expect(.close)
        return all
    }
}
