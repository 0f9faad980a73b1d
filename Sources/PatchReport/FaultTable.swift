internal import PatchCrypto
internal import PatchText

/// The faults of patches and devices, of which equal ones are counted together.
struct FaultTable {
    private struct Key: Hashable {
        let patch: UInt16
        let event: EventRecord.Name
        let code: UInt32
        let function: UInt32
        /// The reason of a roll-back.
        let reason: UInt32
    }

    /// The example that is reported for equal faults: the earliest, or the latest in a report on a single device.
    private struct Example {
        let time: UInt64
        let message: UInt32
        let file: UInt32
        let line: Int
        let stack: UInt32
    }

    /// What is known of equal faults.
    private struct Counted {
        var count = 0
        /// When it happened last, in milliseconds since 1970; 0 if no plausible time is known.
        var last: UInt64 = 0
        var example: Example
    }

    private let most: Int
    private let showsLatest: Bool
    private var faults: [Key: Counted] = [:]

    /// - Parameters:
    ///   - most: The most faults that are told apart.
    ///   - showsLatest: Whether the example of equal faults is the latest one, and not the earliest.
    init(most: Int, showsLatest: Bool) {
        self.most = most
        self.showsLatest = showsLatest
    }

    /// Adds the fault of the reader's line. Returns false if there is no room for it.
    ///
    /// - Parameters:
    ///   - patch: The number of the patch; 0 for the device itself.
    ///   - count: How often it happened.
    ///   - time: Milliseconds since 1970; 0 if it is not known.
    mutating func add(
        _ name: EventRecord.Name, of patch: UInt16, count: Int, at time: UInt64, _ reader: inout EventReader
    ) -> Bool {
        let isReasoned = name == .rolledBack || name == .closed
        let message = reader.number(isReasoned ? .reason : .message)
        let key = Key(
            patch: patch, event: name, code: reader.number(.error), function: reader.number(.function),
            reason: isReasoned ? message : 0)
        let isKnown = faults[key] != nil
        guard isKnown || (faults.count < most && reader.takesName()) else { return false }
        // A fault without a time is the last one to be the example.
        let unknown: UInt64 = showsLatest ? 0 : .max
        let example = Example(
            time: time > 0 ? time : unknown, message: message, file: reader.number(.file),
            line: reader.integer(.line), stack: reader.number(.stack))
        var fault = faults.removeValue(forKey: key) ?? Counted(example: example)
        fault.count.addOrMost(count)
        fault.last = max(fault.last, time)
        if isPreferred(example, to: fault.example, reader.texts.table) { fault.example = example }
        faults[key] = fault
        return true
    }

    /// Whether the first of two examples is reported, regardless of their order in the files.
    private func isPreferred(_ one: Example, to other: Example, _ texts: borrowing TextTable) -> Bool {
        // A string that was dropped for lack of space cannot be shown.
        guard (one.message == 0) == (other.message == 0) else { return other.message == 0 }
        guard one.time == other.time else { return (one.time < other.time) == !showsLatest }
        guard one.message == other.message else { return texts.isOrdered(one.message, before: other.message) }
        guard one.file == other.file else { return texts.isOrdered(one.file, before: other.file) }
        guard one.line == other.line else { return one.line < other.line }
        return texts.isOrdered(one.stack, before: other.stack)
    }

    /// Adds the faults to the patches that they are of, the most frequent first.
    func report(to patches: inout [FleetReport.Patch], _ texts: borrowing TextTable) {
        for (key, fault) in faults {
            let example = fault.example
            patches[Int(key.patch)].faults.append(
                FleetReport.Fault(
                    event: key.event.rawValue, code: texts.text(key.code), function: texts.text(key.function),
                    place: texts.place(file: example.file, line: example.line),
                    stack: example.stack > 0 ? texts.text(example.stack) : nil, message: texts.text(example.message),
                    count: fault.count, last: Timestamp(milliseconds: fault.last)))
        }
        for index in patches.indices {
            patches[index].faults.sort { one, other in
                guard one.count == other.count else { return one.count > other.count }
                let texts = [one, other].map { [$0.event, $0.code, $0.function, $0.message] }
                return texts[0].isOrdered(before: texts[1])
            }
        }
    }
}
