internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles
internal import PatchRunner

/// One sync, from the feed's metadata to the active patches.
struct SyncPass: Sendable {
    let root: [UInt8]
    var source: any FeedSource
    let environment: String
    let built: Timestamp?
    let store: PatchStore
    let runner: PatchRunner?
    let pinned: PatchTrust
    var settings: SyncSettings
    let progress: @Sendable (_ done: Int, _ all: Int) -> Void

    private struct Download {
        let entry: PatchList.Entry
        let target: FeedTarget
        let hash: String
        /// Its index in the results.
        let place: Int
        let isShadow: Bool
        var patch: (PatchID, hash: String) { (entry.patch, hash) }
    }

    func run(_ activation: PatchSync.Activation) async throws(PatchError) -> [SyncReport.Result] {
        let storage = MetadataFolder(of: store)
        // The device's clock, but not before the app was built.
        guard let time = [store.clock(), built].compactMap(\.self).max() else {
            throw PatchError(.clock, "the device's clock returned no time")
        }
        var client = try FeedClient(
            root: root, source: source, storage: storage, at: time, floor: store.state.floor)
        try await client.update()
        let now = client.time
        let path = PatchList.path(for: store.host.app)
        guard let target = try await client.target(path) else {
            throw PatchError(.feedMismatch, "the feed has no list of patches for \(store.host.app)")
        }
        let list = try PatchList(decoding: await contents(of: target, keptIn: storage, &client))
        let (banned, failure) = await bannedVersions(in: list, &client)
        let choices = try choices(of: list, banned)

        // The kill switch and withdrawals are written before the runner deactivates patches, and before anything is
        // downloaded. They have arrived, so they count whatever else cannot be fetched.
        try applyList(list, choices, shown: client.shownTime(list.published))
        if let failure { throw failure }

        let delivered = DeliveredTrust(
            pinned: pinned, store: store, storage: storage, root: root, environment: environment)
        let trust = try await delivered.update(from: &client)
        if let runner { store.dropRefused(on: runner, trust: trust) }

        var results = choices.map { choice in
            let reason = choice.code == .withdrawn ? choice.entry?.reason : nil
            return SyncReport.Result(patch: choice.patch, outcome: .init(choice.code), detail: reason)
        }
        let downloads = try await downloads(of: choices, &client, &results)
        if runner == nil { checkHeld(choices, trust, at: now, &results) }
        try await hold(downloads, &client, trust, at: now, &results)
        store.endShadows()
        if let runner {
            try activateNew(on: runner, list, activation, trust)
            store.startShadows(on: runner) { trust }
        }
        takeRefusals(&results)
        try note(results)
        return results
    }

    /// What the list means for each version, on this device.
    private func choices(of list: PatchList, _ banned: Set<PatchID>) throws(PatchError) -> [DeviceChoice] {
        let state = store.state
        return try list.choices(
            for: FeedDevice(
                app: store.host.app, environment: environment, appVersion: store.host.version,
                engine: PatchRunner.engineLevel, installation: settings.installation(or: state.installation),
                user: settings.user, groups: settings.groups),
            held: state.held.reduce(into: [:]) { $0[$1.patch.id, default: []].insert($1.patch.version) },
            isBanned: { banned.contains($0.patch) })
    }

    /// Notes which versions that stay on the device were refused, or have expired, when they were to run.
    private func takeRefusals(_ results: inout [SyncReport.Result]) {
        let refusals = store.refusals
        for (place, result) in results.enumerated() where result.outcome == .kept || result.outcome == .shadow {
            guard let (isExpired, error) = refusals[result.patch] else { continue }
            results[place].outcome = isExpired ? .expired : .refused
            results[place].detail = isExpired ? error.message : "\(error.code): \(error.message)"
            results[place].error = isExpired ? nil : error
        }
    }

    /// Fetches envelopes, and holds those that are accepted, in growing batches. The state is written only a few
    /// times, however many there are, and an interrupted sync has kept most of its downloads.
    private func hold(
        _ downloads: [Download], _ client: inout FeedClient, _ trust: PatchTrust, at now: Timestamp,
        _ results: inout [SyncReport.Result]
    ) async throws(PatchError) {
        guard !downloads.isEmpty else { return }
        var batch: [Download] = []
        var held = store.state.held.count
        do throws(PatchError) {
            for (done, download) in downloads.enumerated() {
                guard !Task.isCancelled else { throw PatchError(.feedUnavailable, "cancelled") }
                if try await fetch(download, &client, trust, at: now, &results[download.place]) {
                    batch.append(download)
                }
                if batch.count > held / 8 {
                    try hold(batch)
                    held += batch.count
                    batch = []
                }
                progress(done + 1, downloads.count)
            }
        } catch {
            try? hold(batch)
            throw error
        }
        try hold(batch)
    }

    private func hold(_ batch: [Download]) throws(PatchError) {
        try store.hold(batch.filter { !$0.isShadow }.map(\.patch), shadows: batch.filter(\.isShadow).map(\.patch))
    }

    /// The list's bytes: the kept ones if they still match the signed target, or else the feed's.
    private func contents(
        of target: FeedTarget, keptIn storage: MetadataFolder, _ client: inout FeedClient
    ) async throws(PatchError) -> [UInt8] {
        let name = StoreFolder.list
        if let kept = storage.read(name, limit: PatchList.byteLimit), (try? target.check(kept)) != nil { return kept }
        let bytes = try await client.contents(of: target, limit: PatchList.byteLimit)
        storage.write(name, bytes)
        return bytes
    }

    /// The listed versions whose envelopes are banned. A ban is for specific bytes, so the hash decides, not the
    /// version.
    ///
    /// - Returns: The versions, and why the hashes of some of them could not be found out: a role of the feed cannot be
    ///   fetched. Such a version counts as banned, unless its envelope is held.
    private func bannedVersions(
        in list: PatchList, _ client: inout FeedClient
    ) async -> (versions: Set<PatchID>, failure: PatchError?) {
        let state = store.state
        guard !state.bans.isEmpty else { return ([], nil) }
        let patches = Set(state.bans.map(\.patch))
        let hashes = Set(state.bans.map(\.hash))
        let stored = Set(state.stored.map(\.patch))
        var banned: Set<PatchID> = []
        var failure: PatchError?
        for entry in list.entries where entry.state != .withdrawn && patches.contains(entry.patch) {
            var isBanned = !stored.contains(entry.patch)
            // After one failure, nothing more is asked: each request could take as long.
            if failure == nil {
                do throws(PatchError) {
                    isBanned = try await client.target(entry.path)?.sha256.map(hashes.contains) ?? false
                } catch {
                    failure = error
                }
            }
            if isBanned { banned.insert(entry.patch) }
        }
        return (banned, failure)
    }

    /// Obeys the kill switch, and removes patches that are no longer for this device.
    private func applyList(_ list: PatchList, _ choices: [DeviceChoice], shown: Timestamp?) throws(PatchError) {
        let old = store.state
        let change = ListChange(list, choices, from: old)
        var failure: PatchError?
        do throws(PatchError) {
            try store.update { state in
                change.apply(to: &state)
                state.givenName = settings.givenName
                state.floor = shown
                state.noteSync()
            }
        } catch {
            failure = error  // thrown once the runner has deactivated the patches
        }
        if !list.isEnabled { runner?.deactivateAll() }
        // Events are reported after their change is written. If the write failed, the next sync reports them.
        if failure == nil, list.isEnabled != old.isEnabled { store.tell(list.isEnabled ? .enabled : .disabled) }
        let running = Set((runner?.active ?? []).map(\.id))
        if let runner {
            // What is in shadow already stays there.
            let inPlace = change.shadows.intersection(runner.shadows.map(\.id))
            store.end(change.refused.subtracting(inPlace), on: runner, without: change.refused)
        }
        if failure == nil {
            for (patch, reason) in change.withdrawals(running: running) {
                store.tell(.withdrawn(.init(patch, reason: reason)))
            }
        }
        store.endShadows()
        store.setBlockReasons(failure == nil ? [] : change.blockReasons)
        if let failure { throw failure }
        if old.switches != list.switches { store.tell(.changedSwitches(.init(list.switches))) }
    }

    /// The patches for this device that are not in the store with exactly the signed bytes.
    ///
    /// - Parameter results: Receives the reason for each patch that cannot be downloaded.
    private func downloads(
        of choices: [DeviceChoice], _ client: inout FeedClient, _ results: inout [SyncReport.Result]
    ) async throws(PatchError) -> [Download] {
        var downloads: [Download] = []
        let state = store.state
        let (held, shadows) = (Set(state.held.map(\.hash)), Set(state.shadows.map(\.hash)))
        for (place, choice) in choices.enumerated() where [.offered, .kept, .shadow].contains(choice.code) {
            guard let entry = choice.entry else { continue }
            let target = try await client.target(entry.path)
            guard let target, let hash = target.sha256 else {
                results[place].outcome = .listMismatch
                results[place].detail = "it is listed, but the release keys have not signed it with a SHA-256"
                continue
            }
            let isShadow = choice.code == .shadow
            if (isShadow ? shadows : held).contains(hash), store.hasEnvelope(hash) { continue }
            downloads.append(Download(entry: entry, target: target, hash: hash, place: place, isShadow: isShadow))
        }
        return downloads
    }

    /// Verifies the held envelopes again, as a launch does. Nothing else does so in a process in which no patch runs.
    private func checkHeld(
        _ choices: [DeviceChoice], _ trust: PatchTrust, at now: Timestamp, _ results: inout [SyncReport.Result]
    ) {
        let held = store.state.stored
        for (place, choice) in choices.enumerated() where [.offered, .kept, .shadow].contains(choice.code) {
            guard let entry = choice.entry,
                let hash = held.first(where: { $0.patch == entry.patch })?.hash,
                let envelope = store.envelope(hash)
            else { continue }
            var manifest: Manifest?
            do throws(PatchError) {
                let report = try report(on: envelope, trust, at: now)
                manifest = report.manifest
                try check(report, isOf: entry)
            } catch {
                try? results[place].refuse(error, manifest, at: now)
            }
        }
    }

    /// Downloads an envelope, verifies it, and stores it. That of a version in shadow is in the folder, and verified
    /// again: it may have expired since, and if so must not answer.
    ///
    /// - Returns: Whether it was accepted. If not, the result has the reason.
    /// - Throws: `io` if it cannot be stored.
    private func fetch(
        _ download: Download, _ client: inout FeedClient, _ trust: PatchTrust, at now: Timestamp,
        _ result: inout SyncReport.Result
    ) async throws(PatchError) -> Bool {
        let isInShadow = store.state.shadows.contains { $0.hash == download.hash }
        let stored = isInShadow ? store.envelope(download.hash) : nil
        var manifest: Manifest?
        do throws(PatchError) {
            let envelope: [UInt8]
            if let stored {
                envelope = stored
            } else {
                envelope = try await client.contents(of: download.target, limit: settings.envelopeLimit)
            }
            let report = try report(on: envelope, trust, at: now)
            manifest = report.manifest
            try check(report, isOf: download.entry)
            if stored == nil { try store.writeEnvelope(envelope, hash: download.hash) }
            return true
        } catch {
            try result.refuse(error, manifest, at: now)
            return false
        }
    }

    private func report(
        on envelope: [UInt8], _ trust: PatchTrust, at now: Timestamp
    ) throws(PatchError) -> VerificationReport {
        let policy = VerificationPolicy(
            app: store.host.app, appVersion: store.host.version, engine: PatchRunner.engineLevel, time: now)
        let verifier = try EnvelopeVerifier(trustStore: trust.store, threshold: trust.threshold, policy: policy)
        return verifier.report(on: envelope, scriptKeys: trust.scriptKeys)
    }

    private func check(_ report: VerificationReport, isOf entry: PatchList.Entry) throws(PatchError) {
        let manifest = try report.result.get().manifest
        guard manifest.id == entry.id, manifest.version == entry.version, manifest.engine == entry.engine,
            manifest.appVersions.description == entry.appVersions.description
        else {
            throw PatchError(
                .feedMismatch,
                "the list has \(entry.id) \(entry.version), but the envelope is \(manifest.id) \(manifest.version) for \(manifest.appVersions)"
            )
        }
    }

    /// Keeps the results of the sync for versions that are not held, or that are held and refused.
    private func note(_ results: [SyncReport.Result]) throws(PatchError) {
        let held = Set(store.state.stored.map(\.patch))
        var outcomes: [PatchID: StoreState.SyncOutcome] = [:]
        for result in results where result.outcome != .superseded && outcomes.count < StoreState.outcomeLimit {
            let patch = result.patch
            guard !held.contains(patch) || [.refused, .expired].contains(result.outcome) else { continue }
            outcomes[patch] = StoreState.SyncOutcome(result.outcome, reason: result.detail)
        }
        try store.update { $0.outcomes = outcomes }
    }

    /// Activates the patches that do not wait for the next launch.
    private func activateNew(
        on runner: PatchRunner, _ list: PatchList, _ activation: PatchSync.Activation, _ trust: PatchTrust
    ) throws(PatchError) {
        try store.watchRunning()
        let state = store.state
        guard activation == .now, state.isEnabled, state.launch?.isSafe != true else { return }
        let (running, failed) = (Set(store.running), store.failed)
        let suspects = Set(state.held.filter { $0.stage == .suspect && running.contains($0.patch) }.map(\.patch.id))
        let atOnce = Set(list.entries.filter { $0.when == .now }.map(\.patch))
        var due: [(patch: VerifiedPatch, hash: String)] = []
        for held in state.answeringClosed where !store.isAnswering(held.hash) {
            guard let patch = store.verify(held.hash, on: runner, trust: trust) else { continue }
            due.append((patch, held.hash))
        }
        for held in state.runnable {
            // A suspect that is being tried in this launch stays until its launch is judged.
            guard !running.contains(held.patch), !suspects.contains(held.patch.id),
                !failed.contains(held.hash), held.stage == .good || atOnce.contains(held.patch),
                let patch = store.verify(held.hash, on: runner, trust: trust)
            else { continue }
            due.append((patch, held.hash))
        }
        // Noted first: if the app ends while a script loads, the next launch knows which patches may be the cause. The
        // first batch is one patch, so that only that one is blamed.
        var batch = 1
        while !due.isEmpty {
            let next = due.prefix(batch)
            try store.change { state in next.flatMap { state.activate($0.hash) } }
            for (patch, hash) in next { store.activate(patch, hash, on: runner) }
            due.removeFirst(next.count)
            batch *= 2
        }
        // The system ends an app in the background without notice.
        if store.isInBackground { store.enterBackground() }
    }
}

extension SyncReport.Result {
    /// Notes why an envelope was not accepted.
    ///
    /// - Throws: `io`, which says nothing about the envelope.
    fileprivate mutating func refuse(
        _ error: PatchError, _ manifest: Manifest?, at now: Timestamp
    ) throws(PatchError) {
        let hasExpired = manifest?.hasExpired(at: now) ?? false
        switch error.code {
        case .io: throw error
        case .feedMismatch where manifest != nil: outcome = .listMismatch
        // What is served is not what is signed: it was cut, or something was added to it.
        case .feedUnavailable, .feedMismatch, .feedLimit, .feedMalformed: outcome = .unavailable
        default: outcome = hasExpired ? .expired : .refused
        }
        detail = "\(error.code): \(error.message)"
        self.error = outcome == .expired ? nil : error
    }
}
