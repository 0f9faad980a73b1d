import PatchCrypto

/// A bound on what a report may say about a patch, such as `failures<0.1%` or `time-p95<5ms`; or about all devices: `sync-failed<5%`.
package struct ReportGate: Sendable, Equatable {
    /// What is bounded.
    package enum Measure: String, Sendable, CaseIterable {
        /// Calls that failed, of all calls.
        case failures
        /// Calls that something else than the patch answered, of all calls.
        case fallbacks
        /// Devices on which the patch failed, of all devices that reported it.
        case failing
        /// Devices that rolled the patch back.
        case rolledBack = "rolled-back"
        /// Devices that refused the patch.
        case refused
        /// Devices whose last sync failed, of all devices that were heard of.
        case syncFailed = "sync-failed"
        /// Devices whose store could not be used, of all devices that were heard of.
        case storeFailed = "store-failed"
        /// Measured calls that took longer than a time.
        case time

        /// Whether calls are counted, and not devices.
        package var isOfCalls: Bool { [.failures, .fallbacks, .time].contains(self) }
        /// Whether all devices are counted, and not those with a patch.
        package var isOfFleet: Bool { [.syncFailed, .storeFailed].contains(self) }
    }

    /// The times that may be asked for, as they are written.
    package static let times = ["100us", "1ms", "2ms", "5ms", "10ms", "20ms", "50ms", "100ms", "200ms", "500ms"]

    /// Whether a report keeps to a bound.
    package enum Verdict: String, Sendable {
        /// The part is surely below the bound.
        case passed
        /// The part is surely above the bound.
        case crossed
        /// There are too few devices or calls to be sure.
        case undecided
    }

    package let measure: Measure
    /// From 0 to 1. If the bound is relative, how much more than the version before it may be.
    package let bound: Double
    /// Whether the bound is what the version before of the same patch has, and `bound` more.
    package let isRelative: Bool
    /// For a gate on time, the place of its time in ``times`` and in `EventRecord.timeBounds`.
    private let time: Int?
    /// The gate as it was written.
    package let text: String

    /// Reads a gate: a measure, `<`, and a percentage, before which `previous+` may be; or `time-p95<5ms`, with any other whole percentage
    /// from 1 to 99. Only what is of a patch has a version before. A number without `%` is refused: it could be a part or a percentage.
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

    /// What is known of what the gate looks at.
    ///
    /// - Parameter scale: How many devices each counted one represents. Only those that were counted say something.
    package func sequence(in patch: FleetReport.Patch, scale: Int) -> ConfidenceSequence {
        sequence(of: share(in: patch), scale: scale)
    }

    /// - Parameter scale: As for `sequence(in:scale:)`.
    private func sequence(of share: Share, scale: Int) -> ConfidenceSequence {
        let counted = measure.isOfCalls ? share : Share(share.count / max(1, scale), of: share.total / max(1, scale))
        // Of two versions, each may be wrong in half of the cases in which one may.
        return ConfidenceSequence(counted, around: bound, errors: isRelative ? 0.025 : 0.05)
    }

    /// What is known of all devices, for a gate on these.
    package func sequence(in report: FleetReport) -> ConfidenceSequence {
        sequence(of: share(in: report), scale: report.scale)
    }

    /// What a gate on all devices looks at.
    package func share(in report: FleetReport) -> Share {
        let count = measure == .syncFailed ? report.unsynced : report.troubled[.storeFailed] ?? 0
        return Share(count, of: report.devices)
    }

    /// Whether all devices keep to the bound, for a gate on these.
    package func verdict(on report: FleetReport) -> Verdict {
        switch sequence(in: report).isAbove(bound) {
        case true?: .crossed
        case false?: .passed
        case nil: .undecided
        }
    }

    /// What the gate looks at.
    package func share(in patch: FleetReport.Patch) -> Share {
        switch measure {
        case .failures: patch.failureRate
        case .fallbacks: Share(min(patch.fallbacks, patch.calls), of: patch.calls)
        case .failing: Share(patch.failing, of: patch.devices)
        case .rolledBack: Share(patch.rolledBack, of: patch.devices)
        case .refused: Share(patch.refused, of: patch.devices)
        case .syncFailed, .storeFailed: Share(0, of: 0)
        case .time: patch.share(slowerThan: time ?? 0)
        }
    }

    /// - Parameters:
    ///   - previous: The version before; nil if no device has reported one.
    ///   - scale: As for `sequence(in:scale:)`.
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

    /// What is known if each suspect is to blame: a patch that is suspected is not blamed, and not cleared.
    private func worst(in patch: FleetReport.Patch, scale: Int) -> ConfidenceSequence {
        var worst = patch
        worst.rolledBack = patch.rolledBack.addingOrMost(patch.suspected)
        return sequence(in: worst, scale: scale)
    }
}
