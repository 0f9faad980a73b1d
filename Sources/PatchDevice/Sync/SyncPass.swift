internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles
internal import PatchRunner

/// One sync, from the feed's metadata to the active patches.
struct SyncPass: Sendable {
    /// The root file that came with the app.
    let root: [UInt8]
    var source: any FeedSource
    let environment: String
    /// When the app was built.
    let built: Timestamp?
    let store: PatchStore
    /// Activates the patches; nil in a tool, in which none runs.
    let runner: PatchRunner?
    /// The keys that came with the app.
    let pinned: PatchTrust
    var settings: SyncSettings
    let progress: @Sendable (_ done: Int, _ all: Int) -> Void

    /// Obeys the feed's list, then its keys, and then fetches and activates patches.
    ///
    /// - Returns: A result for each version in the list, and for each one that is held.
    /// - Throws: What `FeedClient` throws; `feed-mismatch` if there is no list for this app and environment; `clock` if
    ///   the device's clock returns no time; `cancelled` if the task is; what a change of the store throws if it cannot
    ///   be written. What was done before stays done.
    func run(_ activation: PatchSync.Activation) async throws(PatchError) -> [SyncReport.Result] {
        let storage = MetadataFolder(of: store)
        var client = try client(storage)
        try await client.update()
        let list = try await fetchList(storage, &client)
        let (banned, failure) = await bannedVersions(in: list, &client)
        let choices = try choices(of: list, banned)

        // The kill switch and withdrawals are written before the runner deactivates patches, and before anything is
        // downloaded. They have arrived, so they count whatever else cannot be fetched.
        try obey(list, choices, shown: client.shownTime(list.published))
        if let failure { throw failure }

        // Keys come next: patches of a revoked key must end, and nothing new is accepted from it.
        let delivered = DeliveredTrust(
            pinned: pinned, store: store, storage: storage, root: root, environment: environment)
        let trust = try await delivered.update(from: &client)
        if let runner { store.dropRefused(on: runner, trust: trust) }

        var results = choices.map { SyncReport.Result(of: $0) }
        let check = EnvelopeCheck(trust: trust, host: store.host, time: client.time)
        let downloads = try await downloads(for: choices, &client, &results)
        if runner == nil { checkHeld(choices, check, &results) }
        try await fetch(downloads, &client, check, &results)

        // A version in shadow may have become one that answers, or the other way round.
        store.endShadows()
        if let runner {
            try activateNew(on: runner, list, activation, trust)
            store.startShadows(on: runner) { trust }
        }
        takeRefusals(&results)
        try keepOutcomes(of: results)
        return results
    }

    /// - Throws: `clock` if the device's clock returns no time, what `FeedClient` throws if the app's root is unusable.
    private func client(_ storage: MetadataFolder) throws(PatchError) -> FeedClient {
        // The device's clock, but not before the app was built.
        guard let time = [store.clock(), built].compactMap(\.self).max() else {
            throw PatchError(.clock, "the device's clock returned no time")
        }
        return try FeedClient(root: root, source: source, storage: storage, at: time, floor: store.state.floor)
    }

    // MARK: activating

    /// Activates the patches that do not wait for the next launch.
    private func activateNew(
        on runner: PatchRunner, _ list: PatchList, _ activation: PatchSync.Activation, _ trust: PatchTrust
    ) throws(PatchError) {
        try store.watchRunning()
        let state = store.state
        guard activation == .now, state.isEnabled, state.launch?.isSafe != true else { return }
        let closed = state.answeringClosed.filter { !store.isAnswering($0.hash) }
        let due = (closed + startable(state, list)).compactMap { held in
            store.verify(held.hash, on: runner, trust: trust).map { (patch: $0, hash: held.hash) }
        }
        try activate(due, on: runner)
        store.endIfInBackground()
    }

    /// The patches that do not run yet, and need not wait for the next launch: good ones, and new ones if the list
    /// activates them at once.
    private func startable(_ state: StoreState, _ list: PatchList) -> [StoreState.Held] {
        let running = Set(store.running)
        let failed = store.failed
        let atOnce = Set(list.entries.filter { $0.when == .now }.map(\.patch))
        // A suspect that is being tried in this launch stays until its launch is judged.
        let suspects = Set(state.held.filter { $0.stage == .suspect && running.contains($0.patch) }.map(\.patch.id))
        return state.runnable.filter { held in
            !running.contains(held.patch) && !suspects.contains(held.patch.id) && !failed.contains(held.hash)
                && (held.stage == .good || atOnce.contains(held.patch))
        }
    }

    /// Activates patches in growing batches, so that the state is written only a few times. The first batch is one
    /// patch, so that only that one is blamed if it ends the process.
    private func activate(_ due: [(patch: VerifiedPatch, hash: String)], on runner: PatchRunner) throws(PatchError) {
        var rest = due[...]
        var size = 1
        while !rest.isEmpty {
            let batch = rest.prefix(size)
            // Noted first: if the app ends while a script loads, the next launch knows which patches may be the cause.
            try store.change { state in batch.flatMap { state.activate($0.hash) } }
            for (patch, hash) in batch { store.activate(patch, hash, on: runner) }
            rest.removeFirst(batch.count)
            size *= 2
        }
    }

    // MARK: results

    /// Notes which versions that stay on the device were refused, or have expired, when they were to run.
    private func takeRefusals(_ results: inout [SyncReport.Result]) {
        let refusals = store.refusals
        for (place, result) in results.enumerated() where result.outcome == .kept || result.outcome == .shadow {
            guard let (isExpired, error) = refusals[result.patch] else { continue }
            results[place].outcome = isExpired ? .expired : .refused
            results[place].take(error)
        }
    }

    /// Keeps the results of the sync for versions that are not held, or that are held and were refused or have expired,
    /// for the app's questions until the next sync.
    private func keepOutcomes(of results: [SyncReport.Result]) throws(PatchError) {
        let held = Set(store.state.stored.map(\.patch))
        var outcomes: [PatchID: StoreState.SyncOutcome] = [:]
        for result in results where result.outcome != .superseded && outcomes.count < StoreState.outcomeLimit {
            let patch = result.patch
            guard !held.contains(patch) || [.refused, .expired].contains(result.outcome) else { continue }
            outcomes[patch] = StoreState.SyncOutcome(result.outcome, reason: result.detail)
        }
        try store.update { $0.outcomes = outcomes }
    }
}

extension SyncReport.Result {
    /// What the list says, before anything is fetched.
    fileprivate init(of choice: DeviceChoice) {
        self.init(
            patch: choice.patch, outcome: .init(choice.code),
            detail: choice.code == .withdrawn ? choice.entry?.reason : nil)
    }
}
