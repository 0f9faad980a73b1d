import Foundation
import TestSupport
import Testing

/// Every verb's JSON: the members of all objects, and the schema.
@Suite(.ownThreads) struct ReportTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try #require(try shop.pack("cart.lua").status == 0)
        try #require(
            try shop.run("trust", "add", "store", "trusted.pem", "--not-after", "2099-01-01T00:00:00Z").status == 0)
    }

    @Test(arguments: [
        ("keygen -o new --profile modern", "keygen", 3, 0), ("keyinfo trusted.pem script.key", "keyinfo", 2, 0),
        ("keyinfo cart.lua", "keyinfo", 1, 78), ("trust list store", "trust", 1, 0), ("trust pin store", "trust", 1, 0),
        ("trust add other-store other.pem", "trust", 1, 0), ("trust revoke store trusted", "trust", 1, 0),
        ("trust revoke store nobody", "error", 1, 78),
        ("keystore add new.store script.key --passphrase-env P", "keystore", 1, 0),
        ("pack cart.lua -o new.js --signing-key signing.pem --script-key script.key", "pack", 1, 0),
        ("pack cart.lua --signing-key signing.pem --script-key script.key", "pack", 1, 0),
        ("pack cart.lua --notes other --signing-key signing.pem --script-key script.key", "pack", 1, 73),
        ("cat cart.js --trust-store store --script-key script.key --minimum-version 2000", "error", 1, 15),
        ("verify cart.js --trust-store store --script-key script.key", "verify", 1, 0),
        ("inspect cart.js --trust-store store", "inspect", 1, 0), ("inspect cart.lua", "inspect", 1, 10),
        ("unpack cart.js -o new --trust-store store --script-key script.key", "unpack", 1, 0),
        ("resign cart.js -o new.js --trust-store store --signing-key signing.pem", "resign", 1, 0),
        ("resign cart.lua -o new.js --trust-store store --signing-key signing.pem", "resign", 1, 10),
        ("doctor", "doctor", 15, 0),
    ])
    func everyVerbHasItsSchema(line: String, schema: String, count: Int, status: Int) throws {
        let words = line.split(separator: " ").map(String.init) + ["--format", "json"]
        let run = try Tool.run(Tool.patchpack, words, environment: ["P": "open-sesame"], in: shop.folder.path)
        #expect(Int(run.status) == status, "\(run.text)")
        let objects = try run.objects()
        #expect(objects.count == count)
        for object in objects {
            #expect(object["schema"] as? String == "patchpack.\(schema)/1")
            #expect(object["ok"] as? Bool == (status == 0))
            #expect(object["exitCode"] as? Int == status)
            #expect(object["verdict"] is String)
            #expect((object["error"] is NSNull) == (status == 0))
        }
    }
}
