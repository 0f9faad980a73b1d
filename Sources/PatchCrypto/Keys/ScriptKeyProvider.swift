/// Where script keys come from: a guarded store of the app's, that gives a key when it is asked for its name.
///
/// Several keys serve a rotation: an envelope names its key by id, so that an old patch still opens.
public protocol ScriptKeyProvider: Sendable {
    /// The names of the keys there are.
    ///
    /// - Throws: A `PatchError` where the store cannot be read.
    func scriptKeyNames() throws(PatchError) -> [String]

    /// The key of a name.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: A `PatchError` where the store cannot be read.
    func scriptKey(named name: String) throws(PatchError) -> ScriptKey?

    /// The key of an id, as an envelope names it; a store that finds keys by their ids does better than the default, which
    /// looks at one after the other.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: A `PatchError` where the store cannot be read.
    func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey?
}

extension ScriptKeyProvider {
    public func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey? {
        for name in try scriptKeyNames() {
            if let key = try scriptKey(named: name), key.id == id { return key }
        }
        return nil
    }
}

/// A key is a provider of itself, under its id.
extension ScriptKey: ScriptKeyProvider {
    public func scriptKeyNames() -> [String] { [id.description] }

    public func scriptKey(named name: String) -> ScriptKey? {
        name.hasBytes(of: id.description) ? self : nil
    }
}

/// Script keys in memory, each with a name.
public struct ScriptKeyRing: ScriptKeyProvider {
    /// The keys, in the order they were added.
    public private(set) var keys: [(name: String, key: ScriptKey)] = []

    /// A ring without keys.
    public init() {}

    public func scriptKeyNames() -> [String] { keys.map(\.name) }

    public func scriptKey(named name: String) -> ScriptKey? {
        keys.first { $0.name.hasBytes(of: name) }?.key
    }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - name: `[A-Za-z0-9._@-]+`, at most 64 bytes.
    /// - Throws: `config` for a name of another form, and for a name or a key that is there already.
    public mutating func add(_ key: ScriptKey, named name: String) throws(PatchError) {
        guard NameForm.isKeyName(name) else {
            throw PatchError(
                .config, "\(name) cannot be a key's name", hint: "use letters, digits, . _ @ and -, at most 64 of them")
        }
        if let known = keys.first(where: { $0.name == name || $0.key.id == key.id }) {
            throw PatchError(
                .config, "the key \(known.key.id), called \(known.name), is there already", hint: "remove it first")
        }
        keys.append((name, key))
    }

    /// Removes a key.
    ///
    /// - Throws: `config` where there is none of that name.
    public mutating func remove(_ name: String) throws(PatchError) {
        guard let index = keys.firstIndex(where: { $0.name == name }) else {
            throw PatchError(
                .config, "no key named \(name) in the store",
                hint: "the names are \(scriptKeyNames().joined(separator: ", "))")
        }
        keys.remove(at: index)
    }
}
