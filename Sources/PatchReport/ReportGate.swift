internal import PatchText

/// A bound on a number in a report: of a patch, such as `failures<0.1%` or `time-p95<5ms`, or of all devices:
/// `sync-failed<5%`.
package struct ReportGate: Sendable, Equatable {
    package enum Measure: String, Sendable, CaseIterable {
        /// Calls that failed: the mean of the devices' shares of their calls.
        case failures
        /// Calls that were answered by something other than the patch, likewise.
        case fallbacks
        /// Calls that would have been answered otherwise, of those that were compared in shadow, likewise, for the
        /// worst function.
        case differs
        /// Devices on which the patch failed, also in shadow, of all devices that reported it.
        case failing
        case rolledBack = "rolled-back"
        case refused
        /// Devices whose last sync failed, of all devices that reported anything.
        case syncFailed = "sync-failed"
        /// Devices whose store could not be used, of all devices that reported anything.
        case storeFailed = "store-failed"
        /// Measured calls that took longer than a time, likewise.
        case time

        /// Whether devices give a share of their calls.
        package var isOfCalls: Bool { [.failures, .fallbacks, .differs, .time].contains(self) }
        /// Whether a patch in shadow, or one that is live, has it. Calls are compared only in shadow, and only a live
        /// patch answers.
        package func isDecided(inShadow: Bool) -> Bool { !isOfCalls || (self == .differs) == inShadow }
        /// Whether a gate may bound it with `=0`: it is decided by each device.
        fileprivate var mayBeExact: Bool { [.failing, .rolledBack, .refused, .differs].contains(self) }
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
        /// There are too few devices to be certain, or hardly a call could be compared.
        case undecided
    }

    package struct Judgement: Sendable {
        package let verdict: Verdict
        package let sequence: ConfidenceSequence
        /// The same for the previous version, if the bound is relative to it.
        package let previous: ConfidenceSequence?
        /// The function that decided; nil if the gate is not about functions.
        package let function: FleetReport.Comparison?
        /// Whether the functions decided for which there was no room.
        package var isOfUncounted = false

        fileprivate var rank: (Int, Double) {
            (verdict == .crossed ? 2 : verdict == .undecided ? 1 : 0, sequence.share.value ?? 1)
        }
    }

    package let measure: Measure
    /// The bound, from 0 to 1. If it is relative, the allowed increase over the previous version.
    package let bound: Double
    /// Whether the gate is crossed by the first device: `failing=0`. It is passed as long as there is none, which is
    /// not evidence for other devices.
    package var isExact: Bool { bound == 0 }
    /// Whether the bound is relative: the value of the patch's previous version plus `bound`.
    package let isRelative: Bool
    /// For a gate on time, the index of its time in ``times`` and in `EventRecord.timeBounds`.
    private let time: Int?
    /// The gate as it was written.
    package let text: String

    /// A gate is a measure, `<`, and a percentage, which `previous+` may precede; or it is `time-p95<5ms`, with any
    /// whole percentage from 1 to 99. Only a measure of a patch can have `previous+`. `=0` in place of the bound is an
    /// exact gate. A number without `%` is refused, because it could be a part or a percentage.
    package init?(_ text: String) {
        self.text = text
        if text.hasSuffix("=0"), let measure = Measure(rawValue: String(text.dropLast(2))), measure.mayBeExact {
            self.measure = measure
            bound = 0
            isRelative = false
            time = nil
            return
        }
        let parts = text.split(separator: "<", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[0].hasPrefix("time-p") {
            let digits = parts[0].dropFirst("time-p".count)
            guard let percent = Int(digits), "\(percent)" == digits, 1...99 ~= percent,
                let time = Self.times.firstIndex(of: String(parts[1]))
            else { return nil }
            measure = .time
            bound = Double(100 - percent) / 100
            isRelative = false
            self.time = time
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

    /// Whether all devices stay within the bound, for a gate on all devices.
    package func judge(_ report: FleetReport) -> Judgement {
        let count = measure == .syncFailed ? report.unsynced : report.troubled[.storeFailed] ?? 0
        return judge(counted(count, of: report.devices, report.scale))
    }

    /// Whether a patch stays within the bound. Of several functions, the worst decides.
    ///
    /// - Parameters:
    ///   - previous: The previous version; nil if no device has reported one.
    ///   - scale: How many devices each counted one represents. Only the counted devices are evidence.
    package func judge(_ patch: FleetReport.Patch, after previous: FleetReport.Patch? = nil, scale: Int) -> Judgement {
        guard !isExact else { return judgeExactly(patch, scale) }
        guard measure == .differs else {
            return judge(
                share(in: patch, scale), suspected: suspected(patch, scale),
                after: previous.map { (share(in: $0, scale), suspected($0, scale)) })
        }
        let functions = patch.comparisons.filter { $0.users.count > 0 }
        guard !functions.isEmpty else { return judge(Share(0, of: 0)) }
        let votes = Double(functions.reduce(1) { $0 + $1.votes })
        var all = functions.map { function in
            let old = previous?.comparisons.first { $0.function == function.function }
            return judge(
                function.differingShare, of: function, weight: Double(function.votes) / votes,
                after: old.map { ($0.differingShare, 0) })
        }
        if patch.uncounted > 0 {
            // They may use functions that differ in each call.
            let sequence = sequence(counted(patch.uncounted, of: max(patch.shadowed, patch.uncounted), scale), 0.05)
            all.append(
                Judgement(
                    verdict: sequence.isAbove(bound) == false ? .passed : .undecided, sequence: sequence,
                    previous: nil, function: nil, isOfUncounted: true))
        }
        return all.max { $0.rank < $1.rank } ?? judge(Share(0, of: 0))
    }

    /// The first device decides, of any function.
    private func judgeExactly(_ patch: FleetReport.Patch, _ scale: Int) -> Judgement {
        let functions = patch.comparisons.filter { $0.users.count > 0 }
        let worst = functions.max { $0.differingShare.count < $1.differingShare.count }
        let share = measure == .differs ? worst?.differingShare ?? Share(0, of: 0) : share(in: patch, scale)
        let isOpen = measure == .rolledBack && patch.suspected > 0
        let isHidden = measure == .differs && (patch.uncounted > 0 || !functions.allSatisfy(\.isComparable))
        return Judgement(
            verdict: share.count > 0 ? .crossed : share.total == 0 || isOpen || isHidden ? .undecided : .passed,
            sequence: sequence(share, 0.05), previous: nil,
            function: measure == .differs ? functions.first { share.count == 0 && !$0.isComparable } ?? worst : nil,
            isOfUncounted: share.count == 0 && measure == .differs && patch.uncounted > 0)
    }

    private func suspected(_ patch: FleetReport.Patch, _ scale: Int) -> Int {
        measure == .rolledBack ? patch.suspected / max(1, scale) : 0
    }

    private func counted(_ count: Int, of total: Int, _ scale: Int) -> Share {
        Share(count / max(1, scale), of: total / max(1, scale))
    }

    /// The part of a patch's devices, or the mean of their parts, that the gate bounds.
    private func share(in patch: FleetReport.Patch, _ scale: Int) -> Share {
        switch measure {
        case .failures: patch.failureShare
        case .fallbacks: patch.fallbackShare
        case .failing: counted(patch.failing, of: patch.devices, scale)
        case .rolledBack: counted(patch.rolledBack, of: patch.devices, scale)
        case .refused: counted(patch.refused, of: patch.devices, scale)
        case .time: patch.slowerShares[time ?? 0]
        case .differs, .syncFailed, .storeFailed: Share(0, of: 0)
        }
    }

    /// - Parameters:
    ///   - weight: The function's part of all votes on functions.
    ///   - suspected: The devices that may have to be added. A suspected patch is neither blamed nor cleared.
    private func judge(
        _ share: Share, of function: FleetReport.Comparison? = nil, weight: Double = 1, suspected: Int = 0,
        after previous: (share: Share, suspected: Int)? = nil
    ) -> Judgement {
        // With two versions, each may be wrong half as often as a single one. The functions share what they may be
        // wrong.
        let errors = isRelative ? 0.025 : 0.05
        let lower = sequence(share, errors * max(weight, 1e-12))
        let upper = sequence(share, plus: suspected, errors)
        let before = previous.map {
            (lower: sequence($0.share, errors), upper: sequence($0.share, plus: $0.suspected, errors))
        }
        var verdict = Verdict.undecided
        if function?.isComparable ?? true {
            if let before {
                if lower.interval.lowerBound > before.upper.interval.upperBound + bound { verdict = .crossed }
                if upper.interval.upperBound < before.lower.interval.lowerBound + bound { verdict = .passed }
            } else if !isRelative {
                if lower.isAbove(bound) == true { verdict = .crossed }
                if upper.isAbove(bound) == false { verdict = .passed }
            }
        }
        // Whatever a function does that fewer devices than the bound allows use at all, fewer than that can see. A few
        // that agree on a name, which they may have made up, are as many as if they agreed on another.
        if verdict != .passed, let function {
            switch sequence(function.users, errors).isAbove(bound) {
            case true?: break
            case false? where !isRelative: verdict = .passed
            case false?, nil: verdict = .undecided
            }
        }
        return Judgement(
            verdict: verdict, sequence: (share.value ?? 0) > bound ? lower : sequence(share, errors),
            previous: before?.lower, function: function)
    }

    private func sequence(_ share: Share, plus suspected: Int = 0, _ errors: Double) -> ConfidenceSequence {
        ConfidenceSequence(
            Share(count: share.count + Double(suspected), of: share.total), around: bound, errors: errors)
    }
}

extension FleetReport.Comparison {
    /// Whether at least half of its calls could be compared. From fewer, nothing follows for the others.
    package var isComparable: Bool { comparableShare.value ?? 1 >= 0.5 }
}
