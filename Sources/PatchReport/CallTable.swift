internal import PatchText

/// The calls of each patch on each device, for shares in which every device counts alike.
struct CallTable: Sendable {
    /// The calls of a patch on one device. As there may be a million rows, they have single precision, and 64 bytes.
    private struct Row {
        private var columns = SIMD16<Float>.zero

        /// The place of each column. From ``times`` on, the measured calls by their time: below each of
        /// `EventRecord.timeBounds`, and below none.
        private enum Column {
            static let calls = 0
            static let failures = 1
            static let fallbacks = 2
            static let times = 3
        }

        var calls: Float { columns[Column.calls] }
        var failures: Float { columns[Column.failures] }
        var fallbacks: Float { columns[Column.fallbacks] }
        /// The measured calls whose time is in a bucket of `EventRecord.timeBounds`, or above all bounds.
        func measured(in bucket: Int) -> Float { columns[Column.times + bucket] }

        mutating func add(_ counts: CallCounts) {
            columns[Column.calls] += Float(counts.calls)
            columns[Column.failures] += Float(counts.failures)
            columns[Column.fallbacks] += Float(counts.fallbacks)
            for (bucket, count) in counts.times.enumerated() { columns[Column.times + bucket] += Float(count) }
        }
    }

    /// The means of the shares of a patch's devices.
    private struct Means {
        var failures = MeanShare()
        var fallbacks = MeanShare()
        /// Of the measured calls, those that took longer than each of `EventRecord.timeBounds`.
        var slower = EventRecord.timeBounds.map { _ in MeanShare() }

        mutating func add(_ row: Row) {
            failures.add(row.failures, of: row.calls)
            fallbacks.add(row.fallbacks, of: row.calls)
            let measured = (0...EventRecord.timeBounds.count).reduce(0) { $0 + row.measured(in: $1) }
            var rest = measured
            for bucket in slower.indices {
                rest -= row.measured(in: bucket)
                slower[bucket].add(max(0, rest), of: measured)
            }
        }
    }

    private var rows: DeviceTable<Row>

    /// - Parameter most: The maximum number of places, a power of two. Each takes 80 bytes.
    init(most: Int) { rows = DeviceTable(Row(), most: most) }

    /// - Parameter patch: The number of the patch.
    mutating func add(_ counts: CallCounts, of patch: UInt16, on device: UInt64) {
        rows.change(device, patch) { $0.add(counts) }
    }

    /// Adds the shares to the patches that they are of.
    func report(to patches: inout [FleetReport.Patch]) {
        var means = patches.map { _ in Means() }
        rows.forEach { _, patch, row in means[patch].add(row) }
        for (patch, means) in means.enumerated() {
            patches[patch].failureShare = means.failures.share
            patches[patch].fallbackShare = means.fallbacks.share
            patches[patch].slowerShares = means.slower.map(\.share)
            patches[patch].callScale = rows.scale
        }
    }
}
