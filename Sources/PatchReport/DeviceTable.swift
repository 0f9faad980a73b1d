/// What is known of devices, each with a number of what it is about, in bounded memory.
///
/// If there are too many, devices are left out by their hashes: half of them, then half of the rest. The remaining ones
/// are a random sample, because a hash reveals nothing about a device.
struct DeviceTable<Value: Sendable>: Sendable {
    private struct Entry {
        /// The upper 48 bits of the hash of the installation, and the number. 0 marks a free place.
        var key: UInt64 = 0
        var value: Value
    }

    private let empty: Value
    private var entries: [Entry]
    private var count = 0
    /// The maximum number of places.
    private let most: Int
    /// Spreads hashes over the places. It differs in each run, because hashes may be chosen to collide.
    private let spread = UInt64.random(in: .min ... .max) | 1
    /// Devices are kept if this many leading bits of their hash are 0.
    private var droppedBits = 0

    /// - Parameter most: The maximum number of places, a power of two from 4 on.
    init(_ empty: Value, most: Int) {
        self.empty = empty
        self.most = most
        entries = Array(repeating: Entry(value: empty), count: min(1 << 10, most))
    }

    /// How many devices each kept device represents. It has a limit, so that no sum over the table overflows if hashes
    /// are chosen for that.
    var scale: Int { 1 << min(droppedBits, 31) }

    /// The key of an entry. A hash whose upper bits are 0 counts as another one, as 0 marks a free place.
    private static func key(_ device: UInt64, _ number: UInt16) -> UInt64 {
        max(device, 1 << 16) & ~0xFFFF | UInt64(number)
    }

    /// Changes the value of a device, unless the device is left out.
    mutating func change(_ device: UInt64, _ number: UInt16, _ body: (inout Value) -> Void) {
        let key = Self.key(device, number)
        // A free place is far once seven of ten are taken. To leave half of the devices out may not be enough: the rows
        // of a device stay or go together.
        while count * 10 >= entries.count * 7 { makeRoom() }
        guard isKept(key) else { return }
        let place = place(key)
        if entries[place].key == 0 {
            entries[place].key = key
            count += 1
        }
        body(&entries[place].value)
    }

    /// The value of the device of an entry's key, with another number; an empty one if there is none.
    func value(beside key: UInt64, _ number: UInt16) -> Value { entries[place(Self.key(key, number))].value }

    /// - Parameter body: It gets the key of the device, the number and the value.
    func forEach(_ body: (UInt64, Int, Value) -> Void) {
        for entry in entries where entry.key != 0 { body(entry.key, Int(entry.key & 0xFFFF), entry.value) }
    }

    private func isKept(_ key: UInt64) -> Bool { key.leadingZeroBitCount >= droppedBits }

    /// The place of a key, or the free place for it.
    private func place(_ key: UInt64) -> Int {
        let mask = entries.count - 1
        // The entries of a device are near each other, mostly in one line of the processor's cache.
        let first = ((key >> 16) &* spread) >> UInt64(64 - mask.nonzeroBitCount)
        let number = key & 0xFFFF
        var place = Int(truncatingIfNeeded: first &+ number) & mask
        while entries[place].key != 0, entries[place].key != key { place = (place + 1) & mask }
        return place
    }

    /// Doubles the places, or leaves half of the devices out if there may be no more.
    private mutating func makeRoom() {
        let old = entries
        if old.count >= most { droppedBits += 1 }
        entries = Array(repeating: Entry(value: empty), count: min(most, old.count * 2))
        count = 0
        for entry in old where entry.key != 0 && isKept(entry.key) {
            entries[place(entry.key)] = entry
            count += 1
        }
    }
}
