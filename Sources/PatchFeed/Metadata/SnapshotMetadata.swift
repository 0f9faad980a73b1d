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
    package static func all(_ body: JSONObject) throws(PatchError) -> [ExactString: MetadataDescription] {
        let meta = try body.object("meta")
        var all: [ExactString: MetadataDescription] = [:]
        for (name, value) in meta.members {
            all[ExactString(name)] = try MetadataDescription(JSONObject(value, "\(meta.place): \(name)"))
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
    private let files: [ExactString: MetadataDescription]

    package init(_ file: SignedMetadata) throws(PatchError) {
        (version, expires) = (file.version, file.expires)
        files = try MetadataDescription.all(file.body)
    }

    /// The entry of a role.
    ///
    /// - Throws: `feed-mismatch` if the role is not listed.
    package func entry(of role: String) throws(PatchError) -> MetadataDescription {
        guard let entry = files[ExactString("\(role).json")] else {
            throw PatchError(.feedMismatch, "snapshot.json: \(role).json is not listed")
        }
        return entry
    }

    /// Checks that a newer snapshot has every file of this one, and none in an older version.
    ///
    /// - Throws: `feed-rollback` if not.
    package func checkSuccessor(_ newer: SnapshotMetadata) throws(PatchError) {
        for (name, old) in files {
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
