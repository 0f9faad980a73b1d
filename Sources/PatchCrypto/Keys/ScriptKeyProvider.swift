/// A source of script keys, such as a protected store in the app.
///
/// It is called on any thread, on several threads at once, and while the thread that launches patches waits. So it must
/// not wait for the main thread.
///
/// Several keys allow a rotation: an envelope names its key by an id that follows from the key's bytes, so that an old
/// patch still opens. A store that has names of its own looks through them:
///
///     func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey? {
///         for name in ["2025", "2026"] {
///             if let key = try key(named: name), key.id == id { return key }
///         }
///         return nil
///     }
public protocol ScriptKeyProvider: Sendable {
    /// The key with an id, as an envelope names it.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: `unavailable` if the store cannot be read now, such as a keychain that is locked. The patch is then
    ///   refused, and verified again later. Not `io`, which ends a sync, and not `policy` or `unknownSigner`, which end
    ///   patches that run.
    func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey?

    /// The names of the keys, for the message of an error if none of them fits. By default, the message has no names.
    var scriptKeyNames: [String] { get }
}

extension ScriptKeyProvider {
    public var scriptKeyNames: [String] { [] }
}

/// A key is a provider of itself, with its id as its name.
extension ScriptKey: ScriptKeyProvider {
    public func scriptKey(withID id: KeyID) -> ScriptKey? { id == self.id ? self : nil }

    public var scriptKeyNames: [String] { [id.description] }
}

/// Script keys in memory, each with a name.
public struct ScriptKeyRing: ScriptKeyProvider {
    /// The keys, in the order they were added.
    package private(set) var keys: [(name: String, key: ScriptKey)] = []

    /// Makes a ring without keys.
    public init() {}

    public func scriptKey(withID id: KeyID) -> ScriptKey? { keys.first { $0.key.id == id }?.key }

    public var scriptKeyNames: [String] { keys.map(\.name) }

    /// The key with a name; nil if there is none.
    package func scriptKey(named name: String) -> ScriptKey? {
        keys.first { $0.name.isByteEqual(to: name) }?.key
    }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - name: `[A-Za-z0-9._@-]+`, at most 64 bytes.
    /// - Throws: `config` if the name has another form, or the name or the key is already in the ring.
    public mutating func add(_ key: ScriptKey, named name: String) throws(PatchError) {
        guard NameForm.isKeyName(name) else {
            throw PatchError(
                .config, "\(name) cannot be a key name", hint: "use letters, digits, . _ @ and -, at most 64 of them")
        }
        if let known = keys.first(where: { $0.name.isByteEqual(to: name) || $0.key.id == key.id }) {
            throw PatchError(
                .config, "the key \(known.key.id), named \(known.name), already exists", hint: "remove it first")
        }
        keys.append((name, key))
    }

    /// Removes a key.
    ///
    /// - Throws: `config` if there is no key with that name.
    package mutating func remove(_ name: String) throws(PatchError) {
        guard let index = keys.firstIndex(where: { $0.name.isByteEqual(to: name) }) else {
            let names = scriptKeyNames.joined(separator: ", ")
            throw PatchError(
                .config, "no key named \(name) in the store",
                hint: names.isEmpty ? "it has no key" : "the names are \(names)")
        }
        keys.remove(at: index)
    }
}
