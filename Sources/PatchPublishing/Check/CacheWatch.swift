package import PatchFeed
package import PatchCrypto
internal import PatchText
internal import Synchronization

/// A source that records for how long caches may answer instead of its server.
package final class CacheWatch: FeedSource {
    private let source: any FeedSource
    /// How long caches may keep files of each kind, in seconds; nil if a reply did not say.
    private let seen = Mutex<[Kind: Set<Int?>]>([:])

    /// The kinds of files that differ in how long they may be kept.
    private enum Kind: CaseIterable {
        case timestamp, missing, permanent
    }

    /// For how many seconds caches may keep a timestamp, or the answer that a file is missing. For so long, a device
    /// may miss a withdrawal.
    private static let longestStale = 600
    /// For how many seconds caches must at least keep a file that never changes: a day.
    private static let shortestPermanent = 86_400

    private let fetched = Atomic(0)

    /// The number of requests so far.
    package var count: Int { fetched.load(ordering: .relaxed) }

    package init(source: any FeedSource) { self.source = source }

    package func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        fetched.add(1, ordering: .relaxed)
        let reply = try await source.fetch(request)
        // Only the reply of a server has a date, and only a server has caches.
        guard reply.date != nil else { return reply }
        let kind: Kind =
            if case .missing = reply.content {
                .missing
            } else if request.path == FeedLayout.timestamp {
                .timestamp
            } else {
                .permanent
            }
        seen.withLock { _ = $0[kind, default: []].insert(reply.maxAge?.seconds) }
        return reply
    }

    /// A line for each kind of file of which one is kept for too long or not long enough.
    package var faults: [String] {
        let seen = seen.withLock { $0 }
        return Kind.allCases.compactMap { kind in
            guard let ages = seen[kind] else { return nil }
            let longest = ages.compactMap(\.self).max() ?? 0
            switch kind {
            case .timestamp:
                if longest > Self.longestStale { return "caches keep timestamp.json for \(longest) s: send max-age=60" }
                guard ages.contains(nil) else { return nil }
                return "timestamp.json has no Cache-Control, so caches guess how long to keep it: send max-age=60"
            case .missing:
                return longest > Self.longestStale
                    ? "caches remember for \(longest) s that a file is missing: send max-age=60" : nil
            case .permanent:
                guard ages.contains(where: { ($0 ?? 0) < Self.shortestPermanent }) else { return nil }
                return "files that never change are not kept by caches: send max-age=31536000, immutable"
            }
        }
    }
}
