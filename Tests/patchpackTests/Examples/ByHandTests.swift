import TestSupport
import Testing

/// Makes and opens envelopes without patchpack, with openssl, zip and unzip.
@Suite(.ownThreads) struct ByHandTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    @Test func patchpackVerifiesWhatIsMadeByHand() throws {
        let made = try shop.shell(
            "\"$CHECKOUT/examples/by-hand/make.sh\" cart.lua signing.pem script.key hand.js com.example.hand 3 com.example.shop"
        )
        try #require(made.status == 0, "\(made.error)")
        let verified = try shop.verify("hand.js", "--app", "com.example.shop")
        #expect(verified.status == 0, "\(verified.error)")
        let unpacked = try shop.run(
            "unpack", "hand.js", "-o", "out", "--trusted-key", "trusted.pem", "--script-key", "script.key")
        #expect(unpacked.status == 0)
        #expect(try shop.folder.read("out/cart.lua") == Array(ReleaseFixture.script.utf8))
    }

    @Test func byHandOpensWhatPatchpackMakes() throws {
        try shop.folder.write((0...255).map { UInt8($0) }, to: "lib/deep/bytes.lua")
        try #require(
            try shop.pack("cart.lua", "lib/deep/bytes.lua", "--root", ".", "--bundle", "-o", "b.js").status == 0)
        let opened = try shop.shell("\"$CHECKOUT/examples/by-hand/open.sh\" b.js trusted.pem script.key out")
        #expect(opened.status == 0, "\(opened.error)")
        #expect(try shop.folder.read("out/cart.lua") == Array(ReleaseFixture.script.utf8))
        #expect(try shop.folder.read("out/lib/deep/bytes.lua") == (0...255).map { UInt8($0) })
    }

    @Test func openScriptWrongKeyOrSignatureIsRefused() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        #expect(try shop.shell("\"$CHECKOUT/examples/by-hand/open.sh\" cart.js other.pem script.key out").status != 0)
        #expect(try shop.shell("\"$CHECKOUT/examples/by-hand/open.sh\" cart.js trusted.pem other.key out").status != 0)
        var changed = try shop.folder.read("cart.js")
        changed[50] ^= 1
        try shop.folder.write(changed, to: "changed.js")
        #expect(
            try shop.shell("\"$CHECKOUT/examples/by-hand/open.sh\" changed.js trusted.pem script.key out").status != 0)
        #expect(!shop.folder.exists("out"))
    }

    @Test func opensslVerifiesThePayload() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let object = try #require(try shop.run("inspect", "cart.js", "--format", "json").objects().first)
        let layers = try #require(object["layers"] as? [[String: Any]])
        let end = try #require(layers.first { $0["name"] as? String == "delimiter" }?["offset"] as? Int)
        let run = try shop.shell(
            """
            head -c \(end) cart.js >payload && tail -n 1 cart.js | cut -d' ' -f3 | base64 -d >signature &&
              openssl dgst -sha1 -verify trusted.pem -signature signature payload
            """)
        #expect(run.lines == ["Verified OK"])
    }
}
