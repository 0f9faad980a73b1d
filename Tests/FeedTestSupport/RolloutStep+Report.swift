package import PatchCrypto
package import PatchPublishing
package import PatchReport

extension RolloutStep.Gate {
    /// A gate with its verdict on a patch of a report.
    package init(_ gate: ReportGate, on patch: FleetReport.Patch, of report: FleetReport) {
        let verdict: Verdict =
            switch gate.judge(patch, scale: report.scale).verdict {
            case .passed: .passed
            case .crossed: .crossed
            case .undecided: .undecided
            }
        self.init(gate.text, verdict, "", isExact: gate.isExact)
    }
}

extension RolloutStep.Evidence {
    /// What a report says of its first patch.
    package init(_ report: FleetReport, begin: Timestamp? = nil, gates: [RolloutStep.Gate]) {
        let input = report.input
        self.init(
            events: input.events + input.earlier, devices: report.knownDevices,
            damage: Damage(
                lines: input.damaged, linesWithoutDevice: input.damagedWithoutDevice, devices: input.damagedDevices),
            newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0, begin: begin, gates: gates)
    }
}
