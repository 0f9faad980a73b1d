internal import PatchCrypto

extension FleetReport {
    /// Counts what is known of a device itself.
    ///
    /// - Parameter scale: How many devices it represents.
    mutating func count(_ life: DeviceLife, _ scale: Int) {
        for trouble in Trouble.allCases where life.has(trouble: trouble) { troubled[trouble, default: 0] += scale }
        if life.isUnsynced { unsynced += scale }
    }
}

extension FleetReport.Device.Held {
    /// A patch on a device.
    ///
    /// - Parameters:
    ///   - life: The patch's life on the device.
    ///   - own: The life of the device itself.
    init(_ patch: FleetReport.Patch, _ life: DeviceLife, on own: DeviceLife) {
        self.init(
            id: patch.id, version: patch.version, stage: life.stage, since: Timestamp(milliseconds: life.stageTime),
            isRunning: life.isRunning(on: own))
    }
}

extension FleetReport.Patch {
    /// Counts a device.
    ///
    /// - Parameters:
    ///   - own: The life of the device itself.
    ///   - new: When the first event of a new device was, in seconds since 1970.
    ///   - scale: How many devices it represents.
    /// - Returns: false if the patch is live and never ran on it.
    mutating func count(_ life: DeviceLife, on own: DeviceLife, new: ClosedRange<UInt32>, _ scale: Int) -> Bool {
        let one: (Bool) -> Int = { $0 ? scale : 0 }
        shadowed += one(life.has(.compared))
        uncounted += one(life.has(.uncounted))
        guard !isLive || life.has(.ran) else { return false }
        let isRunning = life.isRunning(on: own)
        devices += scale
        newDevices += one(new.contains(life.first))
        running += one(isRunning)
        failing += one(isFailing(life))
        rolledBack += one(life.has(.rolledBack))
        suspected += one(life.isSuspected)
        affected += one(isAffected(life))
        refused += one(life.has(.refused))
        stages[life.stage, default: 0] += scale
        guard let stopTime else { return true }
        let hasLaunched = own.runTime.map { $0 >= stopTime } ?? false
        if life.has(.heardSinceStop) || hasLaunched {
            heard += scale
            keeping += one(isRunning)
        }
        return true
    }

    /// Whether it failed on a device; of a patch that is not live, also in shadow.
    private func isFailing(_ life: DeviceLife) -> Bool { life.has(.failed) || (!isLive && life.has(.failedInShadow)) }

    /// Whether it failed on a device, or the device rolled it back.
    func isAffected(_ life: DeviceLife) -> Bool { isFailing(life) || life.has(.rolledBack) }
}
