import Libc
import Synchronization

extension Environment {
    /// The variables that a command of this process gets: all except `secrets`.
    ///
    /// - Parameter kept: The secrets that it gets nevertheless, because it needs them.
    static func entriesForCommands(keeping kept: Set<[UInt8]>) -> [UnsafeMutablePointer<CChar>] {
        let hidden = secrets.withLock { $0 }.subtracting(kept)
        return unsafe entries.filter { unsafe !hidden.contains(name(of: $0)) }
    }

    /// Removes `secrets` from this process's own environment.
    ///
    /// `/proc/self/environ` still shows the environment from the start of the process, so the values there are overwritten.
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
