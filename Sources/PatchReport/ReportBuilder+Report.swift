internal import PatchCrypto
internal import PatchText

// The report that is made of the tables.
extension ReportBuilder {
    package consuming func report() -> FleetReport {
        var report = FleetReport()
        report.input = input
        report.input.dropped.addOrMost(reader.dropped)
        report.input.origins = max(apps.count, environments.count)
        report.scale = devices.scale
        report.newest = newestTime > 0 ? Timestamp(secondsSince1970: newestTime / 1000) : nil
        var patches = patches
        // Which devices of a patch count depends on whether it is live, and the charts on the devices.
        for number in unlistedLivePatches { patches[number].isLive = true }
        var hours = hours
        addDevices(to: &report, &patches, &hours)
        addHours(hours, to: &patches)
        calls.report(to: &patches)
        comparisons.report(to: &patches, devices, reader.texts)
        faults.report(to: &patches, reader.texts)
        report.faults = patches[0].faults
        report.patches = patches.dropFirst().sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        return report
    }

    /// What devices have done with a patch that no feed lists.
    private struct Sightings {
        private var devices = 0
        /// When devices ran it last, and when others shadowed it that had run it before; 0 for a time that is not
        /// known.
        private var runTimes: [UInt64] = [], shadowTimes: [UInt64] = []

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

    /// The numbers of the patches that no feed lists, but that are live.
    private var unlistedLivePatches: [Int] {
        var sightings = patches.map { _ in Sightings() }
        devices.forEach { _, number, life in
            guard number > listedCount, number < sightings.count else { return }
            sightings[number].add(life)
        }
        return sightings.indices.filter { sightings[$0].isLive }
    }

    /// Counts the devices: all of them, and those of each patch.
    private func addDevices(
        to report: inout FleetReport, _ patches: inout [FleetReport.Patch], _ hours: inout [HourKey: FleetReport.Hour]
    ) {
        let scale = devices.scale
        var (all, earlier) = (0, 0)
        var parts: [SurroundingsTable.Counts] = Array(repeating: [:], count: patches.count)
        var held: [FleetReport.Device.Held] = []
        devices.forEach { device, number, life in
            let own = devices.value(beside: device, Subject.device)
            switch UInt16(number) {
            case Subject.device:
                all += 1
                for trouble in FleetReport.Trouble.allCases where life.has(trouble: trouble) {
                    report.troubled[trouble, default: 0] += scale
                }
                if life.isUnsynced { report.unsynced += scale }
                report.device = onlyDevice(life)
            case Subject.damage: report.input.damagedDevices += scale
            case Subject.earlier:
                if own.isEmpty { earlier += 1 }
            default:
                guard patches[number].count(life, on: own, new: newDevices, scale) else { return }
                let part = SurroundingsTable.Count(
                    devices: scale, affected: patches[number].isAffected(life) ? scale : 0)
                parts[number][life.surroundings, default: .init()].add(part)
                if let hour = life.firstHour {
                    hours[HourKey(patch: UInt16(number), hour: hour), default: FleetReport.Hour(hour: Int(hour))]
                        .newDevices += scale
                }
                if onlyDevice != nil { held.append(self.held(patches[number], life, on: own)) }
            }
        }
        report.devices = all * scale
        report.knownDevices = (all + earlier) * scale
        report.device?.patches = held.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        for index in patches.indices.dropFirst() {
            surroundings.report(to: &patches[index], parts[index], reader.texts)
        }
    }

    /// The only device, without its patches; nil if all are counted.
    private func onlyDevice(_ life: DeviceLife) -> FleetReport.Device? {
        guard var device = onlyDevice else { return nil }
        device.appVersion = surroundings.appVersion(life.surroundings, reader.texts)
        device.system = surroundings.system(life.surroundings, reader.texts)
        device.lastLaunch = life.runTime.flatMap { Timestamp(milliseconds: $0) }
        device.lastSync = Timestamp(milliseconds: lastSync)
        return device
    }

    /// A patch on the only device.
    private func held(
        _ patch: FleetReport.Patch, _ life: DeviceLife, on own: DeviceLife
    ) -> FleetReport.Device.Held {
        FleetReport.Device.Held(
            id: patch.id, version: patch.version, stage: life.stage, since: Timestamp(milliseconds: life.stageTime),
            isRunning: life.isRunning(on: own))
    }

    private func addHours(_ hours: [HourKey: FleetReport.Hour], to patches: inout [FleetReport.Patch]) {
        for (key, hour) in hours where key.patch > 0 { patches[Int(key.patch)].hours.append(hour) }
        for number in patches.indices { patches[number].hours.sort { $0.hour < $1.hour } }
    }
}
