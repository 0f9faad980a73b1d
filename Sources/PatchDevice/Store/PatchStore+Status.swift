internal import Libc
internal import PatchCrypto
internal import PatchRunner

// Why each patch runs or not, for the app.
extension PatchStore {
    package func why(_ id: String) -> [PatchStatus] {
        let known = patches.filter { $0.id == id }
        guard known.isEmpty else { return known }
        let (fault, role) = memory.locked { ($0.writer.whyUnwritable, $0.writer.role) }
        return [PatchStatus(unknown: id, fault, role == .follower ? sync(of: folder.lastSync) : nil)]
    }

    /// When the process that this one follows has synced, for ``why(_:)``.
    private func sync(of time: Duration?) -> String {
        guard let time else { return "the process that writes the device's folder has not synced yet" }
        let seconds = max(.zero, .milliseconds(WallClock.milliseconds) - time).components.seconds
        return "the process that writes the device's folder synced \(seconds) s ago"
    }

    package var patches: [PatchStatus] {
        // Not the writer itself, because a copy of it would keep the lock.
        let (state, fault, role, launch, failed) = memory.locked { memory in
            let writer = memory.writer
            return (writer.state, writer.whyUnwritable, writer.role, memory.launch, memory.failed)
        }
        func patches(_ loaded: [LoadedPatch]?) -> Set<PatchID> { Set((loaded ?? []).map(\.id)) }
        let (active, shadows) = (launch.runner?.active, launch.runner?.shadows ?? [])
        return StatusResolver(
            state: state, running: launch.hasBegun && active != nil ? patches(active) : nil, shadows: patches(shadows),
            open: patches(((active ?? []) + shadows).filter(\.isBreakerOpen)), failed: failed,
            blockReasons: launch.blockReasons, limits: limits, fault: fault, role: role,
            lastSync: role == .follower ? sync(of: folder.lastSync) : ""
        ).statuses
    }
}
