import Libc
import PatchFiles

/// Waits until one of some files is written again.
///
/// Each is looked at twice a second: that works on every system, and in folders of other machines.
struct FileWatch {
    private let files: [Path]
    private var seen: [FileInfo?]

    init(_ files: [Path]) {
        self.files = files
        seen = Self.state(of: files)
    }

    /// Waits for a change since the last call, and until an editor that writes several files, or one several times, is done.
    mutating func wait() {
        while !hasChanged() { usleep(500_000) }
        repeat { usleep(50_000) } while hasChanged()
    }

    /// Whether a file is another one than before; one that is missing is about to be replaced.
    private mutating func hasChanged() -> Bool {
        let before = seen
        seen = Self.state(of: files)
        return zip(seen, before).contains { $0 != nil && $0 != $1 }
    }

    private static func state(of files: [Path]) -> [FileInfo?] { files.map { FileInfo($0, following: true) } }
}
