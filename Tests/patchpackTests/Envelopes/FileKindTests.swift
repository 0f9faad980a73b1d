import TestSupport
import Testing

/// What the errors say about files that are no envelopes, or no longer.
@Suite(.ownThreads) struct FileKindTests {
    private let shop: ReleaseFixture

    init() throws {
        shop = try ReleaseFixture()
        let run = try shop.pack("cart.lua", "-o", "cart.js")
        try #require(run.status == 0, "\(run.error)")
    }

    @Test(arguments: [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"), ("<!DOCTYPE html><html>", "HTML"),
        ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n", "conflict markers"),
        ("a\r\n<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> x\r\n", "conflict markers"), ("PK\u{3}\u{4}aaaa", "zip"),
        ("{\"a\":1}", "JSON"), ("-- a\nlocal x = 1\n", "a script"), (String(repeating: "QUJD", count: 40), "base64"),
        ("-----BEGIN PUBLIC KEY-----\n", "PEM"),
        (String(repeating: "0123456789abcdef", count: 8), "hexadecimal digits"),
        (
            "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>",
            "an error of an object store: AccessDenied"
        ),
    ])
    func foreignFilesAreRecognised(_ content: String, _ guess: String) throws {
        try shop.folder.write(content, to: "foreign.js")
        for run in [try shop.run("inspect", "foreign.js"), try shop.verify("foreign.js")] {
            #expect(
                run.status == 10 && run.error.contains("it looks like") && run.error.contains(guess), "\(run.error)")
        }
    }

    /// Encrypted bytes do not compress, so an envelope's delimiter line is visible in a container.
    @Test(arguments: [
        ("gzip -c", "gzip"), ("zstd -c -q", "zstd"),
        ("python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))'", "zlib"),
        (
            "python3 -c 'import sys, json; print(json.dumps(sys.stdin.buffer.read().decode(\"latin-1\")))'",
            "inside of JSON"
        ),
        ("python3 -c 'import sys, lzma; sys.stdout.buffer.write(lzma.compress(sys.stdin.buffer.read()))'", "xz"),
        ("python3 -c 'import sys, bz2; sys.stdout.buffer.write(bz2.compress(sys.stdin.buffer.read()))'", "bzip2"),
        ("cat >x.js; tar -cO x.js", "a tar"), ("cat >x.js; zip -0 - x.js", "a zip"),
    ])
    func anEnvelopeInAContainerIsRecognised(_ command: String, _ guess: String) throws {
        let run = try shop.shell(
            "\(command) <cart.js >held.js; patchpack verify held.js --trusted-key trusted.pem --script-key script.key")
        #expect(run.status == 10 && run.error.contains("it looks like") && run.error.contains(guess), "\(run.error)")
    }

    /// A program that takes an envelope for text converts its encrypted bytes.
    @Test(arguments: [
        ("b.decode('latin-1').encode()", 11, "from Latin-1 to UTF-8"),
        ("b.decode(errors='replace').encode()", 11, "has lost bytes"),
        ("b.decode('latin-1').encode('utf-16')", 10, "to UTF-16"),
    ])
    func anEnvelopeThatWasTakenForTextIsRecognised(_ conversion: String, _ status: Int32, _ guess: String) throws {
        let run = try shop.shell(
            """
            python3 -c "import sys; b = sys.stdin.buffer.read(); sys.stdout.buffer.write(\(conversion))" <cart.js >text.js
            patchpack verify text.js --trusted-key trusted.pem --script-key script.key
            """)
        #expect(run.status == status && run.error.contains("it looks like an envelope that was"), "\(run.error)")
        #expect(run.error.contains(guess), "\(run.error)")
    }

    @Test func blocksOfAESAreRecognised() throws {
        let run = try shop.shell(
            "head -c 1600 /dev/urandom >a.js; head -c 1732 /dev/urandom >b.js; gzip -c cart.lua >c.js; patchpack inspect a.js b.js c.js"
        )
        #expect(run.error.contains("cut short, or 100 blocks of AES of another tool"), "\(run.error)")
        // 1,732 bytes are no whole blocks.
        #expect(!run.error.contains("108 blocks") && run.error.contains("gzip"), "\(run.error)")
    }

    /// A damaged envelope is not a file of another tool, whatever its length.
    @Test func aDamagedEnvelopeIsNoForeignFile() throws {
        let envelope = try EnvelopeForge().envelope()
        let damaged = envelope.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
        for length in 0..<16 {
            try shop.folder.write([UInt8](repeating: 0xAA, count: length) + damaged, to: "damaged.js")
            let run = try shop.verify("damaged.js")
            #expect(run.status == 10 && run.error.contains("transfer it as binary"), "\(length): \(run.error)")
        }
    }
}
