internal import PatchCrypto
internal import PatchFeed
internal import PatchRunner
internal import Synchronization

/// A source that counts the bytes that come from another one.
final class CountingSource: FeedSource {
    private let source: any FeedSource
    private let count = Mutex(0)

    init(_ source: any FeedSource) { self.source = source }

    var bytes: Int { count.locked { $0 } }

    func fetch(_ path: String, limit: Int, etag: String?) async throws(PatchError) -> FeedReply {
        let reply = try await source.fetch(path, limit: limit, etag: etag)
        if case .bytes(let bytes, _) = reply.content { count.locked { $0 += bytes.count } }
        return reply
    }
}
