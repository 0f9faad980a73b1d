/// A bound on what a report may say about a patch, such as `failures<0.1%`.
package struct ReportGate: Sendable, Equatable {
    /// What is bounded.
    package enum Measure: String, Sendable, CaseIterable {
        /// Calls that failed, of all calls.
        case failures
        /// Calls that something else than the patch answered, of all calls.
        case fallbacks
        /// Devices on which the patch failed, of all devices that reported it.
        case failing
        /// Devices that took the patch back.
        case rolledBack = "rolled-back"
        /// Devices that refused the patch.
        case refused
    }

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
    /// From 0 to 1.
    package let bound: Double
    /// The gate as it was written.
    package let text: String

    /// Reads a gate: a measure, `<`, and a percentage or a number from 0 to 1.
    package init?(_ text: String) {
        let parts = text.split(separator: "<", omittingEmptySubsequences: false)
        guard parts.count == 2, let measure = Measure(rawValue: String(parts[0])) else { return nil }
        let isPercentage = parts[1].hasSuffix("%")
        let digits = isPercentage ? parts[1].dropLast() : parts[1]
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(String(digits))
        else { return nil }
        bound = isPercentage ? number / 100 : number
        guard bound > 0, bound <= 1 else { return nil }
        self.measure = measure
        self.text = text
    }

    /// What is known of what the gate looks at.
    ///
    /// - Parameter scale: How many devices each counted one represents. Only those that were counted say something.
    package func sequence(in patch: FleetReport.Patch, scale: Int) -> ConfidenceSequence {
        let share = share(in: patch)
        let isOfCalls = measure == .failures || measure == .fallbacks
        let counted = isOfCalls ? share : Share(share.count / max(1, scale), of: share.total / max(1, scale))
        return ConfidenceSequence(counted, around: bound)
    }

    /// What the gate looks at.
    package func share(in patch: FleetReport.Patch) -> Share {
        switch measure {
        case .failures: patch.failureRate
        case .fallbacks: Share(min(patch.fallbacks, patch.calls), of: patch.calls)
        case .failing: Share(patch.failing, of: patch.devices)
        case .rolledBack: Share(patch.rolledBack, of: patch.devices)
        case .refused: Share(patch.refused, of: patch.devices)
        }
    }

    /// - Parameter scale: As for `sequence(in:scale:)`.
    package func verdict(on patch: FleetReport.Patch, scale: Int) -> Verdict {
        switch sequence(in: patch, scale: scale).isAbove(bound) {
        case true?: .crossed
        case false?: .passed
        case nil: .undecided
        }
    }
}
