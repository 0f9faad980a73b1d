internal import PatchCrypto
internal import PatchFeed
internal import PatchRunner
internal import Synchronization

/// Wraps a source for one sync: it counts the bytes, and enforces the time limit of the sync.
final class BudgetedSource: FeedSource {
    private let source: any FeedSource
    private let usage = Mutex((bytes: 0, isExceeded: false))
    private let longest: Duration
    private let end: ContinuousClock.Instant

    init(_ source: any FeedSource, longest: Duration) {
        self.source = source
        self.longest = longest
        end = .now + Uptime.bounded(longest)
    }

    var bytes: Int { usage.locked { $0.bytes } }

    /// Why something was not fetched: the time limit; nil if all requests were in time.
    var failure: PatchError? { usage.locked { $0.isExceeded } ? late : nil }

    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        guard ContinuousClock.now < end else { throw exceed() }
        let source = source
        let transfer = Task { () async -> Result<FeedReply, PatchError> in
            do throws(PatchError) {
                return .success(try await source.fetch(request))
            } catch {
                return .failure(error)
            }
        }
        let alarm = Task { [end] in
            try await Task.sleep(until: end, clock: .continuous)
            transfer.cancel()
        }
        let result = await withTaskCancellationHandler {
            await transfer.value
        } onCancel: {
            transfer.cancel()
        }
        alarm.cancel()
        if case .failure = result, ContinuousClock.now >= end { throw exceed() }
        let reply = try result.get()
        if case .bytes(let bytes) = reply.content { usage.locked { $0.bytes += bytes.count } }
        return reply
    }

    private func exceed() -> PatchError {
        usage.locked { $0.isExceeded = true }
        return late
    }

    private var late: PatchError {
        PatchError(.feedUnavailable, "the sync took longer than \(longest)", hint: "the next one goes on")
    }
}
