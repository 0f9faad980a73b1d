import PatchCrypto
import Synchronization

@testable import PatchPublishing

/// A place in memory that several writers deploy to.
final class MemoryTarget: DeployTarget {
    let name = "www"
    private let state = Mutex(State())

    private struct State {
        var files: [String: [UInt8]] = [:]
        var written: [String] = []
        var interruptions: [String: @Sendable () -> Void] = [:]
    }

    var files: [String: [UInt8]] { state.withLock { $0.files } }

    /// The paths of the written files, in order.
    var written: [String] { state.withLock { $0.written } }

    subscript(path: String) -> [UInt8]? {
        get { files[path] }
        set { state.withLock { $0.files[path] = newValue } }
    }

    /// Runs an action once, right before a file is written.
    func interrupt(before path: String, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.interruptions[path] = body }
    }

    func read(_ path: String) -> [UInt8]? { self[path] }

    func create(_ file: FeedFile) throws(PatchError) -> Bool { try write(file) { $0 == nil } }

    func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool {
        try write(file) { $0 == old }
    }

    private func write(_ file: FeedFile, if mayWrite: ([UInt8]?) -> Bool) throws(PatchError) -> Bool {
        let bytes = try file.bytes
        state.withLock { $0.interruptions.removeValue(forKey: file.path) }?()
        return state.withLock { state in
            guard mayWrite(state.files[file.path]) else { return false }
            state.files[file.path] = bytes
            state.written.append(file.path)
            return true
        }
    }
}
