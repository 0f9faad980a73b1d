import Foundation
import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct TrustTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "other-signing.pem", mode: 0o600)
        try #require(try shop.pack("cart.lua").status == 0)
        try #require(try shop.run("trust", "add", "store", "trusted.pem", "other.pem").status == 0)
    }

    private func verify(_ words: String...) throws -> Tool {
        try Tool.run(Tool.patchpack, ["verify", "cart.js", "--script-key", "script.key"] + words, in: shop.folder.path)
    }

    @Test func aStoreIsEditedLineByLine() throws {
        #expect(try verify("--trust-store", "store").status == 0)
        let text = String(decoding: try shop.folder.read("store"), as: UTF8.self)
        try shop.folder.write("# the release team\n\n" + text, to: "store")
        #expect(try shop.run("trust", "list", "store").lines.map { $0.prefix(7) } == ["trusted", "other  "])
        #expect(try shop.run("trust", "revoke", "store", "other").status == 0)
        #expect(try shop.run("trust", "remove", "store", TestKeys.signing.verifyingKey.id.description).status == 0)
        let edited = String(decoding: try shop.folder.read("store"), as: UTF8.self)
        #expect(edited.hasPrefix("# the release team\n\nrsa-sha1 "))
        #expect(edited.hasSuffix(" other revoked\n"))
        #expect(try shop.run("trust", "remove", "store", "nobody").status == 78)
        #expect(try shop.run("trust", "add", "store", "other.pem", "--name", "again").status == 78)
    }

    @Test func aRevokedKeyAndOneThatHasEndedAreRefusedByPolicy() throws {
        #expect(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        let revoked = try verify("--trust-store", "store", "--format", "json")
        #expect(revoked.status == 15)
        #expect(revoked.text.contains("is revoked"))
        // Nothing was checked after the signature.
        let stages = try revoked.objects().first?["stages"] as? [[String: String]]
        #expect(stages?.map { $0["status"] }.prefix(4) == ["pass", "pass", "fail", "skipped"])
        // A signature by a key that is still trusted is enough.
        let both = try shop.run(
            "resign", "cart.js", "-o", "cart.js", "--force", "--append", "--trusted-key", "trusted.pem",
            "--signing-key",
            "other-signing.pem")
        #expect(both.status == 0)
        #expect(try verify("--trust-store", "store").status == 0)
        #expect(try verify("--trust-store", "store", "--threshold", "2").status == 15)

        try #require(
            try shop.run("trust", "add", "ends", "trusted.pem", "--not-after", "2030-01-01T00:00:00Z").status == 0)
        #expect(try verify("--trust-store", "ends", "--at", "2029-12-31T23:59:59Z").status == 0)
        #expect(try verify("--trust-store", "ends", "--at", "2030-01-01T00:00:00Z").status == 15)
    }

    /// A pipe has its passphrase once.
    @Test func trustSignPassphraseFromAPipeSigns() throws {
        let run = try shop.shell(
            """
            echo pw >pw && patchpack keygen --profile modern --signing-only -o enc --passphrase-file pw -q &&
            patchpack trust add one.store enc/trusted.pem -q &&
            echo pw | patchpack trust sign one.store --app com.example.shop --signing-key enc/signing.pem --passphrase-file -
            """)
        #expect(run.status == 0 && run.text.contains("signed  "), "\(run.text)\(run.error)")
    }

    @Test func aPinnedStoreNoticesEveryChangedByte() throws {
        let pin = try #require(try shop.run("trust", "pin", "store").lines.first)
        #expect(pin == (try shop.shell("sha256sum store | cut -d' ' -f1")).lines.first)
        #expect(try verify("--trust-store", "store", "--trust-store-pin", pin).status == 0)
        let store = try shop.folder.read("store")
        for index in stride(from: 0, to: store.count, by: 101) {
            var changed = store
            changed[index] ^= 1
            #expect(throws: PatchError(.modifiedTrust, "")) { try TrustStore(decoding: changed, pinnedTo: pin) }
        }
        try shop.folder.write(store + [10], to: "store")
        // A pin without a trust store is an error.
        #expect(try verify("--trusted-key", "trusted.pem", "--trust-store-pin", pin).status == 64)
        let run = try verify("--trust-store", "store", "--trust-store-pin", pin, "--format", "json")
        #expect(run.status == 78)
        #expect(try run.objects().first?["verdict"] as? String == "modified-trust")
    }

    /// Part of a store would be another store, such as one whose last line has lost its `revoked`.
    @Test func aStoreThatIsTooLargeIsNotReadInPart() throws {
        try #require(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        let text = try shop.folder.read("store")
        try shop.folder.write([UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20) + [10] + text, to: "big")
        #expect(try verify("--trust-store", "big").status == 78)
        for words in [["pin", "big"], ["list", "big"], ["remove", "big", "other"]] {
            #expect(try Tool.run(Tool.patchpack, ["trust"] + words, in: shop.folder.path).status == 78)
        }
        #expect(try shop.folder.read("big").count > 1 << 20)
    }

    @Test func editsAtOneTimeAreAllKept() throws {
        let run = try shop.shell(
            """
            for name in trusted other; do patchpack trust revoke store $name & done; wait
            for n in 1 2 3 4; do
              openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out k$n.pem
              patchpack trust add store k$n.pem &
            done; wait; patchpack trust list store
            """)
        #expect(run.lines.count { $0.hasSuffix(", revoked") && !$0.hasPrefix("revoked") } == 2, "\(run.text)")
        #expect(run.lines.suffix(6).count { $0.contains("ed25519") } == 4)
    }

    @Test func anEditFollowsALink() throws {
        try #require(try shop.shell("mkdir shared && mv store shared/ && ln -s shared/store store").status == 0)
        #expect(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        #expect(try verify("--trust-store", "shared/store").status == 15)
        #expect(try shop.shell("test -L store").status == 0)
    }

    @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
        try #require(try shop.shell("ln -s nowhere/x dangling; ln -s b a; ln -s a b").status == 0)
        for link in ["dangling", "a"] {
            #expect(try shop.run("trust", "add", link, "trusted.pem").status == 74)
            #expect(try shop.shell("test -L \(link)").status == 0)
        }
    }

    @Test func anEditThatFailsLeavesNoFolder() throws {
        #expect(try shop.run("trust", "revoke", "none/store", "x").status == 66)
        #expect(try shop.run("trust", "add", "none/store", "missing.pem").status == 66)
        #expect(!shop.folder.exists("none"))
    }

    @Test func anEditWidensNoMode() throws {
        try #require(try shop.shell("chmod 600 store").status == 0)
        #expect(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        #expect(try shop.shell("stat -c %a store").lines == ["600"])
    }

    /// Who may not give the new file to the old one's group gives its own group no rights.
    @Test(.enabled(if: getuid() == 0)) func anEditKeepsTheGroup() throws {
        try #require(try shop.shell("chgrp daemon store && chmod 660 store").status == 0)
        #expect(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        #expect(try shop.shell("stat -c '%G %a' store").lines == ["daemon 660"])
        let other = try shop.shell(
            """
            chmod 664 store
            setpriv --clear-groups --bounding-set -chown "$TOOL" trust remove store other >&2; stat -c %a store
            """)
        #expect(other.lines == ["644"], "\(other.error)")
    }

    /// Signatures of a store that an editor has changed end, and it has a number of its own.
    @Test func changedStoreIsSignedWithTheNextNumber() throws {
        let run = try shop.shell(
            """
            for i in 1 2; do
              patchpack keygen -q --profile modern --signing-only -o $i; cp $i/trusted.pem $i.pem
              patchpack trust add two.store $i.pem -q
            done
            sign() { patchpack trust sign two.store --app com.example.shop --signing-key $1/signing.pem -q; }
            sign 1 && sign 2 && grep -c '^# signature' two.store && grep -o 'release .*' two.store
            sign 1 && grep -c '^# signature' two.store && grep -o 'release .*' two.store
            sed -i '1i # edited' two.store
            sign 1 && grep -c '^# signature' two.store && grep -o 'release .*' two.store
            """)
        #expect(run.lines == ["2", "release 1", "2", "release 1", "1", "release 2"], "\(run.text)\(run.error)")
    }

    @Test func aHeldFolderIsNotWaitedForForEver() throws {
        let run = try shop.shell(
            "mkdir held; cp store held/; flock held timeout 120 \"$TOOL\" trust revoke held/store other")
        #expect(run.status == 74)
        #expect(run.error.contains(" has locked this folder"))
    }

    @Test func standardInputIsReadOnce() throws {
        #expect(try shop.shell("patchpack trust pin - <store").lines == (try shop.run("trust", "pin", "store")).lines)
        #expect(try shop.shell("patchpack trust add fresh - - <trusted.pem").status == 64)
        #expect(try shop.run("trust", "pin", ".").status == 64)
        // A key that is given in two places keeps its name.
        #expect(try verify("--trusted-key", "trusted.pem", "--trust-store", "store").text.contains("(trusted, "))
    }

    @Test func aNameIsNoOtherKeysID() throws {
        let id = TestKeys.signing.verifyingKey.id.description
        #expect(try shop.run("trust", "add", "fresh", "other.pem", "--name", id).status == 78)
        #expect(try shop.run("trust", "add", "fresh", "trusted.pem", "--name", id).status == 0)
    }

    @Test func signingKeyRevokedInTrustStoreIsRefused() throws {
        try #require(try shop.run("trust", "revoke", "store", "other").status == 0)
        let resign = ["resign", "cart.js", "-o", "x.js", "--trust-store", "store"]
        let signed = try shop.run(resign + ["--signing-key", "other-signing.pem"])
        #expect(signed.status == 15)
        let command = "openssl dgst -sha1 -sign other-signing.pem"
        let attached = try Tool.run(Tool.patchpack, resign + ["--signature-command", command], in: shop.folder.path)
        #expect(attached.status == 15, "\(attached.error)")
        let packed = try shop.run(
            "pack", "cart.lua", "-o", "x.js", "--signing-key", "other-signing.pem", "--script-key", "script.key",
            "--trust-store", "store")
        #expect(packed.status == 15)
        #expect(!shop.folder.exists("x.js"))
        // A revoked key is not suggested as a possible signer.
        var changed = try shop.folder.read("cart.js")
        changed[30] ^= 1
        try shop.folder.write(changed, to: "cart.js")
        try #require(try shop.run("trust", "revoke", "store", "trusted").status == 0)
        let run = try verify("--trust-store", "store")
        #expect(run.status == 12)
        #expect(run.error.contains("no key is still trusted"))
    }

    @Test func aCommentMayHoldAnything() throws {
        let text = try shop.folder.read("store")
        try shop.folder.write(Array("# -----BEGIN PUBLIC KEY-----\n".utf8) + text, to: "store")
        #expect(try verify("--trust-store", "store").status == 0)
    }

    @Test func aFolderOfKeysIsAStore() throws {
        try shop.folder.write(TestKeys.signing.verifyingKey.pem(), to: "folder/alice.pem")
        try shop.folder.write(TestKeys.otherSigning.verifyingKey.pem(), to: "folder/bob.rsa-sha256.pem")
        try shop.folder.write("notes", to: "folder/README")
        let list = try shop.run("trust", "list", "folder")
        #expect(list.lines.map { $0.split(separator: ",")[0] } == ["alice  rsa-sha1", "bob    rsa-sha256"])
        #expect(try verify("--trust-store", "folder").status == 0)
        #expect(try verify("--trust-store", "folder", "--trust-store-pin", "00").status == 64)
        #expect(try shop.shell("mkdir empty && patchpack trust list empty").status == 78)
    }

    @Test(arguments: [
        "rsa-sha1", "rsa-sha1 AAAA alice", "rsa-md5 MCow alice", "hello", "rsa-sha1  alice", "\u{FEFF}",
    ])
    func aLineOfAnotherFormIsNamed(line: String) throws {
        let text = String(decoding: try shop.folder.read("store"), as: UTF8.self)
        try shop.folder.write(text + line + "\n", to: "store")
        let run = try shop.run("trust", "list", "store")
        #expect(run.status == 78)
        #expect(run.error.contains("store:3: "), "\(run.error)")
    }

    @Test func wordsBehindAKeyAreChecked() throws {
        let text = String(decoding: try shop.folder.read("store"), as: UTF8.self)
        let first = String(text.split(separator: "\n")[0])
        for suffix in [" revoked revoked", " Revoked", " not-after=2030", " not-after=", "\r", " ", " x"] {
            #expect(throws: PatchError(.config, "")) { try TrustStoreFile(Array("\(first)\(suffix)\n".utf8)) }
        }
        let whole = "\(first) not-after=2030-01-01T00:00:00Z revoked\n"
        #expect(try TrustStoreFile(Array(whole.utf8)).encoded() == Array(whole.utf8))
        #expect(try TrustStoreFile(Array(whole.dropLast().utf8)).encoded() == Array(whole.utf8))
        #expect(throws: PatchError(.config, "")) { try TrustStoreFile(Array("\(text)\(text)".utf8)) }
        #expect(throws: PatchError(.config, "")) { try TrustStore(decoding: []) }
    }

    @Test func theEnvironmentNamesAStore() throws {
        let run = try shop.run(
            "verify", "cart.js", "--script-key", "script.key",
            environment: ["PATCHPACK_TRUST_STORE": shop.folder.at("store")])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.text.contains("(trusted, rsa-sha1)"))
    }
}
