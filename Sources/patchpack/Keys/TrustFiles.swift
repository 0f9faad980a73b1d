import PatchCrypto
import PatchFiles

/// Reads trust stores from disk: a file, or a folder of public keys.
enum TrustFiles {
    static func store(at path: Path, pinnedTo pin: String?) throws(PatchError) -> TrustStore {
        if pin == nil, path.isFolder { return try TrustStore(keys: keys(in: path)) }
        return try path.naming { () throws(PatchError) in
            try TrustStore(decoding: file(at: path), pinnedTo: pin, rsaDefault: .rsaSHA1)
        }
    }

    /// Reads the bytes of a store's file, whose digest can be pinned.
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
            let stem = String(decoding: name.bytes.dropLast(4), as: UTF8.self)
            let algorithm = SignatureAlgorithm.allCases.first {
                stem.utf8.suffix($0.rawValue.utf8.count + 1).elementsEqual(".\($0.rawValue)".utf8)
            }
            let file = try KeyFile(KeyName(algorithm, folder.appending(name), from: "--\(Option.trustStore.name)"))
            let keyName = algorithm.map { String(stem.dropLast($0.rawValue.count + 1)) } ?? stem
            keys.append(try TrustedKey(file.verifyingKey(), name: keyName.isEmpty ? nil : keyName))
        }
        guard !keys.isEmpty else {
            throw PatchError(.config, "no public key in this folder", hint: "put NAME.pem files into it").about(folder)
        }
        return keys
    }
}
