import Libc
import PatchCrypto
import PatchFiles

/// A folder of this process that is removed with it.
final class TemporaryFolder: Sendable {
    let path: Path

    init() throws(PatchError) {
        let parent = Environment.temporaryFolder
        var name = parent.appending(Path("patchpack-XXXXXX")).bytes.map { CChar(bitPattern: $0) } + [0]
        guard unsafe mkdtemp(&name) != nil else {
            throw PatchError(.io, "a temporary folder cannot be made", hint: "is TMPDIR a folder to write to?")
                .about(parent)
        }
        path = Path(bytes: name.dropLast().map { UInt8(bitPattern: $0) })
    }

    deinit { try? Folder.removeAll(path) }
}
