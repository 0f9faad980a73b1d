import PatchCrypto
import PatchReport
import PatchRunner

/// Whether a patch passes a gate.
struct ReportGateResult {
    let gate: ReportGate
    /// The patch and version; the patch that was asked for if no device reported it.
    let patch: String
    let share: Share
    let sequence: ConfidenceSequence
    let verdict: ReportGate.Verdict

    static func all(_ gates: [ReportGate], _ report: FleetReport, id: String?, version: Int?) -> [ReportGateResult] {
        gates.flatMap { gate in
            guard !report.patches.isEmpty else {
                let name = [id ?? "no patch", version.map(String.init)].compactMap(\.self).joined(separator: " ")
                return [
                    ReportGateResult(gate, FleetReport.Patch(id: "", version: 0), name, 1)
                ]
            }
            return report.patches.map { patch in
                ReportGateResult(gate, patch, "\(patch.id) \(patch.version)", report.scale)
            }
        }
    }

    private init(_ gate: ReportGate, _ patch: FleetReport.Patch, _ name: String, _ scale: Int) {
        self.gate = gate
        self.patch = name
        share = gate.share(in: patch)
        sequence = gate.sequence(in: patch, scale: scale)
        verdict = gate.verdict(on: patch, scale: scale)
    }

    /// Why it is so.
    var reason: String {
        guard let value = share.value else { return "no device has reported enough to tell" }
        let interval =
            "\(value.percent), between \(sequence.interval.lowerBound.percent) and \(sequence.interval.upperBound.percent)"
        guard verdict == .undecided else { return interval }
        let unit = gate.measure == .failures || gate.measure == .fallbacks ? "call" : "device"
        guard let needed = sequence.needed(for: gate.bound) else {
            return "\(interval): too close to the bound to tell"
        }
        return "\(interval): too few to tell; about \(needed.counting("\(unit)")) more would do"
    }

    /// The error that ends a run in which this gate was not passed.
    var failure: PatchError? {
        guard verdict != .passed else { return nil }
        return PatchError(.script, "gate \(gate.text): \(verdict.rawValue) for \(patch): \(reason)")
    }
}
