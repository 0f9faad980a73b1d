package import PatchCrypto
package import PatchFeed
package import PatchRunner
internal import PatchText
internal import Synchronization

/// Brings a store up to date with a feed: it chooses the patches for this device, downloads and verifies them, and
/// removes withdrawn ones.
///
/// A patch that the list marks `next-launch` always waits for the next launch. One sync runs at a time. Calls that come
/// once it has asked the feed wait for it, and then share another one, because the feed may have changed. A call whose
/// task is cancelled returns at once, and the sync ends once all of them are cancelled.
package actor PatchSync {
    /// The device's settings. A change takes effect at the next sync.
    package nonisolated var settings: SyncSettings {
        get { shared.locked { $0 } }
        set { shared.locked { $0 = newValue } }
    }

    /// What each sync begins with, except for its settings and its budget.
    private let pass: SyncPass
    private let shared: Mutex<SyncSettings>
    private var current: (work: SharedWork<SyncReport>, activation: Activation)?
    /// Whether the current sync has asked the feed.
    private var hasAsked = false
    /// When the last sync was, and when the next one on return to the foreground is due.
    private var pause: (began: Timestamp, ends: Timestamp)?

    /// When the patches that a sync has found are activated.
    package enum Activation: Sendable {
        case now, nextLaunch
    }

    /// Makes a sync of a feed and a store, as ``PatchDevice`` does.
    ///
    /// - Parameter runner: Activates patches; nil to activate none, as a tool does.
    package init(
        feed root: [UInt8], at source: any FeedSource, for environment: String, built: Timestamp?, store: PatchStore,
        runner: PatchRunner?, trust: PatchTrust, settings: SyncSettings,
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) {
        pass = SyncPass(
            root: root, source: source, environment: environment, built: built, store: store, runner: runner,
            pinned: trust, settings: settings,
            progress: progress)
        shared = Mutex(settings)
    }

    /// The keys that held patches are verified with at a launch.
    package nonisolated var trustOfHeld: PatchTrust {
        DeliveredTrust(
            pinned: pass.pinned, store: store, storage: MetadataFolder(of: store), root: pass.root,
            environment: pass.environment
        ).kept()
    }

    /// Syncs for the next launch, or waits for a sync that runs, unless the last one was a short time ago.
    ///
    /// - Returns: nil if it is too early for another sync.
    package func syncAfterPause() async -> SyncReport? {
        // If the clock was set back, the pause is over.
        if let pause, let now = store.clock(), now >= pause.began, now < pause.ends { return nil }
        // One that runs is as good: nothing has asked for a newer list.
        if let (work, _) = current, let report = await work.value(for: work.join()), !work.isCancelled { return report }
        return await sync(.nextLaunch)
    }

    /// Syncs. Calls that come before the feed was asked share one sync.
    package func sync(_ activation: Activation) async -> SyncReport {
        var isLate = hasAsked
        while let (work, other) = current {
            let report = await work.value(for: work.join())
            // Another sync does what a cancelled one has not done, activates what this one has left for the next
            // launch, or finds what this one came too early for.
            let isMeant = !isLate && !work.isCancelled && (other == .now || activation == .nextLaunch)
            isLate = false
            if Task.isCancelled || isMeant { return report ?? Self.cancelled }
        }
        let work = SharedWork { await self.run(activation) }
        current = (work, activation)
        return await work.value(for: work.join()) ?? Self.cancelled
    }

    private static let cancelled = SyncReport(.cancelled)

    private nonisolated var store: PatchStore { pass.store }

    /// Follows the sync of the process that writes, if it may bring an older version of a patch that it has taken away.
    ///
    /// - Returns: Whether this process still follows; false if the other one has ended, and this one writes.
    private func awaitWriter() async -> Bool {
        let end = ContinuousClock.now + PatchStore.longestWait
        while store.awaitsWriter {
            let isCancelled = (try? await Task.sleep(for: .milliseconds(50))) == nil
            let isOver = isCancelled || ContinuousClock.now >= end
            guard store.follow(on: pass.runner, waits: !isOver) else { return false }
        }
        return true
    }

    private func run(_ activation: Activation) async -> SyncReport {
        defer {
            current = nil
            hasAsked = false
        }
        let start = ContinuousClock.now
        if store.follow(on: pass.runner, longest: settings.timeLimit), await awaitWriter() {
            return SyncReport(following: store.state)
        }
        // The parts of other versions may end now, but their bans count from now on.
        store.clean()
        store.noteSyncBegin()
        hasAsked = true
        var report = await askFeed(activation)
        report.duration = ContinuousClock.now - start
        store.noteSyncEnd(hasSucceeded: report.error == nil)
        if let error = report.error {
            tell(error)
        } else {
            if let now = store.clock(), let next = settings.nextSync(after: now) { pause = (now, next) }
            store.tell(.synced(.init(bytes: report.bytes, duration: report.duration, counts: report.counts)))
        }
        return report
    }

    /// Syncs with the feed, within the time limit.
    private func askFeed(_ activation: Activation) async -> SyncReport {
        var report = SyncReport()
        let source = BudgetedSource(pass.source, longest: settings.timeLimit)
        do throws(PatchError) {
            var pass = pass
            pass.source = source
            pass.settings = settings
            report.results = try await pass.run(activation)
            // Patches that came in time are active. The next sync, which fetches the others, must not wait for a pause.
            if let failure = source.failure { throw failure }
        } catch {
            // A file that is missing is named with its feed, whose address may be wrong.
            let feed = error.code == .feedUnavailable ? pass.source as? any CustomStringConvertible : nil
            report.error = feed.map { error.at(file: $0.description) } ?? error
        }
        report.bytes = source.bytes
        return report
    }

    private func tell(_ error: PatchError) {
        // An orderly end is no failure.
        guard !Task.isCancelled else { return }
        if error.code == .io || store.fault != nil {
            // A folder that cannot be written fails at each sync.
            store.emitDaily(.syncFailed(.init(error)), error)
        } else {
            store.tell(.syncFailed(.init(error)))
        }
    }
}

extension PatchError {
    /// The error of a sync that nobody waits for any more.
    static let cancelled = PatchError(.cancelled, "the sync was cancelled")
}
