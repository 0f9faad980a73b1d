import PatchCrypto
import PatchReport
import PatchText

extension FleetReport {
    /// The report on the only device; nil for a report on all, or if the device has no events.
    var deviceLines: [ReportLine]? {
        guard let device else { return nil }
        let place = [device.appVersion.isEmpty ? "" : "app \(device.appVersion)", device.system].filter { !$0.isEmpty }
        let failed = unsynced > 0 ? "; the last one failed" : ""
        var rows = [
            ("last seen", ([newest?.description ?? "at an unknown time"] + place).joined(separator: ", ")),
            ("launches", "\(device.launches.grouped)\(device.lastLaunch.asLast)"),
            ("syncs", "\(device.syncs.grouped)\(device.lastSync.asLast)\(failed)"),
        ]
        if let error = lastError {
            let subject = [error.fault.last?.description, error.patch].compactMap(\.self).map { "\($0) " }.joined()
            rows.append(("last error", "\(subject)\(error.fault.event): \(error.fault.example)"))
        }
        var lines = [ReportLine(summary), ReportLine(""), ReportLine(.good, device.installation)]
        lines += (rows + Self.rows(of: faults)).map(ReportLine.init)
        for held in device.patches {
            // The feed may list other patches.
            guard let patch = patches.first(where: { $0.id == held.id && $0.version == held.version }) else { continue }
            let state = held.words(isSuspected: patch.suspected > 0)
            lines += [ReportLine(""), ReportLine(.good, patch.label, "  \(state)")]
            let stop = patch.stopped.map { [("stopped", "by the feed, \($0)")] } ?? []
            lines += (stop + patch.workRows + Self.rows(of: patch.faults)).map(ReportLine.init)
        }
        return lines
    }

    private struct LastError {
        let fault: Fault
        /// The patch that it is of; nil for an error of the device itself.
        let patch: String?
    }

    /// The last error, to show at the top. A call that fell back to another implementation is not an error.
    private var lastError: LastError? {
        let ofDevice = faults.map { LastError(fault: $0, patch: nil) }
        let ofPatches = patches.flatMap { patch in patch.faults.map { LastError(fault: $0, patch: patch.label) } }
        let errors = (ofDevice + ofPatches).filter { $0.fault.event != EventRecord.Name.fellBack.rawValue }
        return errors.max { $0.fault.lastTime < $1.fault.lastTime }
    }

    private static let mostFaults = 10

    /// The rows, with the newest fault first.
    private static func rows(of faults: [Fault]) -> [(name: String, value: String)] {
        let shown = faults.sorted { $0.lastTime > $1.lastTime }.prefix(mostFaults)
        var rows = shown.map { (name: $0.event, value: $0.text + $0.last.asLast) }
        if faults.count > shown.count { rows.append(("", (faults.count - shown.count).counting("more fault"))) }
        return rows
    }
}

extension Timestamp? {
    /// The time of the last of several events, for the end of a text; empty if it is not known.
    fileprivate var asLast: String { map { ", the last \($0)" } ?? "" }
}

extension FleetReport.Fault {
    /// When it happened last, in seconds since 1970; 0 if that is not known.
    fileprivate var lastTime: Int { last?.secondsSince1970 ?? 0 }
}

extension FleetReport.Device.Held {
    /// Whether it runs, and its stage.
    fileprivate func words(isSuspected: Bool) -> String {
        let time = since.map { " since \($0)" } ?? ""
        if stage == .shadow, !isRunning { return "runs in shadow\(time)" }
        let rest = stageWords(isSuspected: isSuspected).map { ", \($0)\(time)" } ?? ""
        return (isRunning ? "runs" : "does not run") + rest
    }

    private func stageWords(isSuspected: Bool) -> String? {
        switch stage {
        case .none: nil
        case .rolledBack: stage.words + (isSuspected ? " together with others" : "")
        case .shadow, .refused, .trial, .good, .over, .withdrawn: stage.words
        }
    }
}
