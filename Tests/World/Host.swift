import FeedTestSupport
import PatchDevice
import PatchFiles
import Synchronization

/// A machine: a folder that its workers share, and a clock.
@MainActor final class Host {
    let name: String
    /// Whether its workers are services, which try patches alone after a sync.
    let isService: Bool
    private var workers: [Life?]
    /// How wrong its clock is, in seconds.
    let clockError = Atomic(0)
    /// What is known of the part that each version of the app has of the folder.
    var parts: [AppVersion: Part] = [:]
    /// How many processes have died, and how many of them each patch may have ended.
    var deaths = 0, deathsWith: [PatchID: Int] = [:]
    /// The patches that it has banned, and when that was seen first.
    var banned: [PatchID: Int] = [:]
    /// Until when the ages of the folder's files were made right.
    private var passed = ManualClock.start
    unowned let world: World

    struct Part {
        /// The place of the newest state of the feed that a sync has read, or -1; and whether it may know more.
        var known = -1, isUncertain = false
        /// Whether its disk has ever failed to write.
        var hasBrokenDisk = false
        /// The patches that were tried, that ever proved themselves, and that have come back or crashed among others.
        var tried: Set<PatchID> = [], proven: Set<PatchID> = [], shared: Set<PatchID> = []
        /// How often each patch has crashed a life since it proved itself, and when each closed one did in a new try.
        var crashes: [PatchID: Int] = [:], retried: [PatchID: Int] = [:]
        /// How many lives in a row have crashed without a sync.
        var unsynced = 0
        /// A guard that has proved itself, when that was seen, and the place of the state of the feed known then.
        var held: (patch: PatchID, time: Int, place: Int)?
    }

    init(_ number: Int, workers count: Int, _ world: World) {
        name = "host\(number)"
        isService = number == 1
        workers = Array(repeating: nil, count: count)
        self.world = world
    }

    var folder: String { "\(world.folder)/\(name)" }
    var logs: String { "\(world.folder)/logs/\(name)" }
    var lives: [Life] { workers.compactMap(\.self) }
    var isUncertain: Bool { parts.values.contains(where: \.isUncertain) || lives.contains(where: \.isSyncing) }
    var hasBrokenDisk: Bool { parts.values.contains(where: \.hasBrokenDisk) }

    /// Lets the time pass for the files of the folder, which have the times of this machine, and for its workers.
    func pass() {
        let past = world.now - exchange(&passed, with: world.now)
        for part in (try? Folder.names(in: Path("\(folder)/versions"))) ?? [] {
            for name in ["state", "mark", "bans", "synced", "syncing"] {
                let file = Path("\(folder)/versions/\(part)/\(name)")
                guard let info = FileInfo(file, following: false) else { continue }
                (try? Descriptor(file, .read))?.setModified(info.modified - .seconds(past))
            }
        }
        for life in lives {
            life.device.store.endWatches()
            if !life.isWatched { life.forgive() }
        }
    }

    /// Looks at everything after an event.
    func look() {
        // The part of a version that has not run for two weeks is gone.
        parts = parts.filter { FileInfo(Path("\(folder)/versions/\($0.key)"), following: false) != nil }
        for life in lives { life.look() }
    }

    /// A process has ended. It refers to its host, so nothing of it stays open only if the host forgets it.
    func forget(_ life: Life) { workers = workers.map { $0 === life ? nil : $0 } }

    func perform(_ event: Event) async {
        if event.verb == .skew {
            let error = [0, 0, 0, 0, -3600, 3600, -400 * 86_400, 30 * 86_400][event.what % 8]
            if error != 0 { world.hasWrongClocks = true }
            return clockError.store(error, ordering: .relaxed)
        }
        let number = event.what % workers.count
        if let life = workers[number], life.isSyncing {
            // In the middle of its sync, other threads go on.
            if [.call, .confirm, .background].contains(event.verb) { await life.perform(event) }
            guard [.crash, .start].contains(event.verb) || life.isDead else { return }
            life.kill()
        }
        let fault = event.how / 7 % 12 == 0 ? world.diskFaults[event.how / 84 % world.diskFaults.count] : nil
        if event.verb == .start {
            if let old = workers[number] {
                await old.perform(Event(verb: .stop), hasFault: false)
                old.drop()
            }
            // A deployment of the app: mostly forward.
            let version = ["1.0", "1.1", "1.2"][min(2, event.how / 100 % 10 / 4)]
            DiskFault.arm(fault, after: event.how % 40)
            workers[number] = try? Life(self, version)
        }
        guard let life = workers[number] else { return }
        if fault != nil { life.part.isUncertain = true }
        if fault != nil, fault != .killed {
            world.hasFaultyDisks = true
            life.part.hasBrokenDisk = true
        }
        DiskFault.arm(fault, after: event.how % 40)
        await life.perform(event, hasFault: fault != nil)
        DiskFault.arm(nil)
        if life.isDead || fault == .killed || event.verb == .stop { life.drop() }
    }
}
