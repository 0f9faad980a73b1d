import Libc
import PatchFiles

/// Waits until one of several files changes.
///
/// Each file is checked twice a second, which works on every system and on network file systems.
struct FileWatch {
    private let files: [Path]
    private var seen: [FileInfo?]

    init(_ files: [Path]) {
        self.files = files
        seen = Self.state(of: files)
    }

    /// Waits for a change since the last call.
    ///
    /// It then waits until the files stop changing, because an editor may write several files, or one file several times.
    mutating func wait() {
        while !hasChanged() { usleep(500_000) }
        repeat { usleep(50_000) } while hasChanged()
    }

    /// Whether a file has changed. A missing file does not count, because it is about to be replaced.
    private mutating func hasChanged() -> Bool {
        let before = seen
        seen = Self.state(of: files)
        return zip(seen, before).contains { $0 != nil && $0 != $1 }
    }

    private static func state(of files: [Path]) -> [FileInfo?] { files.map { FileInfo($0, following: true) } }
}
