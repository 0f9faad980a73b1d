import Foundation
import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct DoctorTests {
    private let shop: ReleaseFixture
    private let fips: [String: String]
    /// A key with a passphrase, which is slow to make.
    private static let locked = Result { try TestKeys.signing.pem(passphrase: SecretBytes([120])).exposed }

    init() throws {
        shop = try ReleaseFixture()
        try #require(try shop.pack("cart.lua").status == 0)
        try shop.folder.write(
            "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n", to: "fips.cnf")
        try shop.folder.write(try Self.locked.get(), to: "locked.pem", mode: 0o600)
        try shop.folder.write(SigningKey.generate(.ed25519).pem().exposed, to: "ed.pem", mode: 0o600)
        fips = ["OPENSSL_CONF": shop.folder.at("fips.cnf")]
    }

    @Test func doctorThisMachinePassesAllChecks() throws {
        let run = try shop.run("doctor", "--format", "json")
        #expect(run.status == 0, "\(run.text)")
        let checks = try run.objects()
        #expect(checks.count == 15)
        #expect(checks.last?["check"] as? String == "Lua")
        #expect(checks.allSatisfy { $0["ok"] as? Bool == true })
    }

    #if os(Linux)
        /// Runs `doctor` with functions of C in the place of those of the libraries.
        private func doctor(preloading source: String) throws -> Tool {
            try shop.shell(
                """
                clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
                cat >stand-in.c <<'END'
                \(source)
                END
                "$clang" -shared -fPIC -o stand-in.so stand-in.c && LD_PRELOAD=./stand-in.so "$TOOL" doctor
                """)
        }

        /// The names of what has failed.
        private func failures(in run: Tool) -> [Substring] {
            run.lines.filter { $0.hasPrefix("fail  ") }.map { $0.split(separator: " ")[1] }
        }

        /// The release that counts is the loaded one, not that of the headers.
        @Test func doctorOtherReleaseIsTold() throws {
            let run = try doctor(
                preloading: #"const char lua_ident[] = "$LuaVersion: Lua 5.4.99  Copyright $";"#)
            #expect(run.status == 0 && run.lines.first?.hasSuffix(", Lua 5.4.99") == true, "\(run.text) \(run.error)")
        }

        /// The libraries answer, and wrongly.
        @Test func doctorWrongResultsAreFound() throws {
            let run = try doctor(
                preloading: #"""
                    #define _GNU_SOURCE
                    #include <dlfcn.h>
                    int EVP_Digest(const void *data, unsigned long size, unsigned char *digest, unsigned *length,
                                   const void *type, void *engine) {
                        int (*next)(const void *, unsigned long, unsigned char *, unsigned *, const void *, void *) =
                            dlsym(RTLD_NEXT, "EVP_Digest");
                        int done = next(data, size, digest, length, type, engine);
                        digest[0] ^= 1;
                        return done;
                    }
                    int inflate(void *stream, int flush) { return -3; }
                    """#)
            #expect(run.status == 70, "\(run.status) \(run.error)")
            #expect(failures(in: run) == ["MD5", "SHA1", "SHA256", "zip"], "\(run.text)")
        }

        /// Whatever needs only a key of some kind works without this one.
        @Test func doctorARefusedKindOfKeyIsOneFault() throws {
            let run = try doctor(
                preloading: #"""
                    #define _GNU_SOURCE
                    #include <dlfcn.h>
                    #include <string.h>
                    void *EVP_PKEY_CTX_new_from_name(void *library, const char *name, const char *properties) {
                        void *(*next)(void *, const char *, const char *) = dlsym(RTLD_NEXT, "EVP_PKEY_CTX_new_from_name");
                        return name && !strcmp(name, "ED25519") ? NULL : next(library, name, properties);
                    }
                    """#)
            #expect(run.status == 69, "\(run.status) \(run.error)")
            #expect(failures(in: run) == ["ed25519"], "\(run.text)")
        }
    #endif

    @Test func aPolicyShowsCheckByCheck() throws {
        let run = try shop.run("doctor", environment: fips)
        #expect(run.status == 69)
        #expect(run.lines.contains { $0.hasPrefix("fail  SHA1") })
        // OpenSSL 3.6 refuses random numbers to libzip and libcurl too.
        #expect(run.lines.contains { $0.hasPrefix("ok    Lua") })
        #expect(run.error.contains("patchpack: hint: "))
    }

    private static let otherLua = "/usr/lib/\(architecture)-linux-gnu/libluajit-5.1.so.2"
    #if arch(x86_64)
        private static let architecture = "x86_64"
    #else
        private static let architecture = "aarch64"
    #endif

    /// A preloaded library has most functions of Lua, and Lua's own library has the others.
    @Test(
        .needs("libluajit-5.1-2", otherLua),
        arguments: [
            "doctor", "lint cart.lua", "test cart.lua --spec cart.spec.lua", "pack cart.lua -o new.js K",
        ])
    func anotherLuaIsNamed(line: String) throws {
        try shop.folder.write("it('is run', function() end)", to: "cart.spec.lua")
        let keys = "--signing-key signing.pem --script-key script.key"
        let run = try Tool.run(
            Tool.patchpack, line.replacing("K", with: keys).split(separator: " ").map(String.init),
            environment: ["LD_PRELOAD": Self.otherLua], in: shop.folder.path)
        #expect(run.status == 69, "\(run.status) \(run.error)")
        #expect(run.error.contains("Lua is in two files: "), "\(run.error)")
        #expect(run.error.contains(Self.otherLua) && run.error.contains("liblua5.4"), "\(run.error)")
        #expect(run.error.contains("patchpack: hint: the program has another Lua"), "\(run.error)")
    }

    @Test(arguments: [
        "keygen -o new --profile mpaas", "keygen -o new --profile modern", "keyinfo trusted.pem", "keyinfo signing.pem",
        "keyinfo script.key",
        "pack cart.lua -o new.js --signing-key locked.pem --passphrase-env P --script-key script.key",
        "resign cart.js -o new.js --trusted-key trusted.pem --signing-key ed.pem",
        "pack cart.lua -o new.js --signing-key signing.pem --script-key script.key",
        "verify cart.js --trusted-key trusted.pem --script-key script.key",
        "verify cart.js --trusted-key trusted.pem --signature-only", "inspect cart.js",
        "unpack cart.js -o new --trusted-key trusted.pem --script-key script.key",
        "resign cart.js -o new.js --trusted-key trusted.pem --signing-key signing.pem", "trust add store trusted.pem",
        "trust pin trusted.pem", "keystore add store script.key --passphrase-env P", "doctor",
    ])
    func everyVerbSaysThatThePolicyForbidsIt(line: String) throws {
        let run = try shop.run(
            line.split(separator: " ").map(String.init), environment: fips.merging(["P": "x"]) { $1 })
        #expect(run.status == 69, "\(run.error)")
        #expect(run.error.contains("OpenSSL refuses"))
        #expect(!run.error.contains("signature of"))
        #expect(!shop.folder.exists("new") && !shop.folder.exists("new.js") && !shop.folder.exists("store"))
    }
}
