/// A file of script keys. It is read each time a key is requested, so that a rotation needs no restart.
///
///     let keys = ScriptKeyFile { [UInt8](try Data(contentsOf: url)) }
///
/// The file is a key store or a plain key file. The one key in a plain key file is named by its id.
public struct ScriptKeyFile: ScriptKeyProvider {
    private let passphrase: SecretBytes?
    private let read: @Sendable () throws -> [UInt8]

    /// Makes a provider from a file, which is not read yet.
    ///
    /// - Parameters:
    ///   - passphrase: Decrypts a key store; a plain key file needs none.
    ///   - read: Returns the file's bytes. They are wiped after use.
    public init(passphrase: SecretBytes? = nil, reading read: @escaping @Sendable () throws -> [UInt8]) {
        self.passphrase = passphrase
        self.read = read
    }

    /// Reads the keys that are in the file now.
    ///
    /// - Throws: `no-input` if the file cannot be read, `passphrase` if the passphrase is missing or wrong, `config` if the
    ///   file holds no keys.
    public func ring() throws(PatchError) -> ScriptKeyRing {
        var file: [UInt8]
        do {
            file = try read()
        } catch {
            throw error as? PatchError ?? PatchError(.noInput, "\(error)")
        }
        defer { _ = SecretBytes(wiping: &file) }
        if KeyStoreFile.isStore(file) {
            guard let passphrase else { throw PatchError(.passphrase, "the key store needs a passphrase") }
            return try KeyStoreFile.open(file, passphrase: passphrase)
        }
        let key = try ScriptKey(file: SecretBytes(file))
        var ring = ScriptKeyRing()
        try ring.add(key, named: key.id.description)
        return ring
    }

    public func scriptKeyNames() throws(PatchError) -> [String] { try ring().scriptKeyNames() }
    public func scriptKey(named name: String) throws(PatchError) -> ScriptKey? { try ring().scriptKey(named: name) }
    public func scriptKey(withID id: KeyID) throws(PatchError) -> ScriptKey? { try ring().scriptKey(withID: id) }
}
