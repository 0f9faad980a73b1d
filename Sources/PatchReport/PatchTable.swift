/// The patches of a report by numbers: first those that the feed lists, then those that devices name.
struct PatchTable: Sendable {
    /// A patch in one version. Its id is the number of a string.
    struct Key: Hashable {
        let id: UInt32
        let version: Int
    }

    /// The patches by their numbers. The one with the number 0 stands for the devices themselves.
    var all = [FleetReport.Patch(id: "", version: 0)]
    /// How many of the patches the feed lists. They have the first numbers.
    private(set) var listedCount = 0
    /// The most patches that the feed does not list.
    private let most: Int
    /// The only patch that is counted; 0 for any id and any version.
    private let only: Key
    private var numbers: [Key: UInt16] = [:]
    /// The patch that was asked for last: lines about it often follow each other.
    private var last: (key: Key, number: UInt16)?

    init(most: Int, only: Key) {
        self.most = most
        self.only = only
    }

    /// Adds a patch that a feed lists. It has a place whatever devices send.
    mutating func add(listed patch: FleetReport.Listed, _ reader: inout EventReader) {
        let key = Key(id: reader.number(of: patch.id), version: patch.version)
        guard isAsked(key), key.id > 0 else { return }
        let number = Int(numbers[key] ?? add(key, reader.texts.table))
        all[number].stopped = patch.stopped
        all[number].isLive = patch.isLive
        listedCount = all.count - 1
    }

    /// The number of a patch that the reader's line names; nil if it is not to be counted, or if there is no room for
    /// it, which the input then tells.
    mutating func number(
        of key: Key, _ reader: inout EventReader, _ input: inout FleetReport.Input
    ) -> UInt16? {
        guard isAsked(key) else { return nil }
        if let last, last.key == key { return last.number }
        // The strings without room for the id have counted it as dropped.
        guard key.id > 0 else {
            input.droppedPatches += 1
            return nil
        }
        if let number = numbers[key] {
            last = (key, number)
            return number
        }
        guard all.count - 1 - listedCount < most, reader.takesName() else {
            input.dropped += 1
            input.droppedPatches += 1
            return nil
        }
        return add(key, reader.texts.table)
    }

    private func isAsked(_ key: Key) -> Bool {
        (only.id == 0 || key.id == only.id) && (only.version == 0 || key.version == only.version)
    }

    private mutating func add(_ key: Key, _ texts: borrowing TextTable) -> UInt16 {
        let number = UInt16(all.count)
        all.append(FleetReport.Patch(id: texts.text(key.id), version: key.version))
        numbers[key] = number
        return number
    }
}
