package import PatchCrypto

/// Metadata of the targets role, or of a role that it delegates to: files, and further delegations (section 4.5).
package struct TargetsMetadata: MetadataBody {
    package static let type = "targets"
    private static let delegationsKey = "delegations"

    package var version: Int
    package var expires: Timestamp
    package var targets: [ExactString: FeedTarget] { didSet { isReceived = false } }
    /// Whether the targets are unchanged since they were received. Changed targets are written in canonical order,
    /// which a device reads and verifies without a search for duplicate names.
    private var isReceived = true
    package private(set) var delegations: [Delegation] = []
    /// The keys of the delegations.
    private var keys = FeedKeys()
    private var received: JSONValue

    package init(_ file: SignedMetadata) throws(PatchError) {
        version = file.version
        expires = file.expires
        received = .object(file.body.members)
        let listed = try file.body.object(MetadataKey.targets)
        var targets: [ExactString: FeedTarget] = [:]
        targets.reserveCapacity(listed.members.count)
        for (path, value) in listed.members {
            targets[ExactString(path)] = try FeedTarget(path: path, JSONObject(value, "\(listed.place): \(path)"))
        }
        self.targets = targets
        guard let object = try file.body.optional(Self.delegationsKey, file.body.object) else { return }
        keys = try FeedKeys(object.object("keys"))
        delegations = try Delegation.all(object, known: keys)
    }

    /// Makes the first targets metadata of a role.
    ///
    /// - Parameter delegation: A delegation, with its keys.
    package init(expires: Timestamp, delegation: (Delegation, FeedKeys)? = nil) {
        version = 0
        self.expires = expires
        received = Self.head
        targets = [:]
        if let (delegation, keys) = delegation {
            delegations = [delegation]
            self.keys = keys
        }
        isReceived = false
    }

    package var json: JSONValue {
        var json = received
        if !delegations.isEmpty {
            json.change(Self.delegationsKey) { object in
                object.set("keys", keys.json)
                object.set("roles", .array(delegations.map(\.json)))
            }
        }
        if !isReceived {
            let sorted = targets.values.sorted { $0.path.hasBytes(before: $1.path) }
            json.set(MetadataKey.targets, .object(sorted.map { ($0.path, $0.file.json) }))
        }
        return addingHeader(to: json)
    }

    /// Gives a delegated role other keys. Keys that no delegated role has any longer are removed.
    ///
    /// - Throws: `feed-malformed` if an added key is not one.
    package mutating func setKeys(
        of role: String, to ids: [String], threshold: Int, adding added: [(id: String, json: JSONValue)]
    ) throws(PatchError) {
        for key in added { try keys.set(key.id, key.json) }
        for index in delegations.indices where delegations[index].role.isByteEqual(to: role) {
            delegations[index].keys = RoleKeys(ids: ids, threshold: threshold, known: keys)
        }
        keys.keep(Set(delegations.flatMap { $0.keys.ids.map(ExactString.init) }))
    }
}

/// A file that the feed describes.
package struct FeedTarget: Sendable {
    /// Its path below the feed's `targets` folder, as it is signed.
    package let path: String
    package let file: FileDescription

    /// - Throws: `feed-malformed` if the length or the hashes are missing, or not of their type.
    package init(path: String, _ object: JSONObject) throws(PatchError) {
        self.path = path
        _ = try object.number("length", in: 0...Int.max)
        file = try FileDescription(object)
        guard !file.hashes.isEmpty else { throw object.fault("hashes", "missing") }
    }

    /// Describes a file.
    ///
    /// - Parameter sha256: The SHA-256 in lower-case hex digits.
    package init(path: String, length: Int, sha256: String) {
        self.path = path
        file = FileDescription(length: length, sha256: sha256)
    }

    /// Its length in bytes.
    package var length: Int { file.length ?? 0 }

    /// The SHA-256 that is signed, in lower-case hex digits; nil if only other hashes are signed.
    package var sha256: String? { file.sha256 }

    /// Checks that bytes are this file.
    ///
    /// - Throws: `feed-mismatch` if they are not, `unavailable` if OpenSSL refuses a hash function.
    package func check(_ bytes: [UInt8]) throws(PatchError) { try file.check(bytes, of: path) }
}

/// A delegation: a role, its keys, and the paths it is trusted for.
package struct Delegation: Sendable {
    package let role: String
    package fileprivate(set) var keys: RoleKeys
    /// Whether the search ends with this role if the path is one of its own.
    package let isTerminating: Bool
    private let patterns: [PathPattern]
    private let hashPrefixes: [String]
    private let received: JSONValue
    /// The longest name of a role, in bytes. Each byte takes at most three in the name of the stored file
    /// (`URLPath.storageName`), which file systems limit to 255.
    private static let longestName = 80

    /// Reads the roles of a `delegations` object.
    ///
    /// - Throws: `feed-malformed` if it is not one, or lists a role twice.
    static func all(_ object: JSONObject, known keys: FeedKeys) throws(PatchError) -> [Delegation] {
        // A feed with hash bins (`succinct_roles`) has no list of roles. Files of those roles are not found.
        guard object["roles"] != nil || object["succinct_roles"] == nil else { return [] }
        var all: [Delegation] = []
        var names: Set<ExactString> = []
        for role in try object.objects("roles") {
            let delegation = try Delegation(role, known: keys)
            guard names.insert(ExactString(delegation.role)).inserted else {
                throw object.fault("roles", "\(delegation.role) twice")
            }
            all.append(delegation)
        }
        return all
    }

    private init(_ object: JSONObject, known: FeedKeys) throws(PatchError) {
        role = try object.text(MetadataKey.name)
        guard !["root", "timestamp", "snapshot", "targets", ""].contains(where: role.isByteEqual(to:)),
            role.utf8.count <= Self.longestName
        else { throw object.fault(MetadataKey.name, "\(role) cannot be a delegated role") }
        keys = try RoleKeys(object, known: known)
        isTerminating = try object.flag("terminating")
        let paths = try object.optional("paths", object.texts)
        let prefixes = try object.optional("path_hash_prefixes", object.texts)
        guard (paths == nil) != (prefixes == nil) else {
            throw object.fault("paths", "expected either this or path_hash_prefixes")
        }
        patterns = (paths ?? []).map(PathPattern.init)
        hashPrefixes = prefixes ?? []
        received = .object(object.members)
    }

    /// Delegates paths to a role, at which the search for them ends.
    package init(to role: String, paths: [String], keys: RoleKeys) {
        self.role = role
        self.keys = keys
        isTerminating = true
        hashPrefixes = []
        patterns = paths.map(PathPattern.init)
        var received = JSONValue.object([])
        keys.write(to: &received)
        received.set(MetadataKey.name, .string(role))
        received.set("paths", .array(paths.map(JSONValue.string)))
        received.set("terminating", .bool(true))
        self.received = received
    }

    var json: JSONValue {
        var json = received
        keys.write(to: &json)
        return json
    }

    /// Whether the role is trusted for a path.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package func covers(_ path: String) throws(PatchError) -> Bool {
        if patterns.contains(where: { $0.matches(path) }) { return true }
        guard !hashPrefixes.isEmpty else { return false }
        let hash = try MessageDigest.sha256.hexadecimal(of: Array(path.utf8))
        return hashPrefixes.contains { hash.starts(with: $0.utf8) }
    }
}
