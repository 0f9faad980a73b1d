package import PatchCrypto

/// The version of a metadata file, with its length and hashes if they are given.
package struct MetadataDescription: Sendable {
    package let version: Int
    package let file: FileDescription
    package let json: JSONValue

    package init(_ object: JSONObject) throws(PatchError) {
        version = try object.number(MetadataKey.version, in: SignedMetadata.versions)
        file = try FileDescription(object)
        json = .object(object.members)
    }

    package init(version: Int, _ file: FileDescription = FileDescription()) {
        self.version = version
        self.file = file
        var json = file.json
        json.set(MetadataKey.version, .integer(version))
        self.json = json
    }
}

/// The timestamp role's metadata: which snapshot is the newest (section 4.6).
package struct TimestampMetadata: MetadataBody {
    package static let type = "timestamp"
    private static let snapshotName = "snapshot.json"

    package var version: Int
    package var expires: Timestamp
    package var snapshot: MetadataDescription
    private let received: JSONValue

    package init(_ file: SignedMetadata) throws(PatchError) {
        version = file.version
        expires = file.expires
        received = .object(file.body.members)
        snapshot = try MetadataDescription(file.body.object(MetadataKey.meta).object(Self.snapshotName))
    }

    package init(expires: Timestamp) {
        version = 0
        self.expires = expires
        received = Self.head
        snapshot = MetadataDescription(version: 1)
    }

    package var json: JSONValue {
        var json = received
        json.change(MetadataKey.meta) { $0.set(Self.snapshotName, snapshot.json) }
        return header(json)
    }
}

/// The snapshot role's metadata: which versions of the targets files belong together (section 4.4).
package struct SnapshotMetadata: MetadataBody {
    package static let type = "snapshot"

    package var version: Int
    package var expires: Timestamp
    private var files: [ExactString: MetadataDescription] = [:]
    private var received: JSONValue

    package init(_ file: SignedMetadata) throws(PatchError) {
        version = file.version
        expires = file.expires
        received = .object(file.body.members)
        let meta = try file.body.object(MetadataKey.meta)
        for (name, value) in meta.members {
            files[ExactString(name)] = try MetadataDescription(JSONObject(value, "\(meta.place): \(name)"))
        }
    }

    package init(expires: Timestamp) {
        version = 0
        self.expires = expires
        received = Self.head
    }

    package var json: JSONValue {
        var json = received
        json.change(MetadataKey.meta) { meta in
            for (name, file) in sortedFiles { meta.set(name.text, file.json) }
        }
        return header(json)
    }

    /// The files in the order of their names' bytes.
    private var sortedFiles: [(key: ExactString, value: MetadataDescription)] {
        files.sorted { $0.key.text.hasBytes(before: $1.key.text) }
    }

    private static func name(of role: String) -> ExactString { ExactString("\(role).json") }

    /// The entry of a role.
    ///
    /// - Throws: `feed-mismatch` if the role is not listed.
    package func entry(of role: String) throws(PatchError) -> MetadataDescription {
        guard let entry = files[Self.name(of: role)] else {
            throw PatchError(.feedMismatch, "snapshot.json: \(role).json is not listed")
        }
        return entry
    }

    package mutating func setEntry(of role: String, to entry: MetadataDescription) {
        files[Self.name(of: role)] = entry
    }

    /// Checks that a newer snapshot has every file of this one, and none in an older version.
    ///
    /// - Throws: `feed-rollback` if not.
    package func checkSuccessor(_ newer: SnapshotMetadata) throws(PatchError) {
        for (name, old) in sortedFiles {
            guard let new = newer.files[name] else {
                throw PatchError(.feedRollback, "snapshot.json: \(name.text) is no longer listed")
            }
            guard new.version >= old.version else {
                throw PatchError(
                    .feedRollback,
                    "snapshot.json: \(name.text) is of version \(new.version), after version \(old.version)")
            }
        }
    }
}

// The members that only this tool's snapshots have. Clients do not read them.
extension SnapshotMetadata {
    /// The change that this snapshot is a part of, and the version of the root file at that time. Snapshots from older
    /// versions of patchpack do not record it.
    package var change: (stamp: ChangeStamp, root: Int?) {
        get { (ChangeStamp(received["change"], time: "time"), received["change"]?["root"]?.number) }
        set {
            var change = JSONValue.object([])
            change.set("root", newValue.root.map(JSONValue.integer))
            newValue.stamp.write(to: &change, time: "time")
            received.set("change", change)
        }
    }

    private static let previous = "previous"

    /// The snapshot that this one came from; nil if it does not record that.
    ///
    /// - Throws: `feed-malformed`.
    package func previous() throws(PatchError) -> MetadataDescription? {
        guard let value = received[Self.previous] else { return nil }
        return try MetadataDescription(JSONObject(value, "snapshot.json: \(Self.previous)"))
    }

    package mutating func setPrevious(_ previous: MetadataDescription) { received.set(Self.previous, previous.json) }
}
