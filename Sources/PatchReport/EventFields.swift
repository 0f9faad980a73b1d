internal import PatchText

/// What a line has of the members that a report needs. A string is the range of its bytes.
struct EventFields: Sendable {
    /// The strings and the integers by the numbers of their keys (``EventVocabulary``); empty, and 0, for members that
    /// the line does not have.
    var strings: [Range<Int>]
    var integers: [Int]
    /// The counts of measured calls by their time.
    var times: [Int] = []
    /// The patches of a launch with their versions.
    var running: [(name: Range<Int>, number: Int)] = []
    /// The reasons of a comparison with their counts.
    var reasons: [(name: Range<Int>, number: Int)] = []
    /// Whether an id or a version is of another type, or a version is 0.
    var isMisnamed = false
    /// Whether a count is negative, too large or no whole number.
    var isMiscounted = false

    /// - Parameter count: How many numbers keys have.
    init(count: Int) {
        strings = Array(repeating: 0..<0, count: count)
        integers = Array(repeating: 0, count: count)
    }

    subscript(_ key: EventRecord.Key) -> Range<Int> { strings[key.number] }

    /// Removes the fields of a line, and keeps the memory for those of the next one.
    mutating func removeAll() {
        for number in strings.indices {
            strings[number] = 0..<0
            integers[number] = 0
        }
        times.removeAll(keepingCapacity: true)
        running.removeAll(keepingCapacity: true)
        reasons.removeAll(keepingCapacity: true)
        isMisnamed = false
        isMiscounted = false
    }
}
