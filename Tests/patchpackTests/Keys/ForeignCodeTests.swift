import Foundation
import PatchCrypto
import TestSupport
import Testing

/// Foreign code finds no key, passphrase or account in its environment, whether they were read or not.
@Suite(.ownThreads) struct ForeignCodeTests {
    private let shop: ReleaseFixture

    init() throws { shop = try ReleaseFixture() }

    /// Each kind of variable that holds a secret, named after the way in which the command line or another variable
    /// names it.
    private static let secrets = [
        "BY_VARIABLE": "canary-1", "BY_ALGORITHM": "canary-2", "BY_OPTION": "canary-3", "BY_WORD": "canary-4",
        "BY_PASSPHRASE": "canary-5", "PATCHPACK_PASSPHRASE": "canary-6", "AWS_ACCESS_KEY_ID": "canary-7",
        "AWS_SECRET_ACCESS_KEY": "canary-8", "AWS_SESSION_TOKEN": "canary-9",
        // A key instead of the name of its file.
        "PATCHPACK_ROOT_KEY": "-----BEGIN PRIVATE KEY----- canary-10",
    ]
    private static let account = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]

    private static let environment = secrets.merging([
        "PATCHPACK_SIGNING_KEY": "env:BY_VARIABLE", "PATCHPACK_FEED_KEY": "ed25519:env:BY_ALGORITHM",
        "PLAIN": "plain-1", "SSH_AUTH_SOCK": "/tmp/agent", "PATCHPACK_AUTHOR": "Ada",
    ]) { $1 }

    /// The same, but more variables name the others.
    private static let environmentThatNamesAll = environment.merging([
        "PATCHPACK_A": "env:BY_OPTION", "PATCHPACK_B": "rsa-sha256:env:BY_WORD", "PATCHPACK_C": "env:BY_PASSPHRASE",
    ]) { $1 }

    private func seen(_ name: String = "seen") throws -> String {
        String(decoding: try shop.folder.read(name), as: UTF8.self)
    }

    /// Checks that a dumped environment has no secrets, and that it has the other variables.
    private func check(_ dump: String, keeping kept: [String] = [], location: SourceLocation = #_sourceLocation) {
        for (name, value) in Self.secrets {
            #expect(dump.contains(value) == kept.contains(name), "\(name): \(dump)", sourceLocation: location)
        }
        for value in ["plain-1", "SSH_AUTH_SOCK", "PATH=", "PATCHPACK_AUTHOR=Ada"] {
            #expect(dump.contains(value), "\(value): \(dump)", sourceLocation: location)
        }
    }

    /// The ways in which a spec can look. The system keeps the environment from the start of a process in files.
    private static let ways: [String] = {
        #if os(Linux)
            ["os.getenv", "a child", "/proc/self/environ", "/proc/self/task/*/environ"]
        #else
            ["os.getenv", "a child"]
        #endif
    }()

    @Test(arguments: ways)
    func aSpecFindsNoSecret(_ way: String) throws {
        let names = Self.environment.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
        let read =
            switch way {
            case "os.getenv":
                "for _, name in ipairs{\(names), 'PATH'} do out:write(name, '=', tostring(os.getenv(name)), '\\n') end"
            case "a child": "out:write(io.popen('env'):read('a'))"
            default:
                // A shell would read its own environment.
                """
                local id = tostring(io.open('/proc/self/stat'):read('n'))
                local file = io.open((('\(way)'):gsub('*', id)))
                out:write(file and file:read('a') or 'closed')
                """
            }
        try shop.folder.write(
            "local out = io.open('seen', 'w')\n\(read)\nout:close()\nit('reads', function() end)\n", to: "spec.lua")
        let run = try shop.run(
            "test", "cart.lua", "--spec", "spec.lua", environment: Self.environmentThatNamesAll)
        #expect(run.status == 0, "\(run.text)\(run.error)")
        // Without core files, only root can read them.
        guard try seen() != "closed" else { return #expect(getuid() != 0) }
        check(try seen())
    }

    /// It may be `aws kms sign`, so it has the account's credentials.
    @Test func aSignatureCommandFindsNoKey() throws {
        let run = try shop.run(
            "pack", "--no-lint", "cart.lua", "-o", "x.js", "--script-key", "script.key", "--trusted-key",
            "trusted.pem", "--signature-command", "env >seen; openssl dgst -sha1 -sign signing.pem",
            environment: Self.environmentThatNamesAll)
        #expect(run.status == 0, "\(run.error)")
        check(try seen(), keeping: Self.account)
    }

    @Test func rsyncAndSSHFindNoSecret() throws {
        let work = try FeedReleaseFixture()
        let run = try work.deploy(overSSH: "machine:\(work.folder.path)/www", Self.environmentThatNamesAll)
        #expect(run.status == 0 && run.text.hasPrefix("deployed"), "\(run.error)")
        check(String(decoding: try work.folder.read("seen"), as: UTF8.self))
        #expect(work.folder.exists("www/metadata/timestamp.json"))
    }
}

extension FeedReleaseFixture {
    /// Deploys to another machine, which is this one: a script instead of ssh runs the command, and writes its
    /// environment to `seen`.
    func deploy(overSSH place: String, _ environment: [String: String] = [:]) throws -> Tool {
        try folder.write(
            "#!/bin/sh\nenv >>'\(folder.at("seen"))'\n[ \"$1\" != -l ] || shift 2\nshift\nexec sh -c \"$*\"\n",
            to: "bin/ssh",
            mode: 0o755)
        return try run(
            ["deploy", "feed", "--to", place],
            environment: environment.merging(["PATH": "\(folder.at("bin")):/usr/bin:/bin"]) { $1 })
    }
}
