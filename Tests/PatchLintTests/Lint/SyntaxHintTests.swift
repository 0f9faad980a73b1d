import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint

@Suite(.ownThreads) struct SyntaxHintTests {
    private func finding(_ source: String) throws -> Finding {
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        return try #require(
            Linter.findings(in: [script], replaces: ["Cart.total"], interface: nil).first { $0.code == .syntax })
    }

    @Test func aFaultIsOnTheLineOfLuasMessage() throws {
        let found = try finding("x = 1\r\n\r\n  y y\n")
        #expect(found.line == 3 && found.message == "syntax error near 'y'" && found.hint == nil)
    }

    @Test(arguments: [
        "for i = 1, 2 do if i then continue end f(i) end", "while a do\n  continue;\nend", "continue",
        "while a do\n  f()\n  continue -- again\n\n\nend", "for i = 1, 2 do\n  if i then\n    continue\n  end\nend",
        "repeat continue until a", "for i = 1, 2 do if i then continue else f() end end",
        "for i = 1, 2 do\n  continue\n  f()\nend",
    ])
    func continueHasAHint(_ source: String) throws {
        #expect(
            try finding(source).hint
                == "Lua has no continue; use goto continue, with ::continue:: before the end of the loop")
    }

    @Test(arguments: [
        ("if a != b then end", "Lua writes ~="), ("if !a then end", "Lua writes not"),
        ("if a && b then end", "Lua writes and"), ("f() && g()", "Lua writes and"),
        ("if a || b then end", "Lua writes or"), ("a ++", "Lua has no ++; write x = x + 1"),
        ("a += 1", "Lua has no +=; write x = x + y"), ("a ..= 'x'", "Lua has no ..=; write x = x .. y"),
        ("a //= 1", "Lua has no //=; write x = x // y"), ("let x = 1", "Lua writes local"),
        ("const x = 1", "Lua writes local"), ("if a then b() elif c then d() end", "Lua writes elseif"),
        ("x = a ? b : c", "Lua has no ?; write condition and x or y"),
        ("try return 1", "Lua has no try; pcall(f, …) returns whether f succeeds"),
        ("x = 1\u{A0}+ 2", "this is a no-break space, which Lua does not skip: replace it with a space"),
        ("<<<<<<< HEAD\nx = 1", "a merge left both sides here: keep one, and remove its marks"),
        ("x = 1\n=======\nx = 2", "a merge left both sides here: keep one, and remove its marks"),
        ("x = 1\n>>>>>>> main", "a merge left both sides here: keep one, and remove its marks"),
        ("x = 1\0", "a NUL byte is no text: remove it, or write it as \\0 in a string"),
    ])
    func syntaxOfOtherLanguagesHasAHint(_ source: String, hint: String) throws {
        #expect(try finding(source).hint == hint)
    }

    @Test(arguments: [
        "a.continue end", "continue.x end", "f(continue end", "x == 1", "x ~= 1", "x = '!=' x y", "x = a ~= = b",
        "do goto other end", "while a do goto continue end", "x = 1 +", "x = ", "x = 'a' -- continue\ny end",
    ])
    func similarSyntaxHasNoHint(_ source: String) throws { #expect(try finding(source).hint == nil) }

    @Test(arguments: ["null", "undefined", "None"]) func undefinedGlobalNilOfOtherLanguagesHasHint(_ name: String) {
        func hints(_ source: String) -> [String?] {
            Linter.findings(
                in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: [], interface: nil
            ).filter { $0.code == .undefinedGlobal }.map(\.hint)
        }
        #expect(hints("x = \(name)") == ["Lua writes nil"])
        #expect(hints("\(name) = false x = \(name)").isEmpty)
    }
}
