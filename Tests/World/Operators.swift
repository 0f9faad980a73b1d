import FeedTestSupport
import Foundation
import PatchDevice
import PatchFiles
import PatchPublishing
import PatchTesting

/// A copy of the feed's folder.
@MainActor final class Copy {
    let folder: FeedFolder
    /// The state that was seen in it last, by its timestamp.
    var noted: [UInt8] = []
    /// The state that it shared with the other copies last.
    fileprivate var shared: [UInt8] = []
    /// What the change that waits in it was asked for.
    fileprivate var staged: Request?
    fileprivate lazy var backup = Copy("\(name).backup", world)
    private unowned let world: World

    init(_ name: String, _ world: World) {
        self.world = world
        folder = FeedFolder(path: Path("\(world.folder)/\(name)"))
    }

    var name: String { "\(folder.path.name)" }
    var path: String { "\(folder.path)" }
    var timestamp: [UInt8] { (try? folder.read(FeedLayout.timestamp)) ?? [] }
    func repository() throws(PatchError) -> FeedRepository { try folder.repository(root: world.root) }

    /// Takes all files of another copy, or what is deployed.
    func take(_ other: Copy?) throws {
        try? FileManager.default.removeItem(atPath: path)
        if let other {
            try FileManager.default.copyItem(atPath: other.path, toPath: path)
        } else {
            let paths = world.files.keys.filter { !$0.hasSuffix(".next.json") }.sorted()
            try folder.write(paths.map { FeedFile(path: $0, bytes: world.read($0) ?? [], replaces: true) })
        }
        noted = timestamp
        shared = noted
        staged = other?.staged
    }
}

/// What an operator asked for: what was known then, and what may be offered to more devices by it.
struct Request {
    let knew: [UInt8]
    var offers: Set<String> = []
}

@MainActor final class Operator {
    private let name: String, key: Path
    private var clockError = 0
    private unowned let world: World

    init(_ number: Int, _ world: World) {
        name = "operator\(number)"
        self.world = world
        key = Path("\(world.folder)/keys\(number)/key.pem")
        try? FileManager.default.createDirectory(atPath: "\(key.parent)", withIntermediateDirectories: true)
    }

    private var time: Timestamp { Timestamp(nearestTo: world.now + clockError) }

    func makeFeed(in copy: Copy) throws {
        let feed = try FeedFixture.feed(
            root: [Keys.root], release: Keys.release, releaseThreshold: world.releaseThreshold, online: Keys.online[0],
            at: time)
        let signers = try ([Keys.root, Keys.online[0]] + Keys.release).map { try FeedSigner($0) }
        _ = try FeedChange(of: copy.folder, .init(ChangeDetails(at: time)), signers: signers, keys: [key]).make(feed)
        world.root = try copy.folder.read(FeedLayout.firstRoot) ?? []
        for other in world.operators {
            _ = try PinnedRoot(of: copy.folder, given: nil, keys: [other.key], hasKey: true).keep(world.root)
        }
        world.note(copy, Request(knew: []))
        _ = try exchange(copy, Event(verb: .push))
        _ = try Deployment(of: copy.folder, root: world.root, to: world, repairs: false).run()
    }

    /// Takes the next step of each rollout, without faults. If it is refused, it is repeated on what is deployed.
    func runJob(in copy: Copy, isRepeated: Bool = false) {
        let steps = Truth.ids.indices.map { (Event.Verb.advance, $0) } + [(.refresh, 0), (.deploy, 0)]
        let outcomes = steps.map { verb, id in perform(Event(verb: verb, what: id, how: 11), in: copy) }
        guard !isRepeated, !Set(["feed-rollback", "feed-conflict", "clock"]).isDisjoint(with: outcomes) else { return }
        clockError = 0
        do { try copy.take(nil) } catch { world.expect(false, "a file operation of the world", "\(error)") }
        runJob(in: copy, isRepeated: true)
    }

    func perform(_ event: Event, in copy: Copy) -> String {
        world.waiting.append(event.inner)
        defer { world.waiting.removeLast() }
        var outcome = "done"
        do {
            switch event.verb {
            case .push, .pull, .backup, .restore: outcome = try exchange(copy, event)
            case .deploy, .repair: outcome = try deploy(copy, event)
            case .drop:
                _ = try FeedChange(of: copy.folder, .init(ChangeDetails(at: time)), signers: [], keys: [key]).discard()
                copy.staged = nil
            case .wrong:
                clockError = [0, 0, 0, -600, 300, 1800, -7200, 40 * 86_400][event.what % 8]
                if clockError != 0 { world.hasWrongClocks = true }
            default: outcome = try change(copy, event)
            }
        } catch let error as PatchError {
            world.expect(error.code != .internal, "no internal error", "\(event.verb): \(error)")
            outcome = "\(error.code)"
            world.trace("\(name) \(copy.name): \(error)")
        } catch {
            world.expect(false, "a file operation of the world", "\(event.verb): \(error)")
        }
        world.count("\(event.verb) \(outcome)")
        return outcome
    }

    private func change(_ copy: Copy, _ event: Event) throws(PatchError) -> String {
        var request = Request(knew: copy.timestamp)
        var settings = FeedChange.Settings(ChangeDetails(at: time))
        settings.began = request.knew
        settings.clock = { [self] in MainActor.assumeIsolated { time } }
        settings.details.author = name
        settings.stages = event.verb == .stage
        // Above all that was signed, after a backup was restored.
        if event.verb == .refresh, event.how % 8 == 3 { settings.details.versionFloor = 2 * world.records.count }
        // A passphrase is typed.
        if event.how % 3 == 0 { world.wait() }
        let held =
            [
                Event.Verb.stage: event.how / 100 % 2 == 0 ? [Keys.release[0]] : [],
                .sign: [Keys.release[event.gap % 2]], .rotate: [Keys.root] + Keys.release + Keys.online,
            ][event.verb] ?? Array(Keys.release.suffix(world.releaseThreshold))
        let card = FeedSigner { [world] payload throws(PatchError) in
            let key = MainActor.assumeIsolated {
                // It has the key of the state that the change was made of.
                let ids = (try? copy.repository().keys(of: .timestamp).ids) ?? []
                world.wait()
                return Keys.online.first { ids.contains($0.feedKey.id) } ?? Keys.online[0]
            }
            return try key.sign(payload[...])
        }
        // Of two who sign in turn, one may have no card.
        let signs = event.verb == .sign
        let usesCard = signs ? event.how % 4 > 0 : event.verb != .stage && event.verb != .rotate
        let signers = try held.map { (key) throws(PatchError) in try FeedSigner(key) } + (usesCard ? [card] : [])
        let change = FeedChange(of: copy.folder, settings, signers: signers, keys: [key])
        func isWaiting() -> Bool { copy.folder.hasStaged() && (try? change.staged(on: change.repository())) != nil }
        let missing = signs ? try? change.staged(on: change.repository()).missing().flatMap(\.keyIDs) : nil
        let isAwaited = signs && event.inner.isEmpty && missing?.contains(held[0].feedKey.id) == true
        let fault: DiskFault? = event.how / 10 % 8 == 0 ? (event.how % 2 == 0 ? .killed : .full) : nil
        // A process that is killed may leave a half of the files that wait.
        let keepsStaged = !signs && event.inner.isEmpty && fault != .killed && isWaiting()
        DiskFault.arm(fault, after: event.what % 30)
        defer {
            DiskFault.arm(nil)
            world.expect(!keepsStaged || isWaiting(), "a change that waits is not lost", "\(copy.name): \(event)")
            world.note(copy, signs ? copy.staged ?? request : request, signs: signs)
        }
        let isUrgent = ![.publish, .widen, .resume, .stage, .rotate].contains(event.verb)
        let result: FeedChange.Result
        do throws(PatchError) {
            result =
                try signs
                ? change.resume { _, _ in }
                : change.run(isUrgent: isUrgent) { (feed, details) throws(PatchError) in
                    request.offers = try edit(&feed, &details, event, change, copy)
                }
        } catch {
            world.expect(!isAwaited || error.code != .feedSignature, "a signature that is awaited is kept", "\(error)")
            if case .takeNewestOrPass? = error.remedy as? PublishingRemedy, event.inner.isEmpty {
                world.expect(settings.details.versionFloor == 0, "versions above all that was signed pass", "\(error)")
            }
            throw error
        }
        if result.outcome == .staged, event.verb == .stage { copy.staged = request }
        if result.outcome == .written { world.count("changes") }
        return "\(result.outcome)"
    }

    /// Changes the feed as the tool does, and returns what this may offer to more devices.
    private func edit(
        _ feed: inout FeedRepository, _ details: inout ChangeDetails, _ event: Event, _ change: FeedChange, _ copy: Copy
    ) throws(PatchError) -> Set<String> {
        details.reason = "\(event.verb)"
        let verb = event.verb == .stage ? [.publish, .resume, .enable][event.how / 7 % 3] : event.verb
        let id = Truth.ids[event.what % 3]
        let listed = feed.entries(of: id)
        switch verb {
        case .publish:
            let older = world.truths.keys.filter { $0.id == id }.map(\.version)
            let truth = Truth(event.what % 3, version: 1 + (older.max() ?? 0), how: event.how)
            world.truths[truth.patch] = truth
            let audience = event.what / 3 % 5
            let publication = try Keys.feed.publication(of: truth.source) { entry in
                if audience == 3 { entry.state = .shadow }
                if audience % 3 == 1 { entry.rollout = Rollout(basisPoints: 3000) }
            }
            _ = try feed.publish([publication], files: copy.folder.published(for: feed.app), in: details)
        case .advance:
            guard let entry = listed.max(by: { $0.version < $1.version }) else { return [] }
            return try world.advance(&feed, entry, copy, change.history(), in: &details)
        case .undo:
            let (older, undone) = try change.history().stateBefore(feed)
            try feed.checkUndo(to: older, undoing: undone, by: details.author)
            _ = try feed.undo(to: older, in: details)
        case .refresh:
            let others = event.what % 2 == 0 ? Keys.release.map(\.feedKey.id) : []
            _ = feed.refresh(with: Set(feed.keys(of: .timestamp).ids + others), in: details)
        case .rotate:
            let old = feed.keys(of: .timestamp).ids
            guard let new = Keys.online.map(\.feedKey).first(where: { !old.contains($0.id) }) else { return [] }
            details.unusedVersions = try copy.folder.unusedVersions()
            _ = try feed.rotate(
                [.rollout, .snapshot, .timestamp], adding: [new], removing: old, threshold: nil, in: details)
        case .disable, .enable:
            _ = try feed.edit(in: details, unlessSame: { $0.isEnabled = verb == .enable })
            return verb == .enable ? ["all"] : []
        case .minimum:
            let lowest = event.what % 2 == 0 ? nil : AppVersion("1.1")
            _ = try feed.edit(in: details, unlessSame: { $0.minimumAppVersion = lowest })
            return lowest == nil ? ["minimum"] : []
        default:
            let stop = [Event.Verb.pause: PatchList.Entry.State.paused, .shadow: .shadow, .withdraw: .withdrawn][verb]
            let version = listed.isEmpty ? nil : listed[event.how % listed.count].version
            let old = try feed.meantEntry(id, version: version, of: listed, isStopped: stop != nil)
            var entry = old
            if let state = verb == .resume ? entry.resumedState : stop {
                try entry.setState(state)
            } else {
                entry.rollout = Rollout(basisPoints: [500, 3000, 10_000][event.how % 3])
                entry.leaveShadow()
            }
            var details = details
            details.reason = stop.map { _ in "stopped by \(name)" }
            guard let new = old.changed(to: entry, reason: details.reason) else { return [] }
            feed.replace(old, with: new, in: details)
            return stop == nil || stop == .shadow ? [new.name] : []
        }
        return []
    }

    /// As with git, and with backups.
    private func exchange(_ copy: Copy, _ event: Event) throws -> String {
        let (theirs, shared) = (world.origin.timestamp, copy.shared)
        switch event.verb {
        case .push:
            // Others' changes come first.
            guard theirs == shared else { return "rejected" }
            try world.origin.take(copy)
            copy.shared = copy.noted
        case .pull:
            guard copy.noted == shared || theirs != shared else { return "nothing new" }
            // In a conflict, the own side may be taken.
            if copy.noted != shared, event.how % 2 == 0 {
                copy.shared = theirs
                return "ours"
            }
            try copy.take(world.origin)
            return "taken"
        case .restore:
            guard !copy.backup.noted.isEmpty else { return "none" }
            try copy.take(copy.backup)
            copy.shared = shared
            // The machine was lost, and the notes beside its keys.
            if event.how % 2 == 0 { Folder.removeNames(in: key.parent) { $0.ends(in: "signed") } }
        default: try copy.backup.take(copy)
        }
        return "done"
    }

    private func deploy(_ copy: Copy, _ event: Event) throws(PatchError) -> String {
        let (timestamp, repairs) = (copy.timestamp, event.verb == .repair)
        let deployment = try Deployment(of: copy.folder, root: world.root, to: world, repairs: repairs)
        if event.how % 8 == 0 { world.writesLeft = event.how / 8 % 12 }
        let earlier = repairs ? Swift.exchange(&world.givenUp[timestamp], with: world.deployed.last??.timestamp) : nil
        defer {
            world.writesLeft = nil
            // Once it is in the chain, another deployment ends it.
            let isNext = world.files.contains { $0.key.hasSuffix(".next.json") && $0.value.last?.bytes == timestamp }
            if repairs, !isNext { world.givenUp[timestamp] = earlier }
        }
        let outcome = try deployment.run()
        world.count("deployments")
        return outcome.givenUp != nil ? "gave up" : outcome.isNew ? "new" : "same"
    }
}
