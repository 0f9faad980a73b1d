import PatchCrypto
import TestSupport
import Testing

@testable import PatchDevice

/// What a store records of a launch and of a sync, for the next launch and for processes that follow.
@Suite(.ownThreads) struct StoreRecordTests {
    private static func patch(_ id: String, _ version: Int) -> PatchID { PatchID(id: id, version: version) }
    private static func hash(_ id: String, _ version: Int) -> String { "\(id)\(version)" }

    /// A mark would not say that the first watch is over, and the next launch would blame what this one began with.
    @Test func watchAfterTheFirstOneIsWrittenWhole() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), Self.hash("a", 1))])
        _ = state.begin(limits: CrashLimits(), at: nil)
        state.end()
        _ = state.pass(began: true, late: [])
        let ended = state
        state.resume()
        state.launch?.isWatched = true
        #expect(ended.launch?.isFirstWatchOver == true && !state.differsInMark(from: ended))
        state = ended
        state.launch?.isFirstWatchOver = false
        state.launch?.isWatched = true
        #expect(state.differsInMark(from: ended))
    }

    /// A version that is held has one result: why it does not run.
    @Test func followerHasOneResultForAHeldVersion() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        state.add([(Self.patch("a", 1), Self.hash("a", 1)), (Self.patch("b", 1), Self.hash("b", 1))])
        state.outcomes[Self.patch("a", 1)] = .init(.expired, reason: nil)
        state.outcomes[Self.patch("c", 1)] = .init(.rollout, reason: nil)
        state.outcomes[Self.patch("d", 1)] = .init(.withdrawn, reason: "wrong total")
        let report = SyncReport(following: state)
        #expect(report.results.map(\.outcome) == [.expired, .kept, .rollout, .withdrawn])
        #expect(report.results.map(\.detail) == [nil, nil, nil, "wrong total"], "as in the report of the writer")
        #expect(report.results.map(\.reason).first == "the envelope has expired")
        #expect(report.results.map(\.reason).last == "it was withdrawn: wrong total")
        #expect(report.counts == [.expired: 1, .kept: 1, .rollout: 1, .withdrawn: 1])
    }

    /// Versions that were banned twice. The first one was then withdrawn.
    @Test func followerHasOneResultForABannedVersion() throws {
        let version = try #require(AppVersion("1.0"))
        var state = StoreState(app: "a", appVersion: version, installation: "i")
        for name in ["a", "b"] {
            _ = state.ban(Self.patch(name, 1), Self.hash(name, 1), "first", at: nil)
            _ = state.ban(Self.patch(name, 1), Self.hash(name, 2), "again", at: nil)
        }
        state.outcomes[Self.patch("a", 1)] = .init(.withdrawn, reason: nil)
        let results = SyncReport(following: state).results
        #expect(results.map(\.outcome) == [.withdrawn, .banned] && results.last?.detail == "again")
    }
}
