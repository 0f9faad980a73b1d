import TestSupport
import Testing

@testable import PatchDevice

/// What a service does when, without a clock.
@Suite(.ownThreads) struct ServiceScheduleTests {
    private func schedule(every interval: Int = 60, confirmAfter: Int = 60) -> ServiceSchedule {
        ServiceSchedule(syncInterval: .seconds(interval), confirmAfter: .seconds(confirmAfter), at: .zero)
    }

    @Test func aLongSyncHoldsUpNothing() {
        var schedule = schedule()
        #expect(schedule.takeDue(at: .zero) == [.sync, .record])
        #expect(schedule.takeDue(at: .seconds(59)) == [])
        #expect(schedule.takeDue(at: .seconds(60)) == [.record, .confirmation])
        #expect(schedule.takeDue(at: .seconds(600)) == [.record], "one sync at a time, and nothing else to confirm")
        schedule.endSync(at: .seconds(610), jitter: 0)
        #expect(schedule.takeDue(at: .seconds(669)) == [])
        #expect(schedule.takeDue(at: .seconds(670)) == [.sync, .record], "the process wakes once for both")
    }

    /// A sync that has taken long, or whose interval is made longer, does not delay the statistics by more than that.
    @Test func statisticsWaitAQuarterOfAMinuteForASync() {
        for (end, due) in [(75, Set<ServiceSchedule.Work>()), (76, [.record])] {
            var schedule = schedule()
            _ = schedule.takeDue(at: .zero)
            #expect(schedule.takeDue(at: .seconds(60)) == [.record, .confirmation])
            schedule.endSync(at: .seconds(end), jitter: 0)
            #expect(schedule.takeDue(at: .seconds(120)) == due, "the sync ended after \(end) s")
            #expect(schedule.takeDue(at: .seconds(60 + end)).contains(.sync))
        }
    }

    @Test func statisticsOfARareSyncAreRecordedEachMinute() {
        var schedule = schedule(every: 3_600)
        _ = schedule.takeDue(at: .zero)
        schedule.endSync(at: .seconds(1), jitter: 0)
        #expect(schedule.takeDue(at: .seconds(60)).contains(.record))
        #expect(schedule.takeDue(at: .seconds(120)) == [.record])
    }

    @Test func confirmationNotWrittenIsMadeAgainWithTheNextSync() {
        var schedule = schedule(confirmAfter: 0)
        #expect(schedule.takeDue(at: .zero) == [.sync, .record, .confirmation])
        schedule.endConfirmation(isWritten: false)
        schedule.endSync(at: .zero, jitter: 0)
        #expect(schedule.plansConfirmation)
        #expect(schedule.takeDue(at: .seconds(59)) == [])
        #expect(schedule.takeDue(at: .seconds(60)) == [.sync, .record, .confirmation])
        schedule.endConfirmation(isWritten: true)
        #expect(!schedule.plansConfirmation)
        schedule.planConfirmation(at: .seconds(70))
        #expect(schedule.takeDue(at: .seconds(70)) == [.confirmation])
    }

    @Test func anAlarmIsSetOnceUnlessAnEarlierOneIsNeeded() {
        var schedule = schedule(confirmAfter: 100)
        _ = schedule.takeDue(at: .zero)
        #expect(schedule.takeAlarm() == .seconds(60) && schedule.takeAlarm() == nil)
        schedule.endAlarm(.seconds(60))
        _ = schedule.takeDue(at: .seconds(60))
        #expect(schedule.takeAlarm() == .seconds(100))
    }

    /// Such as a follower, whose confirmation is refused, and that becomes the writer and begins a trial.
    @Test func planReplacesAConfirmationThatWasNotWritten() {
        var schedule = schedule(every: 5)
        _ = schedule.takeDue(at: .seconds(60))
        schedule.endConfirmation(isWritten: false)
        schedule.planConfirmation(at: .seconds(60))
        schedule.endSync(at: .seconds(60), jitter: 0)
        #expect(schedule.takeDue(at: .seconds(65)) == [.sync, .record], "not with the next sync")
        #expect(schedule.plansConfirmation)
        #expect(schedule.takeDue(at: .seconds(120)) == [.confirmation])
    }
}
