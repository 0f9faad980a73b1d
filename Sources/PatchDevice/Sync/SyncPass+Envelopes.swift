internal import PatchCrypto
internal import PatchFeed
internal import PatchRunner

// The envelopes of the patches for this device: which are missing, and whether they are what the list has.
extension SyncPass {
    /// An envelope that is fetched, or verified again because its version enters or leaves shadow.
    struct Download {
        let entry: PatchList.Entry
        let target: FeedTarget
        let hash: String
        /// Its index in the results.
        let place: Int
        let isShadow: Bool
        var patch: (PatchID, hash: String) { (entry.patch, hash) }
    }

    /// The patches for this device that are not in the store with exactly the signed bytes.
    ///
    /// - Parameter results: Receives the reason for each patch that cannot be downloaded.
    /// - Throws: What the client throws if it cannot find out what is signed.
    func downloads(
        for choices: [DeviceChoice], _ client: inout FeedClient, _ results: inout [SyncReport.Result]
    ) async throws(PatchError) -> [Download] {
        var downloads: [Download] = []
        let state = store.state
        let held = Set(state.held.map(\.hash))
        let shadows = Set(state.shadows.map(\.hash))
        for (place, choice) in choices.enumerated() where choice.needsEnvelope {
            guard let entry = choice.entry else { continue }
            let target = try await client.target(entry.path)
            guard let target, let hash = target.sha256 else {
                results[place].outcome = .listMismatch
                results[place].detail = "it is listed, but the release keys have not signed it with a SHA-256"
                continue
            }
            let isShadow = choice.code == .shadow
            if (isShadow ? shadows : held).contains(hash), store.envelope(hash) != nil { continue }
            downloads.append(Download(entry: entry, target: target, hash: hash, place: place, isShadow: isShadow))
        }
        return downloads
    }

    /// Fetches envelopes, and holds those that are accepted, in growing batches of an eighth of what is held. The state
    /// is written only a few times, however many there are, and an interrupted sync has kept most of its downloads.
    ///
    /// - Throws: `cancelled` if the task is, what a change of the store throws if it cannot be written.
    func fetch(
        _ downloads: [Download], _ client: inout FeedClient, _ check: EnvelopeCheck,
        _ results: inout [SyncReport.Result]
    ) async throws(PatchError) {
        guard !downloads.isEmpty else { return }
        var batch: [Download] = []
        var heldCount = store.state.held.count
        do throws(PatchError) {
            for (done, download) in downloads.enumerated() {
                guard !Task.isCancelled else { throw .cancelled }
                if try await fetch(download, &client, check, &results[download.place]) { batch.append(download) }
                if batch.count > heldCount / 8 {
                    try hold(batch)
                    heldCount += batch.count
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

    /// Downloads an envelope, verifies it, and stores it. That of a version in shadow is in the folder, and verified
    /// again: it may have expired since, and if so must not answer.
    ///
    /// - Returns: Whether it was accepted. If not, the result has the reason.
    /// - Throws: `io` if it cannot be stored.
    private func fetch(
        _ download: Download, _ client: inout FeedClient, _ check: EnvelopeCheck, _ result: inout SyncReport.Result
    ) async throws(PatchError) -> Bool {
        let isInShadow = store.state.shadows.contains { $0.hash == download.hash }
        let stored = isInShadow ? store.envelope(download.hash) : nil
        var manifest: Manifest?
        do throws(PatchError) {
            if let stored {
                try check.accept(stored, as: download.entry, &manifest)
            } else {
                let envelope = try await client.contents(of: download.target, limit: settings.envelopeBytes)
                try check.accept(envelope, as: download.entry, &manifest)
                try store.writeEnvelope(envelope, hash: download.hash)
            }
            return true
        } catch {
            try result.refuse(error, manifest, at: check.time)
            return false
        }
    }

    /// Verifies the held envelopes again, as a launch does. Nothing else does so in a process in which no patch runs.
    func checkHeld(_ choices: [DeviceChoice], _ check: EnvelopeCheck, _ results: inout [SyncReport.Result]) {
        let held = store.state.stored
        for (place, choice) in choices.enumerated() where choice.needsEnvelope {
            guard let entry = choice.entry,
                let hash = held.first(where: { $0.patch == entry.patch })?.hash,
                let envelope = store.envelope(hash)
            else { continue }
            var manifest: Manifest?
            do throws(PatchError) {
                try check.accept(envelope, as: entry, &manifest)
            } catch {
                // An error that says nothing about the envelope is no reason to refuse it.
                try? results[place].refuse(error, manifest, at: check.time)
            }
        }
    }
}

/// Verifies envelopes for this version of the app, and compares them with the list.
struct EnvelopeCheck {
    let trust: PatchTrust
    let host: HostInfo
    /// The moment for which they are verified.
    let time: Timestamp

    /// - Parameter manifest: Receives the manifest, even if the envelope is refused.
    /// - Throws: Why the envelope is refused; `feed-mismatch` if it is not the one that the list describes.
    func accept(_ envelope: [UInt8], as entry: PatchList.Entry, _ manifest: inout Manifest?) throws(PatchError) {
        let policy = VerificationPolicy(
            app: host.app, appVersion: host.version, engineLevel: PatchRunner.engineLevel, time: time)
        let verifier = try EnvelopeVerifier(trustStore: trust.store, threshold: trust.threshold, policy: policy)
        let report = verifier.report(on: envelope, scriptKeys: trust.scriptKeys)
        manifest = report.manifest
        try entry.check(report.result.get().manifest)
    }
}

extension DeviceChoice {
    /// Whether the device has the version's envelope, or fetches it.
    fileprivate var needsEnvelope: Bool { [.offered, .kept, .shadow].contains(code) }
}

extension SyncReport.Result {
    /// Takes the reason of an envelope that was not accepted. The words of its expiry need no code.
    mutating func take(_ error: PatchError) {
        detail = outcome == .expired ? error.message : "\(error.code): \(error.message)"
        self.error = outcome == .expired ? nil : error
    }

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
        case .feedUnavailable, .feedMismatch, .feedLimit, .feedMalformed, .cancelled: outcome = .unavailable
        default: outcome = hasExpired ? .expired : .refused
        }
        take(error)
    }
}
