import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct ManifestTests {
    /// A manifest with every key, in canonical form.
    private static let full =
        #"{"app":"com.example.shop","appVersions":">=2.3.0 <2.5.0","created":"2026-11-20T10:00:00Z","engine":1,"#
        + #""expires":"2027-01-01T00:00:00Z","extra":{"B":"","build.id":"47","ci-run":"é \"x\" \\"},"#
        + #""id":"com.example.fix","notes":"two\tcolumns\nand 中文","replaces":["Cart.total","a:b_1"],"schema":1,"#
        + #""scripts":[{"name":"main.lua","size":3},{"name":"lib/util.x.lua","size":0}],"version":7}"#
    /// The shortest manifest.
    private static let short =
        #"{"app":"a.b","appVersions":"*","engine":1,"id":"c.d","replaces":[],"schema":1,"#
        + #""scripts":[{"name":"main.lua","size":3}],"version":1}"#

    @Test(arguments: [full, short])
    func theCanonicalFormIsReadAndWritten(text: String) throws {
        let manifest = try Manifest(decoding: Array(text.utf8))
        #expect(manifest.encoded() == Array(text.utf8))
    }

    @Test func theFirstByteOfAnotherFormIsNamed() throws {
        let fault = #expect(throws: PatchError.self) {
            try Manifest(decoding: Array(Self.short.replacing("a.b", with: "\\u0061.b").utf8))
        }
        #expect(fault?.message.hasSuffix("not in canonical form at byte 8") == true, "\(fault?.message ?? "")")
    }

    @Test func everyKeyIsRead() throws {
        let manifest = try Manifest(decoding: Array(Self.full.utf8))
        #expect(manifest.id == "com.example.fix")
        #expect(manifest.version == 7)
        #expect(manifest.app == "com.example.shop")
        #expect(manifest.appVersions.description == ">=2.3.0 <2.5.0")
        #expect(manifest.engineLevel == 1)
        #expect(manifest.replaces == ["Cart.total", "a:b_1"])
        #expect(
            manifest.scripts == [.init(name: "main.lua", byteCount: 3), .init(name: "lib/util.x.lua", byteCount: 0)])
        #expect(manifest.created?.description == "2026-11-20T10:00:00Z")
        #expect(manifest.expires?.description == "2027-01-01T00:00:00Z")
        #expect(manifest.notes == "two\tcolumns\nand 中文")
        #expect(manifest.extra == ["B": "", "build.id": "47", "ci-run": "é \"x\" \\"])
    }

    /// Pieces of the shortest manifest, and the replacements that break a rule. The type makes the table quick to
    /// compile.
    private static let broken: [(String, String)] = [
        // other spellings of the same value
        ("{\"app\"", "{ \"app\""), ("a.b", "\\u0061.b"), ("\"engine\":1", "\"engine\":1.0"),
        ("\"engine\":1", "\"engine\":1e0"),
        ("\"engine\":1", "\"engine\":01"), ("\"engine\":1", "\"engine\":+1"),
        ("}],\"version\":1}", "}],\"version\":1}\n"),
        ("{\"app\":\"a.b\",\"appVersions\":\"*\"", "{\"appVersions\":\"*\",\"app\":\"a.b\""),
        ("\"replaces\":[]", "\"notes\":\"\\/\",\"replaces\":[]"),
        ("\"replaces\":[]", "\"notes\":\"\\u0009\",\"replaces\":[]"),
        ("\"replaces\":[]", "\"notes\":\"\\u00e9\",\"replaces\":[]"),
        // keys
        ("\"app\":\"a.b\"", "\"app\":\"a.b\",\"app\":\"a.b\""), ("\"engine\":1,", ""), ("\"id\":\"c.d\",", ""),
        ("\"engine\":1", "\"engine\":1,\"flavour\":1"), ("\"size\":3", "\"size\":3,\"more\":1"), (",\"size\":3", ""),
        ("\"schema\":1", "\"schema\":2"), ("\"schema\":1", "\"schema\":true"), ("\"schema\":1,", ""),
        // types
        ("\"version\":1", "\"version\":\"1\""), ("\"version\":1", "\"version\":null"),
        ("\"version\":1", "\"version\":true"),
        ("\"id\":\"c.d\"", "\"id\":7"), ("\"replaces\":[]", "\"replaces\":{}"), ("\"replaces\":[]", "\"replaces\":[1]"),
        ("\"replaces\":[]", "\"notes\":null,\"replaces\":[]"), ("\"engine\":1", "\"engine\":1,\"extra\":{\"a\":1}"),
        ("\"engine\":1", "\"engine\":1,\"extra\":[]"), ("[{\"name\":\"main.lua\",\"size\":3}]", "[1]"),
        ("[{\"name\":\"main.lua\",\"size\":3}]", "{}"), ("\"size\":3", "\"size\":\"3\""),
        // values
        ("c.d", "c"), ("c.d", "c..d"), ("c.d", ".c.d"), ("c.d", "c.d."), ("c.d", "c.ü"), ("c.d", "c.d e"),
        ("a.b", "a/b"),
        ("\"version\":1", "\"version\":0"), ("\"version\":1", "\"version\":-1"),
        ("\"version\":1", "\"version\":2147483648"),
        ("\"engine\":1", "\"engine\":0"), ("\"engine\":1", "\"engine\":2147483648"),
        ("\"version\":1", "\"version\":99999999999999999999"),
        ("\"*\"", "\"\""), ("\"*\"", "\">=1  <2\""), ("\"*\"", "\">= 1\""), ("\"*\"", "\"1\""), ("\"*\"", "\"* >1\""),
        ("\"*\"", "\">=1 \""), ("\"*\"", "\"=>1\""),
        ("[]", "[\"\"]"), ("[]", "[\"1a\"]"), ("[]", "[\"a.\"]"), ("[]", "[\"a.1\"]"), ("[]", "[\"a-b\"]"),
        ("[]", "[\"a\",\"a\"]"),
        ("[]", "[\"a b\"]"), ("main.lua", "main.txt"), ("main.lua", ".lua"), ("main.lua", "/main.lua"),
        ("main.lua", "../main.lua"),
        ("main.lua", "a//main.lua"), ("main.lua", "a.b/main.lua"), ("main.lua", "main..lua"), ("main.lua", "mäin.lua"),
        ("main.lua", "main.LUA"), ("main.lua", "main.lua/"), ("\"size\":3", "\"size\":-1"),
        ("\"size\":3", "\"size\":-0"),
        ("[{\"name\":\"main.lua\",\"size\":3}]", "[]"),
        ("\"size\":3}", "\"size\":3},{\"name\":\"main.lua\",\"size\":3}"),
        ("\"size\":3}", "\"size\":3},{\"name\":\"MAIN.lua\",\"size\":3}"),
        ("\"engine\":1", "\"engine\":1,\"expires\":\"2027-01-01\""), ("\"engine\":1", "\"engine\":1,\"expires\":\"\""),
        ("\"appVersions\":\"*\"", "\"appVersions\":\"*\",\"created\":\"2027-02-29T00:00:00Z\""),
        ("\"replaces\":[]", "\"notes\":\"\u{7F}\",\"replaces\":[]"),
        ("\"replaces\":[]", "\"notes\":\"\u{85}\",\"replaces\":[]"),
        ("\"replaces\":[]", "\"notes\":\"\\r\",\"replaces\":[]"),
        ("\"engine\":1", "\"engine\":1,\"extra\":{\"\":\"\"}"),
        ("\"engine\":1", "\"engine\":1,\"extra\":{\"a b\":\"\"}"),
        ("\"engine\":1", "\"engine\":1,\"extra\":{\"a\":\"\\n\"}"),
        ("\"engine\":1", "\"engine\":1,\"extra\":{\"\u{212A}\":\"\"}"),
        // not JSON
        ("{\"app\"", ""), ("\"version\":1}", "\"version\":1"), ("\"version\":1}", "\"version\":1}}"),
        ("\"a.b\"", "\"a.b"),
        ("\"a.b\"", "'a.b'"), ("\"version\":1", "\"version\":1,"), ("\"a.b\"", "\"a.b\\x\""),
        ("\"a.b\"", "\"\\ud800\""),
        ("\"a.b\"", "\"\\ud800\\u0041\""), ("\"a.b\"", "\"\\u00٣1\""),
    ]

    @Test(arguments: broken)
    func everyBrokenRuleIsMalformed(piece: String, replacement: String) throws {
        let text = Self.short.replacing(piece, with: replacement, maxReplacements: 1)
        try #require(text != Self.short)
        #expect(throws: PatchError(.malformed, "")) { try Manifest(decoding: Array(text.utf8)) }
    }

    /// The form of this manifest is valid, so the error is not about its form.
    @Test(arguments: [("\"engine\":1", "\"engine\":1,\"flavour\":1"), ("\"size\":3", "\"size\":3,\"zone\":1")])
    func aMemberThatIsNotKnownIsReportedAsSuch(piece: String, replacement: String) throws {
        let text = Self.short.replacing(piece, with: replacement, maxReplacements: 1)
        let error = #expect(throws: PatchError(.malformed, "")) { try Manifest(decoding: Array(text.utf8)) }
        #expect(error?.message.contains("a member that is not known") == true, "\(String(describing: error))")
    }

    @Test func bytesThatAreNoTextAreMalformed() {
        for bytes in [
            [], [0xFF], Array("\u{FEFF}\(Self.short)".utf8), Array(Self.short.utf8) + [0], [0x22, 0xC0, 0x80, 0x22],
        ] {
            #expect(throws: PatchError(.malformed, "")) { try Manifest(decoding: bytes) }
        }
    }

    @Test func deepArraysAreMalformed() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: EnvelopeLimits().manifestSize)
        #expect(throws: PatchError(.malformed, "")) { try Manifest(decoding: deep) }
    }

    @Test func everyFlippedBitIsAnotherManifestOrRefused() throws {
        let sound = Array(Self.full.utf8)
        var others = 0
        for index in sound.indices {
            for bit in 0..<8 {
                var bytes = sound
                bytes[index] ^= 1 << bit
                guard let manifest = try? Manifest(decoding: bytes) else { continue }
                #expect(manifest.encoded() == bytes)
                others += 1
            }
        }
        #expect(others > 0)
    }

    @Test func limitsHoldAtTheirValueAndNotAbove() throws {
        var limits = EnvelopeLimits()
        limits.manifestSize = Self.short.utf8.count
        limits.scriptSize = 3
        limits.scriptCount = 1
        let bytes = Array(Self.short.utf8)
        _ = try Manifest(decoding: bytes, limits: limits)
        for change in [\EnvelopeLimits.manifestSize, \.scriptSize, \.scriptCount] {
            var lower = limits
            lower[keyPath: change] -= 1
            #expect(throws: PatchError(.limit, "")) { try Manifest(decoding: bytes, limits: lower) }
        }
    }

    @Test func namesHoldToTheirLengths() throws {
        func manifest(id: String = "a.b", script: String = "a.lua", replaces: String = "a") throws -> Manifest {
            try Manifest(
                id: id, version: 1, app: "a.b", replaces: [replaces], scripts: [.init(name: script, byteCount: 0)])
        }
        let a = String(repeating: "a", count: 200)
        _ = try manifest(id: "a." + a.prefix(126), script: a.prefix(124) + ".lua", replaces: String(a.prefix(128)))
        #expect(throws: PatchError(.malformed, "")) { try manifest(id: "a." + a.prefix(127)) }
        #expect(throws: PatchError(.malformed, "")) { try manifest(script: a.prefix(125) + ".lua") }
        #expect(throws: PatchError(.malformed, "")) { try manifest(replaces: String(a.prefix(129))) }
    }
}
