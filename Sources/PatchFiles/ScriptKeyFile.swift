public import PatchCrypto

/// A file of script keys. It is read each time a key is requested, so that a rotation needs no restart.
///
/// The file is a key store or a plain key file. The one key in a plain key file is named by its id.
public struct ScriptKeyFile: ScriptKeyProvider {
    private let path: Path
    private let passphrase: SecretBytes?

    /// Makes a provider from a file, which is not read yet.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - passphrase: Decrypts a key store; a plain key file needs none.
    public init(path: String, passphrase: SecretBytes? = nil) {
        self.path = Path(path)
        self.passphrase = passphrase
    }

    /// Reads the keys that are in the file now.
    ///
    /// - Throws: `noInput` if the file cannot be read, `passphrase` if the passphrase is missing or wrong, `config` if the
    ///   file holds no keys.
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
