import FeedTestSupport
import Foundation
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

/// A copy of the feed's folder.
@MainActor final class Copy {
    let name: String
    let path: String
    /// The state that was seen in it last, by its timestamp.
    var noted: [UInt8] = []
    /// The state that it shared with the other copies last.
    fileprivate var shared: [UInt8] = []
    /// What its staged change was made from, and the actions that it is allowed.
    fileprivate var staged: Request?
    fileprivate lazy var backup = Copy("\(name).backup", world)
    private unowned let world: World

    init(_ name: String, _ world: World) {
        self.name = name
        self.world = world
        path = "\(world.folder)/\(name)"
    }

    var folder: FeedFolder { FeedFolder(path: Path(path)) }
    var timestamp: [UInt8] { ((try? folder.read(FeedLayout.timestamp)) ?? nil) ?? [] }
    func repository() throws(PatchError) -> FeedRepository { try folder.repository(root: world.root) }

    /// Takes all files of another copy.
    func take(_ other: Copy) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path, toPath: path)
        noteTaken(staged: other.staged)
    }

    /// It has other files now.
    func noteTaken(staged request: Request? = nil) {
        noted = timestamp
        shared = noted
        staged = request
    }
}

extension FeedChange {
    /// Whether a change waits for signatures.
    fileprivate var isWaiting: Bool { folder.hasStaged() && (try? staged(on: repository())) != nil }
}

/// What an operator asked for: what was known then, and what may be offered to more devices by it.
struct Request {
    let knew: [UInt8]
    let offers: Set<String>
}

/// A state of the feed that was written.
struct Record {
    let list: PatchListDraft
    let parent: [UInt8]
    let snapshot: [UInt8]
    let time: Int
}

/// What happens while an action waits for a passphrase, a card or an upload.
@MainActor private final class Waiting {
    private var events: [Event]
    private let world: World

    init(_ events: [Event], _ world: World) {
        self.events = events
        self.world = world
    }

    /// Only other operators act then.
    func happens() {
        guard !events.isEmpty else { return }
        Disk.disarm()
        let event = events.removeFirst()
        world.clock.advance(event.gap)
        world.trace("meanwhile \(event)")
        if !event.verb.isOfHost { world.operate(event) }
    }
}

@MainActor final class Operator {
    private let name: String
    private let keys: String
    private var clockError = 0
    private unowned let world: World

    init(_ number: Int, _ world: World) {
        name = "operator\(number)"
        self.world = world
        keys = "\(world.folder)/keys\(number)"
        try? FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true)
    }

    private var time: Timestamp { Timestamp(secondsSince1970: world.now + clockError) ?? FeedFixture.now }

    private func pin(of copy: Copy) -> PinnedRoot {
        PinnedRoot(of: copy.folder, given: nil, keys: [Path("\(keys)/key.pem")], hasKey: true)
    }

    private func change(of copy: Copy, _ settings: FeedChange.Settings, by signers: [FeedSigner]) -> FeedChange {
        FeedChange(of: copy.folder, settings, signers: signers, pin: pin(of: copy), warn: { _ in })
    }

    func makeFeed(in copy: Copy) throws {
        let feed = try FeedRepository(
            app: FeedFixture.app, environment: "release", root: [FeedKey(Keys.root.verifyingKey)], rootThreshold: 1,
            release: Keys.release.map { try FeedKey($0.verifyingKey) }, releaseThreshold: world.releaseThreshold,
            online: [FeedKey(Keys.online[0].verifyingKey)], at: time)
        let signers = try ([Keys.root, Keys.online[0]] + Keys.release).map { try FeedSigner($0) }
        _ = try change(of: copy, .init(ChangeDetails(at: time)), by: signers).make(feed)
        world.root = try copy.folder.read(FeedLayout.firstRoot) ?? []
        for other in world.operators { _ = try other.pin(of: copy).keep(world.root) }
        world.note(copy, nil)
        try world.origin.take(copy)
        copy.shared = copy.noted
        _ = try Deployment(of: copy.folder, root: world.root, to: PlaceTarget(place: world.place), repairs: false).run()
    }

    /// The job of the feed, which takes the next step of each rollout. If it is refused, somebody takes what is
    /// deployed, as the hints say, and repeats it.
    func runJob(in copy: Copy) {
        for attempt in 0..<2 {
            let steps = Truth.ids.indices.map { (Event.Verb.advance, $0) }
            let outcomes = (steps + [(.refresh, 0), (.deploy, 0)]).map { verb, id in
                // Without faults.
                perform(Event(gap: 0, verb: verb, who: 0, what: id, how: 11), in: copy)
            }
            guard attempt == 0, !Set(["feed-rollback", "feed-conflict", "clock"]).isDisjoint(with: outcomes) else {
                return
            }
            clockError = 0
            do { try world.place.copy(to: copy) } catch { world.fail("a file operation of the world", "\(error)") }
        }
    }

    @discardableResult
    func perform(_ event: Event, in copy: Copy) -> String {
        var outcome = "done"
        do {
            switch event.verb {
            case .push: outcome = try push(copy)
            case .pull: outcome = try pull(copy, event)
            case .backup: try copy.backup.take(copy)
            case .restore: outcome = try restore(copy, event)
            case .deploy, .repair: outcome = try deploy(copy, event)
            case .drop:
                _ = try change(of: copy, .init(ChangeDetails(at: time)), by: []).discard()
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
            world.fail("a file operation of the world", "\(event.verb): \(error)")
        }
        world.counts.add("\(event.verb) \(outcome)")
        return outcome
    }

    // MARK: changes

    private func change(_ copy: Copy, _ event: Event) throws(PatchError) -> String {
        let waiting = Waiting(event.inner, world)
        let knew = copy.timestamp
        var settings = FeedChange.Settings(ChangeDetails(at: time))
        settings.began = knew
        settings.clock = { [self] in MainActor.assumeIsolated { time } }
        settings.details.author = name
        settings.stages = event.verb == .stage
        // A passphrase is typed.
        if event.how % 3 == 0 { waiting.happens() }
        let held: [SigningKey] =
            switch event.verb {
            case .stage: event.how / 100 % 2 == 0 ? [Keys.release[0]] : []
            case .sign: [Keys.release[event.gap % 2]]
            case .rotate: [Keys.root] + Keys.release + Keys.online
            default: Array(Keys.release.suffix(world.releaseThreshold))
            }
        var signers = try held.map { (key) throws(PatchError) in try FeedSigner(key) }
        if event.verb != .stage, event.verb != .rotate {
            let card = FeedSigner { [world] payload throws(PatchError) in
                let key = MainActor.assumeIsolated {
                    // It has the key of the state that the change was made of.
                    let key = world.onlineKey(of: copy)
                    waiting.happens()
                    return key
                }
                return try key.sign(payload[...])
            }
            signers.append(card)
        }
        let change = change(of: copy, settings, by: signers)
        var request = Request(knew: knew, offers: [])
        let fault: Disk.Fault? = event.how / 10 % 8 == 0 ? (event.how % 2 == 0 ? .killed : .full) : nil
        // A process that is killed may leave a half of the files that wait.
        let keepsStaged = event.verb != .sign && event.inner.isEmpty && fault != .killed && change.isWaiting
        Disk.arm(fault, after: event.what % 30)
        defer {
            Disk.disarm()
            let signs = event.verb == .sign
            world.expect(!keepsStaged || change.isWaiting, "a change that waits is not lost", "\(copy.name): \(event)")
            world.note(copy, signs ? copy.staged ?? request : request, signs: signs)
        }
        let result: FeedChange.Result
        if event.verb == .sign {
            result = try change.resume { _, _ in }
            Disk.disarm()
        } else {
            result = try change.run(isUrgent: Self.isUrgent(event.verb)) { (feed, details) throws(PatchError) in
                request = Request(knew: knew, offers: try edit(&feed, &details, event, change, copy))
            }
        }
        if result.outcome == .staged, event.verb == .stage { copy.staged = request }
        if result.outcome == .written { world.counts.add("changes") }
        return "\(result.outcome)"
    }

    private static func isUrgent(_ verb: Event.Verb) -> Bool {
        [.advance, .pause, .shadow, .withdraw, .disable, .enable, .undo, .minimum, .refresh].contains(verb)
    }

    /// Changes the feed as the tool does.
    ///
    /// - Returns: What this may offer to more devices.
    private func edit(
        _ feed: inout FeedRepository, _ details: inout ChangeDetails, _ event: Event, _ change: FeedChange,
        _ copy: Copy
    ) throws(PatchError) -> Set<String> {
        details.reason = "\(event.verb)"
        let verb = event.verb == .stage ? [.publish, .resume, .enable][event.how / 7 % 3] : event.verb
        switch verb {
        case .publish:
            let truth = world.newTruth(event)
            let audience = event.what / 3 % 5
            let publication = try Keys.publication(of: truth) { entry in
                if audience == 3 { entry.state = .shadow }
                if audience % 3 == 1 { entry.rollout = Rollout(basisPoints: 3000, unit: .installation, seed: nil) }
            }
            _ = try feed.publish([publication], files: copy.folder.published(for: feed.app), in: details)
        case .advance:
            let listed = feed.list.entries.filter { $0.id == Truth.ids[event.what % 3] }
            guard let entry = listed.max(by: { $0.version < $1.version }) else { return [] }
            return try world.advance(&feed, entry, copy, change.history(), in: &details)
        case .undo:
            let (older, undone) = try change.history().stateBefore(feed)
            try feed.checkUndo(to: older, undoing: undone, by: details.author)
            _ = try feed.undo(to: older, in: details)
        case .refresh:
            var ids = Set(feed.keys(of: .timestamp).ids)
            for key in event.what % 2 == 0 ? Keys.release : [] { ids.insert(try FeedKey(key.verifyingKey).id) }
            _ = feed.refresh(with: ids, in: details)
        case .rotate:
            let old = feed.keys(of: .timestamp).ids
            let keys = try Keys.online.map { (key) throws(PatchError) in try FeedKey(key.verifyingKey) }
            guard let new = keys.first(where: { !old.contains($0.id) }) else { return [] }
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
        default: return try editEntry(of: &feed, in: details, verb, event)
        }
        return []
    }

    private func editEntry(
        of feed: inout FeedRepository, in details: ChangeDetails, _ verb: Event.Verb, _ event: Event
    ) throws(PatchError) -> Set<String> {
        let id = Truth.ids[event.what % 3]
        let listed = feed.list.entries.filter { $0.id == id }
        let isStop = [.pause, .shadow, .withdraw].contains(verb)
        let version = listed.isEmpty ? nil : listed[event.how % listed.count].version
        let old = try feed.meantEntry(id, version: version, of: listed, isStopped: isStop)
        var entry = old
        switch verb {
        case .withdraw: try entry.setState(.withdrawn)
        case .pause: try entry.setState(.paused)
        case .shadow: try entry.setState(.shadow)
        case .resume: try entry.setState(entry.resumedState)
        default:
            entry.rollout = Rollout(basisPoints: [500, 3000, 10_000][event.how % 3], unit: .installation, seed: nil)
            entry.leaveShadow()
        }
        var details = details
        details.reason = isStop ? "stopped by \(name)" : nil
        guard let new = old.changed(to: entry, reason: details.reason) else { return [] }
        feed.replace([new.name: new], adding: [], in: details)
        return isStop && verb != .shadow ? [] : [new.name]
    }

    // MARK: copies

    /// As with git: others' changes come first.
    private func push(_ copy: Copy) throws -> String {
        guard world.origin.timestamp == copy.shared else { return "rejected" }
        try world.origin.take(copy)
        copy.shared = copy.noted
        return "done"
    }

    private func pull(_ copy: Copy, _ event: Event) throws -> String {
        let theirs = world.origin.timestamp
        let isBehind = copy.noted == copy.shared
        if !isBehind, theirs != copy.shared, event.how % 2 == 0 {
            // A conflict, in which the own side is taken.
            copy.shared = theirs
            return "ours"
        }
        guard isBehind || theirs != copy.shared else { return "nothing new" }
        try copy.take(world.origin)
        return "taken"
    }

    private func restore(_ copy: Copy, _ event: Event) throws -> String {
        guard !copy.backup.noted.isEmpty else { return "none" }
        let shared = copy.shared
        try copy.take(copy.backup)
        copy.shared = shared
        // The machine was lost, and the notes beside its keys.
        if event.how % 2 == 0 {
            for name in try FileManager.default.contentsOfDirectory(atPath: keys) where name.hasSuffix("signed") {
                try FileManager.default.removeItem(atPath: "\(keys)/\(name)")
            }
        }
        return "done"
    }

    private func deploy(_ copy: Copy, _ event: Event) throws(PatchError) -> String {
        let place = world.place
        let before = place.timestamps
        let waiting = Waiting(event.inner, world)
        let deployment = try Deployment(
            of: copy.folder, root: world.root, to: PlaceTarget(place: place), repairs: event.verb == .repair)
        if event.how % 8 == 0 { place.writesLeft = event.how / 8 % 12 }
        place.beforeWrite = {
            let left = place.writesLeft
            place.writesLeft = nil
            waiting.happens()
            place.writesLeft = left
        }
        defer {
            place.writesLeft = nil
            place.beforeWrite = {}
            world.checkDeployments(since: before.count, repairing: event.verb == .repair)
        }
        let outcome = try deployment.run()
        world.counts.add("deployments")
        return outcome.givenUp != nil ? "gave up" : outcome.isNew ? "new" : "same"
    }
}
