import PatchCrypto
import PatchReport
import PatchText

extension FleetReport {
    /// The report in Prometheus' text format, which is also valid OpenMetrics, for the textfile collector of its node
    /// exporter.
    ///
    /// - Parameter common: The labels of every sample, so that reports of several apps can be in one folder.
    func metrics(_ gates: [ReportGateResult], _ common: [(String, String)], at made: Timestamp) -> String {
        var text = OpenMetricsText()
        func family(_ name: String, _ help: String, _ samples: [(labels: [(String, String)], value: Int)]) {
            text.begin("patchpack_\(name)", "gauge", help: help)
            for (labels, value) in samples { text.add("patchpack_\(name)", common + labels, value) }
        }
        func one(_ name: String, _ help: String, _ value: Int) { family(name, help, [([], value)]) }
        func perPatch(_ name: String, _ help: String, ifStopped: Bool = false, _ value: (Patch) -> Int) {
            let patches = patches.filter { !ifStopped || $0.stopped != nil }
            family(name, help, patches.map { ([("patch", $0.id), ("version", String($0.version))], value($0)) })
        }
        func perGate(_ name: String, _ help: String, _ verdict: ReportGate.Verdict) {
            family(
                name, help,
                gates.map { gate in
                    // The labels are the same as on a patch's metrics, so that they can be joined.
                    let patch = [("patch", gate.id), ("version", gate.version.map(String.init))]
                        .compactMap { name, value in value.map { (name, $0) } }
                    return ([("gate", gate.gate.text)] + patch, gate.verdict == verdict ? 1 : 0)
                })
        }
        one("report_made_timestamp_seconds", "When the report was made.", made.secondsSince1970)
        if let newest {
            one("newest_event_timestamp_seconds", "When the newest event was made.", newest.secondsSince1970)
        }
        one("devices", "Devices that were heard of.", devices)
        one("sync_failing_devices", "Devices that could not sync at least once.", troubled[.syncFailed] ?? 0)
        one("unsynced_devices", "Devices whose last sync failed.", unsynced)
        one(
            "store_failing_devices", "Devices whose store could not be used at least once.",
            troubled[.storeFailed] ?? 0)
        one("damaged_lines", "Lines that are not events.", input.damaged)
        perPatch("patch_devices", "Devices that reported the patch.") { $0.devices }
        perPatch("patch_running_devices", "Devices on which it runs.") { $0.running }
        perPatch("patch_failing_devices", "Devices on which it failed at least once.") { $0.failing }
        perPatch("patch_rolled_back_devices", "Devices that rolled it back.") { $0.rolledBack }
        perPatch("patch_suspected_devices", "Devices that rolled it back together with others.") { $0.suspected }
        perPatch("patch_refused_devices", "Devices that refused it.") { $0.refused }
        perPatch(
            "patch_stopped_heard_devices", "Devices that were heard of since it was stopped.", ifStopped: true, \.heard)
        perPatch(
            "patch_stopped_running_devices", "Devices that were heard of since it was stopped, on which it still runs.",
            ifStopped: true, \.keeping)
        perPatch("patch_calls", "Calls of its replacements.") { $0.counts.calls }
        perPatch("patch_failures", "Calls that failed.") { $0.counts.failures }
        perPatch("patch_fallbacks", "Calls that something else than the patch answered.") { $0.counts.fallbacks }
        perPatch("patch_shadow_devices", "Devices that have compared it in shadow.") { $0.shadowed }
        perPatch("patch_shadow_agreed", "Runs in shadow that ended as the call.") { $0.comparison.agreed }
        perPatch("patch_shadow_differed", "Runs in shadow that ended otherwise.") { $0.comparison.differed }
        perPatch("patch_shadow_failed", "Runs in shadow that failed.") { $0.comparison.failed }
        perPatch("patch_shadow_incomparable", "Calls that could not be compared in shadow.") {
            $0.comparison.incomparable
        }
        perGate("gate_crossed", "1 if the gate is crossed: the part is above its bound for sure.", .crossed)
        perGate(
            "gate_passed", "1 if the gate is passed: the part is below its bound for sure, or is 0 so far for =0.",
            .passed)
        return text.text
    }
}
