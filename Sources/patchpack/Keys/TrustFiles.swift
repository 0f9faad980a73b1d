import PatchCrypto
import PatchFiles

/// Reads trust stores from disk: a file, or a folder of public keys.
enum TrustFiles {
    /// Reads a trust store.
    ///
    /// - Parameter pin: The digest that its file must have; nil for any.
    /// - Throws: `modifiedTrust` if its file has another digest, `config` if it is no trust store or has no key,
    ///   `usage` if a folder is to have a digest, `noInput` if it cannot be read, `unavailable` if OpenSSL refuses a
    ///   key.
    static func store(at path: Path, pinnedTo pin: String?) throws(PatchError) -> TrustStore {
        if pin == nil, path.isFolder { return try TrustStore(keys: keys(in: path)) }
        return try path.naming { () throws(PatchError) in
            try TrustStore(decoding: file(at: path), pinnedTo: pin, rsaDefault: .rsaSHA1)
        }
    }

    /// Reads the bytes of a store's file, whose digest can be pinned.
    ///
    /// - Throws: `usage` if it is a folder, `noInput` if it cannot be read, `config` if it is larger than 1 MiB.
    static func file(at path: Path) throws(PatchError) -> [UInt8] {
        guard !path.isFolder else {
            throw .usage("a folder cannot be pinned", hint: "make a file from it with patchpack trust add").about(path)
        }
        return try InputFile.small(path)
    }

    /// The public keys in a folder: `NAME.pem`, or `NAME.ALGORITHM.pem` for an algorithm that is not the key's default.
    private static func keys(in folder: Path) throws(PatchError) -> [TrustedKey] {
        var keys: [TrustedKey] = []
        for name in try Folder.names(in: folder) where name.ends(in: ".pem") {
            let stem = Path(bytes: Array(name.bytes.dropLast(".pem".utf8.count)))
            let algorithm = SignatureAlgorithm.allCases.first { stem.ends(in: ".\($0.rawValue)") }
            let file = try KeyFile(KeyName(algorithm, folder.appending(name), from: "--\(Option.trustStore.name)"))
            let end = algorithm.map { ".\($0.rawValue)" } ?? ""
            let keyName = String(decoding: stem.bytes.dropLast(end.utf8.count), as: UTF8.self)
            keys.append(try TrustedKey(file.verifyingKey(), name: keyName.isEmpty ? nil : keyName))
        }
        guard !keys.isEmpty else {
            throw PatchError(.config, "no public key in this folder", hint: "put NAME.pem files into it").about(folder)
        }
        return keys
    }
}
