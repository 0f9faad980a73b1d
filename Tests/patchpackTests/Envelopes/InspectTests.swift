import TestSupport
import Testing

@Suite(.ownThreads) struct InspectTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    @Test func layersAddUpAndNothingIsCalledVerified() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let run = try shop.run(
            "inspect", "cart.js", "--script-key", "script.key", "--trusted-key", "trusted.pem", "--format", "json")
        #expect(run.status == 0)
        let object = try #require(try run.objects().first)
        #expect(object["verified"] as? Bool == false)
        let layers = try #require(object["layers"] as? [[String: Any]])
        #expect(layers.compactMap { $0["name"] as? String } == ["iv", "ciphertext", "delimiter", "signature"])
        var place = 0
        for layer in layers {
            #expect(layer["offset"] as? Int == place)
            place += try #require(layer["size"] as? Int)
        }
        #expect(place == object["size"] as? Int)
        #expect(place == (try shop.folder.read("cart.js").count))
        #expect((object["signatures"] as? [[String: Any]])?.first?["status"] as? String == "valid")
        #expect((object["manifest"] as? [String: Any])?["version"] as? Int == 7)
        let members = (object["zip"] as? [String: Any])?["members"] as? [[String: Any]]
        #expect(members?.compactMap { $0["name"] as? String } == ["manifest.json", "cart.lua.md5", "cart.lua.aes"])
    }

    @Test func inspectWrongKeyOrSignatureShowsReadableParts() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let wrong = try shop.run("inspect", "cart.js", "--script-key", "other.key")
        #expect(wrong.status == 13)
        #expect(wrong.text.contains("delimiter"))
        let plain = try shop.run("inspect", "cart.js", "--trusted-key", "other.pem")
        #expect(plain.status == 0)
        #expect(plain.text.contains("unchecked"))
        #expect(plain.text.contains("nothing here is verified"))
        var changed = try shop.folder.read("cart.js")
        changed[20] ^= 1
        try shop.folder.write(changed, to: "cart.js")
        let bad = try shop.run("inspect", "cart.js", "--trusted-key", "trusted.pem")
        #expect(bad.status == 0)
        #expect(bad.text.contains("invalid"))
    }

    /// Of several envelopes, it shows the order in which calls meet them.
    @Test func theOrderOfSeveralPatchesIsShown() throws {
        func pack(_ id: String, _ version: Int, _ names: String) throws {
            let calls = names.split(separator: ", ").map { "patch.replace('\($0)', function() return 1 end)" }
            try shop.folder.write(
                Array(
                    """
                    -- @patch com.example.shop.\(id)
                    -- @version \(version)
                    -- @app com.example.shop
                    -- @replaces \(names)
                    \(calls.joined(separator: "\n"))
                    """.utf8), to: "\(id)\(version).lua")
            try #require(try shop.pack("\(id)\(version).lua").status == 0)
        }
        try pack("a", 1, "Cart.total, Cart.tax")
        try pack("b", 2, "Cart.total")
        try pack("b", 10, "Cart.total, Cart.fee")
        try pack("b-c", 1, "Cart.total, Cart.tax")
        func inspect(_ options: String...) throws -> Tool {
            let files = ["b10.js", "a1.js", "b-c1.js", "b2.js", "--script-key", "script.key"]
            return try Tool.run(Tool.patchpack, ["inspect"] + files + options, in: shop.folder.path)
        }
        let run = try inspect()
        #expect(run.status == 0)
        let ids = "com.example.shop"
        #expect(
            run.text.hasSuffix(
                """

                calls of Cart.tax: \(ids).b-c 1, then \(ids).a 1, then the app's own
                calls of Cart.total: \(ids).b-c 1, then \(ids).b 10, then \(ids).a 1, then the app's own

                """))
        #expect(!run.text.contains("calls of Cart.fee"))
        #expect(try inspect("--format", "json").objects().count == 4)
    }
}
