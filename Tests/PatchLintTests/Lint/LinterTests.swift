import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import PatchLint
@testable import PatchRunner

@Suite(.ownThreads) struct LinterTests {
    private func lint(_ source: String) throws -> [Finding] {
        Linter.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: ["Cart.total"],
            interface: try PatchInterface.shop())
    }

    private static let good = "patch.replace('Cart.total', function(original, a, b) return original(a, b) end)"

    @Test func aListOfFindingsHasAnEnd() throws {
        let found = try lint(Self.good + "\n" + String(repeating: "-- patchpack: ignore x\n", count: 2500))
        #expect(found.count == 200)
    }

    /// An outline can be made from any source, whether it compiles or not, and however deeply it is nested. Its places
    /// are in the source.
    @Test(arguments: [
        String(repeating: "(", count: 150) + "1" + String(repeating: ")", count: 150),
        "x = " + String(repeating: "-", count: 5000),
        "f = function() goto a ::a:: for i = 1, 2 do local t <const>, u <close> = {[1] = 2; 'x', y = 0x1p-4}, nil end end",
        "--[==[ ]] ]==] x = [[a\nb]] local _ = 1 // 2 ~ 3 >> 1 ; return ...", "local function f() end local", "]]", "'",
    ])
    func everySourceHasAnOutline(_ source: String) {
        for end in [source.utf8.count] + (0..<min(source.utf8.count, 200)) {
            let outline = SourceOutline(Array(source.utf8.prefix(end)))
            let places = outline.locals + outline.members.map(\.name)
            #expect(places.allSatisfy { !$0.range.isEmpty && $0.range.upperBound <= end }, "\(source.prefix(end))")
        }
    }

    /// What comes after a deep nesting is not known, so nothing is said to be missing.
    @Test func aScriptThatIsNestedDeeplyIsNotBlamed() throws {
        let deep = "local x = " + String(repeating: "(", count: 45) + "1" + String(repeating: ")", count: 45) + "\n"
        let wax = "waxClass{'Basket'}\nfunction Basket.pay() return x end\n"
        let trim = "function string.trim(s) return s:gsub(' ', '') end\nlocal y = string.trim('a')\n"
        for source in [wax, trim] {
            let flat = "local x = 1\n" + source + Self.good
            #expect(try Set(lint(deep + source + Self.good).map(\.code)).isSubset(of: lint(flat).map(\.code)))
        }
        let scripts = [("main.lua", deep + "require('b')\n" + Self.good), ("b.lua", "return 1")].map {
            PatchScript(name: $0.0, bytes: Array($0.1.utf8))
        }
        #expect(
            !Linter.findings(in: scripts, replaces: ["Cart.total"], interface: try PatchInterface.shop()).contains {
                $0.code == .unusedScript
            })
    }

    /// Only what such a script itself may add or define is not known.
    @Test func aScriptThatIsNestedDeeplyHidesNothingInOthers() throws {
        let deep = "local x = " + String(repeating: "(", count: 45) + "1" + String(repeating: ")", count: 45) + "\n"
        func found(_ main: String, _ other: String) throws -> [String] {
            let scripts = [("main.lua", "require('b')\n\(Self.good)\n\(main)"), ("b.lua", other)].map {
                PatchScript(name: $0.0, bytes: Array($0.1.utf8))
            }
            return Linter.findings(in: scripts, replaces: ["Cart.total"], interface: try PatchInterface.shop())
                .map { "\($0.script):\($0.line) \($0.code.rawValue)" }
        }
        let wrong = "local function f() return string.trim('x') end"
        #expect(try found(wrong, deep) == ["main.lua:3 not-in-sandbox"])
        #expect(try found("", deep + wrong) == ["b.lua:2 not-in-sandbox"])
        #expect(try found(wrong, deep + "function string.trim(s) return s end").isEmpty)
        let wax = "waxClass{'Helper'}\nlocal function f() return Other end"
        #expect(try found(wax, deep).contains("main.lua:4 undefined-global"))
        #expect(try found("local function f() return Other end", deep + "waxClass{'Other'}").isEmpty)
    }

    @Test func sandboxNamesRunningSandboxAreItsGlobals() throws {
        let registry = PatchRegistry()
        let list = try registry.replaceable("T.list") { () -> [String: [String]] in [:] }
        let runner = PatchRunner(
            registry: registry, host: try HostInfo(app: "com.example.shop", version: "1"))
        let source =
            """
            patch.replace("T.list", function()
              local names = {_G = {}}
              for name, value in pairs(_G) do
                names._G[#names._G + 1] = name
                if type(value) == "table" and name ~= "_G" then
                  names[name] = {}
                  for member in pairs(value) do table.insert(names[name], member) end
                end
              end
              return names
            end)
            """
        let script = PatchScript(name: "main.lua", bytes: Array(source.utf8))
        let manifest = try Manifest(
            id: "com.example.shop.fix", version: 1, app: "com.example.shop", replaces: ["T.list"],
            scripts: [.init(name: script.name, byteCount: script.bytes.count)])
        try runner.activate(try runner.load(VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])))
        var names = withExtendedLifetime(runner) { list() }.mapValues(Set.init)
        #expect(names.removeValue(forKey: "_G") == SandboxNames.globals)
        #expect(names == SandboxNames.members)
        #expect(SandboxNames.globals.isDisjoint(with: SandboxNames.missing))
    }

    /// The function gets the object as its first argument, and the method before the colon.
    @Test func functionAndMethodOfSameNameHaveTheirOwnArguments() throws {
        final class Cart: PatchObject {}
        let registry = PatchRegistry()
        try registry.expose(Cart.self) { cart in cart.method("add") { (_: Cart, count: Int) -> Int in count } }
        _ = try registry.replaceable("Cart:add") { (_: Cart, count: Int) -> Int in count }
        let source = "patch.replace('Cart:add', function(original, cart, n) return original(cart, n) + cart:add(n) end)"
        let found = Linter.findings(
            in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: ["Cart:add"],
            interface: registry.interface(of: try HostInfo(app: "com.example.shop", version: "1")))
        #expect(found.isEmpty, "\(found)")
    }

    /// To `String`, the two ways to write é are equal; to the app, they are two strings.
    @Test func aCaseIsFoundByItsBytes() throws {
        let interface = String(decoding: try LintCase.interface(), as: UTF8.self)
            .replacingOccurrences(of: "\"lunch\"", with: "\"caf\u{E9}\"")
        func findings(returning text: String) throws -> [String] {
            let source = """
                patch.replace("Cart.meal", function(original, hour)
                  log.info("cafe\u{301}", "caf\u{E9}")
                  return "\(text)"
                end)
                """
            return Linter.findings(
                in: [PatchScript(name: "main.lua", bytes: Array(source.utf8))], replaces: ["Cart.meal"],
                interface: try PatchInterface(decoding: Array(interface.utf8))
            ).map(\.code.rawValue)
        }
        #expect(try findings(returning: "caf\u{E9}").isEmpty)
        #expect(try findings(returning: "cafe\u{301}") == ["unknown-case"])
    }

    @Test func manyGlobalsAndLongFunctionsAreRead() throws {
        let many = (1...1900).map { "F=function() g\($0)=h\($0) end" }.joined(separator: " ")
        #expect(try lint("-- @instances any\n\(Self.good)\n\(many)").count == 100)
        // With more than 255 constants, Lua indexes globals in another way.
        let constants = (1...300).map { "local _ = 'k\($0)'" }.joined(separator: "\n")
        let wrapped = "do \(constants.replacingOccurrences(of: "local _", with: "_")) end\n"
        let found = try lint(
            wrapped + "function helper() end\nhelper()\n_G.other = 1\nother = other\n" + Self.good
                + "\nF = function() return undef end")
        #expect(found.map(\.message) == ["the global undef is used, but nothing defines it"])
    }

    @Test func aByteThatIsNotUTF8IsInLuasLine() throws {
        let source = Array((Self.good + "\r\rx = '").utf8) + [0xFF] + Array("'".utf8)
        let found = Linter.findings(
            in: [PatchScript(name: "main.lua", bytes: source)], replaces: ["Cart.total"],
            interface: try PatchInterface.shop())
        #expect(found.map { "\($0.line) \($0.code.rawValue)" } == ["3 encoding"])
    }

    /// Lua notes the line of the operator. A search for a long word would compare all of it at each place of the line.
    @Test func aNameOnAnotherLineIsLookedForIfItIsShort() throws {
        func columns(_ length: Int) throws -> [Int] {
            let name = String(repeating: "a", count: length)
            let found = try lint("\(Self.good)\nlocal x = \(name)\n+ '\(name)'")
            return found.filter { $0.code == .undefinedGlobal }.map(\.column)
        }
        #expect(try columns(256) == [4])
        #expect(try columns(257) == [1])
    }

    /// A character may have any number of code points.
    @Test func aMessageHasTheBeginningOfAString() throws {
        let text = "e" + String(repeating: "\u{301}", count: 90)
        let found = try lint(Self.good + "\nlocal function f() return '\(text)' + 1 end")
        #expect(found.map(\.code) == [.operand])
        #expect(found.allSatisfy { $0.message.unicodeScalars.count < 80 }, "\(found.map(\.message))")
    }

    @Test func linesAndColumnsAreLuasAndUnicodes() throws {
        let found = try lint(Self.good + "\r\rlocal function f() local e = '👩‍👧 é' foo() end\r\nx = nope")
        #expect(
            found.map { "\($0.line):\($0.column) \($0.code.rawValue)" }
                == ["3:38 undefined-global", "4:5 undefined-global"])
    }
}
