import PatchCrypto
import PatchReport
import PatchText

extension FleetReport {
    func lines(of device: Device) -> [ReportLine] {
        let place = [device.appVersion.isEmpty ? "" : "app \(device.appVersion)", device.system].filter { !$0.isEmpty }
        func last(_ time: Timestamp?) -> String { time.map { ", the last \($0)" } ?? "" }
        let failed = unsynced > 0 ? "; the last one failed" : ""
        var rows = [
            ("last seen", ([newest?.description ?? "at an unknown time"] + place).joined(separator: ", ")),
            ("launches", "\(device.launches.grouped)\(last(device.lastLaunch))"),
            ("syncs", "\(device.syncs.grouped)\(last(device.lastSync))\(failed)"),
        ]
        if let (subject, fault) = lastError {
            let time = fault.last.map { "\($0) " } ?? ""
            rows.append(("last error", "\(time)\(subject)\(fault.event): \(fault.example)"))
        }
        var lines = [ReportLine(summary), ReportLine(""), ReportLine(.good, device.installation)]
        lines += (rows + Self.rows(of: faults)).map(ReportLine.init)
        for held in device.patches {
            // The feed may list other patches.
            guard let patch = patches.first(where: { $0.id == held.id && $0.version == held.version }) else { continue }
            let state = [held.isRunning ? "runs" : "does not run", held.words(isSuspected: patch.suspected > 0)]
                .filter { !$0.isEmpty }.joined(separator: ", ")
            lines += [ReportLine(""), ReportLine(.good, patch.label, "  \(state)")]
            let stop = patch.stopped.map { [("stopped", "by the feed, \($0)")] } ?? []
            lines += (stop + patch.workRows + Self.rows(of: patch.faults)).map(ReportLine.init)
        }
        return lines
    }

    /// The last error and its patch, to show at the top. A call that fell back to another implementation is not an
    /// error.
    private var lastError: (subject: String, fault: Fault)? {
        let all = faults.map { ("", $0) } + patches.flatMap { patch in patch.faults.map { ("\(patch.label) ", $0) } }
        let errors = all.filter { $0.1.event != EventRecord.Name.fellBack.rawValue }
        return errors.max { $0.1.lastTime < $1.1.lastTime }
    }

    /// The rows, with the newest fault first.
    private static func rows(of faults: [Fault]) -> [(name: String, value: String)] {
        faults.sorted { $0.lastTime > $1.lastTime }.prefix(10).map {
            ($0.event, $0.text + ($0.last.map { ", the last \($0)" } ?? ""))
        }
    }
}

extension FleetReport.Fault {
    /// When it happened last, in seconds since 1970; 0 if that is not known.
    fileprivate var lastTime: Int { last?.secondsSince1970 ?? 0 }
}

extension FleetReport.Device.Held {
    fileprivate func words(isSuspected: Bool) -> String {
        let words =
            switch stage {
            case .none: ""
            case .rolledBack: stage.words + (isSuspected ? " together with others" : "")
            case .shadow, .refused, .trial, .good, .over, .withdrawn: stage.words
            }
        return words.isEmpty ? "" : words + (since.map { " since \($0)" } ?? "")
    }
}
