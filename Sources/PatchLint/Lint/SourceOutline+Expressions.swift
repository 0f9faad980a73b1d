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
        /// Whether it may be several values: a call, or `...`.
        var isOpen = false
        /// The number of the table's name, and the member's name, if it is `table.name`.
        var member: (table: Int32, name: Place)?
    }

    mutating func expression() throws -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.deepest else { throw GivenUp() }
        var parts = 0
        while true {
            while take(.not) || take(.minus) || take(.length) || take(.tilde) { parts += 1 }
            let expression = try simple()
            parts += 1
            // How tightly an operator binds does not matter here.
            switch token.word {
            case .or, .and, .less, .greater, .minus, .tilde, .operator: advance()
            default: return parts == 1 ? expression : Expression()
            }
        }
    }

    mutating func simple() throws -> Expression {
        switch token.kind {
        case .number, .string: advance()
        case .symbol where isAt(.openBrace): try table()
        case .symbol where isAt(.dots):
            advance()
            return Expression(isOpen: true)
        case .name where isAt(.nil) || isAt(.true) || isAt(.false): advance()
        case .name where isAt(.function):
            advance()
            try functionBody()
        default: return try suffixed()
        }
        return Expression()
    }

    mutating func table() throws {
        try expect(.openBrace)
        while !isAt(.closeBrace) {
            if take(.openBracket) {
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
            _ = try self.expression()
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

    /// Reads the arguments of a call of a name, if it is one. Returns how many there are, and whether there may be
    /// more.
    mutating func arguments(of function: Int32?) throws -> (count: Int, isOpen: Bool) {
        let isBracket = take(.open)
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
