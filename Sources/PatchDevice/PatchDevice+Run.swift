internal import PatchCrypto
internal import PatchRunner

// The life of a service: one call that lasts as long as the process.
extension PatchDevice {
    /// Keeps the patches of a service up to date until its task is cancelled.
    ///
    /// It launches, if ``launch()`` was not called before, syncs at once and each minute, confirms after a minute, and
    /// writes the call statistics of patches to the log about each minute. Once nothing is watched any more, it tries
    /// patches alone with which launches have failed. When its task is cancelled, it ends in an orderly way, as
    /// ``end()`` does, and returns without waiting for a sync. Patches keep active.
    public func run() async { await run(every: .seconds(60)) }

    /// Does what ``run()`` does, at another interval. The call statistics are written at each sync, or about each
    /// minute if that is sooner.
    ///
    /// - Parameters:
    ///   - interval: The time between two syncs, from a millisecond to a year. A random part of it is added, up to
    ///     ``SyncSettings/jitter``, so that processes do not all sync at the same time.
    ///   - confirmAfter: How long the process must have worked before it confirms, after the launch and after each
    ///     activation; at most a year.
    public func run(every interval: Duration, confirmAfter: Duration = .seconds(60)) async {
        await untilLaunched()
        defer { end() }
        let uptime = store.uptime
        var schedule = ServiceSchedule(syncInterval: interval, confirmAfter: confirmAfter, at: uptime.now())
        var known = Set(active)
        await withTaskGroup(of: Wake.self) { tasks in
            while !Task.isCancelled {
                let due = schedule.takeDue(at: uptime.now())
                if due.contains(.confirmation) { schedule.endConfirmation(isWritten: store.confirm()) }
                // A service is often killed: it loses no more of its figures than since this.
                if due.contains(.record) { recordCalls() }
                // A sync may take minutes, in which the rest goes on.
                if due.contains(.sync) {
                    tasks.addTask {
                        await self.sync()
                        return .synced
                    }
                }
                // New patches, such as in a process that has just become the writer, must work for that long too.
                let hasNew = !known.isSuperset(of: active)
                let lacksConfirmation = !schedule.plansConfirmation && store.needsConfirmation
                if hasNew || lacksConfirmation { schedule.planConfirmation(at: uptime.now()) }
                known = Set(active)
                if let end = schedule.takeAlarm() {
                    tasks.addTask {
                        try? await uptime.sleep(end)
                        return .alarm(end)
                    }
                }
                switch await tasks.next() {
                case .synced:
                    if !Task.isCancelled { store.tryAlone() }
                    schedule.endSync(at: uptime.now(), jitter: settings.jitter)
                case .alarm(let end): schedule.endAlarm(end)
                case nil: return
                }
            }
        }
    }

    /// Why the loop of a service goes on.
    private enum Wake: Sendable {
        case synced
        case alarm(Duration)
    }
}
