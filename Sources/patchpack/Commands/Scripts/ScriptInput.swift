import PatchCrypto
import PatchFiles

/// A script on standard input, which has no file name.
enum ScriptInput {
    /// Reads a script.
    ///
    /// - Throws: `usage` if the file is a key, `noInput` if it cannot be read.
    static func bytes(of path: Path) throws(PatchError) -> [UInt8] {
        let bytes = try InputFile.contents(of: path, limit: EnvelopeLimits().scriptSize)
        try Secrets.refuseKey(bytes, in: path)
        return bytes
    }

    static func name(_ arguments: ParsedArguments) throws(PatchError) -> Path? {
        guard let name = arguments.path(of: .stdinFilename) else { return nil }
        guard arguments.operands.contains(where: \.path.isStandardStream) else {
            throw .usage("--stdin-filename without standard input", hint: "give - as the script")
        }
        return name
    }
}
