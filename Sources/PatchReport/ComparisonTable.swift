internal import PatchCrypto
internal import PatchText

/// The functions of patches that devices have compared in shadow, and what each device found.
struct ComparisonTable: Sendable {
    private struct Key: Hashable {
        let patch: UInt16
        let function: UInt32
    }

    /// An answer and what it would be, as the numbers of strings.
    private struct Difference: Hashable {
        let answer: UInt32
        let result: UInt32
        let file: UInt32
        let line: Int
    }

    /// The comparisons of a function on one device. As there may be a million rows, they have single precision, and
    /// 16 bytes.
    private struct Row {
        private var columns = SIMD4<Float>.zero

        var agreed: Float { columns[0] }
        var differed: Float { columns[1] }
        /// The runs that could be compared.
        var compared: Float { agreed + differed }
        /// The calls of the sample: the comparisons, the runs that failed, and the calls that could not be compared.
        var all: Float { columns.sum() }
        var isEmpty: Bool { columns == .zero }

        mutating func add(_ counts: ComparisonCounts) {
            columns += SIMD4(
                Float(counts.agreed), Float(counts.differed), Float(counts.failed), Float(counts.incomparable))
        }
    }

    /// The comparisons of a function.
    private struct Compared {
        /// Its number in the table of the devices' comparisons.
        let number: UInt16
        var counts = ComparisonCounts()
        /// The calls that could not be compared by the number of the reason's string.
        var reasons: [UInt32: Int] = [:]
        /// The earliest of its differences, and when each was first reported: milliseconds since 1970, or the largest
        /// number if that is not known.
        var examples: [Difference: UInt64] = [:]
    }

    /// What all devices found about a function, of which each has one share.
    private struct Shares {
        var patch: UInt16 = 0
        var differing = MeanShare(), comparable = MeanShare()
        var votes = 0
    }

    enum Outcome {
        /// The device had not compared this function before.
        case new
        case known
        /// The line names a function for which there is no room.
        case noRoom
    }

    /// The examples of a function, of which the earliest are kept.
    private static let mostExamples = 3

    private let most: Int, mostReasons: Int
    private var functions: [Key: Compared] = [:]
    /// The comparisons of each function on each device.
    private var rows: DeviceTable<Row>

    /// - Parameters:
    ///   - most: The most functions of all patches together.
    ///   - reasons: The most reasons of a function why calls could not be compared.
    ///   - devices: The most places for functions on devices, a power of two. Each takes 32 bytes.
    init(most: Int, reasons: Int, devices: Int) {
        self.most = most
        mostReasons = reasons
        rows = DeviceTable(Row(), most: devices)
    }

    /// Adds the comparison of the reader's line, which names a function.
    ///
    /// - Parameter time: Milliseconds since 1970; 0 if it is not known.
    mutating func add(
        _ counts: ComparisonCounts, of patch: UInt16, at time: UInt64, _ reader: inout EventReader
    ) -> Outcome {
        let key = Key(patch: patch, function: reader.number(.function))
        // A function without a number takes no room here.
        guard key.function > 0 else { return .noRoom }
        let isKnown = functions[key] != nil
        guard isKnown || (functions.count < most && reader.takesName()) else { return .noRoom }
        // It is taken out of the table, which would otherwise copy it to change it.
        var compared = functions.removeValue(forKey: key) ?? Compared(number: UInt16(clamping: functions.count))
        compared.counts.add(counts)
        addReasons(to: &compared, &reader)
        addExample(to: &compared, at: time, &reader)
        functions[key] = compared
        var isNew = false
        rows.change(reader.device, compared.number) { row in
            isNew = row.isEmpty
            row.add(counts)
        }
        return isNew ? .new : .known
    }

    private func addReasons(to compared: inout Compared, _ reader: inout EventReader) {
        for reason in reader.countedReasons() where reason.text > 0 && reason.number > 0 {
            guard compared.reasons[reason.text] != nil || compared.reasons.count < mostReasons else { continue }
            compared.reasons[reason.text, default: 0].addOrMost(reason.number)
        }
    }

    /// Adds the difference that the reader's line has, and removes the latest one if there are too many.
    private func addExample(to compared: inout Compared, at time: UInt64, _ reader: inout EventReader) {
        guard reader.has(.answer), reader.has(.result) else { return }
        let example = Difference(
            answer: reader.number(.answer), result: reader.number(.result), file: reader.number(.file),
            line: reader.integer(.line))
        // A string that was dropped for lack of room cannot be shown.
        guard example.answer > 0, example.result > 0 else { return }
        let first = time > 0 ? time : .max
        compared.examples[example] = min(compared.examples[example] ?? .max, first)
        guard compared.examples.count > Self.mostExamples,
            let latest = sorted(compared.examples, reader.texts.table).last
        else { return }
        compared.examples[latest] = nil
    }

    /// Examples from the earliest on, regardless of their order in the files.
    private func sorted(_ examples: [Difference: UInt64], _ texts: borrowing TextTable) -> [Difference] {
        let all = examples.map { example, time in
            let names = [texts.text(example.answer), texts.text(example.result), texts.text(example.file)]
            return (example: example, time: time, names: names)
        }
        return all.sorted { one, other in
            guard one.time == other.time else { return one.time < other.time }
            if one.names.isOrdered(before: other.names) { return true }
            return !other.names.isOrdered(before: one.names) && one.example.line < other.example.line
        }.map(\.example)
    }

    /// Adds the functions to the patches that they are of, the one with the most differences first.
    ///
    /// - Parameter devices: The table that knows how many functions a device has compared.
    func report(
        to patches: inout [FleetReport.Patch], _ devices: DeviceTable<DeviceLife>, _ texts: borrowing TextTable
    ) {
        var shares = [Shares](repeating: Shares(), count: functions.count)
        for (key, compared) in functions { shares[Int(compared.number)].patch = key.patch }
        rows.forEach { device, index, row in
            shares[index].differing.add(row.differed, of: row.compared)
            shares[index].comparable.add(row.compared, of: row.all)
            let all = devices.value(beside: device, shares[index].patch).functions
            shares[index].votes += 1_000_000_000 / max(1, Int(all))
        }
        for (key, compared) in functions {
            let shares = shares[Int(compared.number)]
            // As many of the patch's devices as this table would have, which may be a sample of them.
            let shadowed = patches[Int(key.patch)].shadowed / rows.scale
            var comparison = comparison(of: key.function, compared, texts)
            comparison.differingShare = shares.differing.share
            comparison.comparableShare = shares.comparable.share
            comparison.votes = shares.votes
            comparison.users = Share(shares.comparable.devices, of: max(shadowed, shares.comparable.devices))
            patches[Int(key.patch)].comparisons.append(comparison)
        }
        for index in patches.indices {
            patches[index].comparisonScale = rows.scale
            patches[index].comparisons.sort { one, other in
                let count = one.counts.differed
                guard count == other.counts.differed else { return count > other.counts.differed }
                return one.function.hasBytes(before: other.function)
            }
        }
    }

    private func comparison(
        of function: UInt32, _ compared: Compared, _ texts: borrowing TextTable
    ) -> FleetReport.Comparison {
        var comparison = FleetReport.Comparison(function: texts.text(function))
        comparison.counts = compared.counts
        comparison.reasons = compared.reasons.map { reason, count in
            FleetReport.Comparison.Reason(text: texts.text(reason), count: count)
        }
        comparison.reasons.sort { $0.count == $1.count ? $0.text.hasBytes(before: $1.text) : $0.count > $1.count }
        comparison.examples = sorted(compared.examples, texts).map { example in
            FleetReport.Comparison.Example(
                answer: texts.text(example.answer), result: texts.text(example.result),
                place: texts.place(file: example.file, line: example.line))
        }
        return comparison
    }
}
