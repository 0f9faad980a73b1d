import Foundation
import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct PackTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    /// The manifest that verification returns.
    private func manifest(of file: String) throws -> [String: Any] {
        let run = try shop.verify(file, "--format", "json", "--at", "2000-01-01T00:00:00Z", "--engine", "99")
        let object = try #require(try run.objects().first)
        return try #require(object["manifest"] as? [String: Any], "\(run.text)")
    }

    /// What is packed is what was linted: an option takes the place of its tag before that.
    @Test(arguments: [
        ("Cart.total", "--replaces x", 20), ("Cart.total", "--replaces Cart.total --replaces x", 20),
        ("x", "", 20), ("x", "--replaces Cart.total", 0),
    ])
    func replacesOptionIsLinted(tag: String, options: String, status: Int32) throws {
        try shop.folder.write(
            ReleaseFixture.script.replacing("@replaces Cart.total", with: "@replaces \(tag)"), to: "door.lua")
        let run = try shop.shell(
            "patchpack pack door.lua -o o.js \(options) --signing-key signing.pem --script-key script.key")
        #expect(run.status == status && shop.folder.exists("o.js") == (status == 0), "\(run.error)")
    }

    @Test func tagsSayWhatThePatchIs() throws {
        try #require(try shop.pack("cart.lua").status == 0)
        let manifest = try manifest(of: "cart.js")
        #expect(manifest["id"] as? String == "com.example.shop.cart-total")
        #expect(manifest["version"] as? Int == 7)
        #expect(manifest["app"] as? String == "com.example.shop")
        #expect(manifest["appVersions"] as? String == ">=2.3.0 <2.5.0")
        #expect(manifest["engine"] as? Int == 1)
        #expect(manifest["replaces"] as? [String] == ["Cart.total"])
        #expect(manifest["created"] == nil)
    }

    @Test func flagsOverrideTags() throws {
        let run = try shop.pack(
            "cart.lua", "--id", "a.b", "--version", "8", "--app", "c.d", "--app-versions", "*", "--engine", "2",
            "--replaces", "X.y,Z", "--replaces", "W", "--expires", "2030-01-01T00:00:00Z", "--notes", "wörds",
            "--extra", "build=47", "--extra", "x=a=b")
        try #require(run.status == 0, "\(run.error)")
        let manifest = try manifest(of: "cart.js")
        #expect(manifest["id"] as? String == "a.b")
        #expect(manifest["version"] as? Int == 8)
        #expect(manifest["app"] as? String == "c.d")
        #expect(manifest["appVersions"] as? String == "*")
        #expect(manifest["engine"] as? Int == 2)
        #expect(manifest["replaces"] as? [String] == ["X.y", "Z", "W"])
        #expect(manifest["expires"] as? String == "2030-01-01T00:00:00Z")
        #expect(manifest["notes"] as? String == "wörds")
        #expect(manifest["extra"] as? [String: String] == ["build": "47", "x": "a=b"])
    }

    @Test func createdComesFromTheEnvironment() throws {
        try #require(try shop.pack("cart.lua", environment: ["SOURCE_DATE_EPOCH": "951782400"]).status == 0)
        #expect(try manifest(of: "cart.js")["created"] as? String == "2000-02-29T00:00:00Z")
        #expect(try shop.pack("cart.lua", "--force", environment: ["SOURCE_DATE_EPOCH": "yesterday"]).status == 64)
    }

    @Test func packingTwiceGivesTheSameBytesOnAnotherDayToo() throws {
        let scripts = "\"$CHECKOUT\"/examples/patches/*.lua"
        let run = try shop.shell(
            """
            pack() { "$@" "$TOOL" pack \(scripts) -o "$to" --signing-key signing.pem --script-key script.key; }
            # libfaketime and the address sanitizer both want to be first, and wait for each other.
            another_day=(faketime '2031-07-06 05:04:03'); [ -z "$LSAN_OPTIONS" ] || another_day=(env)
            to=one pack env && to=two pack env TZ=Asia/Tokyo && to=three pack "${another_day[@]}" &&
              diff -r one two && diff -r one three && ls one | wc -l
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(try #require(Int(run.lines.last ?? "")) >= 3)
    }

    @Test func anOutputIsNoScript() throws {
        let run = try shop.pack("cart.lua", "-o", "out.lua")
        #expect(run.status == 64 && run.error.contains("ends in .lua"), "\(run.error)")
        #expect(!shop.folder.exists("out.lua"))
    }

    @Test func packOutputOptionGivesPaths() throws {
        try shop.folder.write(ReleaseFixture.script, to: "src/a/one.lua")
        try shop.folder.write(ReleaseFixture.script.replacing("cart-total", with: "other"), to: "src/b/one.lua")
        #expect(try shop.pack("cart.lua", "-o", "dist").status == 0)
        #expect(try shop.pack("cart.lua", "-o", "new/folder/").status == 0)
        #expect(try shop.pack("cart.lua", "-o", "named.js").status == 0)
        #expect(try shop.pack("src/a/one.lua", "src/b/one.lua", "--root", "src", "-o", "dist").status == 0)
        for file in ["dist/cart.js", "new/folder/cart.js", "named.js", "dist/a/one.js", "dist/b/one.js"] {
            #expect(shop.folder.exists(file), "\(file)")
        }
        let scripts = try #require(try manifest(of: "dist/a/one.js")["scripts"] as? [[String: Any]])
        #expect(scripts.first?["name"] as? String == "a/one.lua")
        let clash = try shop.pack("src/a/one.lua", "src/b/one.lua", "-o", "dist", "--force")
        #expect(clash.status == 64)
        #expect(clash.error.contains("--root"))
        #expect(try shop.pack("cart.lua", "src/a/one.lua", "-o", "both.js").status == 64)
    }

    @Test func anEnvelopeGoesIntoAPipe() throws {
        let run = try shop.shell(
            """
            patchpack pack cart.lua -o - --signing-key signing.pem --script-key script.key |
              patchpack verify - --trusted-key trusted.pem --script-key script.key
            """)
        #expect(run.status == 0, "\(run.error)")
    }

    @Test func aBundleHoldsItsScriptsInOrder() throws {
        try shop.folder.write("return 2\n", to: "lib/util.lua")
        let run = try shop.pack("cart.lua", "lib/util.lua", "--root", ".", "--bundle", "-o", "bundle.js")
        try #require(run.status == 0, "\(run.error)")
        let scripts = try #require(try manifest(of: "bundle.js")["scripts"] as? [[String: Any]])
        #expect(scripts.map { $0["name"] as? String } == ["cart.lua", "lib/util.lua"])
        let unpacked = try shop.run(
            "unpack", "bundle.js", "-o", "out", "--trusted-key", "trusted.pem", "--script-key", "script.key")
        #expect(unpacked.status == 0)
        #expect(try shop.folder.read("out/lib/util.lua") == Array("return 2\n".utf8))
        #expect(try shop.folder.read("out/cart.lua") == Array(ReleaseFixture.script.utf8))
    }

    @Test func aDryRunWritesNothing() throws {
        let run = try shop.pack("cart.lua", "-o", "dist", "--dry-run")
        #expect(run.status == 0)
        #expect(run.text.hasPrefix("would pack  dist/cart.js"))
        #expect(!shop.folder.exists("dist"))
        let object = try #require(try shop.pack("cart.lua", "--dry-run", "--format", "json").objects().first)
        #expect(object["written"] as? Bool == false)
    }

    @Test func oneBadScriptDoesNotStopTheOthers() throws {
        try shop.folder.write("return 1", to: "untagged.lua")
        let run = try shop.pack("untagged.lua", "cart.lua", "-o", "dist", "--format", "json")
        #expect(run.status == 64)
        #expect(try run.objects().map { $0["verdict"] as? String } == ["usage", "ok"])
        #expect(shop.folder.exists("dist/cart.js"))
        #expect(try shop.folder.contents().filter { $0.hasPrefix("dist/") } == ["dist/cart.js"])
    }

    @Test func aNameThatCannotBeOneStopsItselfOnly() throws {
        try shop.folder.write(ReleaseFixture.script, to: "bad name.lua")
        let run = try shop.pack("bad name.lua", "cart.lua", "-o", "dist", "--format", "json")
        #expect(run.status == 64)
        #expect(try run.objects().map { $0["verdict"] as? String } == ["usage", "ok"])
        #expect(shop.folder.exists("dist/cart.js"))
    }

    @Test func aMisspeltTagIsPointedOut() throws {
        try shop.folder.write("-- @expire 2027-01-01T00:00:00Z\n-- @author me\n" + ReleaseFixture.script, to: "tag.lua")
        let run = try shop.pack("tag.lua")
        #expect(run.status == 0)
        // The same report as from `lint`.
        #expect(run.error.contains("tag.lua:1:4: the tag @expire is unknown [unknown-tag]; did you mean @expires?"))
        #expect(!run.error.contains("author"))
    }

    @Test func textOfTheManifestIsUTF8() throws {
        for option in [
            "--extra \"k=$(printf 'a\\xff')\"", "--notes \"$(printf '\\xff')\"", "--replaces \"$(printf 'a\\xff')\"",
        ] {
            let run = try shop.shell(
                "patchpack pack cart.lua \(option) --signing-key signing.pem --script-key script.key")
            #expect(run.status == 64 && run.error.contains(" is not UTF-8 text"), "\(option): \(run.error)")
        }
    }

    @Test func outputFilePathOfKeyOrEnvelopeIsRefused() throws {
        try shop.folder.write(TestKeys.script.encoded().exposed, to: "cart.js")
        let key = try shop.run("pack", "cart.lua", "--force", "--signing-key", "signing.pem", "--script-key", "cart.js")
        #expect(key.status == 64, "\(key.error)")
        #expect(try shop.folder.read("cart.js") == TestKeys.script.encoded().exposed)
        try #require(try shop.pack("cart.lua", "-o", "dist").status == 0)
        try #require(
            try shop.shell("mkdir u; cp dist/cart.js u/cart.lua; ln -s .. link; mkdir v; ln -s /tmp v/lib").status == 0)
        let keys = ["--trusted-key", "trusted.pem", "--script-key", "script.key", "--force"]
        let over = try Tool.run(Tool.patchpack, ["unpack", "u/cart.lua", "-o", "u"] + keys, in: shop.folder.path)
        #expect(over.status == 64)
        #expect(try shop.folder.read("u/cart.lua") == shop.folder.read("dist/cart.js"))
        // A link below the output folder is not followed.
        try shop.folder.write("return 2\n", to: "lib/util.lua")
        try #require(try shop.pack("cart.lua", "lib/util.lua", "--root", ".", "--bundle", "-o", "b.js").status == 0)
        #expect(try Tool.run(Tool.patchpack, ["unpack", "b.js", "-o", "v"] + keys, in: shop.folder.path).status == 74)
        #expect(try Tool.run(Tool.patchpack, ["unpack", "b.js", "-o", "-"] + keys, in: shop.folder.path).status == 64)
    }

    @Test func noInputIsEverReplaced() throws {
        try shop.folder.write(ReleaseFixture.script, to: "script.lua")
        try #require(try shop.shell("ln -s script.lua trap.js").status == 0)
        let run = try shop.pack("script.lua", "-o", "trap.js", "--force")
        #expect(run.status == 64)
        #expect(try shop.folder.read("script.lua") == Array(ReleaseFixture.script.utf8))
    }

    @Test func modernKeysWorkToo() throws {
        let made = try shop.run("keygen", "-o", "new", "--profile", "modern")
        try #require(made.status == 0, "\(made.error)")
        let packed = try shop.run(
            "pack", "cart.lua", "--signing-key", "new/signing.pem", "--signing-key", "rsa-sha256:signing.pem",
            "--script-key", "new/script.key")
        try #require(packed.status == 0, "\(packed.error)")
        let verified = try shop.run(
            "verify", "cart.js", "--trusted-key", "new/trusted.pem", "--trusted-key", "rsa-sha256:trusted.pem",
            "--threshold", "2", "--script-key", "new/script.key")
        #expect(verified.status == 0, "\(verified.error)")
    }

    /// The scripts of Debian's Penlight and inspect.lua, in one batch and as one bundle.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/lua/5.3/pl"), "Debian's lua-penlight"))
    func realCodeComesBackByteForByte() throws {
        let run = try shop.shell(
            """
            "$CHECKOUT/scripts/package/tag-library.sh" /usr/share/lua/5.3 library
            files=$(cd library && find . -name '*.lua' | sed 's|^./|library/|' | sort)
            keys='--trusted-key trusted.pem --script-key script.key'
            patchpack pack $files --no-lint --root library -o batch --signing-key signing.pem $keys
            patchpack verify $(find batch -name '*.js') $keys
            for envelope in $(find batch -name '*.js'); do patchpack unpack $envelope -o unpacked -q $keys || exit; done
            diff -r library unpacked
            patchpack pack $files --no-lint --root library --bundle -o bundle.js --id a.b --version 1 --app c.d --signing-key signing.pem $keys
            patchpack unpack bundle.js -o unbundled $keys -q
            diff -r library unbundled && find library -name '*.lua' | wc -l
            """)
        #expect(run.status == 0, "\(run.error)")
        let count = try #require(Int(run.lines.last ?? ""))
        #expect(count >= 36)
        #expect(run.lines.count { $0.hasPrefix("packed") } == count + 1)
        #expect(run.lines.count { $0.hasPrefix("ok") } == count)
    }
}
