import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner

enum InterfaceFile {
    /// The interface that the option or the variable names; nil if neither is given.
    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> PatchInterface? {
        guard let path = path(arguments) else { return nil }
        return try interface(at: path)
    }

    static func path(_ arguments: ParsedArguments) -> Path? {
        (arguments.value(of: .interface) ?? Option.interface.fromEnvironment)?.path
    }

    static func interface(at path: Path) throws(PatchError) -> PatchInterface {
        let bytes = try InputFile.small(path)
        do throws(PatchError) {
            return try PatchInterface(json: bytes)
        } catch {
            throw error.hinting(error.hint ?? "an interface is the JSON that the app writes: registry.interface(of:)")
                .about(path)
        }
    }
}
