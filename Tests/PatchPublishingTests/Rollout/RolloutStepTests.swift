import FeedTestSupport
import PatchCrypto
import PatchFeed
import TestSupport
import Testing

@testable import PatchPublishing

/// The conditions for a rollout to continue, wait, or pause.
@Suite(.ownThreads) struct RolloutStepTests {
    private static let rules = RolloutStep.Rules(
        steps: [.part(100), .part(2500), .part(10_000)], soak: 3600, fresh: 600, newDevices: 10)
    private static let passed = RolloutStep.Gate("failing<1%", .passed, "0.1%")
    private static let crossed = RolloutStep.Gate("failing<1%", .crossed, "2%")
    private static let undecided = RolloutStep.Gate("slow<1%", .undecided, "5 devices")
    private let feed: FeedFixture
    private var entry: PatchEntryDraft
    private let now = FeedFixture.now
    /// Evidence that is only just enough for a step.
    private var evidence: RolloutStep.Evidence

    init() throws {
        feed = try FeedFixture(publishing: 1...1)
        entry = try feed.repository().list.entries[0]
        entry.rollout = Rollout(basisPoints: 100, unit: .user, seed: "s")
        entry.since = Timestamp(secondsSince1970: now.secondsSince1970 - 3600)
        evidence = RolloutStep.Evidence(
            events: 100, devices: 50, damage: .init(lines: 10, linesWithoutDevice: 10, devices: 0),
            newest: Timestamp(secondsSince1970: now.secondsSince1970 - 600), newDevices: 10, gates: [Self.passed])
    }

    private func step(_ change: (inout RolloutStep.Evidence) -> Void = { _ in }) -> RolloutStep {
        var evidence = evidence
        change(&evidence)
        return RolloutStep(of: entry, isEnabled: true, by: Self.rules, evidence, at: now)
    }

    private func stepOfEntry(_ change: (inout PatchEntryDraft) -> Void) -> RolloutStep {
        var entry = entry
        change(&entry)
        return RolloutStep(of: entry, isEnabled: true, by: Self.rules, evidence, at: now)
    }

    /// A repository whose only entry is in shadow.
    private func repositoryInShadow(_ rollout: Rollout = Rollout(basisPoints: 10_000)) throws -> FeedRepository {
        var repository = try feed.repository()
        let old = repository.list.entries[0]
        var shadow = old
        shadow.state = .shadow
        shadow.rollout = rollout
        repository.replace(old, with: shadow, in: FeedFixture.details)
        return repository
    }

    @Test func theNextStepIsTheOneAboveThePart() {
        #expect(step() == .widen(.part(2500)))
        #expect(step { $0.gates = [] } == .widen(.part(2500)))
        #expect(stepOfEntry { $0.rollout = Rollout(basisPoints: 99) } == .widen(.part(100)))
        #expect(stepOfEntry { $0.rollout = Rollout(basisPoints: 2500) } == .widen(.part(10_000)))
        #expect(stepOfEntry { $0.rollout = Rollout(basisPoints: 10_000) } == .complete)
        #expect(stepOfEntry { $0.rollout = nil } == .complete, "it is for all")
        #expect(stepOfEntry { ($0.rollout, $0.groups) = (nil, ["qa"]) } == .widen(.part(100)))
        #expect(stepOfEntry { ($0.rollout, $0.users) = (nil, ["x"]) } == .widen(.part(100)))
    }

    /// A change may have waited for its signatures longer than a step lasts.
    @Test func stepThatWaitedForSignaturesIsAsOldAsItsSignature() {
        #expect(step { $0.begin = entry.since } == .widen(.part(2500)))
        #expect(step { $0.begin = now } == .wait([.young(0, soak: 3600)]))
    }

    /// A step may be a group, because a percentage of a few machines may be none of them.
    @Test func groupStepsAddGroups() throws {
        let steps = try #require(RolloutStep.Rules.steps("shadow,group canary,group eu west,100%"))
        let rules = RolloutStep.Rules(steps: steps, soak: 0, fresh: 600, newDevices: 1)
        var details = FeedFixture.details
        var repository = try repositoryInShadow()
        var taken: [RolloutStep] = []
        var reached: [String] = []
        for _ in 0..<4 {
            let entry = repository.list.entries[0]
            let step = RolloutStep(of: entry, isEnabled: true, by: rules, evidence, at: now)
            taken.append(step)
            reached.append(repository.take(step, of: entry, passing: [Self.passed], in: &details).words)
        }
        #expect(
            taken == [.widen(.group("canary")), .widen(.group("eu west")), .widen(.part(10_000)), .complete], "\(taken)"
        )
        #expect(reached[0] == "offered to group canary", "\(reached)")
        #expect(reached[1] == "offered to groups canary, eu west", "\(reached)")
        #expect(reached[2].hasPrefix("offered to 100%"), "\(reached)")
    }

    /// Names are compared by bytes, as devices compare them.
    @Test func groupsOfStepsAreComparedByBytes() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let steps = try #require(RolloutStep.Rules.steps("group \(composed),group \(decomposed)"))
        let rules = RolloutStep.Rules(steps: steps, soak: 0, fresh: 600, newDevices: 1)
        var details = FeedFixture.details
        var repository = try feed.repository()
        var groups = repository.list.entries[0]
        groups.rollout = nil
        groups.groups = [composed]
        repository.replace(repository.list.entries[0], with: groups, in: details)
        let old = repository.list.entries[0]
        let step = RolloutStep(of: old, isEnabled: true, by: rules, evidence, at: now)
        guard case .widen(.group(let name)) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(Array(name.utf8) == Array(decomposed.utf8))
        let new = repository.take(step, of: old, passing: [], in: &details)
        #expect(new.groups.count == 2)
    }

    /// A device without a user is in no percentage of users.
    @Test func allUsersAreNotAGroup() throws {
        let steps = try #require(RolloutStep.Rules.steps("group kiosks,100%"))
        let rules = RolloutStep.Rules(steps: steps, soak: 0, fresh: 600, newDevices: 1)
        var entry = entry
        for (unit, step) in [(Rollout.Unit.user, RolloutStep.widen(.group("kiosks"))), (.installation, .complete)] {
            entry.rollout = Rollout(basisPoints: 10_000, unit: unit)
            #expect(RolloutStep(of: entry, isEnabled: true, by: rules, evidence, at: now) == step)
        }
    }

    /// A group between shadow and a percentage loses neither the unit nor the seed.
    @Test func rolloutKeepsItsUnitAndSeedInGroups() throws {
        let steps = try #require(RolloutStep.Rules.steps("shadow,group canary,5%"))
        let rules = RolloutStep.Rules(steps: steps, soak: 0, fresh: 600, newDevices: 1)
        var details = FeedFixture.details
        var repository = try repositoryInShadow(Rollout(basisPoints: 10_000, unit: .user, seed: "s"))
        var reached: [PatchEntryDraft] = []
        for _ in 0..<2 {
            let entry = repository.list.entries[0]
            let step = RolloutStep(of: entry, isEnabled: true, by: rules, evidence, at: now)
            reached.append(repository.take(step, of: entry, passing: [], in: &details))
        }
        #expect(reached[0].words == "offered to 0% by user, and group canary" && reached[0].basisPoints == 0)
        #expect(reached[1].rollout == Rollout(basisPoints: 500, unit: .user, seed: "s"))
        #expect(reached[1].groups == ["canary"])
    }

    /// For an exact gate, devices must have had the patch for the soak time.
    @Test func anExactGateWaitsForTheSoak() {
        let exact = RolloutStep.Gate("failing=0", .passed, "0 of 3 devices", isExact: true)
        #expect(
            step {
                $0.gates = [exact]
                $0.newDevices = 9
            } == .wait([.fewDevices(9, needed: 10, soak: 3600)]))
        #expect(step { $0.gates = [exact] } == .widen(.part(2500)))
    }

    @Test func weakEvidenceWaitsWithItsReason() {
        #expect(step { $0.isWhole = false } == .wait([.unreadableEvents]))
        func damage(_ lines: Int, withoutDevice: Int, devices: Int) -> RolloutStep {
            step { $0.damage = .init(lines: lines, linesWithoutDevice: withoutDevice, devices: devices) }
        }
        let waits = RolloutStep.wait([.damagedLines(11, events: 100)])
        #expect(damage(11, withoutDevice: 11, devices: 0) == waits)
        #expect(damage(11, withoutDevice: 10, devices: 1) == .widen(.part(2500)))
        #expect(damage(11, withoutDevice: 0, devices: 6) == waits)
        #expect(damage(11_000, withoutDevice: 0, devices: 5) == .widen(.part(2500)), "of a tenth of the devices")
        #expect(damage(10, withoutDevice: 0, devices: 10) == .widen(.part(2500)), "one for ten events")
        #expect(stepOfEntry { $0.since = now } == .wait([.young(0, soak: 3600)]))
        #expect(stepOfEntry { $0.since = nil } == .widen(.part(2500)), "an older version of the tool has listed it")
        #expect(
            step { $0.newest = Timestamp(secondsSince1970: now.secondsSince1970 - 601) } == .wait([.staleEvents(601)]))
        #expect(step { $0.newest = nil } == .wait([.noEvents]))
        #expect(step { $0.newDevices = 9 } == .wait([.fewDevices(9, needed: 10, soak: nil)]))
        #expect(step { $0.gates.append(Self.undecided) } == .wait([.undecided(Self.undecided)]))
    }

    /// A bad version is withdrawn before any other step, even if it is already paused.
    @Test func aCrossedLimitWithdraws() throws {
        let limit = RolloutStep.Gate("rolled-back<5%", .crossed, "30%")
        let crossed = { (evidence: inout RolloutStep.Evidence) in evidence.limits = [limit] }
        #expect(
            step {
                crossed(&$0)
                $0.gates = [Self.crossed]
            } == .withdraw(limit))
        #expect(step { $0.limits = [Self.undecided] } == .widen(.part(2500)), "below the limit, gates decide")
        var evidence = evidence
        crossed(&evidence)
        for (state, expected) in [
            (PatchList.Entry.State.paused, RolloutStep.withdraw(limit)), (.withdrawn, .stopped(.withdrawn)),
        ] {
            var entry = entry
            entry.state = state
            #expect(RolloutStep(of: entry, isEnabled: false, by: Self.rules, evidence, at: now) == expected)
        }
        var repository = try feed.repository()
        var details = FeedFixture.details
        let old = repository.list.entries[0]
        let new = repository.take(.withdraw(limit), of: old, passing: [], in: &details)
        #expect(new.state == .withdrawn && repository.list.entries[0].state == .withdrawn)
        #expect(repository.list.entries[0].reason == "rolled-back<5%: 30%")
    }

    /// After switching patches on again, no more devices get it than before.
    @Test func aFeedThatIsSwitchedOffWidensNothing() {
        var entry = entry
        func step(_ evidence: RolloutStep.Evidence) -> RolloutStep {
            RolloutStep(of: entry, isEnabled: false, by: Self.rules, evidence, at: now)
        }
        #expect(step(evidence) == .wait([.switchedOff]))
        var bad = evidence
        bad.gates = [Self.crossed]
        #expect(step(bad) == .pause(Self.crossed))
        entry.rollout = nil
        #expect(step(evidence) == .wait([.switchedOff]), "it is not complete if nobody has it")
    }

    /// A bad patch is paused, whatever else there is to wait for.
    @Test func aCrossedGatePauses() {
        #expect(step { ($0.gates, $0.newest) = ([Self.undecided, Self.crossed], nil) } == .pause(Self.crossed))
        let complete = stepOfEntry { $0.rollout = nil }
        #expect(complete == .complete)
        var entry = entry
        entry.rollout = nil
        var bad = evidence
        bad.gates = [Self.crossed]
        #expect(RolloutStep(of: entry, isEnabled: true, by: Self.rules, bad, at: now) == .pause(Self.crossed))
        entry.json.set("rollout", .object([("permyriad", .integer(500)), ("by", .string("region"))]))
        #expect(RolloutStep(of: entry, isEnabled: true, by: Self.rules, bad, at: now) == .pause(Self.crossed))
        #expect(
            RolloutStep(of: entry, isEnabled: true, by: Self.rules, evidence, at: now) == .stopped(.unknownAudience))
    }

    /// An alarm lasts until a decision is made.
    @Test func aPauseByAGateStays() {
        #expect(stepOfEntry { ($0.state, $0.reason) = (.paused, "failing<1%: 2%") } == .stopped(.byGate(Self.passed)))
        #expect(stepOfEntry { ($0.state, $0.reason) = (.paused, "lunch") } == .stopped(.byHand(crossed: nil)))
        #expect(stepOfEntry { ($0.state, $0.reason) = (.withdrawn, "failing<1%: 2%") } == .stopped(.withdrawn))
        #expect(stepOfEntry { $0.json.set("state", .string("later")) } == .stopped(.unknownState))
        var paused = entry
        paused.state = .paused
        paused.reason = "lunch"
        var bad = evidence
        bad.gates = [Self.crossed]
        func step() -> RolloutStep { RolloutStep(of: paused, isEnabled: true, by: Self.rules, bad, at: now) }
        #expect(step() == .stopped(.byHand(crossed: Self.crossed)))
        paused.reason = "failing<1%: 9%"
        #expect(step() == .stopped(.byGate(Self.crossed)))
    }

    @Test func aStepIsListedWithItsReason() throws {
        var repository = try feed.repository()
        let listed = repository.list.entries[0]
        var wide = listed
        wide.rollout = entry.rollout
        repository.replace(listed, with: wide, in: FeedFixture.details)
        var details = FeedFixture.details
        let other = RolloutStep.Gate("slow<1%", .passed, "0%")
        let old = repository.list.entries[0]
        let widened = repository.take(.widen(.part(2500)), of: old, passing: [Self.passed, other], in: &details)
        #expect(widened.rollout == Rollout(basisPoints: 2500, unit: .user, seed: "s"))
        #expect(repository.list.entries[0].rollout == widened.rollout)
        #expect(repository.list.entries[0].reason == "failing<1% is passed, slow<1% is passed")
        _ = repository.take(.pause(Self.crossed), of: repository.list.entries[0], passing: [], in: &details)
        #expect(repository.list.entries[0].state == .paused && repository.list.change.reason == "failing<1%: 2%")
        var same = try feed.repository()
        for step in [RolloutStep.wait([.noEvents]), .complete, .stopped(.withdrawn)] {
            _ = same.take(step, of: same.list.entries[0], passing: [], in: &details)
        }
        #expect(same.changed.isEmpty)
    }

    /// After shadow comes the first percentage, however many devices ran it in shadow.
    @Test func shadowBecomesTheFirstPercentage() throws {
        func step(_ steps: String, _ gates: [RolloutStep.Gate] = [Self.passed], now: Timestamp? = nil) throws
            -> RolloutStep
        {
            var (shadow, evidence) = (entry, evidence)
            shadow.state = .shadow
            shadow.rollout = Rollout(basisPoints: 10_000)
            evidence.gates = gates
            let rules = RolloutStep.Rules(
                steps: try #require(RolloutStep.Rules.steps(steps)), soak: 3600, fresh: 600, newDevices: 10)
            return RolloutStep(of: shadow, isEnabled: true, by: rules, evidence, at: now ?? self.now)
        }
        #expect(try step("shadow,1%,5%") == .widen(.part(100)))
        #expect(try step("shadow,1%", [Self.crossed]) == .pause(Self.crossed))
        #expect(try step("shadow,1%", [Self.undecided]) == .wait([.undecided(Self.undecided)]))
        let early = Timestamp(secondsSince1970: now.secondsSince1970 - 1)
        #expect(try step("shadow,1%", now: early) == .wait([.young(3599, soak: 3600)]))
        // A patch that was taken back into shadow does not become live by a ladder without it.
        #expect(try step("1%,5%") == .stopped(.inShadow) && step("1%,5%", [Self.crossed]) == .pause(Self.crossed))
        let live = RolloutStep.Rules(steps: [.shadow, .part(100), .part(500)], soak: 0, fresh: 600, newDevices: 0)
        #expect(RolloutStep(of: entry, isEnabled: true, by: live, evidence, at: now) == .widen(.part(500)))
    }

    @Test func aWidenedShadowIsActive() throws {
        var repository = try repositoryInShadow()
        var details = FeedFixture.details
        let shadow = repository.list.entries[0]
        let widened = repository.take(.widen(.part(100)), of: shadow, passing: [], in: &details)
        #expect(widened.words == "offered to 1% by installation")
    }

    @Test func aPausedShadowResumesInShadow() throws {
        var repository = try repositoryInShadow(Rollout(basisPoints: 100))
        var details = FeedFixture.details
        let shadow = repository.list.entries[0]
        let paused = repository.take(.pause(Self.crossed), of: shadow, passing: [], in: &details)
        #expect(paused.words == "paused in shadow, to 1% by installation" && paused.resumedState == .shadow)
    }

    @Test func stepsRise() {
        #expect(RolloutStep.Rules.steps("1%,5%,25%,100%") == [100, 500, 2500, 10_000].map { .part($0) })
        #expect(RolloutStep.Rules.steps("shadow,1%") == [.shadow, .part(100)])
        #expect(
            RolloutStep.Rules.steps("shadow,group canary,group eu west,100%")
                == [.shadow, .group("canary"), .group("eu west"), .part(10_000)])
        for text in [
            "shadow", "1%,shadow", "shadow,shadow", "shadow,0%", "shadow,", "Shadow,1%", "", "0%", "5%,1%", "5%,5%",
            "1%,,5%", "0%,1%", "x", "1%,101%", "group", "group ", "group a,group a", "group a,shadow", "100%,group a",
            "group a,", "group a ,5%", "group  a,5%", "group a\u{a0}",
        ] {
            #expect(RolloutStep.Rules.steps(text) == nil, "\(text)")
        }
    }
}
