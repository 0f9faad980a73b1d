internal import PatchCrypto
internal import PatchText

// The report that is made of the tables.
extension ReportBuilder {
    /// The report on the lines that were added.
    package consuming func report() -> FleetReport {
        var report = FleetReport()
        report.input = input
        report.input.origins = origins.count
        report.scale = devices.scale
        var patches = patches.all
        // Which devices of a patch count depends on whether it is live, and the charts on the devices.
        for number in unlistedLivePatches { patches[number].isLive = true }
        var hours = hours
        addDevices(to: &report, &patches, &hours)
        hours.report(to: &patches)
        calls.report(to: &patches)
        comparisons.report(to: &patches, devices, reader.texts.table)
        faults.report(to: &patches, reader.texts.table)
        report.faults = patches[0].faults
        report.patches = patches.dropFirst().sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        return report
    }

    /// The numbers of the patches that no feed lists, but that are live.
    private var unlistedLivePatches: [Int] {
        var sightings = patches.all.map { _ in PatchSightings() }
        devices.forEach { _, number, life in
            guard number > patches.listedCount, number < sightings.count, life.has(.counted) else { return }
            sightings[number].add(life)
        }
        return sightings.indices.filter { sightings[$0].isLive }
    }

    /// Counts the devices: all of them, and those of each patch.
    private func addDevices(
        to report: inout FleetReport, _ patches: inout [FleetReport.Patch], _ hours: inout HourTable
    ) {
        let scale = devices.scale
        var all = 0
        var lastTimes: [UInt32] = []
        // Those of which only events from before the requested time are known.
        var earlier = 0
        var parts: [SurroundingsTable.Counts] = Array(repeating: [:], count: patches.count)
        var held: [FleetReport.Device.Held] = []
        devices.forEach { device, number, life in
            let own = devices.value(beside: device, Subject.device)
            switch UInt16(number) {
            case Subject.device:
                all += 1
                if let last = life.last { lastTimes.append(last) }
                report.count(life, scale)
                report.device = onlyDevice(life)
            case Subject.damage: report.input.damagedDevices += scale
            case Subject.earlier: earlier += own.has(.counted) ? 0 : 1
            default:
                guard life.has(.counted) else { return }
                // The only device holds a patch, whether or not it counts for that.
                if onlyDevice != nil { held.append(FleetReport.Device.Held(patches[number], life, on: own)) }
                guard patches[number].count(life, on: own, new: newDevices, scale) else { return }
                let affected = patches[number].isAffected(life) ? scale : 0
                let part = SurroundingsTable.Count(devices: scale, affected: affected)
                parts[number][life.surroundings, default: .init()].add(part)
                guard let hour = life.firstHour else { return }
                let hasRoom = hours.add(newDevices: scale, of: UInt16(number), in: hour)
                if !hasRoom { report.input.dropped.addOrMost(scale) }
            }
        }
        report.newest = Self.newest(lastTimes)
        report.devices = all * scale
        report.knownDevices = (all + earlier) * scale
        report.device?.patches = held.sorted { ($0.id, $0.version) < ($1.id, $1.version) }
        for index in patches.indices.dropFirst() {
            surroundings.report(to: &patches[index], parts[index], reader.texts.table)
        }
    }

    /// The latest time that several devices have reached: two of three or more, one in ten up to four of forty, then
    /// one in a thousand. A single clock that is hours ahead would hide for as long that no events come any more.
    ///
    /// - Parameter lastTimes: The times of the devices' last events, in seconds since 1970.
    private static func newest(_ lastTimes: [UInt32]) -> Timestamp? {
        let count = lastTimes.count
        let least = count < 3 ? 1 : 2
        let several = max(least, min(4, count / 10), count / 1000)
        let newest = lastTimes.sorted(by: >).dropFirst(several - 1).first
        return newest.flatMap { Timestamp(secondsSince1970: Int($0)) }
    }

    /// The only device, without its patches; nil if all are counted.
    private func onlyDevice(_ life: DeviceLife) -> FleetReport.Device? {
        guard var device = onlyDevice else { return nil }
        device.appVersion = surroundings.appVersion(life.surroundings, reader.texts.table)
        device.system = surroundings.system(life.surroundings, reader.texts.table)
        device.lastLaunch = life.runTime.flatMap { Timestamp(milliseconds: $0) }
        device.lastSync = Timestamp(milliseconds: lastSync)
        return device
    }
}
