import PatchCrypto
import PatchFiles

/// A script that comes on standard input, and has no name there.
enum ScriptInput {
    /// What the options call it.
    static func name(_ arguments: ParsedArguments) throws(PatchError) -> Path? {
        guard let name = arguments.value(of: .stdinFilename)?.path else { return nil }
        guard arguments.operands.contains(where: \.path.isStandardStream) else {
            throw PatchError(.usage, "--stdin-filename without standard input", hint: "name the script -")
        }
        return name
    }
}
