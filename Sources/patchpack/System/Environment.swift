import Libc
import PatchFiles
import Synchronization

/// The process's environment.
enum Environment {
    /// A variable's value; nil if it is not set or empty.
    static subscript(name: String) -> String? { self[bytes: name].map { String(decoding: $0, as: UTF8.self) } }

    /// The values of all variables whose names begin with `prefix`.
    static func values(ofNamesWith prefix: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            if unsafe strncmp(entry, prefix, prefix.utf8.count) == 0, let value = unsafe strchr(entry, 0x3D) {
                values.append(unsafe Array(UnsafeRawBufferPointer(start: value + 1, count: strlen(value + 1))))
            }
            unsafe next += 1
        }
        return values
    }

    /// The folder for temporary files.
    static var temporaryFolder: Path { self[bytes: "TMPDIR"].map(Path.init(bytes:)) ?? Path("/tmp") }

    /// The variables that a secret was read from. Commands that this process runs do not inherit them.
    static let secrets = Mutex<Set<String>>([])

    /// The bytes of a variable that holds a key or a passphrase. Its name is added to `secrets`.
    static subscript(secret name: String) -> [UInt8]? {
        secrets.withLock { _ = $0.insert(name) }
        return self[bytes: name]
    }

    /// A variable's bytes; nil if it is not set or empty. File names and passphrases need not be text.
    static subscript(bytes name: String) -> [UInt8]? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
