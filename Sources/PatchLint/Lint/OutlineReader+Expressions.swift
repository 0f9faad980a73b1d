// The expressions of a script: calls, operators, tables, and where names are read.
extension OutlineReader {
    /// What an expression is, as far as it matters to what is around it.
    enum Expression {
        case value
        /// A call, or `...`.
        case values
        /// `table.name`, with the number of the table's name.
        case member(SourceOutline.Place, of: ScriptNames.ID)
    }

    /// Reads a list of expressions, and returns them as the arguments of a call.
    mutating func expressions() throws -> SourceOutline.Arguments {
        var all = SourceOutline.Arguments()
        repeat {
            if case .values = try expression() { all.isOpen = true } else { all.isOpen = false }
            all.count += 1
        } while take(.comma)
        return all
    }

    mutating func expression() throws -> Expression {
        try nested { reader in
            var parts = 0
            while true {
                while reader.take(.not) || reader.take(.minus) || reader.take(.length) || reader.take(.tilde) {
                    parts += 1
                }
                let expression = try reader.simple()
                parts += 1
                // How tightly an operator binds does not matter here.
                switch reader.token.word {
                case .or, .and, .less, .greater, .minus, .tilde, .operator: reader.advance()
                default: return parts == 1 ? expression : .value
                }
            }
        }
    }

    private mutating func simple() throws -> Expression {
        switch token.kind {
        case .number, .string: advance()
        case .symbol where isAt(.openBrace): try table()
        case .symbol where isAt(.dots):
            advance()
            return .values
        case .name where isAt(.nil) || isAt(.true) || isAt(.false): advance()
        case .name where isAt(.function):
            advance()
            try functionBody()
        default: return try suffixed()
        }
        return .value
    }

    private mutating func table() throws {
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
        var expression = Expression.value
        var written: ScriptNames.ID?
        if take(.open) {
            _ = try self.expression()
            try expect(.close)
        } else {
            let name = try name().id
            written = name
            // If `require` is passed on, as in `pcall(require, name)`, it may be called with any name.
            if name == require, !isAt(.open), token.kind != .string { outline.required.append(nil) }
        }
        // The index of a member of `self` that may be called next, without `self` as the first argument.
        var callee: Int?
        while true {
            let called = callee
            callee = nil
            if isAt(.dot) || isAt(.openBracket) {
                expression = .value
                if take(.dot) {
                    let member = try name()
                    if let written {
                        if written == outline.itself, isAt(.open), !isSelf(ahead) { callee = outline.members.count }
                        note(member, of: written, .read)
                        expression = .member(member, of: written)
                    }
                } else {
                    advance()
                    _ = try self.expression()
                    try expect(.closeBracket)
                }
            } else if take(.colon) {
                let method = try name()
                let arguments = try arguments(of: nil)
                if let written { note(method, of: written, .methodCall(arguments)) }
                expression = .values
            } else if isAt(.open) || isAt(.openBrace) || token.kind == .string {
                let arguments = try arguments(of: written)
                if let called { outline.members[called].use = .callWithoutSelf(arguments) }
                expression = .values
            } else {
                return expression
            }
            written = nil
        }
    }

    private func isSelf(_ token: LuaTokens.Token) -> Bool {
        token.kind == .name && source[token.text].elementsEqual("self".utf8)
    }

    private mutating func note(
        _ member: SourceOutline.Place, of receiver: ScriptNames.ID, _ use: SourceOutline.Member.Use
    ) {
        outline.members.append(.init(receiver: receiver, name: member, use: use, isInMethod: isInMethod))
    }

    /// Reads the arguments of a call, of a name if it is one.
    private mutating func arguments(of function: ScriptNames.ID?) throws -> SourceOutline.Arguments {
        let isBracket = take(.open)
        if function == require {
            var name: String?
            if token.kind == .string, !isBracket || ahead.word == .close {
                let id = value(of: token)
                name = outline.names[id]
            }
            outline.required.append(name)
        }
        if function == waxClass, isAt(.openBrace), ahead.kind == .string {
            outline.waxClasses.append(.init(line: ahead.line, range: ahead.text, id: value(of: ahead)))
        }
        if !isBracket {
            _ = try simple()
            return .init(count: 1)
        }
        guard !take(.close) else { return .init() }
        let all = try expressions()
        try expect(.close)
        return all
    }
}
