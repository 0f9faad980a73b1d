import Foundation
import PatchCrypto
import PatchFeed
import PatchPublishing

/// The place that the feed is served from, and what caches remember of it.
@MainActor final class Place {
    private var states: [String: [(time: Int, bytes: [UInt8])]] = [:]
    /// The timestamps in the order in which they were put in place.
    private(set) var timestamps: [[UInt8]] = []
    /// After so many more writes, the process that deploys is killed; nil if it is not.
    var writesLeft: Int?
    /// What else happens just before a file is written.
    var beforeWrite: () -> Void = {}
    unowned let world: World

    init(_ world: World) { self.world = world }

    /// A file as it was some seconds ago; nil if there was none.
    func read(_ path: String, age: Int = 0) -> [UInt8]? {
        states[path]?.last { $0.time <= world.now - age }?.bytes
    }

    /// Replaces a copy by what is in place.
    func copy(to copy: Copy) throws {
        try? FileManager.default.removeItem(atPath: copy.path)
        let files = states.keys.filter { !$0.hasSuffix(".next.json") }
        try copy.folder.write(files.map { FeedFile(path: $0, bytes: read($0) ?? [], replaces: true) })
        copy.noteTaken()
    }

    fileprivate func write(_ file: FeedFile, if mayWrite: ([UInt8]?) -> Bool) throws(PatchError) -> Bool {
        let bytes = try file.bytes
        beforeWrite()
        guard mayWrite(read(file.path)) else { return false }
        if let left = writesLeft {
            guard left > 0 else { throw PatchError(.io, "the process was killed") }
            writesLeft = left - 1
        }
        states[file.path, default: []].append((world.now, bytes))
        if file.path == FeedLayout.timestamp { timestamps.append(bytes) }
        return true
    }
}

/// The place, for deployments.
struct PlaceTarget: DeployTarget {
    let place: Place
    var name: String { "www" }

    func read(_ path: String) -> [UInt8]? { MainActor.assumeIsolated { place.read(path) } }
    func create(_ file: FeedFile) throws(PatchError) -> Bool { try write(file) { $0 == nil } }
    func replace(_ file: FeedFile, of old: [UInt8]?) throws(PatchError) -> Bool { try write(file) { $0 == old } }

    private func write(
        _ file: FeedFile, if mayWrite: @Sendable ([UInt8]?) -> Bool
    ) throws(PatchError) -> Bool {
        try MainActor.assumeIsolated {
            Result { () throws(PatchError) in try place.write(file, if: mayWrite) }
        }.get()
    }
}

/// The place itself, without a cache.
extension Place: FeedSource {
    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        FeedReply(read(request.path).map { .bytes($0) } ?? .missing)
    }
}

/// The network of one sync.
struct Network {
    /// How old the files are that caches have.
    var age = 0
    /// The request, from 0, at which something happens, and what.
    var request = -1
    var fault = Fault.none

    enum Fault: CaseIterable { case none, fails, cut, missing, killed }

    /// Most syncs reach the place itself.
    init(_ how: Int) {
        age = [0, 0, 0, 0, 0, 0, 60, 3600, 86_400, 3 * 86_400][how % 10]
        guard how / 10 % 4 == 0 else { return }
        request = how / 40 % 8
        fault = Fault.allCases[how / 320 % 5]
    }

    var isHonest: Bool { age == 0 && fault == .none }
}
