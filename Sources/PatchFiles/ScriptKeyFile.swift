public import PatchCrypto

/// A file of script keys, read each time a key is asked for, so that a rotation needs no restart.
///
/// The file is a key store, or a plain key file, whose one key is called by its id.
public struct ScriptKeyFile: ScriptKeyProvider {
    private let path: Path
    private let passphrase: SecretBytes?

    /// Names the file; it is not read yet.
    ///
    /// - Parameters:
    ///   - path: Where it lies.
    ///   - passphrase: Opens a key store; a plain key file needs none.
    public init(path: String, passphrase: SecretBytes? = nil) {
        self.path = Path(path)
        self.passphrase = passphrase
    }

    /// Reads the keys that are in the file now.
    ///
    /// - Throws: `noInput` where the file cannot be read, `passphrase` where it needs one, `config` where it holds no keys.
    public func ring() throws(PatchError) -> ScriptKeyRing {
        var file = try InputFile.small(path)
        defer { _ = SecretBytes(wiping: &file) }
        return try path.naming { () throws(PatchError) in
            if KeyStoreFile.isStore(file) {
                guard let passphrase else { throw PatchError(.passphrase, "the key store needs a passphrase") }
                return try KeyStoreFile.open(file, passphrase: passphrase)
            }
            let key = try ScriptKey(file: SecretBytes(file))
            var ring = ScriptKeyRing()
            try ring.add(key, named: key.id.description)
            return ring
        }
    }

    public func scriptKeyNames() throws(PatchError) -> [String] { try ring().scriptKeyNames() }
    public func scriptKey(named name: String) throws(PatchError) -> ScriptKey? { try ring().scriptKey(named: name) }
    public func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey? { try ring().scriptKey(withID: id) }
}
