import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct ResignTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        try shop.folder.write(TestKeys.otherSigning.pem().exposed, to: "other-signing.pem", mode: 0o600)
        try #require(try shop.pack("cart.lua").status == 0)
    }

    /// Runs `resign` on the folder's envelope.
    private func resign(_ words: String...) throws -> Tool {
        try shop.run(["resign", "cart.js", "--trusted-key", "trusted.pem"] + words)
    }

    private func payload(of file: String) throws -> [UInt8] {
        Array(try UnverifiedEnvelope(shop.folder.read(file)).payload)
    }

    @Test func signaturesAreReplacedAndThePayloadStays() throws {
        let run = try resign("-o", "new.js", "--signing-key", "other-signing.pem", "--trusted-key", "other.pem")
        #expect(run.status == 0, "\(run.error)")
        #expect(try payload(of: "new.js") == payload(of: "cart.js"))
        #expect(try shop.verify("new.js").status == 12)
        #expect(
            try shop.run("verify", "new.js", "--trusted-key", "other.pem", "--script-key", "script.key").status == 0)
    }

    /// Two of three keys sign. The second signer has no script key and works in another folder.
    @Test func aSecondSignerAppendsOnAnotherMachine() throws {
        let third = try SigningKey.generate(.ed25519)
        try shop.folder.write(third.verifyingKey.pem(), to: "third.pem")
        try #require(
            try shop.shell("mkdir machine; cp cart.js trusted.pem machine; cp -p other-signing.pem machine").status == 0
        )
        let append = ["resign", "cart.js", "-o", "both.js", "--append", "--trusted-key", "trusted.pem"]
        let run = try Tool.run(
            Tool.patchpack, append + ["--signing-key", "other-signing.pem"], in: shop.folder.at("machine"))
        #expect(run.status == 0, "\(run.error)")
        let trust = ["--trusted-key", "other.pem", "--trusted-key", "third.pem", "--threshold", "2"]
        func verify(_ file: String) throws -> Int32 {
            try shop.run(["verify", file, "--script-key", "script.key", "--trusted-key", "trusted.pem"] + trust).status
        }
        #expect(try verify("machine/both.js") == 0)
        #expect(try verify("cart.js") == 12)
        // Two signatures of the same key count as one.
        #expect(try resign("-o", "twice.js", "--append", "--signing-key", "signing.pem").status == 0)
        #expect(try verify("twice.js") == 12)
        #expect(try UnverifiedEnvelope(shop.folder.read("twice.js")).signatures.count == 1)
    }

    @Test func resignEnvelopeNotTrustedIsRefused() throws {
        #expect(
            try shop.run(
                "resign", "cart.js", "-o", "x.js", "--trusted-key", "other.pem", "--signing-key", "other-signing.pem"
            )
            .status == 12)
        var changed = try shop.folder.read("cart.js")
        changed[40] ^= 1
        try shop.folder.write(changed, to: "cart.js")
        #expect(try resign("-o", "x.js", "--append", "--signing-key", "other-signing.pem").status == 11)
        #expect(!shop.folder.exists("x.js"))
    }

    @Test(arguments: [
        ["-o", "x.js"], ["--signing-key", "signing.pem"], ["-o", "x.js", "--detach", "--signing-key", "signing.pem"],
        ["-o", "x.js", "--attach", "missing", "--detach"],
    ])
    func resignMissingOrConflictingOptionsExits64(words: [String]) throws {
        let run = try shop.run(["resign", "cart.js", "--trusted-key", "trusted.pem"] + words)
        #expect(run.status == 64, "\(run.error)")
    }

    @Test(arguments: ["new.js", "-", "dist"])
    func anEmptyListIsResigned(into output: String) throws {
        let run = try shop.run(
            "resign", "--files-from", "/dev/null", "-o", output, "--trusted-key", "trusted.pem", "--signing-key",
            "signing.pem")
        #expect(run.status == 0 && run.error == "0 signed\n", "\(run.error)")
    }

    @Test func resignDetachedSignatureIsAttached() throws {
        let key = try SigningKey.generate(.ed25519)
        try shop.folder.write(key.pem().exposed, to: "room/key.pem", mode: 0o600)
        try shop.folder.write(key.verifyingKey.pem(), to: "room.pem")
        #expect(try resign("--detach", "-o", "room/payload").status == 0)
        #expect(try shop.folder.read("room/payload") == payload(of: "cart.js"))
        let signed = try shop.shell("cd room; openssl pkeyutl -sign -rawin -inkey key.pem -in payload -out signature")
        try #require(signed.status == 0, "\(signed.error)")
        let attached = try resign(
            "--attach", "room/signature", "--append", "-o", "both.js", "--trusted-key", "room.pem")
        #expect(attached.status == 0, "\(attached.error)")
        let both = try shop.verify("both.js", "--trusted-key", "room.pem", "--threshold", "2")
        #expect(both.status == 0, "\(both.error)")
        // A signature that no trusted key made for this payload.
        try shop.folder.write([UInt8](repeating: 1, count: 64), to: "room/signature")
        #expect(try resign("--attach", "room/signature", "-o", "x.js", "--trusted-key", "room.pem").status == 11)
        #expect(!shop.folder.exists("x.js"))
    }

    @Test func appendingKeepsWhatIsThere() throws {
        // The same key with another algorithm makes another signature.
        #expect(try resign("-o", "two.js", "--append", "--signing-key", "rsa-sha256:signing.pem").status == 0)
        #expect(
            try UnverifiedEnvelope(shop.folder.read("two.js")).signatures.map(\.algorithm) == [.rsaSHA1, .rsaSHA256])
        #expect(try shop.verify("two.js").status == 0)
        // A signature from a file and one from a key in the same run.
        let signed = try shop.shell(
            "patchpack resign cart.js --detach -o payload --trusted-key trusted.pem && openssl dgst -sha1 -sign other-signing.pem payload >sig"
        )
        try #require(signed.status == 0)
        let both = try resign(
            "-o", "three.js", "--append", "--attach", "sig", "--trusted-key", "other.pem", "--signing-key",
            "rsa-sha256:signing.pem")
        #expect(both.status == 0, "\(both.error)")
        #expect(try UnverifiedEnvelope(shop.folder.read("three.js")).signatures.count == 3)
    }

    @Test func theEnvelopeIsNotLostToItsPayload() throws {
        let before = try shop.folder.read("cart.js")
        #expect(try resign("--detach", "-o", "cart.js", "--force").status == 64)
        let piped = try resign("-o", "-", "--signing-key", "signing.pem")
        #expect(piped.status == 0 && piped.output == before)
        #expect(try shop.folder.read("cart.js") == before)
        #expect(try resign("-o", "cart.js", "--force", "--signing-key", "signing.pem").status == 0)
    }

    @Test func aCommandLeavesNothingBehind() throws {
        let run = try shop.shell(
            """
            mkdir tmp; export TMPDIR=$PWD/tmp
            for command in 'kill -9 $$' 'cat /dev/zero' 'sign --pin 1234' 'ls -A tmp >seen; false'; do
              patchpack resign cart.js -o x.js --trusted-key trusted.pem --signature-command "$command"; [ $? = 78 ] || exit 1
            done; ls -A tmp; cat seen
            """)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.isEmpty)
        #expect(!run.error.contains("--pin"), "\(run.error)")
    }

    @Test func aCommandSigns() throws {
        let sign = "openssl dgst -sha1 -sign signing.pem"
        let packed = try shop.run(
            "pack", "cart.lua", "-o", "command.js", "--script-key", "script.key", "--trusted-key", "trusted.pem",
            "--signature-command", sign)
        #expect(packed.status == 0, "\(packed.error)")
        #expect(try shop.folder.read("command.js") == shop.folder.read("cart.js"))
        let other = "cat >/dev/null; openssl dgst -sha1 -sign other-signing.pem cart.lua"
        for (command, status) in [
            ("exit 3", 78), ("true", 78), ("head -c 2000 /dev/zero", 78), ("while :; do echo x; done", 78),
            ("no-such-program", 78), (other, 11),
            ("cat", 11),
        ] {
            let run = try resign("-o", "x.js", "--signature-command", command)
            #expect(run.status == Int32(status), "\(command): \(run.error)")
            #expect(!shop.folder.exists("x.js"))
        }
        #expect(
            try shop.run("pack", "cart.lua", "-o", "y.js", "--script-key", "script.key", "--signature-command", sign)
                .status
                == 64)
        let wrong = try shop.run(
            "pack", "cart.lua", "-o", "z.js", "--script-key", "script.key", "--trusted-key", "trusted.pem",
            "--signature-command", other)
        #expect(wrong.status == 11 && wrong.error.contains("error: cart.lua: "), "\(wrong.error)")
    }

    /// Signs with a key that never leaves its module: SoftHSM, over PKCS#11.
    @Test(.needs("opensc", "/usr/bin/pkcs11-tool"), .needs("softhsm2", "/usr/bin/softhsm2-util"))
    func aHardwareModuleSigns() throws {
        try shop.folder.write(
            "directories.tokendir = \(shop.folder.at("tokens"))\nlog.level = ERROR\n", to: "softhsm.conf")
        let made = try shop.shell(
            """
            set -e; mkdir tokens; export SOFTHSM2_CONF=$PWD/softhsm.conf
            softhsm2-util --init-token --free --label release --so-pin 1234 --pin 1234
            module=$(ls /usr/lib/softhsm/libsofthsm2.so /usr/lib/*/softhsm/libsofthsm2.so 2>/dev/null | head -n 1)
            hsm() { pkcs11-tool --module "$module" --login --pin 1234 "$@"; }
            hsm --keypairgen --key-type rsa:2048 --label patches --id 01
            hsm --read-object --type pubkey --id 01 -o public.der
            openssl pkey -pubin -inform DER -in public.der -pubout -out hsm.pem
            echo "pkcs11-tool --module $module --login --pin 1234 --sign --id 01 --mechanism SHA256-RSA-PKCS" >command
            """)
        try #require(made.status == 0, "\(made.error)")
        let run = try shop.shell(
            """
            export SOFTHSM2_CONF=$PWD/softhsm.conf
            patchpack resign cart.js -o hsm.js --append --trusted-key trusted.pem --trusted-key rsa-sha256:hsm.pem \
              --signature-command "cat >in; $(cat command) --input-file in --output-file out >&2; cat out" &&
              patchpack verify hsm.js --threshold 2 --script-key script.key --trusted-key trusted.pem \
                --trusted-key rsa-sha256:hsm.pem
            """)
        #expect(run.status == 0, "\(run.error)")
    }
}
