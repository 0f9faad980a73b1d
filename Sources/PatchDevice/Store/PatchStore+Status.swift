internal import Libc
internal import PatchCrypto
internal import PatchRunner

// Why each patch runs or not, for the app.
extension PatchStore {
    package func why(_ id: String) -> [PatchStatus] {
        let known = patches.filter { $0.id == id }
        guard known.isEmpty else { return known }
        let (fault, role) = memory.locked { ($0.writer.whyUnwritable, $0.writer.role) }
        return [PatchStatus(unknown: id, fault, role == .follower ? lastSyncOfWriter : nil)]
    }

    /// When the process that this one follows has synced, in words for ``why(_:)``.
    private var lastSyncOfWriter: String {
        guard let time = folder.lastSync else {
            return "the process that writes the device's folder has not synced yet"
        }
        let seconds = max(.zero, .milliseconds(WallClock.milliseconds) - time).components.seconds
        return "the process that writes the device's folder synced \(seconds) s ago"
    }

    package var patches: [PatchStatus] {
        // Not the writer itself, because a copy of it would keep the lock.
        let (state, fault, role, launch, failed) = memory.locked { memory in
            let writer = memory.writer
            return (writer.state, writer.whyUnwritable, writer.role, memory.launch, memory.failed)
        }
        func ids(_ patches: [LoadedPatch]) -> Set<PatchID> { Set(patches.map(\.id)) }
        let runner = launch.runner
        let active = runner?.active ?? []
        let shadows = runner?.shadows ?? []
        let mayRun = launch.hasBegun && runner != nil
        return StatusResolver(
            state: state, running: mayRun ? ids(active) : nil, shadows: ids(shadows),
            open: ids((active + shadows).filter(\.isBreakerOpen)), failed: failed,
            blockReasons: launch.blockReasons, limits: limits, fault: fault, role: role,
            lastSync: role == .follower ? lastSyncOfWriter : ""
        ).statuses
    }
}
