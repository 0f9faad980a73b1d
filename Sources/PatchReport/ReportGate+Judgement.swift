internal import PatchText

extension ReportGate {
    /// Whether a report stays within a bound.
    package enum Verdict: String, Sendable {
        /// The part is certainly below the bound.
        case passed
        /// The part is certainly above the bound.
        case crossed
        /// There are too few devices to be certain, or hardly a call could be compared.
        case undecided

        /// How much worse it is than others. Of several functions, the worst decides.
        fileprivate var rank: Int {
            switch self {
            case .passed: 0
            case .undecided: 1
            case .crossed: 2
            }
        }
    }

    package struct Judgement: Sendable {
        package let verdict: Verdict
        package let sequence: ConfidenceSequence
        /// The same for the previous version, if the bound is relative to it.
        package private(set) var previous: ConfidenceSequence?
        /// The function that decided; nil if the gate is not about functions.
        package private(set) var function: FleetReport.Comparison?
        /// The part of the devices that use that function, if nothing is decided because of it: the function crosses
        /// the gate, and it is not certain that enough devices use it.
        package private(set) var users: ConfidenceSequence?
        /// Whether the functions decided for which there was no room.
        package private(set) var isOfUncounted = false
        /// How many devices each counted one represents. The totals of the shares are of counted ones.
        package fileprivate(set) var scale = 1

        fileprivate var rank: (Int, Double) { (verdict.rank, sequence.share.value ?? 1) }
    }

    /// What is certain about a share: it is not below the interval of `lower`, and not above that of `upper`.
    private struct Bounds {
        let lower: ConfidenceSequence
        let upper: ConfidenceSequence
    }

    /// Whether all devices stay within the bound, for a gate on all devices.
    package func judge(_ report: FleetReport) -> Judgement {
        let count = measure == .syncFailed ? report.unsynced : report.troubled[.storeFailed, default: 0]
        var judgement = judge(bounds(of: counted(count, of: report.devices, report.scale)), after: nil)
        judgement.scale = max(1, report.scale)
        return judgement
    }

    /// Whether a patch stays within the bound. Of several functions, the worst decides.
    ///
    /// - Parameters:
    ///   - previous: The previous version; nil if no device has reported one.
    ///   - scale: How many devices each counted one represents. Only the counted devices are evidence.
    package func judge(_ patch: FleetReport.Patch, after previous: FleetReport.Patch? = nil, scale: Int) -> Judgement {
        var judgement =
            switch (isExact, measure) {
            case (true, .differs): judgeFunctionsExactly(patch, scale)
            case (true, _): judgeExactly(patch, scale)
            case (false, .differs): judgeFunctions(of: patch, after: previous, scale)
            case (false, _): judge(bounds(of: patch, scale), after: previous.map { bounds(of: $0, scale) })
            }
        let represented = judgement.isOfUncounted ? scale : self.scale(in: patch, scale)
        judgement.scale = max(1, represented)
        return judgement
    }

    /// How many devices each one represents whose share is counted. Tables of calls and of comparisons have less room
    /// than that of devices.
    private func scale(in patch: FleetReport.Patch, _ scale: Int) -> Int {
        switch measure {
        case .failures, .fallbacks, .time: patch.callScale
        case .differs: patch.comparisonScale
        case .failing, .rolledBack, .refused, .syncFailed, .storeFailed: scale
        }
    }

    // MARK: a share of the devices

    private func judge(_ now: Bounds, after before: Bounds?) -> Judgement {
        Judgement(verdict: verdict(on: now, after: before), sequence: now.lower, previous: before?.lower)
    }

    /// The verdict on a share, and on its increase if there is a share before.
    private func verdict(on now: Bounds, after before: Bounds?) -> Verdict {
        if let before {
            if now.upper.interval.upperBound < before.lower.interval.lowerBound + bound.value { return .passed }
            let most = before.upper.interval.upperBound + bound.value
            return now.lower.interval.lowerBound > most ? .crossed : .undecided
        }
        guard !isRelative else { return .undecided }
        if now.upper.isAbove(bound.value) == false { return .passed }
        return now.lower.isAbove(bound.value) == true ? .crossed : .undecided
    }

    /// The part of all looks in which a bound on a share may be wrong.
    private static let usualErrors = 0.05
    /// The same for this gate. Of two versions, each may be wrong half as often.
    private var errors: Double { isRelative ? Self.usualErrors / 2 : Self.usualErrors }

    private func bounds(of patch: FleetReport.Patch, _ scale: Int) -> Bounds {
        // A suspected patch is neither blamed nor cleared: its devices may have to be added.
        let suspected = measure == .rolledBack ? patch.suspected / max(1, scale) : 0
        return bounds(of: share(in: patch, scale), suspected: suspected)
    }

    private func bounds(of share: Share, suspected: Int = 0) -> Bounds {
        let most = Share(count: share.count + Double(suspected), of: share.total)
        return Bounds(lower: sequence(share, errors), upper: sequence(most, errors))
    }

    private func sequence(_ share: Share, _ errors: Double) -> ConfidenceSequence {
        ConfidenceSequence(share, around: bound.value, errors: errors)
    }

    /// The part of a patch's devices, or the mean of their parts, that the gate bounds.
    private func share(in patch: FleetReport.Patch, _ scale: Int) -> Share {
        if case .slower(_, let time) = bound { return patch.slowerShares[time] }
        return switch measure {
        case .failures: patch.failureShare
        case .fallbacks: patch.fallbackShare
        case .failing: counted(patch.failing, of: patch.devices, scale)
        case .rolledBack: counted(patch.rolledBack, of: patch.devices, scale)
        case .refused: counted(patch.refused, of: patch.devices, scale)
        case .time, .differs, .syncFailed, .storeFailed: Share(0, of: 0)
        }
    }

    /// The share of the counted devices.
    ///
    /// - Parameter scale: How many devices each counted one represents.
    private func counted(_ count: Int, of total: Int, _ scale: Int) -> Share {
        Share(count / max(1, scale), of: total / max(1, scale))
    }

    // MARK: functions in shadow

    private func judgeFunctions(
        of patch: FleetReport.Patch, after previous: FleetReport.Patch?, _ scale: Int
    ) -> Judgement {
        let functions = patch.usedFunctions
        // At least one, to divide by.
        let votes = Double(functions.reduce(1) { $0 + $1.votes })
        var all = functions.map { function in
            judge(
                function, weight: Double(function.votes) / votes,
                after: previous?.comparisons.first { $0.function == function.function })
        }
        if !all.isEmpty, patch.uncounted > 0 { all.append(judgeUncounted(patch, scale)) }
        return all.max { $0.rank < $1.rank } ?? judge(bounds(of: Share(0, of: 0)), after: nil)
    }

    /// - Parameter weight: The function's part of all votes on functions, which share what they may be wrong: it is
    ///   crossed wrongly in as small a part of the looks.
    private func judge(
        _ function: FleetReport.Comparison, weight: Double, after old: FleetReport.Comparison?
    ) -> Judgement {
        let share = function.differingShare
        let upper = sequence(share, errors)
        // Without votes, there is still a part in which it may be wrong: the evidence for none would be infinite.
        let now = Bounds(lower: sequence(share, errors * max(weight, 1e-12)), upper: upper)
        let before = old.map { bounds(of: $0.differingShare) }
        let verdict = function.isComparable ? verdict(on: now, after: before) : .undecided
        let users = sequence(function.users, errors)
        let limited = limited(verdict, to: users)
        let isAbove = (share.value ?? 0) > bound.value
        let isLimited = verdict == .crossed && limited == .undecided
        return Judgement(
            verdict: limited, sequence: isAbove ? now.lower : upper, previous: before?.lower, function: function,
            users: isLimited ? users : nil)
    }

    /// The verdict on a function after a look at how many devices use it.
    ///
    /// Whatever a function does that fewer devices than the bound allows use at all, fewer than that can see. A few
    /// that agree on a name, which they may have made up, are as many as if they agreed on another.
    private func limited(_ verdict: Verdict, to users: ConfidenceSequence) -> Verdict {
        guard verdict != .passed else { return .passed }
        switch users.isAbove(bound.value) {
        case true?: return verdict
        case false? where !isRelative: return .passed
        case false?, nil: return .undecided
        }
    }

    /// The functions for which there was no room, which may differ in each call.
    private func judgeUncounted(_ patch: FleetReport.Patch, _ scale: Int) -> Judgement {
        let share = counted(patch.uncounted, of: max(patch.shadowed, patch.uncounted), scale)
        let sequence = sequence(share, Self.usualErrors)
        return Judgement(
            verdict: sequence.isAbove(bound.value) == false ? .passed : .undecided, sequence: sequence,
            isOfUncounted: true)
    }

    // MARK: exact gates

    private func judgeExactly(_ patch: FleetReport.Patch, _ scale: Int) -> Judgement {
        let share = share(in: patch, scale)
        let isOpen = measure == .rolledBack && patch.suspected > 0
        return Judgement(verdict: exactVerdict(on: share, isOpen: isOpen), sequence: sequence(share, errors))
    }

    /// The first device decides, of any function.
    private func judgeFunctionsExactly(_ patch: FleetReport.Patch, _ scale: Int) -> Judgement {
        let functions = patch.usedFunctions
        var worst = functions.max { $0.differingShare.count < $1.differingShare.count }
        let share = worst?.differingShare ?? Share(0, of: 0)
        if share.count == 0, patch.uncounted > 0 { return judgeUncounted(patch, scale) }
        let hidden = functions.first { !$0.isComparable }
        if share.count == 0, let hidden { worst = hidden }
        return Judgement(
            verdict: exactVerdict(on: share, isOpen: hidden != nil), sequence: sequence(share, errors), function: worst)
    }

    /// - Parameter isOpen: Whether there may be a device that is not known yet.
    private func exactVerdict(on share: Share, isOpen: Bool) -> Verdict {
        if share.count > 0 { return .crossed }
        if share.total == 0 || isOpen { return .undecided }
        return .passed
    }
}

extension FleetReport.Patch {
    /// The functions that devices have compared, and not only named.
    fileprivate var usedFunctions: [FleetReport.Comparison] { comparisons.filter { $0.users.count > 0 } }
}

extension FleetReport.Comparison {
    /// Whether at least half of its calls could be compared. From fewer, nothing follows for the others.
    package var isComparable: Bool { (comparableShare.value ?? 1) >= 0.5 }
}
