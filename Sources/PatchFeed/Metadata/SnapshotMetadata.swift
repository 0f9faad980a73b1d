package import PatchCrypto

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
        return addingHeader(to: json)
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
    /// A change of a feed, as its snapshot records it.
    package struct Change: Sendable {
        package let stamp: ChangeStamp
        /// The version of the root file at that time.
        package let root: Int?

        package init(stamp: ChangeStamp, root: Int?) {
            self.stamp = stamp
            self.root = root
        }
    }

    /// The change that this snapshot is a part of. Snapshots from older versions of patchpack do not record it.
    package var change: Change {
        get {
            Change(stamp: ChangeStamp(received["change"], time: "time"), root: received["change"]?["root"]?.number)
        }
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
    /// - Throws: `feed-malformed` if what it records is not the description of a metadata file.
    package func previous() throws(PatchError) -> MetadataDescription? {
        guard let value = received[Self.previous] else { return nil }
        return try MetadataDescription(JSONObject(value, "snapshot.json: \(Self.previous)"))
    }

    package mutating func setPrevious(_ previous: MetadataDescription) { received.set(Self.previous, previous.json) }
}
