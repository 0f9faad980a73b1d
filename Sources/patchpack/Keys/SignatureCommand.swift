#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import PatchCrypto

/// A shell command that signs: with a key in a hardware module, or on another machine.
struct SignatureCommand: Sendable {
    private let line: String
    /// No signature is longer; RSA of 8192 bits has 1,024 bytes.
    private static let longest = 1024

    /// The commands that the options name.
    static func all(_ arguments: ParsedArguments) throws(PatchError) -> [SignatureCommand] {
        arguments.values(of: .signatureCommand).map { SignatureCommand(line: $0.text) }
    }

    /// Runs the command with the payload on its standard input.
    ///
    /// - Returns: What it writes to its standard output.
    /// - Throws: `config` where it fails, or writes what cannot be a signature.
    func signature(of payload: [UInt8]) throws(PatchError) -> [UInt8] {
        // The payload goes through a file: a command that does not read it to the end blocks nobody.
        let input = try Self.temporaryFile(holding: payload)
        defer { _ = unsafe input.withCString { unsafe unlink($0) } }
        guard let output = unsafe popen("(\(line)\n) <'\(input)'", "r") else { throw failure("cannot be run") }
        var signature: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while case let count = unsafe fread(&chunk, 1, chunk.count, output), count > 0 {
            if signature.count <= Self.longest { signature += chunk.prefix(count) }
        }
        guard unsafe pclose(output) == 0 else { throw failure("failed") }
        guard !signature.isEmpty, signature.count <= Self.longest else {
            throw failure("wrote \(signature.isEmpty ? "nothing" : "more than \(Self.longest) bytes")")
        }
        return signature
    }

    private func failure(_ what: String) -> PatchError {
        PatchError(
            .config, "the signature command \(what): \(line)",
            hint: "it gets the payload on standard input and writes the signature's bytes to standard output")
    }

    /// A file that only this user can read, to be removed by the caller.
    private static func temporaryFile(holding bytes: [UInt8]) throws(PatchError) -> Path {
        var name = Path("/tmp/patchpack-XXXXXX").bytes.map(CChar.init(bitPattern:)) + [0]
        let file = unsafe mkstemp(&name)
        let path = Path(bytes: name.dropLast().map(UInt8.init(bitPattern:)))
        guard file >= 0 else { throw .system(.io, path, errno) }
        let failure = unsafe bytes.withUnsafeBufferPointer { unsafe writeAll($0, to: file) }
        close(file)
        guard failure == 0 else {
            _ = unsafe path.withCString { unsafe unlink($0) }
            throw .system(.io, path, failure)
        }
        return path
    }
}
