import Libc
import PatchFiles
import Synchronization

enum Environment {
    /// A variable's value; nil if it is unset or empty.
    static subscript(name: String) -> String? { self[bytes: name].map { String(decoding: $0, as: UTF8.self) } }

    /// The variables whose names begin with a prefix.
    static func variables(ofNamesWith prefix: String) -> [(name: [UInt8], value: [UInt8])] {
        var variables: [(name: [UInt8], value: [UInt8])] = []
        unsafe entries.filter { unsafe strncmp($0, prefix, prefix.utf8.count) == 0 }.forEach { entry in
            let name = unsafe name(of: entry)
            let text = unsafe UnsafeRawBufferPointer(start: entry, count: strlen(entry))
            variables.append((name, unsafe Array(text.dropFirst(name.count + 1))))
        }
        return variables
    }

    /// The variables as the system keeps them: `NAME=VALUE`.
    static var entries: [UnsafeMutablePointer<CChar>] {
        var entries: [UnsafeMutablePointer<CChar>] = unsafe []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            unsafe entries.append(entry)
            unsafe next += 1
        }
        return unsafe entries
    }

    /// The name in an entry, which is before the first `=`.
    static func name(of entry: UnsafeMutablePointer<CChar>) -> [UInt8] {
        let text = unsafe UnsafeRawBufferPointer(start: entry, count: strlen(entry))
        return unsafe Array(text.prefix { $0 != UInt8(ascii: "=") })
    }

    static var temporaryFolder: Path { self[bytes: "TMPDIR"].map(Path.init(bytes:)) ?? Path("/tmp") }

    /// The names of the variables that hold keys, passphrases and passwords, whether they were read or not. See
    /// `findSecrets`.
    static let secrets = Mutex<Set<[UInt8]>>([])

    /// The bytes of a variable that holds a key or a passphrase. Its name is added to `secrets`.
    static subscript(secret name: String) -> [UInt8]? {
        secrets.withLock { _ = $0.insert(Array(name.utf8)) }
        return self[bytes: name]
    }

    /// A variable's bytes without line ends behind them, which secret stores and `echo` add; nil if it is unset or
    /// empty. File names and passphrases need not be valid UTF-8.
    static subscript(bytes name: String) -> [UInt8]? {
        guard let value = unsafe getenv(name) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
        let end = unsafe bytes.lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return end.map { unsafe Array(bytes[...$0]) }
    }

    /// The variables that a command of this process gets: all except `secrets`.
    ///
    /// - Parameter kept: The secrets that it gets nevertheless, because it needs them.
    static func entriesForCommands(keeping kept: Set<[UInt8]>) -> [UnsafeMutablePointer<CChar>] {
        let hidden = secrets.withLock { $0 }.subtracting(kept)
        return unsafe entries.filter { unsafe !hidden.contains(name(of: $0)) }
    }

    /// Removes `secrets` from this process's own environment.
    ///
    /// `/proc/self/environ` still shows the environment from the start of the process, so the values there are
    /// overwritten.
    static func removeSecrets() {
        let hidden = secrets.withLock { $0 }
        unsafe entries.filter { unsafe hidden.contains(name(of: $0)) }.forEach { entry in
            let name = unsafe name(of: entry)
            guard let value = unsafe strchr(entry, CInt(UInt8(ascii: "="))) else { return }
            unsafe memset(value + 1, 0, strlen(value + 1))
            _ = unsafe (name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { name in
                unsafe name.baseAddress.map { unsafe unsetenv($0) }
            }
        }
    }
}
