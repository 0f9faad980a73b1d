import FeedTestSupport
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchRunner

// What must hold in every world.
extension World {
    /// Looks at everything after an event.
    func check() async {
        await checkRefusal()
        for host in hosts {
            host.forgetParts()
            for life in host.lives { check(life) }
        }
    }

    // MARK: devices

    private func check(_ life: Life) {
        let who = "\(life.host.name) \(life.version)"
        for fault in life.notes.now.faults { fail("no internal error or misuse", "\(who): \(fault)") }
        life.noteHealth()
        // The calls may open a breaker, so that another version runs after them.
        let running = life.device.active
        let (layers, check) = life.answers()
        let (function, otherwise) = Truth.guardOf(check)
        let called = layers + [function].compactMap(\.self)
        let answering = called + [otherwise].compactMap(\.self)
        let text = "\(who): \(layers.map(\.description)), check \(check), running \(running.map(\.description))"

        if traces { for status in life.device.patches { trace("\(who): \(status)") } }

        // Each answer is of a version that runs, and each version that runs, and works, answers.
        expect(layers.map(\.id) == Set(layers.map(\.id)).sorted(), "layers are in the order of ids", text)
        expect(Set(called).isSubset(of: running), "only what runs answers", text)
        for patch in answering {
            expect(!life.device.store.state.bans.contains { $0.patch == patch }, "no banned patch answers", text)
            expect(isMeant(patch, for: life), "each answer is of a version for this app", text)
        }
        for patch in running {
            guard let truth = truths[patch], ![.fails, .loops].contains(truth.fault) else { continue }
            expect(answering.contains(patch), "what runs answers", text)
        }
        let runningNow = life.device.active
        let list = records[life.known]?.list
        for status in life.device.patches {
            let patch = PatchID(id: status.id, version: status.version ?? 0)
            expect(!status.isActive || runningNow.contains(patch), "why is true", "\(text) \(status)")
            guard let list, life.host.parts.count == 1, life.device.role == .writer else { continue }
            expect(isTrue(status, of: patch, on: life, list), "why is true", "\(text) \(status)")
        }
        if let list { checkObedience(of: life, to: list, answering, text) }
        checkOrder(of: life, text)
        // What has failed too often, so that another version answers, stays off until the next launch.
        let replaced = life.notes.now.opened.filter { patch in
            life.ran.contains(patch) && runningNow.contains { $0.id == patch.id && $0.version < patch.version }
        }
        life.replaced.formUnion(replaced)
        life.ran.formUnion(runningNow)
        expect(life.replaced.isDisjoint(with: runningNow), "what has failed stays off until the next launch", text)
        checkBans(of: life, answering, text)
        checkGuards(of: life, check, text)
        checkHole(of: life, check, text)
    }

    /// Whether what a device says of a version is so, as far as the list and the world tell.
    private func isTrue(
        _ status: PatchStatus, of patch: PatchID, on life: Life, _ list: PatchListDraft
    ) -> Bool {
        let entry = list.entries.first { $0.id == patch.id && $0.version == patch.version }
        return switch status.code {
        case .disabled: !list.isEnabled
        case .withdrawn: entry?.state == .withdrawn
        case .paused: entry?.state == .paused
        case .shadow: entry?.state == .shadow
        case .rollout: entry.map { $0.basisPoints < 10_000 } ?? false
        case .appVersion: !isMeant(patch, for: life) || !list.isOn(for: life.version)
        case .refused: truths[patch]?.fault == .failsInLoad
        case .suspect, .closed, .safeMode: life.host.deaths > 0
        case .engine, .group, .expired, .waiting: false
        default: true
        }
    }

    /// No older version runs in the place of one that has proved itself.
    private func checkOrder(of life: Life, _ text: String) {
        guard life.device.role == .writer else { return }
        let opened = life.notes.now.opened
        for held in life.device.store.state.held {
            guard held.stage == .good, !held.isUnproven, !held.isSuspended, !opened.contains(held.patch) else {
                continue
            }
            let older = life.device.active.first { $0.id == held.patch.id && $0.version < held.patch.version }
            expect(older == nil, "no older version runs in the place of a proven one", "\(text): \(held.patch)")
        }
    }

    /// A version of the guard that has answered in this process answers in it, or another one does, as long as the feed
    /// offers it: also while versions change.
    private func checkGuards(of life: Life, _ check: Int, _ text: String) {
        let answers = life.notes.takeChecks().union([check])
        let state = life.device.store.state
        life.guards = life.guards.filter { patch, index in
            !state.bans.contains { $0.patch == patch } && !life.host.parts.values.contains(where: \.hasBrokenDisk)
                && wasAlways(since: index) { keeps(patch, $0, for: life.version) }
        }
        expect(
            life.guards.isEmpty || !answers.contains(1), "a guard that has answered answers", "\(life.guards) \(text)")
        let (function, otherwise) = Truth.guardOf(check)
        guard let patch = function ?? otherwise, truths[patch]?.closesHole == true else { return }
        life.guards[patch] = life.guards[patch] ?? index(of: life.known)
    }

    /// The place of a state of the feed among those that were put in place; the first one if it is not certain.
    private func index(of timestamp: [UInt8]) -> Int { place.timestamps.lastIndex(of: timestamp) ?? 0 }

    /// Whether each list that was put in place is of a kind, from one of them on.
    private func wasAlways(since index: Int, _ isOfKind: (PatchListDraft) -> Bool) -> Bool {
        place.timestamps[index...].allSatisfy { records[$0].map { isOfKind($0.list) } ?? false }
    }

    private func isMeant(_ patch: PatchID, for life: Life) -> Bool {
        truths[patch].flatMap { VersionRange($0.range) }?.contains(life.version) ?? false
    }

    /// What the feed has taken away is gone, and stays gone.
    private func checkObedience(of life: Life, to list: PatchListDraft, _ answering: [PatchID], _ text: String) {
        guard !answering.isEmpty else { return }
        expect(list.isEnabled, "the kill switch holds", text)
        expect(list.isOn(for: life.version), "no patch for versions that are too low", text)
        for patch in answering {
            let entry = list.entries.first { $0.id == patch.id && $0.version == patch.version }
            expect(entry?.state != .withdrawn, "a withdrawn patch is gone", text)
            expect(entry?.state != .shadow, "a patch in shadow does not answer", text)
        }
    }

    private func isSound(_ patch: PatchID) -> Bool { truths[patch].map { $0.fault == .none } ?? false }

    /// What the feed offers to all devices has arrived with a sync on a host without failures.
    func checkArrivals(on life: Life) {
        guard let list = records[life.known]?.list, list.isOn(for: life.version) else { return }
        let stored = life.device.store.state.stored
        for id in Truth.ids {
            let versions = list.entries.filter { entry in
                entry.id == id && isMeant(PatchID(id: id, version: entry.version), for: life)
            }
            guard let entry = versions.max(by: { $0.version < $1.version }), entry.state == .active,
                entry.basisPoints == 10_000, entry.when != .nextLaunch
            else { continue }
            let patch = PatchID(id: id, version: entry.version)
            let hasHigher = stored.contains { $0.patch.id == id && $0.patch.version > patch.version }
            expect(
                !isSound(patch) || hasHigher || life.device.active.contains(patch), "what the feed offers arrives",
                "\(life.host.name) \(life.version): \(patch), \(life.device.why(id))")
        }
    }

    /// No sound patch is blamed for a single death, and what was banned never comes back.
    private func checkBans(of life: Life, _ answering: [PatchID], _ text: String) {
        for patch in life.device.store.state.bans.map(\.patch) {
            let deaths = life.host.deathsWith[patch] ?? 0
            expect(
                !isSound(patch) || deaths > 1, "no sound patch is banned for nothing",
                "\(text): \(patch) after \(deaths) deaths")
            life.host.banned[patch] = life.host.banned[patch] ?? now
        }
        guard !life.host.parts.values.contains(where: \.hasBrokenDisk) else { return }
        for patch in answering {
            let isKnown = life.host.banned[patch].map { $0 < life.synced } ?? false
            expect(!isKnown, "what was banned does not come back", "\(text): \(patch)")
        }
    }

    /// A hole that a proven guard with an `otherwise` has closed stays closed while the feed offers it.
    private func checkHole(of life: Life, _ check: Int, _ text: String) {
        guard var part = life.host.parts[life.version] else { return }
        defer { life.host.parts[life.version] = part }
        let known = life.host.parts.values.contains(where: \.isUncertain) ? [] : life.known
        if let held = part.held {
            let isOffered = wasAlways(since: part.heldFrom) { offers(held, $0, to: life.version) }
            if !isOffered || part.unsynced >= 3 || part.hasBrokenDisk { part.held = nil }
        }
        if let held = part.held {
            // One that follows takes it when it syncs.
            guard life.synced > part.heldSince else { return }
            return expect(check != 1, "a hole that was closed stays closed", "\(held): \(text)")
        }
        guard !known.isEmpty, !part.hasBrokenDisk, let patch = Truth.guardOf(check).function,
            truths[patch]?.closesHole == true, part.proven.contains(patch)
        else { return }
        part.held = patch
        part.heldSince = now
        part.heldFrom = index(of: known)
    }

    /// Whether a list offers a guard, and no other one that may take its place and leave the hole open.
    private func offers(_ patch: PatchID, _ list: PatchListDraft, to version: AppVersion) -> Bool {
        guard list.isOn(for: version) else { return false }
        let versions = list.entries.filter { $0.id == patch.id }
        let isThere = versions.contains { $0.version == patch.version && ($0.state == .active || $0.state == .paused) }
        // One that came later may be a worse one.
        return !versions.contains { $0.version > patch.version }
            && (isThere || !versions.contains { $0.version == patch.version })
    }

    /// Whether a list leaves a guard where it is, and has no higher version that may fail in its place.
    private func keeps(_ patch: PatchID, _ list: PatchListDraft, for version: AppVersion) -> Bool {
        guard list.isOn(for: version) else { return false }
        return list.entries.filter { $0.id == patch.id }.allSatisfy { entry in
            guard entry.version != patch.version else { return [.active, .paused].contains(entry.state) }
            return entry.version < patch.version || entry.state == .withdrawn
                || truths[PatchID(id: entry.id, version: entry.version)]?.closesHole == true
        }
    }

    /// A patch has crashed a process: it does not do so more often than promised.
    func crashed(_ life: Life, by patch: PatchID) {
        life.noteHealth()
        let state = life.device.store.state
        var part = life.host.parts[life.version] ?? .init()
        defer { life.host.parts[life.version] = part }
        // One that is closed is tried again and again, each time after a longer pause.
        if state.held.contains(where: { $0.patch == patch && $0.stage == .suspect && $0.isProtective }) {
            let last = part.retried[patch] ?? -600
            part.retried[patch] = now
            let mayBeEarly = part.hasBrokenDisk || hasWrongClocks || life.device.role != .writer
            return expect(
                mayBeEarly || now - last >= 600, "a closed patch is tried again after a pause",
                "\(life.host.name) \(life.version): \(patch) after \(now - last) s")
        }
        part.tried.insert(patch)
        part.crashes[patch, default: 0] += 1
        if part.tried.subtracting(part.proven) != [patch] { part.shared.insert(patch) }
        // A suspect that the feed puts into shadow comes back in another role.
        if state.shadows.contains(where: { $0.patch == patch }) { part.shared.insert(patch) }
        let most = part.proven.contains(patch) ? 7 : part.shared.contains(patch) ? 4 : 2
        let count = part.crashes[patch] ?? 0
        guard !part.hasBrokenDisk else { return }
        expect(
            count <= most, "a bad patch costs few processes",
            "\(life.host.name) \(life.version): \(patch) has crashed it \(count) times in a row")
        expect(!state.bans.contains { $0.patch == patch }, "no banned patch crashes", "\(life.host.name): \(patch)")
    }

    /// Whether a state of the feed was put in place after another one.
    func isNewer(_ timestamp: [UInt8], than other: [UInt8]?) -> Bool {
        func place(_ bytes: [UInt8]?) -> Int { bytes.flatMap { self.place.timestamps.lastIndex(of: $0) } ?? -1 }
        return place(timestamp) > place(other)
    }

    /// A device refuses the feed only if `check` finds fault with it, too.
    private func checkRefusal() async {
        guard let (name, error) = refused else { return }
        refused = nil
        guard let now = Timestamp(secondsSince1970: now) else { return }
        do {
            var client = try FeedClient(
                root: root, source: place, storage: MemoryStorage(), at: now)
            let result = try await FeedCheck(&client, at: now, in: Path("www"))
            if result.faults.isEmpty, result.ahead == nil {
                fail("what check finds sound is taken by each device", "\(name): \(error)")
            }
        } catch {}
    }

    // MARK: operators

    /// The patch of an event that publishes.
    func newTruth(_ event: Event) -> Truth {
        let id = event.what % Truth.ids.count
        let version = 1 + (truths.keys.filter { $0.id == Truth.ids[id] }.map(\.version).max() ?? 0)
        let truth = Truth(id, version: version, how: event.how)
        truths[truth.patch] = truth
        return truth
    }

    /// The key that signs the present state of a copy.
    func onlineKey(of copy: Copy) -> SigningKey {
        let ids = (try? copy.repository().keys(of: .timestamp).ids) ?? []
        return Keys.online.first { key in ids.contains((try? FeedKey(key.verifyingKey).id) ?? "") } ?? Keys.online[0]
    }

    /// Notes the state of a copy after an action, and checks what the action has changed.
    ///
    /// - Parameter signs: Whether it signed the change that waits.
    func note(_ copy: Copy, _ request: Request?, signs: Bool = false) {
        let (timestamp, parent) = (copy.timestamp, copy.noted)
        guard timestamp != parent else { return }
        copy.noted = timestamp
        guard records[timestamp] == nil else { return }
        let feed: FeedRepository
        do {
            feed = try copy.repository()
        } catch {
            return fail("a copy can be read after each action", "\(copy.name): \(error)")
        }
        let number = feed.state(of: .snapshot).version
        let snapshot = ((try? copy.folder.read(FeedLayout.snapshot(number))) ?? nil) ?? []
        records[timestamp] = Record(list: feed.list, parent: parent, snapshot: snapshot, time: now)
        guard let old = records[parent], let request else { return }
        let raised = feed.list.raised(since: old.list)
        trace("\(copy.name) has timestamp \(feed.state(of: .timestamp).version): more \(raised.sorted())")
        expect(
            raised.isSubset(of: request.offers), "an action offers nothing that was not asked for",
            "\(copy.name): \(raised.subtracting(request.offers).sorted())")
        expect(
            raised.isEmpty || signs || !copy.folder.hasStaged(),
            "nothing more is offered while a change waits for a signature",
            "\(copy.name): \(raised.sorted())")
        // What was stopped since the request was made was not known to who made it.
        var stops: Set<String> = []
        var state = parent
        while state != request.knew, let record = records[state], let before = records[record.parent] {
            stops.formUnion(before.list.raised(since: record.list))
            stops.formUnion(record.list.stoppedAgain(since: before.list))
            state = record.parent
        }
        guard state == request.knew else { return }
        expect(
            raised.isDisjoint(with: stops), "an action undoes no stop that it did not know",
            "\(copy.name): \(raised.intersection(stops).sorted())")
    }

    /// No deployed change is lost.
    func checkDeployments(since count: Int, repairing: Bool) {
        for index in max(1, count)..<max(1, count, place.timestamps.count) {
            // A repair gives up what was there when it began.
            if repairing, index == count { continue }
            guard let old = records[place.timestamps[index - 1]], records[place.timestamps[index]] != nil else {
                continue
            }
            var state = place.timestamps[index]
            while let record = records[state], record.snapshot != old.snapshot { state = record.parent }
            expect(records[state] != nil, "no deployed change is lost", "deployment \(index)")
        }
    }
}

extension PatchListDraft {
    /// Whether a version of the app may run patches.
    fileprivate func isOn(for version: AppVersion) -> Bool {
        isEnabled && minimumAppVersion.map { $0 <= version } ?? true
    }

    /// The entries that were stopped before, and once more in this list, for another reason.
    fileprivate func stoppedAgain(since old: PatchListDraft) -> [String] {
        entries.filter { entry in
            let before = old.entries.first { $0.name == entry.name }
            return !entry.isOffered && before?.reason != nil && before?.reason != entry.reason
        }.map(\.name)
    }

    /// What this list offers to more devices than another one: `all`, `minimum`, and entries.
    fileprivate func raised(since old: PatchListDraft) -> Set<String> {
        var raised: Set<String> = []
        if isEnabled, !old.isEnabled { raised.insert("all") }
        if let lowest = old.minimumAppVersion, minimumAppVersion.map({ $0 < lowest }) ?? true {
            raised.insert("minimum")
        }
        func reach(_ entry: PatchEntryDraft?) -> Int {
            switch entry?.state {
            case .withdrawn: 0
            case .paused, nil: 1
            case .shadow: 2
            case .active: 3 + (entry?.basisPoints ?? 0)
            }
        }
        for entry in old.entries {
            let new = entries.first { $0.name == entry.name }
            if reach(new) > reach(entry) { raised.insert(entry.name) }
        }
        return raised
    }
}
