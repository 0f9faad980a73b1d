package import PatchCrypto
package import PatchRunner
internal import PatchFiles

// Held envelopes are verified each time before they run, and why one does not run is noted.
extension PatchStore {
    /// The outcome of a verification, on whatever thread it was made.
    struct Check: Sendable {
        let result: Result<VerifiedPatch, PatchError>
        /// The manifest, even if the patch is refused.
        let manifest: Manifest?
    }

    /// Verifies a patch that is held, and checks that the app has the functions that it replaces.
    ///
    /// - Returns: nil if it cannot run now; ``why(_:)`` returns the reason.
    package func verify(_ hash: String, on runner: PatchRunner, trust: PatchTrust) -> VerifiedPatch? {
        runner.setEarliestTime(state.floor)
        return admit(hash, by: check(hash, on: runner, trust: trust), on: runner)
    }

    /// Reads and verifies an envelope that is held. It may run on any thread: it reports, notes and changes nothing.
    func check(_ hash: String, on runner: PatchRunner, trust: PatchTrust) -> Check {
        do throws(PatchError) {
            let envelope = try folder.anyEnvelope(hash, limit: EnvelopeLimits().envelopeSize)
            let report = try runner.report(on: envelope, trust: trust)
            return Check(result: report.result, manifest: report.manifest)
        } catch {
            return Check(result: .failure(error), manifest: nil)
        }
    }

    /// Decides whether a patch may run after its check. If not, the reason is noted, and reported if it is new.
    ///
    /// - Returns: nil if it cannot run now.
    func admit(_ hash: String, by check: Check, on runner: PatchRunner) -> VerifiedPatch? {
        guard let patch = state.stored.first(where: { $0.hash == hash })?.patch else { return nil }
        guard !memory.locked({ $0.launch.isBanned(hash) }) else { return nil }
        do throws(PatchError) {
            let verified = try check.result.get()
            runner.lowerMinimumVersion(of: patch.id, to: patch.version)
            let mustWait = noteMissing(verified.manifest.replaces, of: patch, hash, on: runner)
            return mustWait ? nil : verified
        } catch {
            block(patch, hash, because: blockReason(error, check.manifest, on: runner))
            return nil
        }
    }

    /// Notes that a patch waits, if the app has not registered all functions that it replaces.
    ///
    /// - Returns: Whether it waits.
    private func noteMissing(
        _ functions: [String], of patch: PatchID, _ hash: String, on runner: PatchRunner
    ) -> Bool {
        let names = runner.registry.names
        while case let missing = names.missing(functions), !missing.isEmpty {
            let isNew = memory.locked { memory in
                defer { memory.launch.setBlockReason(.waiting(missing), of: hash) }
                if case .waiting = memory.launch.blockReasons[hash] { return false }
                return true
            }
            if isNew { tell(.waiting(.init(patch, functions: missing))) }
            // Another thread may have registered a function just before the reason was noted, and has not seen it.
            if names.missing(functions) == missing { return true }
        }
        return false
    }

    // MARK: why not

    /// Why a held patch does not run. If the app was updated past its range, or it has expired, the patch is not at
    /// fault.
    private func blockReason(_ error: PatchError, _ manifest: Manifest?, on runner: PatchRunner) -> BlockReason {
        guard !error.isCircumstance else { return .postponed(error) }
        guard error.code == .policy, let manifest, manifest.app.utf8.elementsEqual(host.app.utf8) else {
            return .refused(error)
        }
        if !manifest.appVersions.contains(host.version) { return .notApplicable(error, .appVersion) }
        if manifest.engineLevel > PatchRunner.engineLevel { return .notApplicable(error, .engine) }
        guard manifest.expires != nil else { return .refused(error) }
        let time = runner.time
        // Without a time, a patch that expires some day is refused for that.
        let hasExpired = time == nil || manifest.hasExpired(at: time)
        return hasExpired ? .expired(error) : .refused(error)
    }

    /// Notes why a patch does not run, and reports it once.
    private func block(_ patch: PatchID, _ hash: String, because reason: BlockReason) {
        let isNew = memory.locked { memory in
            defer { memory.launch.setBlockReason(reason, of: hash) }
            return memory.launch.blockReasons[hash]?.name != reason.name
        }
        guard isNew else { return }
        switch reason {
        case .refused(let error), .postponed(let error): tell(.runner(.refused(.init(patch, error))))
        case .expired(let error): tell(.expired(.init(patch, error)))
        case .notApplicable(let error, _): tell(.notApplicable(.init(patch, error)))
        case .waiting, .banned: break
        }
    }

    /// Notes the patches that the feed has taken away, if that could not be written, for ``why(_:)`` and for the
    /// processes that follow this one.
    func setBlockReasons(_ patches: [(hash: String, code: PatchStatus.Code, reason: String)]) {
        memory.locked { memory in
            memory.launch.setBlockReasons(patches)
            memory.writer.hasUnwrittenWithdrawals = !patches.isEmpty
        }
    }

    /// Why held versions do not run, if they were refused or have expired.
    package var refusals: [PatchID: (isExpired: Bool, error: PatchError)] {
        memory.locked { memory in
            memory.writer.state.stored.reduce(into: [:]) { refusals, held in
                switch memory.launch.blockReasons[held.hash] {
                case .expired(let error): refusals[held.patch] = (true, error)
                case .refused(let error): refusals[held.patch] = (false, error)
                default: break
                }
            }
        }
    }

    // MARK: keys

    /// Notes the keys that count now, with which the running patches are verified.
    ///
    /// - Returns: Whether they are the ones of the last time.
    @discardableResult
    func noteKeysThatCount(in trust: PatchTrust, on runner: PatchRunner) -> Bool {
        let time = runner.time
        let keys = Set(trust.store.keys.filter { $0.refusal(at: time) == nil }.map(\.key.id))
        return memory.locked { memory in
            defer { memory.launch.trusted = keys }
            return memory.launch.trusted == keys
        }
    }

    /// Deactivates running patches, and ends shadows, that would be refused now: a key that signed them was revoked or
    /// has expired, or they have expired.
    ///
    /// Each envelope is read from the folder and verified again. A file that cannot be read, or is damaged, ends no
    /// patch.
    package func dropRefused(on runner: PatchRunner, trust: PatchTrust) {
        let time = runner.time
        let areSameKeys = noteKeysThatCount(in: trust, on: runner)
        let suspicious = (runner.active + runner.closed + runner.shadows).filter { patch in
            !areSameKeys || patch.manifest.hasExpired(at: time)
        }
        guard !suspicious.isEmpty else { return }
        let (activated, closed) = memory.locked { ($0.launch.activated, $0.launch.closed) }
        let stored = state.stored.reduce(into: [:]) { $0[$1.patch] = $1 }
        for patch in suspicious.map(\.id) {
            guard let held = stored[patch] else { continue }
            let isOfThisEnvelope =
                activated[patch.id]?.hash == held.hash || closed[patch.id] == held.hash || held.stage == .shadow
            guard isOfThisEnvelope, verify(held.hash, on: runner, trust: trust) == nil, isRefused(held.hash) else {
                continue
            }
            end([patch], on: runner)
            if held.stage != .shadow { exclude(held.hash) }
        }
    }

    /// Whether an envelope has expired, or is refused for its signatures or by its own rules.
    private func isRefused(_ hash: String) -> Bool {
        switch memory.locked({ $0.launch.blockReasons[hash] }) {
        case .expired: true
        case .refused(let error): [.policy, .unknownSigner].contains(error.code)
        default: false
        }
    }
}
