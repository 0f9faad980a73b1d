internal import PatchCrypto
internal import PatchRunner

// The life of a service: one call that lasts as long as the process.
extension PatchDevice {
    /// Keeps the patches of a service up to date until its task is cancelled.
    ///
    /// It launches, if ``launch()`` was not called before, syncs at once and each minute, confirms after a minute, and
    /// writes the call statistics of patches to the log each minute. Once nothing is watched any more, it tries patches
    /// alone with which launches have failed. When its task is cancelled, it ends in an orderly way, as ``end()`` does,
    /// and returns without waiting for a sync. Patches keep active.
    public func run() async { await run(every: .seconds(60)) }

    /// Does what ``run()`` does, at another interval. The call statistics are written at each sync, or each minute if
    /// that is sooner.
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
        let interval = max(.milliseconds(1), Uptime.bounded(interval))
        var nextSync = uptime.now()
        var nextRecord = nextSync
        var known = Set(active)
        var confirmation: Duration? = nextSync + Uptime.bounded(confirmAfter)
        while !Task.isCancelled {
            let now = uptime.now()
            var isWritten = true
            if let due = confirmation, due <= now {
                confirmation = nil
                isWritten = store.confirm()
            }
            // A service is often killed: it loses no more of its figures than since this.
            let records = nextRecord <= now
            if records { recordCalls() }
            if nextSync <= now {
                await sync()
                if !Task.isCancelled { store.tryAlone() }
                nextSync = uptime.now() + interval * (1 + Double.random(in: 0...max(0, min(settings.jitter, 1))))
            }
            if records { nextRecord = interval > .seconds(60) ? now + .seconds(60) : nextSync }
            // New patches, such as in a process that has just become the writer, must work for that long too.
            if !known.isSuperset(of: active) || confirmation == nil && store.needsConfirmation {
                confirmation = isWritten ? uptime.now() + Uptime.bounded(confirmAfter) : nextSync
            }
            known = Set(active)
            try? await uptime.sleep(min(nextSync, nextRecord, confirmation ?? nextSync))
        }
    }
}
