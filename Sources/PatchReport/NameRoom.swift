/// How many names each device has brought into tables that all devices share.
///
/// Devices choose names, and a table has room for so many. If one device could take all of it, the others would report
/// what no one counts. A device is asked only if a table has room, so there are never more devices here than names in
/// the tables.
struct NameRoom {
    /// The most names of a device; nil for any number.
    private let most: Int?
    private var taken: [UInt64: Int] = [:]

    init(most: Int?) { self.most = most }

    /// Takes room for a new name of a device. Returns false if the device has brought enough.
    mutating func take(for device: UInt64) -> Bool {
        guard let most else { return true }
        guard taken[device, default: 0] < most else { return false }
        taken[device, default: 0] += 1
        return true
    }
}
