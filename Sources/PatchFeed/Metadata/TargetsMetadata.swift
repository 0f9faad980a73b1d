public import PatchCrypto

/// Metadata of the targets role, or of a role that it delegates to: files, and further delegations (section 4.5).
package struct TargetsMetadata: Sendable {
    package let version: Int
    package let expires: Timestamp
    /// The targets by their paths.
    package let targets: [ExactString: FeedTarget]
    package let delegations: [Delegation]

    package init(_ file: SignedMetadata) throws(PatchError) {
        (version, expires) = (file.version, file.expires)
        let listed = try file.body.object("targets")
        var targets: [ExactString: FeedTarget] = [:]
        targets.reserveCapacity(listed.members.count)
        for (path, value) in listed.members {
            targets[ExactString(path)] = try FeedTarget(path: path, JSONObject(value, "\(listed.place): \(path)"))
        }
        self.targets = targets
        let object = try file.body.optional("delegations", file.body.object)
        delegations = try object.map(Delegation.all) ?? []
    }
}

/// A file that the feed describes.
public struct FeedTarget: Sendable {
    /// Its path below the feed's `targets` folder, as it is signed.
    public let path: String
    /// Its length in bytes.
    public let length: Int
    package let file: FileDescription

    package init(path: String, _ object: JSONObject) throws(PatchError) {
        self.path = path
        length = try object.number("length", in: 0...Int.max)
        file = try FileDescription(object)
        guard !file.hashes.isEmpty else { throw object.fault("hashes", "missing") }
    }

    /// The SHA-256 that is signed, in lower-case hex digits; nil if only other hashes are.
    public var sha256: String? { file.hashes.first { $0.function.hasBytes(of: "sha256") }?.digest }

    /// Checks that bytes are this file.
    ///
    /// - Throws: `feed-mismatch` if they are not.
    public func check(_ bytes: [UInt8]) throws(PatchError) { try file.check(bytes, of: path) }
}

/// A delegation: a role, its keys, and the paths it is trusted for.
package struct Delegation: Sendable {
    package let role: String
    package let keys: RoleKeys
    /// Whether the search ends with this role if the path is one of its own.
    package let isTerminating: Bool
    private let patterns: [PathPattern]
    private let hashPrefixes: [String]

    /// Reads `delegations`.
    package static func all(_ object: JSONObject) throws(PatchError) -> [Delegation] {
        let keys = try FeedKeys(object.object("keys"))
        // A feed with hash bins (`succinct_roles`) has no list of roles. Its files are not found.
        guard object["roles"] != nil || object["succinct_roles"] == nil else { return [] }
        guard case .array(let roles) = object["roles"] else { throw object.fault("roles", "expected a list") }
        var all: [Delegation] = []
        var names: Set<ExactString> = []
        for role in roles {
            let delegation = try Delegation(JSONObject(role, "\(object.place): roles"), known: keys)
            guard names.insert(ExactString(delegation.role)).inserted else {
                throw object.fault("roles", "\(delegation.role) twice")
            }
            all.append(delegation)
        }
        return all
    }

    private init(_ object: JSONObject, known: FeedKeys) throws(PatchError) {
        role = try object.text("name")
        guard !["root", "timestamp", "snapshot", "targets", ""].contains(where: role.hasBytes(of:)),
            role.utf8.count <= 80
        else { throw object.fault("name", "\(role) cannot be a delegated role") }
        keys = try RoleKeys(object, known: known)
        isTerminating = try object.flag("terminating")
        let paths = try object.optional("paths", object.texts)
        let prefixes = try object.optional("path_hash_prefixes", object.texts)
        guard (paths == nil) != (prefixes == nil) else {
            throw object.fault("paths", "expected either this or path_hash_prefixes")
        }
        patterns = (paths ?? []).map(PathPattern.init)
        hashPrefixes = prefixes ?? []
    }

    /// Whether the role may say something about a path.
    package func covers(_ path: String) throws(PatchError) -> Bool {
        if patterns.contains(where: { $0.matches(path) }) { return true }
        guard !hashPrefixes.isEmpty else { return false }
        let hash = try MessageDigest.sha256.hexadecimal(of: Array(path.utf8))
        return hashPrefixes.contains { hash.starts(with: $0.utf8) }
    }
}
