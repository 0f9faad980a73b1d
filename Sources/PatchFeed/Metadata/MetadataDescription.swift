package import PatchCrypto

/// The version of a metadata file, with its length and hashes if they are given.
package struct MetadataDescription: Sendable {
    package let version: Int
    package let file: FileDescription
    package let json: JSONValue

    /// - Throws: `feed-malformed` if there is no version, or a member is not of its type.
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
