package import PatchCrypto

/// The signed part of a role's metadata, as a value that is read and written.
///
/// Unchanged parts are written as they were received: in the same order, and with members that this version does not
/// know.
package protocol MetadataBody: Sendable {
    /// The value of `_type`.
    static var type: String { get }
    /// 0 before it is signed for the first time.
    var version: Int { get set }
    var expires: Timestamp { get set }
    var json: JSONValue { get }

    /// - Throws: `feed-malformed` if a member is missing, or is not of its type.
    init(_ file: SignedMetadata) throws(PatchError)
}

extension MetadataBody {
    /// The members that metadata of this type begin with when they are made.
    static var head: JSONValue {
        .object([("_type", .string(type)), ("spec_version", .string("1.0.34"))])
    }

    /// The object with this version and this expiry.
    func addingHeader(to object: JSONValue) -> JSONValue {
        var json = object
        json.set(MetadataKey.version, .integer(version))
        json.set(MetadataKey.expires, .string(expires.description))
        return json
    }
}

/// The names of members that several files have.
package enum MetadataKey {
    package static let version = "version"
    package static let expires = "expires"
    package static let targets = "targets"
    package static let meta = "meta"
    /// The name of a delegated role.
    package static let name = "name"
}
