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
    /// When the feed stopped it, in milliseconds since 1970; nil if it did not.
    var stopTime: UInt64? { stopped.map { UInt64(max(0, $0.secondsSince1970)) * 1000 } }

    /// Counts a device. Returns false if the device only shadows a live patch.
    ///
    /// - Parameters:
    ///   - own: The life of the device itself.
    ///   - new: When the first event of a new device was, in seconds since 1970.
    ///   - scale: How many devices it represents.
    mutating func count(_ life: DeviceLife, on own: DeviceLife, new: ClosedRange<UInt32>, _ scale: Int) -> Bool {
        shadowed += life.has(.compared) ? scale : 0
        uncounted += life.has(.uncounted) ? scale : 0
        guard !isLive || life.has(.ran) else { return false }
        let isRunning = life.isRunning(on: own)
        devices += scale
        newDevices += new.contains(life.first) ? scale : 0
        running += isRunning ? scale : 0
        failing += isFailing(life) ? scale : 0
        rolledBack += life.has(.rolledBack) ? scale : 0
        suspected += life.isSuspected ? scale : 0
        affected += isAffected(life) ? scale : 0
        refused += life.has(.refused) ? scale : 0
        stages[life.stage, default: 0] += scale
        if let stopTime, life.has(.heardSinceStop) || own.runTime.map({ $0 >= stopTime }) ?? false {
            heard += scale
            keeping += isRunning ? scale : 0
        }
        return true
    }

    private func isFailing(_ life: DeviceLife) -> Bool { life.has(.failed) || !isLive && life.has(.failedInShadow) }

    /// Whether it failed on a device, or the device rolled it back.
    func isAffected(_ life: DeviceLife) -> Bool { isFailing(life) || life.has(.rolledBack) }
}
