import PatchCrypto
import PatchFiles

/// Reads scripts, from files or standard input.
enum ScriptFiles {
    /// Reads a script or a spec.
    ///
    /// - Throws: `no-input` if it cannot be read, `limit` if it is larger than a script in an envelope may be, `usage`
    ///   if it is a key.
    static func bytes(of path: Path) throws(PatchError) -> [UInt8] {
        let limit = EnvelopeLimits().scriptSize
        let bytes = try InputFile.contents(of: path, limit: limit)
        guard bytes.count <= limit else {
            throw PatchError(
                .limit, "larger than the \(limit) bytes allowed for a script",
                hint: "split it; with --bundle, a patch has several scripts"
            ).about(path)
        }
        try Secrets.refuseKey(bytes, in: path)
        return bytes
    }

    /// Reads the scripts of a patch, the entry first, and names them by their paths below its folder.
    ///
    /// - Parameter given: The name of a script on standard input, which has no name; nil for `-`.
    /// - Throws: What ``bytes(of:)`` throws.
    static func scripts(
        _ paths: [Path], onStandardInput given: Path?
    ) throws(PatchError) -> [(script: PatchScript, file: Path)] {
        let files = paths.map { path in
            if let given, path.isStandardStream { return given }
            return path
        }
        return try zip(paths, files).map { (path, file) throws(PatchError) in
            (PatchScript(name: LintedPatch.name(of: file, beside: files[0]), bytes: try bytes(of: path)), file)
        }
    }

    /// The name in `--stdin-filename`; nil without that option.
    ///
    /// - Throws: `usage` if no script is on standard input.
    static func name(_ arguments: ParsedArguments) throws(PatchError) -> Path? {
        guard let name = arguments.path(of: .stdinFilename) else { return nil }
        guard arguments.operands.contains(where: \.path.isStandardStream) else {
            throw .usage("--stdin-filename without standard input", hint: "give - as the script")
        }
        return name
    }
}
