/// What happened to each patch in each hour.
struct HourTable: Sendable {
    private struct Key: Hashable {
        let patch: UInt16
        /// Hours since 1970.
        let hour: UInt32
    }

    private let most: Int
    /// The hours that each device has brought.
    private var room: NameRoom
    private var hours: [Key: FleetReport.Hour] = [:]

    /// - Parameters:
    ///   - most: The most hours of all patches together.
    ///   - mostOfDevice: The most hours that a device may bring; nil for any number.
    init(most: Int, ofDevice mostOfDevice: Int?) {
        self.most = most
        room = NameRoom(most: mostOfDevice)
    }

    /// Changes the hour of a patch in which a device's event is. Returns false if there is no room for it.
    ///
    /// - Parameter time: Milliseconds since 1970.
    mutating func change(
        of patch: UInt16, at time: UInt64, on device: UInt64, _ body: (inout FleetReport.Hour) -> Void
    ) -> Bool {
        let key = Key(patch: patch, hour: UInt32(clamping: time / 3_600_000))
        let isKnown = hours[key] != nil
        guard isKnown || (hours.count < most && room.take(for: device)) else { return false }
        body(&hours[key, default: FleetReport.Hour(hour: Int(key.hour))])
        return true
    }

    /// Counts devices that reported a patch for the first time in an hour. Returns false if there is no room for it.
    mutating func add(newDevices count: Int, of patch: UInt16, in hour: UInt32) -> Bool {
        let key = Key(patch: patch, hour: hour)
        guard hours[key] != nil || hours.count < most else { return false }
        hours[key, default: FleetReport.Hour(hour: Int(hour))].newDevices += count
        return true
    }

    /// Adds the hours to the patches that they are of, the earliest first.
    func report(to patches: inout [FleetReport.Patch]) {
        for (key, hour) in hours { patches[Int(key.patch)].hours.append(hour) }
        for number in patches.indices { patches[number].hours.sort { $0.hour < $1.hour } }
    }
}
