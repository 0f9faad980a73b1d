import PatchCrypto
import PatchReport
import PatchRunner

/// Whether a patch passes a gate.
struct ReportGateResult {
    let gate: ReportGate
    /// The patch and version; the patch that was asked for if no device reported it.
    let patch: String
    let share: Share
    let verdict: ReportGate.Verdict

    static func all(_ gates: [ReportGate], _ report: FleetReport, id: String?, version: Int?) -> [ReportGateResult] {
        gates.flatMap { gate in
            guard !report.patches.isEmpty else {
                let name = [id, version.map(String.init)].compactMap(\.self).joined(separator: " ")
                return [
                    ReportGateResult(
                        gate: gate, patch: name.isEmpty ? "no patch" : name, share: Share(0, of: 0), verdict: .undecided
                    )
                ]
            }
            return report.patches.map { patch in
                ReportGateResult(
                    gate: gate, patch: "\(patch.id) \(patch.version)", share: gate.share(in: patch),
                    verdict: gate.verdict(on: patch))
            }
        }
    }

    /// Why it is so.
    var reason: String {
        guard let value = share.value else { return "no device has reported enough to tell" }
        let interval =
            "\(value.percent), between \(share.interval.lowerBound.percent) and \(share.interval.upperBound.percent)"
        switch verdict {
        case .passed, .crossed: return interval
        case .undecided: return "\(interval): too few to tell"
        }
    }

    /// The error that ends a run in which this gate was not passed.
    var failure: PatchError? {
        guard verdict != .passed else { return nil }
        return PatchError(.script, "gate \(gate.text): \(verdict.rawValue) for \(patch): \(reason)")
    }
}
