import FeedTestSupport
import PatchDevice
import PatchPublishing

// What must hold in every world.
extension World {
    /// A device whose network, clock and disk are right refuses the feed only if `check` finds fault with it, too.
    func checkRefusal(_ error: PatchError, by name: String) async {
        let place = MemorySource()
        place.files = files.compactMapValues { $0.last?.bytes }
        guard let result = try? await place.check(root: root, at: Timestamp(nearestTo: now)) else { return }
        let findsFault = !result.faults.isEmpty || result.ahead != nil
        expect(findsFault, "what check finds sound is taken by each device", "\(name): \(error)")
    }

    /// A state of the feed and those that it was made of, the newest first.
    func history(of timestamp: [UInt8]) -> [Record] {
        records[timestamp].map { Array(sequence(first: $0) { self.records[$0.parent] }) } ?? []
    }

    /// Notes the state of a copy, and checks what an action, which may have signed what waits, has changed in it.
    func note(_ copy: Copy, _ request: Request, signs: Bool = false) {
        let (timestamp, parent) = (copy.timestamp, copy.noted)
        guard timestamp != parent else { return }
        copy.noted = timestamp
        guard records[timestamp] == nil else { return }
        let feed: FeedRepository
        do { feed = try copy.repository() } catch {
            return expect(false, "a copy can be read after each action", "\(copy.name): \(error)")
        }
        let snapshot = (try? copy.folder.read(FeedLayout.snapshot(feed.state(of: .snapshot).version))) ?? []
        records[timestamp] = Record(
            timestamp: timestamp, parent: parent, snapshot: snapshot, list: feed.list, time: now)
        let earlier = history(of: parent)
        guard let old = earlier.first else { return }
        let raised = feed.list.raised(since: old.list)
        let text = "\(copy.name): \(raised.sorted())"
        trace("\(copy.name) has timestamp \(feed.state(of: .timestamp).version): more \(raised.sorted())")
        expect(raised.isSubset(of: request.offers), "an action offers nothing that was not asked for", text)
        let mayRaise = signs || !copy.folder.hasStaged()
        expect(raised.isEmpty || mayRaise, "nothing more is offered while a change waits for a signature", text)
        // What was stopped since the request was made was not known to who made it.
        guard let index = earlier.firstIndex(where: { $0.timestamp == request.knew }) else { return }
        let stops = zip(earlier[..<index], earlier.dropFirst()).flatMap { record, before in
            before.list.raised(since: record.list) + record.list.stoppedAgain(since: before.list)
        }
        expect(raised.isDisjoint(with: stops), "an action undoes no stop that it did not know", text)
    }

    /// Notes that a timestamp was put in place. No deployed change is lost by that.
    func noteDeployment(of timestamp: [UInt8]) {
        let old = deployed.last ?? nil
        deployed.append(records[timestamp])
        let earlier = history(of: timestamp)
        guard let old, !earlier.isEmpty else { return }
        let isKept = earlier.contains { $0.snapshot == old.snapshot || givenUp[$0.timestamp] == old.timestamp }
        expect(isKept, "no deployed change is lost", "deployment \(deployed.count - 1)")
    }
}

extension Life {
    private func expect(_ isTrue: Bool, _ invariant: String, _ details: @autoclosure () -> String = "") {
        world.expect(isTrue, invariant, "\(name): \(details())")
    }

    /// Looks at what it does after an event, and at what its device says.
    func look() {
        for fault in notes.faults { expect(false, "no internal error or misuse", fault) }
        noteHealth()
        // The calls may open a breaker, so that another version runs after them.
        let before = device.active
        let (called, otherwise) = answers()
        let (running, banned, list) = (device.active, device.store.state.bans.map(\.patch), list)
        let answering = called + [otherwise].compactMap(\.self)
        world.trace("\(name): \(called), otherwise of \(otherwise.map { "\($0)" } ?? "none"), running \(before)")

        expect(called.map(\.id) == Set(called.map(\.id)).sorted(), "layers are in the order of ids")
        expect(Set(called).isSubset(of: before), "only what runs answers")
        // The `otherwise` of a higher version precedes it.
        for patch in before where world.truths[patch]?.answers == true && otherwise.map(patch.isBelow) != true {
            expect(answering.contains(patch), "what runs answers", "\(patch)")
        }
        for patch in answering {
            let entry = list?.entry(patch)
            expect(!banned.contains(patch), "no banned patch answers")
            expect(isMeant(patch), "each answer is of a version for this app")
            expect(list?.isEnabled != false, "the kill switch holds")
            expect(list?.isOn(for: version) != false, "no patch for versions that are too low")
            expect(entry?.state != .withdrawn, "a withdrawn patch is gone")
            expect(entry?.state != .shadow, "a patch in shadow does not answer")
        }
        for status in device.patches {
            world.trace("\(name): \(status)")
            expect(isTrue(status, running, list), "why is true", "\(status)")
        }
        checkOrder(running)
        checkBans(banned, answering)
        checkGuards(banned, answering.first { $0.id == Truth.ids[2] }, isFunction: otherwise == nil)
    }

    private func isMeant(_ patch: PatchID) -> Bool { world.truths[patch]?.isMeant(for: version) == true }
    private func isSound(_ patch: PatchID) -> Bool { world.truths[patch]?.fault == Truth.Fault.none }
    private func closesHole(_ patch: PatchID) -> Bool { world.truths[patch]?.closesHole == true }

    /// Notes which patches have proved themselves.
    private func noteHealth() {
        let held = device.store.state.held
        part.tried.formUnion(held.filter { $0.stage != .downloaded }.map(\.patch))
        part.proven.formUnion(held.filter { !$0.isOnTrial }.map(\.patch))
    }

    /// Whether what a device says of a version is so, as far as the list and the world tell.
    private func isTrue(_ status: PatchStatus, _ running: [PatchID], _ list: PatchListDraft?) -> Bool {
        guard let patch = status.patch, !status.isActive || running.contains(patch) else { return false }
        guard let list, host.parts.count == 1, device.role == .writer else { return true }
        let entry = list.entry(patch)
        return switch status.code {
        case .disabled: !list.isEnabled
        case .withdrawn: entry?.state == .withdrawn
        case .paused: entry?.state == .paused
        case .shadow: entry?.state == .shadow
        case .rollout: entry.map { $0.basisPoints < 10_000 } ?? false
        case .appVersion: !isMeant(patch) || !list.isOn(for: version)
        case .refused: world.truths[patch]?.fault == .failsInLoad
        case .suspect, .closed, .safeMode: host.deaths > 0
        case .engine, .group, .expired, .waiting: false
        default: true
        }
    }

    /// No older version runs in the place of a proven one, and what has failed stays off until the next launch.
    private func checkOrder(_ running: [PatchID]) {
        let opened = notes.opened
        for held in device.store.state.held where !held.isOnTrial && !held.isSuspended && !opened.contains(held.patch) {
            let hasOlder = device.role == .writer && running.contains { $0.isBelow(held.patch) }
            expect(!hasOlder, "no older version runs in the place of a proven one", "\(held.patch)")
        }
        replaced.formUnion(opened.intersection(ran).filter { patch in running.contains { $0.isBelow(patch) } })
        ran.formUnion(running)
        expect(replaced.isDisjoint(with: running), "what has failed stays off until the next launch")
    }

    /// No sound patch is blamed for a single death, and what was banned never comes back.
    private func checkBans(_ banned: [PatchID], _ answering: [PatchID]) {
        for patch in banned {
            let deaths = host.deathsWith[patch] ?? 0
            expect(!isSound(patch) || deaths > 1, "no sound patch is banned for nothing", "\(patch): \(deaths) deaths")
            host.banned[patch] = host.banned[patch] ?? world.now
        }
        for patch in host.hasBrokenDisk ? [] : answering {
            expect(host.banned[patch] ?? .max >= synced, "what was banned does not come back", "\(patch)")
        }
    }

    /// A guard that the feed offers answers on, or another one does: where it has, and, once proven, in each process.
    private func checkGuards(_ banned: [PatchID], _ answering: PatchID?, isFunction: Bool) {
        let isOpen = answering == nil
        let wasOpen = takeOpen() || isOpen
        guards = guards.filter { patch, place in
            !banned.contains(patch) && !host.hasBrokenDisk
                && isOffered(patch, since: place) { $0.state == .withdrawn || closesHole($0.patch) }
        }
        expect(guards.isEmpty || !wasOpen, "a guard that has answered answers", "\(guards)")
        let closing = answering.flatMap { closesHole($0) ? $0 : nil }
        // If it is not certain which list it obeys, all of them must have it.
        if let closing { guards[closing] = guards[closing] ?? max(0, known) }
        // One that came later may be a worse one.
        if let held = part.held, part.unsynced < 3, !part.hasBrokenDisk,
            isOffered(held.patch, since: held.place, above: { _ in false })
        {
            // One that follows takes it when it syncs.
            return expect(!isOpen || synced <= held.time, "a hole that was closed stays closed", "\(held)")
        }
        part.held = nil
        if let closing, isFunction, part.proven.contains(closing), known >= 0, !host.isUncertain, !part.hasBrokenDisk {
            part.held = (closing, world.now, known)
        }
    }

    /// Whether each list, from one of them on, has left a guard where it is, and all higher versions are harmless.
    private func isOffered(_ patch: PatchID, since place: Int, above isHarmless: (PatchEntryDraft) -> Bool) -> Bool {
        world.deployed[place...].allSatisfy { record in
            guard let list = record?.list, list.isOn(for: version) else { return false }
            return [.active, .paused, nil].contains(list.entry(patch)?.state)
                && list.entries.filter { patch.isBelow($0.patch) }.allSatisfy(isHarmless)
        }
    }

    /// What the feed offers to all devices has arrived with a sync on a host without failures.
    func checkArrivals() {
        guard let list, list.isOn(for: version) else { return }
        let stored = device.store.state.stored.map(\.patch)
        for id in Truth.ids {
            let entries = list.entries.filter { $0.id == id && isMeant($0.patch) }
            guard let entry = entries.max(by: { $0.version < $1.version }), isSound(entry.patch),
                entry.state == .active, entry.basisPoints == 10_000
            else { continue }
            let isThere = device.active.contains(entry.patch) || stored.contains(where: entry.patch.isBelow)
            expect(isThere, "what the feed offers arrives", "\(entry.patch), \(device.why(id))")
        }
    }

    /// A patch has crashed the process: it does not do so more often than promised.
    func checkCrash(by patch: PatchID) {
        noteHealth()
        let state = device.store.state
        // One that is closed is tried again and again, each time after a longer pause.
        if state.held.contains(where: { $0.patch == patch && $0.stage == .suspect && $0.isProtective }) {
            let pause = world.now - (part.retried.updateValue(world.now, forKey: patch) ?? -600)
            guard !part.hasBrokenDisk, !world.hasWrongClocks, device.role == .writer else { return }
            return expect(pause >= 600, "a closed patch is tried again after a pause", "\(patch) after \(pause) s")
        }
        part.tried.insert(patch)
        part.crashes[patch, default: 0] += 1
        // A suspect that the feed puts into shadow comes back in another role.
        let isShadow = state.shadows.contains { $0.patch == patch }
        if isShadow || part.tried.subtracting(part.proven) != [patch] { part.shared.insert(patch) }
        let most = part.proven.contains(patch) ? 7 : part.shared.contains(patch) ? 4 : 2
        let count = part.crashes[patch] ?? 0
        guard !part.hasBrokenDisk else { return }
        expect(count <= most, "a bad patch costs few processes", "\(patch) has crashed it \(count) times in a row")
        expect(!state.bans.contains { $0.patch == patch }, "no banned patch crashes", "\(patch)")
    }
}

extension PatchID {
    fileprivate func isBelow(_ other: PatchID) -> Bool { id == other.id && version < other.version }
}

/// A state of the feed that was written.
struct Record {
    let timestamp: [UInt8], parent: [UInt8], snapshot: [UInt8], list: PatchListDraft, time: Int
}

extension PatchListDraft {
    func entry(_ patch: PatchID) -> PatchEntryDraft? { entries.first { $0.patch == patch } }

    /// Whether a version of the app may run patches.
    fileprivate func isOn(for version: AppVersion) -> Bool {
        isEnabled && minimumAppVersion.map { $0 <= version } ?? true
    }

    /// The entries that were stopped before, and once more in this list, for another reason.
    fileprivate func stoppedAgain(since old: PatchListDraft) -> [String] {
        entries.filter { entry in
            let reason = old.entry(entry.patch)?.reason
            return !entry.isOffered && reason != nil && reason != entry.reason
        }.map(\.name)
    }

    /// What this list offers to more devices than another one: `all`, `minimum`, and entries.
    fileprivate func raised(since old: PatchListDraft) -> Set<String> {
        func reach(_ entry: PatchEntryDraft?) -> Int {
            guard let entry, let state = entry.state else { return 1 }
            return [.withdrawn: 0, .paused: 1, .shadow: 2, .active: 3 + entry.basisPoints][state] ?? 1
        }
        var raised = Set(old.entries.filter { reach(entry($0.patch)) > reach($0) }.map(\.name))
        if isEnabled, !old.isEnabled { raised.insert("all") }
        if let lowest = old.minimumAppVersion, minimumAppVersion.map({ $0 < lowest }) ?? true {
            raised.insert("minimum")
        }
        return raised
    }
}
