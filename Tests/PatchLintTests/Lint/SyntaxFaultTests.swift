import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

@Suite(.ownThreads) struct SyntaxFaultTests {
    private func finding(_ source: [UInt8]) throws -> Finding {
        let script = PatchScript(name: "main.lua", bytes: source)
        return try #require(
            Linter.findings(in: [script], replaces: ["Cart.total"], interface: nil).first { $0.code == .syntax })
    }

    private func finding(_ source: String) throws -> Finding { try finding(Array(source.utf8)) }

    /// A source with an error between two marks. The finding must cover the marked part.
    private func expect(_ marked: String, _ message: String? = nil, hint: String? = nil) throws {
        let parts = marked.split(separator: "¦", omittingEmptySubsequences: false)
        let lines = parts[0].split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        let found = try finding(parts.joined())
        #expect(found.line == lines.count, "\(marked)")
        #expect(found.column == (lines.last?.unicodeScalars.count ?? 0) + 1, "\(marked)")
        #expect(found.length == max(1, parts[1].unicodeScalars.count), "\(marked)")
        if let message { #expect(found.message == message) }
        #expect(found.hint == hint, "\(marked)")
    }

    @Test(arguments: [
        "local t = {1, 2,¦,¦ 3}", "local a = 1 local b = ¦=¦ 2", "a = a a ¦a¦ = a", "a(a)(a) ¦=¦ a = a",
        "if a == b then c = ¦==¦ d end", "x = 'é👩‍👧' y = y ¦=¦ 2", "x = 1\r\n\r\n  y ¦y¦",
        "x = '= =' -- = =\nx = ¦=¦ 1", "x = 1 ¦'a\\nb'¦", "x = 1\n¦[[a¦\nb]]", "f(a, b¦;¦ c)", "¦end¦", "¦#¦ x",
        "for i = 1, 2 do x = x y ¦z¦ end", "x = ¦3x¦ + 3", "x = {[1] = 1, [2¦=¦ 2}", "return 1 ¦x¦ = 1",
    ])
    func aTokenIsAtItsPlace(_ marked: String) throws { try expect(marked) }

    @Test(
        arguments: [
            ("local a <const> = 1; ¦a¦ = 2", "attempt to assign to const variable 'a'"),
            ("local a <const> = 1\nx, ¦a¦ = 2, a", "attempt to assign to const variable 'a'"),
            ("local a <¦foo¦> = foo", "unknown attribute 'foo'"),
            ("local a <close>, b <¦close¦>\n= 1", "multiple to-be-closed variables in local list"),
            ("::x:: x = x ::¦x¦:: x = x", "label 'x' already defined on line 1"),
            ("do ¦goto x¦ end\n\nx = 1", nil), ("do ¦goto  x¦; local a; ::x:: f() end", nil),
            ("for i = 1, 2 do break end ¦break¦", nil), ("¦break¦", nil),
            ("for i = 1, 2 do break end ¦break¦ for i = 1, 2 do break end break", nil),
            ("while a do f(function() ¦break¦ end) break end", nil),
            ("a¦\0¦b = 1", nil),
            ("local f <const> = 1 function ¦f¦() return f end f = 1", "attempt to assign to const variable 'f'"),
        ] as [(String, String?)])
    func syntaxFault_messageWithoutToken_isLocated(_ marked: String, message: String?) throws {
        try expect(marked, message)
    }

    @Test func deepNestingIsAtItsPlace() throws {
        for piece in ["(", "{"] {
            let found = try finding("x = 1\ny = " + String(repeating: piece, count: 230))
            #expect(found.message == "C stack overflow" && found.line == 2, "\(found)")
            #expect((150...220).contains(found.column), "\(found)")
        }
        try expect("x = y\n" + String(repeating: "[1]", count: 200) + "[1¦]¦[1]", "more than 200 indexings in a row")
    }

    @Test(arguments: [
        "x = ¦'open¦\n'", "x = 'a' .. ¦\"open¦", "x = 'a\\nb' .. ¦'open\\n¦", "x = ''\ny = ¦[==[a¦\n]=]\n",
        "x = ¦[==¦ 1",
        "--[[a]] x = 1 ¦--[=[ open¦\n]]", "x = 'a' .. 'a¦\\xg¦'", "x = '¦\\u{110000000¦}'",
        "for i = 1, 2 do\n  f(i)¦¦\n-- the end\n\n", "x = {1,¦¦", "f(¦¦--[[\n]]\n",
    ])
    func syntaxFault_unfinishedOrBrokenToken_isLocated(_ marked: String) throws { try expect(marked) }

    @Test(arguments: [
        ("x¦\u{A0}¦= 1", "syntax error near U+00A0 (no-break space)"),
        ("x = 'é' .. ¦“¦a”", "unexpected symbol near U+201C (left double quotation mark)"),
        ("¦\u{FEFF}¦x = 1", "unexpected symbol near U+FEFF (zero width no-break space)"),
        ("x = ¦😀¦", "unexpected symbol near U+1F600 (grinning face)"),
        ("x = ¦\u{E000}¦", "unexpected symbol near U+E000"),
    ])
    func aCharacterIsNamed(_ marked: String, message: String) throws {
        try expect(marked, message, hint: "outside strings and comments, Lua takes only ASCII")
    }

    @Test func bytesThatAreNoCharacterStayBytes() throws {
        let latin1 = "x = '\u{E9}\u{E9}' .. \u{A0}1".unicodeScalars.map { UInt8($0.value) }
        let found = try finding(latin1)
        #expect(found.column == 13 && found.length == 1)
        #expect(found.message == #"unexpected symbol near '<\160>'"# && found.hint == nil)
    }

    @Test(arguments: [
        ("if a ¦!¦= b then end", "Lua writes ~="), ("if a ¦!¦== b then end", "Lua writes ~="),
        ("if ¦!¦a then end", "Lua writes not"), ("if a &¦&¦ b then end", "Lua writes and"),
        ("f() ¦&¦& g()", "Lua writes and"), ("if a |¦|¦ b then end", "Lua writes or"),
        ("if a ==¦=¦ b then end", "Lua writes =="), ("a ¦+¦+", "Lua has no ++; write x = x + 1"),
        ("b = a+¦+¦", "Lua has no ++; write x = x + 1"), ("a ¦+¦= 1", "Lua has no +=; write x = x + y"),
        ("b = a +¦=¦ 1", "Lua has no +=; write x = x + y"), ("a ¦..¦= 'x'", "Lua has no ..=; write x = x .. y"),
        ("a ¦//¦= 1", "Lua has no //=; write x = x // y"), ("¦//¦ a", "a comment begins with --"),
        ("x = 1\n<<¦<<¦<<< HEAD\ny = 2", "a Git conflict marker; keep one of the two versions"),
        ("f()\n¦==¦=====\ny = 2", "a Git conflict marker; keep one of the two versions"),
        ("f()\n¦>>¦>>>>> main", "a Git conflict marker; keep one of the two versions"),
    ])
    func syntaxFault_otherLanguagesOperator_hasHint(_ marked: String, hint: String) throws {
        try expect(marked, hint: hint)
    }

    @Test(arguments: [
        ("x = 'a\\n¦\\q¦b'", #"\\ is a backslash; a pattern has %d for a digit"#),
        ("x = 'C:¦\\U¦sers'", #"\\ is a backslash; a pattern has %d for a digit"#),
        ("x = ¦1..¦'a'", "between a number and .. there is a space"), ("let ¦x¦ = 1", "Lua writes local"),
        ("const ¦x¦ = 1", "Lua writes local"), ("func ¦f¦() return 1 end", "Lua writes function"),
        ("try ¦return¦ 1", "Lua has no try; pcall(f, …) returns whether f succeeds"),
        ("if a then b() elif ¦c¦ then d() end", "Lua writes elseif"),
        ("if a then return 1 ¦elif¦ c then d() end", "Lua writes elseif"),
        ("if a ¦=¦ 5 then b() end", "Lua compares with =="), ("while a ¦=¦ 5 do b() end", "Lua compares with =="),
        ("x = a ¦?¦ b : c", "Lua has no ?; write condition and x or y"), ("x = a ¦?¦? b", "Lua writes or"),
        ("x = a¦?¦.b", "Lua has no ?.; write x and x.y"), ("x = ¦`¦a`", "Lua writes strings with \", ' or [[ ]]"),
        (
            "f(function()\nif a then b()\nelse if c then d() end\nend¦)¦",
            "the `else if` of line 3 needs an `end` of its own; `elseif` does not"
        ),
    ])
    func wordsOfOtherLanguagesHaveAHint(_ marked: String, hint: String) throws { try expect(marked, hint: hint) }

    @Test(arguments: [
        "for i = 1, 2 do if i then continue ¦end¦ f(i) end", "while a do\n  continue¦;¦\nend", "continue¦¦",
        "for i = 1, 2 do ¦goto continue¦ end",
    ])
    func continueHasAHint(_ marked: String) throws {
        try expect(
            marked, hint: "Lua has no continue; use goto continue, with ::continue:: before the end of the loop")
    }

    @Test(arguments: [
        "a.continue ¦end¦", "continue.x ¦end¦", "f(continue ¦end¦", "x = 1 & ¦&¦ 2", "x = 1 + ¦=¦ 2", "x = 1 +¦¦",
        "x ¦==¦ 1", "x ¦~=¦ 1", "x = '!=' x ¦y¦", "x = a ~= ¦=¦ b", "f()\n¦==¦=========\n", "x = 1 //¦¦",
        "do ¦goto other¦ end", "if a then b() else if c then d() end end\nfor i = 1, 2 do¦¦",
        "if a then b() else if c then d() end end f(1, ¦)¦",
    ])
    func syntaxFault_similarOperator_hasNoHint(_ marked: String) throws { try expect(marked) }

    @Test(arguments: ["null", "undefined", "None"]) func undefinedGlobal_nilOfOtherLanguages_hasHint(_ name: String) {
        func hints(_ source: String) -> [String?] {
            Linter.findings(
                in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: [], interface: nil
            ).filter { $0.code == .undefinedGlobal }.map(\.hint)
        }
        #expect(hints("x = \(name)") == ["Lua writes nil"])
        #expect(hints("\(name) = false x = \(name)").isEmpty)
    }

    /// A script of the largest size in one line, with the mistake at its end.
    @Test(arguments: [
        "x = ¦=¦ 1", "¦break¦", "local c <const> = 1 ¦c¦ = 1", "x = y +¦¦", "x = '¦\\xg¦'", "x = ¦é¦",
    ])
    func syntaxFault_endOfLongestLine_isLocated(_ marked: String) throws {
        let piece = "while x do x = y == x and ',' or {x, y} break end "
        try expect(
            String(repeating: piece, count: (PatchLimits().sourceBytes - 40) / piece.utf8.count) + marked,
            hint: marked.contains("é") ? "outside strings and comments, Lua takes only ASCII" : nil)
    }
}
