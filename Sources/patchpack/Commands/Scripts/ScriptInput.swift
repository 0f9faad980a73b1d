import PatchCrypto
import PatchFiles

/// A script on standard input, which has no file name.
enum ScriptInput {
    /// - Throws: `usage` if the file is a key, `noInput` if it cannot be read.
    static func bytes(of path: Path) throws(PatchError) -> [UInt8] {
        let bytes = try InputFile.contents(of: path, limit: EnvelopeLimits().scriptSize)
        try Secrets.refuseKey(bytes, in: path)
        return bytes
    }

    /// Reads the scripts of a patch, the entry first, and names them by their paths below its folder.
    static func scripts(
        _ paths: [Path], onStandardInput given: Path?
    ) throws(PatchError) -> [(script: PatchScript, file: Path)] {
        let files = paths.map { $0.isStandardStream ? given ?? $0 : $0 }
        return try zip(paths, files).map { (path, file) throws(PatchError) in
            (PatchScript(name: LintedPatch.name(of: file, beside: files[0]), bytes: try bytes(of: path)), file)
        }
    }

    /// The name in `--stdin-filename`; nil without that option.
    static func name(_ arguments: ParsedArguments) throws(PatchError) -> Path? {
        guard let name = arguments.path(of: .stdinFilename) else { return nil }
        guard arguments.operands.contains(where: \.path.isStandardStream) else {
            throw .usage("--stdin-filename without standard input", hint: "give - as the script")
        }
        return name
    }
}
