import Foundation
import PatchCrypto
import TestSupport
import Testing

/// A folder with a feed, the keys of its roles, and packed patches of two versions.
struct FeedReleaseFixture: Sendable {
    static let id = "com.example.shop.cart-total"
    static let online = ["--key", "online.pem"]
    static let release = ["--key", "release.pem"]
    static let all = ["--rollout", "100%"]
    static let envelopes = ["--trusted-key", "trusted.pem", "--script-key", "script.key"]

    let shop: ReleaseFixture
    var folder: TestFolder { shop.folder }

    /// The workshops that others are copied from, without a patch and with one.
    private static let empty = Result { try FeedReleaseFixture(new: []) }
    private static let published = Result { try FeedReleaseFixture(new: ["7.js"]) }

    /// - Parameter isEmpty: Whether version 7 is not published.
    init(isEmpty: Bool = false) throws {
        shop = try ReleaseFixture(copyOf: (isEmpty ? Self.empty : Self.published).get().shop)
    }

    private init(new names: [String]) throws {
        shop = try ReleaseFixture()
        for name in ["root", "release", "online", "new", "offline"] {
            let key = try SigningKey.generate(.ed25519)
            try folder.write(key.pem().exposed, to: "\(name).pem", mode: 0o600)
            try folder.write(key.verifyingKey.pem(), to: "\(name)-public.pem")
        }
        for version in [7, 8] {
            try folder.write(
                ReleaseFixture.script.replacing("@version  7", with: "@version  \(version)"), to: "\(version).lua")
        }
        try #require(try shop.pack("7.lua", "8.lua").status == 0)
        try #require(try run(Self.make("feed")).status == 0)
        if !names.isEmpty { try #require(try publish(names).status == 0) }
    }

    static func make(_ name: String) -> [String] {
        [
            "init", name, "--app", "com.example.shop", "--root-key", "root.pem", "--release-key", "release.pem",
            "--online-key", "online.pem",
        ]
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool {
        try Tool.run(Tool.patchpack, ["feed"] + arguments, environment: environment, in: folder.path)
    }

    func run(_ arguments: String..., with keys: [String] = online) throws -> Tool { try run(arguments + keys) }

    func publish(_ names: [String], _ options: String..., with keys: [String] = online + release) throws -> Tool {
        let audience = options.contains("--rollout") || options.contains("--group") ? [] : Self.all
        return try run(["publish", "feed"] + names + Self.envelopes + keys + options + audience)
    }

    /// The codes of a device, such as `7 offered`.
    func codes(_ options: String..., of feed: String = "feed") throws -> [String] {
        let run = try run(["preview", feed, "--app-version", "2.3.1", "--format", "json"] + options)
        try #require(run.status == 0, "\(run.error)")
        return try run.objects().map { "\($0["version"] ?? "") \($0["code"] ?? "")" }
    }

    /// Every file of the feed except the timestamp.
    func versioned() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try folder.contents() where name.hasPrefix("feed/") && !name.hasSuffix("timestamp.json") {
            files[name] = try? folder.read(name)
        }
        return files
    }
}
