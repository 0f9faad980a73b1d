package import PatchCrypto

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
        return addingHeader(to: json)
    }
}
