internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles
internal import PatchRunner

// The list of patches: what it says for this device, and what that ends at once.
extension SyncPass {
    /// The list: the kept one if it still matches the signed target, or else the feed's.
    ///
    /// - Throws: `feed-mismatch` if the feed has none for this app, `feed-malformed` or `feed-limit` if it is not a
    ///   list, what the client throws if it cannot be fetched.
    func fetchList(_ storage: MetadataFolder, _ client: inout FeedClient) async throws(PatchError) -> PatchList {
        let app = store.host.app
        guard let target = try await client.target(PatchList.path(for: app)) else {
            throw PatchError(.feedMismatch, "the feed has no list of patches for \(app)")
        }
        let name = StoreFolder.list
        if let kept = storage.read(name, limit: PatchList.byteLimit), (try? target.check(kept)) != nil {
            return try PatchList(decoding: kept)
        }
        let bytes = try await client.contents(of: target, limit: PatchList.byteLimit)
        storage.write(name, bytes)
        return try PatchList(decoding: bytes)
    }

    /// The listed versions whose envelopes are banned. A ban is for specific bytes, so the hash decides, not the
    /// version.
    ///
    /// - Returns: The versions, and why the hashes of some of them could not be found out: a role of the feed cannot be
    ///   fetched. Such a version counts as banned, unless its envelope is held.
    func bannedVersions(
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
                    let hash = try await client.target(entry.path)?.sha256
                    isBanned = hash.map(hashes.contains) ?? false
                } catch {
                    failure = error
                }
            }
            if isBanned { banned.insert(entry.patch) }
        }
        return (banned, failure)
    }

    /// What the list means for each version, on this device.
    ///
    /// - Throws: `feed-mismatch` if the list is for another app or environment.
    func choices(of list: PatchList, _ banned: Set<PatchID>) throws(PatchError) -> [DeviceChoice] {
        let state = store.state
        return try list.choices(
            for: FeedDevice(
                app: store.host.app, environment: environment, appVersion: store.host.version,
                engine: PatchRunner.engineLevel, installation: settings.installation(or: state.installation),
                user: settings.user, groups: settings.groups),
            held: state.held.reduce(into: [:]) { $0[$1.patch.id, default: []].insert($1.patch.version) },
            isBanned: { banned.contains($0.patch) })
    }

    /// Obeys the kill switch, and removes patches that are no longer for this device.
    ///
    /// - Parameter shown: The newest time that signed data have shown.
    /// - Throws: What a change of the store throws if it cannot be written. What runs has ended all the same.
    func obey(_ list: PatchList, _ choices: [DeviceChoice], shown: Timestamp?) throws(PatchError) {
        let old = store.state
        let change = ListChange(list, choices, from: old)
        let failure = write(change, shown: shown)
        if !list.isEnabled { runner?.deactivateAll() }
        // Events are reported after their change is written. If the write failed, the next sync reports them.
        if failure == nil, list.isEnabled != old.isEnabled { store.tell(list.isEnabled ? .enabled : .disabled) }
        let running = Set((runner?.active ?? []).map(\.id))
        endRefused(change)
        if failure == nil {
            for (patch, reason) in change.withdrawals(running: running) {
                store.tell(.withdrawn(.init(patch, reason: reason)))
            }
        }
        store.endShadows()
        // What could not be written would run at the next launch, and in the processes that follow.
        store.setBlockReasons(failure == nil ? [] : change.blockReasons)
        if let failure { throw failure }
        if old.switches != list.switches { store.tell(.changedSwitches(.init(list.switches))) }
    }

    /// - Returns: Why the change could not be written.
    private func write(_ change: ListChange, shown: Timestamp?) -> PatchError? {
        do throws(PatchError) {
            try store.update { state in
                change.apply(to: &state)
                state.givenName = settings.givenName
                state.floor = shown
                state.noteSync()
            }
            return nil
        } catch {
            return error
        }
    }

    /// Ends the running versions that no longer answer. What is in shadow already stays there.
    private func endRefused(_ change: ListChange) {
        guard let runner else { return }
        let inPlace = change.shadows.intersection(runner.shadows.map(\.id))
        store.end(change.refused.subtracting(inPlace), on: runner, without: change.refused)
    }
}
