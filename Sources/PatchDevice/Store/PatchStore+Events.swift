internal import PatchCrypto
internal import PatchRunner
internal import PatchText

// What the store tells the app, after the write that it tells of.
extension PatchStore {
    package func tell(_ kind: PatchEvent.Kind) { events(PatchEvent(kind)) }

    func emit(_ events: [StoreState.Event]) {
        for event in events {
            switch event {
            case .trial(let patch): tell(.beganTrial(.init(patch)))
            case .good(let patch): tell(.confirmed(.init(patch)))
            case .suspect(let held):
                // Alone, it is one of an app that never confirmed a launch.
                let reason = held.failures > 0 ? StoreState.failedLaunches : EventRecord.suspicion
                tell(.suspected(.init(held.patch, reason: reason, hash: held.hash)))
            case .closed(let held):
                tell(.closed(.init(held.patch, reason: StoreState.failedLaunches, hash: held.hash)))
            case .banned(let ban): tell(.rolledBack(.init(ban.patch, reason: ban.reason, hash: ban.hash)))
            case .safeMode(let failures): tell(.safeMode(.init(failures: failures)))
            case .neverConfirmed(let launches): tell(.neverConfirmed(.init(launches: launches)))
            }
        }
    }

    /// Reports that the folder cannot be used, once a day.
    func emit(_ error: PatchError) { emitDaily(.storeFailed(error), error) }

    /// Reports a lasting fault, once a day, and at most a hundred different ones: each is kept until it may be reported
    /// again.
    package func emitDaily(_ kind: PatchEvent.Kind, _ error: PatchError) {
        let now = uptime.now()
        let isNew = memory.locked { memory in
            memory.lastReported = memory.lastReported.filter { $0.value + .seconds(86_400) > now }
            let key = "\(kind.name) \(error)"
            guard memory.lastReported[key] == nil, memory.lastReported.count < 100 else { return false }
            memory.lastReported[key] = now
            return true
        }
        if isNew { tell(kind) }
    }
}
