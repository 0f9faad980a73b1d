/// What devices have done with a patch that no feed lists.
struct PatchSightings {
    private var devices = 0
    /// When devices ran it last, in milliseconds since 1970; 0 for a time that is not known.
    private var runTimes: [UInt64] = []
    /// The same for devices that shadow it, and had run it before.
    private var shadowTimes: [UInt64] = []

    mutating func add(_ life: DeviceLife) {
        devices += 1
        guard life.has(.ran) else { return }
        if life.stage == .shadow {
            shadowTimes.append(life.stageTime)
        } else {
            runTimes.append(life.runTime ?? life.stageTime)
        }
    }

    /// Whether it answers calls, and is not in shadow: of its devices one in 200, and at least four, have run it
    /// since as many shadowed it again. What a fleet runs is not what one device says.
    var isLive: Bool {
        guard let run = latest(runTimes) else { return false }
        return latest(shadowTimes).map { run > $0 } ?? true
    }

    /// The latest time that enough devices have reached; nil if there are not enough.
    private func latest(_ times: [UInt64]) -> UInt64? {
        let enough = max(4, devices / 200)
        return times.count < enough ? nil : times.sorted(by: >)[enough - 1]
    }
}
