import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner

enum InterfaceFile {
    /// The interface that the option or the variable names; nil if neither is given.
    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> PatchInterface? {
        guard let file = arguments.value(of: .interface) ?? Option.interface.fromEnvironment else { return nil }
        return try interface(at: file.path)
    }

    /// Reads an interface.
    ///
    /// - Throws: `no-input` if it cannot be read, `config` if it is larger than 1 MiB, `malformed` if it is not an
    ///   interface.
    static func interface(at path: Path) throws(PatchError) -> PatchInterface {
        let bytes = try InputFile.small(path)
        do throws(PatchError) {
            return try PatchInterface(decoding: bytes)
        } catch {
            throw error.hinting(error.hint ?? "an interface is the JSON that the app writes: registry.interface(of:)")
                .about(path)
        }
    }
}
