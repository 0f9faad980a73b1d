/// Where the files of a feed are: as paths below its folder, or, for targets, as the paths that are signed.
package enum FeedLayout {
    package static let metadataFolder = "metadata"
    package static let targetsFolder = "targets"

    /// The only file that is replaced.
    package static let timestamp = "\(metadataFolder)/timestamp.json"
    /// The first root file of a feed, which apps include.
    package static let firstRoot = root(1)

    package static func root(_ version: Int) -> String { metadata("root", version: version) }

    /// Whether a path or a name is that of a root file.
    package static func isRoot(_ path: String) -> Bool { path.hasSuffix(".root.json") }

    package static func snapshot(_ version: Int) -> String { metadata("snapshot", version: version) }

    /// The metadata file of a role. It has no version in a feed without consistent snapshots, and none for the
    /// timestamp.
    package static func metadata(_ role: String, version: Int?) -> String {
        let prefix = version.map { "\($0)." } ?? ""
        return "\(metadataFolder)/\(prefix)\(role).json"
    }

    /// The version in the name of a snapshot's file; nil for another name.
    package static func snapshotVersion(of name: String) -> Int? {
        name.hasSuffix(".snapshot.json") ? Int(name.prefix { $0 != "." }) : nil
    }

    /// The path of a target's file, below the feed's folder: with its hash before its last name.
    package static func target(_ path: String, sha256: String) -> String {
        // By bytes, as devices split it.
        var names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let last = names.popLast() ?? ""
        return target(names + ["\(sha256).\(last)"])
    }

    /// The path of a target's file whose last name already has the hash.
    package static func target(_ names: [String]) -> String { "\(targetsFolder)/\(names.joined(separator: "/"))" }

    /// The path of an envelope among the feed's targets.
    package static func envelope(_ name: String, of app: String) -> String { "\(envelopes)\(app)/\(name)" }

    /// What the path of each envelope among the targets begins with. Only the release keys sign such paths.
    package static let envelopes = "patches/"

    /// The folder of the files of an app's envelopes.
    package static func envelopeFolder(of app: String) -> String { "\(targetsFolder)/\(envelopes)\(app)" }

    /// The folder of the change that waits for signatures.
    package static let stagedFolder = "staged"

    /// The metadata of a role that wait for signatures.
    package static func staged(_ role: String) -> String { "\(stagedFolder)/\(role).json" }

    /// The list of patches that waits with them.
    package static let stagedList = staged("list")

    /// The file on the server that records which timestamp came after another one. Two copies of a feed cannot both
    /// create it.
    ///
    /// - Parameter version: The other timestamp's version; nil for the file of the first timestamp.
    package static func next(after version: Int?) -> String { "\(metadataFolder)/\(version ?? 0).next.json" }
}
