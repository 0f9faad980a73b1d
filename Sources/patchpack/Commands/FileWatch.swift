#if canImport(Glibc)
    import Glibc
#endif
import PatchCrypto

/// Waits until one of some files is written anew.
///
/// The folders are watched, and not the files: an editor puts a new file in the place of the old one.
struct FileWatch: ~Copyable {
    #if canImport(Glibc)
        private let descriptor: Int32
        private let names: Set<[UInt8]>

        /// - Throws: `io` where the system cannot watch.
        init(_ files: [Path]) throws(PatchError) {
            let descriptor = inotify_init1(Int32(IN_CLOEXEC))
            guard descriptor >= 0 else { throw .system(.io, Path("inotify"), errno) }
            for folder in Set(files.map(\.parent)) {
                let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
                let watch = unsafe folder.withCString { unsafe inotify_add_watch(descriptor, $0, events) }
                guard watch >= 0 else {
                    let failure = errno
                    close(descriptor)
                    throw .system(.io, folder, failure)
                }
            }
            self.descriptor = descriptor
            names = Set(files.map { Array($0.name.bytes) })
        }

        deinit { close(descriptor) }

        /// Waits for a change, and for the writing to be over.
        func wait() throws(PatchError) {
            while true {
                guard try changes(within: -1) else { continue }
                // An editor writes several files, or one several times.
                while try changes(within: 50) {}
                return
            }
        }

        /// Whether one of the files changed within some milliseconds; -1 for ever.
        private func changes(within milliseconds: Int32) throws(PatchError) -> Bool {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&waiting, 1, milliseconds) > 0 else { return false }
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .system(.io, Path("inotify"), errno) }
            // Each event is 16 bytes, the last four of them the length of the name behind it, which zeros fill up.
            var rest = buffer[..<count]
            var isMeant = false
            while rest.count >= 16 {
                let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
                isMeant = isMeant || names.contains(Array(name))
                rest = rest.dropFirst(16 + length)
            }
            return isMeant
        }
    #else
        init(_ files: [Path]) throws(PatchError) {
            throw PatchError(
                .unavailable, "--watch needs Linux's inotify", hint: "run the command again after a change")
        }

        func wait() throws(PatchError) {}
    #endif
}
