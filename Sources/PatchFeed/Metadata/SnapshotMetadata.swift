package import PatchCrypto

/// The version of a metadata file, with its length and hashes if they are given.
package struct MetadataDescription: Sendable {
    package let version: Int
    package let file: FileDescription

    package init(_ object: JSONObject) throws(PatchError) {
        version = try object.number("version", in: SignedMetadata.versions)
        file = try FileDescription(object)
    }

    /// A file of which only the version is known.
    package init(version: Int) {
        self.version = version
        file = FileDescription()
    }

    /// All entries of `meta`, by file name.
    package static func all(_ body: JSONObject) throws(PatchError) -> [[UInt8]: MetadataDescription] {
        let meta = try body.object("meta")
        var all: [[UInt8]: MetadataDescription] = [:]
        for (name, value) in meta.members {
            all[Array(name.utf8)] = try MetadataDescription(JSONObject(value, "\(meta.place): \(name)"))
        }
        return all
    }
}

/// The timestamp role's metadata: which snapshot is the newest (section 4.6).
package struct TimestampMetadata: Sendable {
    package let version: Int
    package let expires: Timestamp
    package let snapshot: MetadataDescription

    package init(_ file: SignedMetadata) throws(PatchError) {
        (version, expires) = (file.version, file.expires)
        snapshot = try MetadataDescription(file.body.object("meta").object("snapshot.json"))
    }
}

/// The snapshot role's metadata: which versions of the targets files belong together (section 4.4).
package struct SnapshotMetadata: Sendable {
    package let version: Int
    package let expires: Timestamp
    private let files: [[UInt8]: MetadataDescription]

    package init(_ file: SignedMetadata) throws(PatchError) {
        (version, expires) = (file.version, file.expires)
        files = try MetadataDescription.all(file.body)
    }

    /// The entry of a role.
    ///
    /// - Throws: `feed-mismatch` if the role is not listed.
    package func entry(of role: String) throws(PatchError) -> MetadataDescription {
        guard let entry = files[Array("\(role).json".utf8)] else {
            throw PatchError(.feedMismatch, "snapshot.json: \(role).json is not listed")
        }
        return entry
    }

    /// Checks that a newer snapshot has every file of this one, and none in an older version.
    ///
    /// - Throws: `feed-rollback` if not.
    package func checkSuccessor(_ newer: SnapshotMetadata) throws(PatchError) {
        for (name, old) in files {
            let text = String(decoding: name, as: UTF8.self)
            guard let new = newer.files[name] else {
                throw PatchError(.feedRollback, "snapshot.json: \(text) is no longer listed")
            }
            guard new.version >= old.version else {
                throw PatchError(
                    .feedRollback, "snapshot.json: \(text) is of version \(new.version), after version \(old.version)")
            }
        }
    }
}
