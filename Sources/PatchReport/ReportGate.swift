internal import PatchText

/// A bound on a number in a report: of a patch, such as `failures<0.1%` or `time-p95<5ms`, or of all devices: `sync-failed<5%`.
package struct ReportGate: Sendable, Equatable {
    /// The measure that is bounded.
    package enum Measure: String, Sendable, CaseIterable {
        /// Calls that failed, of all calls.
        case failures
        /// Calls that were answered by something other than the patch, of all calls.
        case fallbacks
        /// Calls that would have been answered otherwise, of those that were compared in shadow.
        case differs
        /// Devices on which the patch failed, also in shadow, of all devices that reported it.
        case failing
        /// Devices that rolled the patch back.
        case rolledBack = "rolled-back"
        /// Devices that refused the patch.
        case refused
        /// Devices whose last sync failed, of all devices that reported anything.
        case syncFailed = "sync-failed"
        /// Devices whose store could not be used, of all devices that reported anything.
        case storeFailed = "store-failed"
        /// Measured calls that took longer than a time.
        case time

        /// Whether calls are counted, and not devices.
        package var isOfCalls: Bool { [.failures, .fallbacks, .differs, .time].contains(self) }
        /// Whether a patch in shadow, or one that is live, has it. Calls are compared only in shadow, and only a live patch answers.
        package func isDecided(inShadow: Bool) -> Bool { !isOfCalls || (self == .differs) == inShadow }
        /// Whether all devices are counted, and not those with a patch.
        package var isOfFleet: Bool { [.syncFailed, .storeFailed].contains(self) }
    }

    /// The times that a gate may name, as they are written.
    package static let times = ["100us", "1ms", "2ms", "5ms", "10ms", "20ms", "50ms", "100ms", "200ms", "500ms"]

    /// Whether a report stays within a bound.
    package enum Verdict: String, Sendable {
        /// The part is certainly below the bound.
        case passed
        /// The part is certainly above the bound.
        case crossed
        /// There are too few devices or calls to be certain.
        case undecided
    }

    package let measure: Measure
    /// The bound, from 0 to 1. If it is relative, the allowed increase over the previous version.
    package let bound: Double
    /// Whether the bound is relative: the value of the patch's previous version plus `bound`.
    package let isRelative: Bool
    /// For a gate on time, the index of its time in ``times`` and in `EventRecord.timeBounds`.
    private let time: Int?
    /// The gate as it was written.
    package let text: String

    /// Reads a gate.
    ///
    /// A gate is a measure, `<`, and a percentage, which `previous+` may precede; or it is `time-p95<5ms`, with any whole
    /// percentage from 1 to 99. Only a measure of a patch can have `previous+`. A number without `%` is refused, because it could
    /// be a part or a percentage.
    package init?(_ text: String) {
        let parts = text.split(separator: "<", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.text = text
        if parts[0].hasPrefix("time-p") {
            let digits = parts[0].dropFirst("time-p".count)
            guard let percent = Int(digits), "\(percent)" == digits, 1...99 ~= percent,
                let time = Self.times.firstIndex(of: String(parts[1]))
            else { return nil }
            (measure, bound, isRelative, self.time) = (.time, Double(100 - percent) / 100, false, time)
            return
        }
        guard let measure = Measure(rawValue: String(parts[0])), measure != .time else { return nil }
        time = nil
        let previous = "previous+"
        isRelative = parts[1].hasPrefix(previous)
        let number = isRelative ? parts[1].dropFirst(previous.count) : parts[1]
        let digits = number.dropLast()
        guard number.hasSuffix("%"), !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(String(digits))
        else { return nil }
        bound = value / 100
        guard bound > 0, bound <= 1, !isRelative || !measure.isOfFleet else { return nil }
        self.measure = measure
    }

    /// The confidence sequence of the gate's part for a patch.
    ///
    /// - Parameter scale: How many devices each counted one represents. Only the counted devices are evidence.
    package func sequence(in patch: FleetReport.Patch, scale: Int) -> ConfidenceSequence {
        sequence(of: share(in: patch), scale: scale)
    }

    private func sequence(of share: Share, scale: Int) -> ConfidenceSequence {
        let counted = measure.isOfCalls ? share : Share(share.count / max(1, scale), of: share.total / max(1, scale))
        // With two versions, each may be wrong half as often as a single one.
        return ConfidenceSequence(counted, around: bound, errors: isRelative ? 0.025 : 0.05)
    }

    /// The confidence sequence of the gate's part for all devices.
    package func sequence(in report: FleetReport) -> ConfidenceSequence {
        sequence(of: share(in: report), scale: report.scale)
    }

    /// The part of all devices that the gate bounds.
    package func share(in report: FleetReport) -> Share {
        let count = measure == .syncFailed ? report.unsynced : report.troubled[.storeFailed] ?? 0
        return Share(count, of: report.devices)
    }

    /// Whether all devices stay within the bound, for a gate on all devices.
    package func verdict(on report: FleetReport) -> Verdict {
        switch sequence(in: report).isAbove(bound) {
        case true?: .crossed
        case false?: .passed
        case nil: .undecided
        }
    }

    /// The part of a patch's devices or calls that the gate bounds.
    package func share(in patch: FleetReport.Patch) -> Share {
        switch measure {
        case .failures: patch.failureRate
        case .fallbacks: Share(min(patch.fallbacks, patch.calls), of: patch.calls)
        case .differs: patch.comparison.weighed
        case .failing: Share(patch.failing, of: patch.devices)
        case .rolledBack: Share(patch.rolledBack, of: patch.devices)
        case .refused: Share(patch.refused, of: patch.devices)
        case .syncFailed, .storeFailed: Share(0, of: 0)
        case .time: patch.share(slowerThan: time ?? 0)
        }
    }

    /// - Parameter previous: The previous version; nil if no device has reported one.
    package func verdict(
        on patch: FleetReport.Patch, after previous: FleetReport.Patch? = nil, scale: Int
    ) -> Verdict {
        let (lower, upper) = (sequence(in: patch, scale: scale), worst(in: patch, scale: scale))
        guard isRelative else {
            if lower.isAbove(bound) == true { return .crossed }
            return upper.isAbove(bound) == false ? .passed : .undecided
        }
        guard let previous else { return .undecided }
        let worstBefore = worst(in: previous, scale: scale).interval.upperBound
        if lower.interval.lowerBound > worstBefore + bound { return .crossed }
        let leastBefore = sequence(in: previous, scale: scale).interval.lowerBound
        return upper.interval.upperBound < leastBefore + bound ? .passed : .undecided
    }

    /// The confidence sequence if each suspicion is right. A suspected patch is neither blamed nor cleared.
    private func worst(in patch: FleetReport.Patch, scale: Int) -> ConfidenceSequence {
        var worst = patch
        worst.rolledBack = patch.rolledBack.addingOrMost(patch.suspected)
        return sequence(in: worst, scale: scale)
    }
}
