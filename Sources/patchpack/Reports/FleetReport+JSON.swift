import PatchCrypto
import PatchFiles
import PatchReport
import PatchText

extension FleetReport {
    /// The most faults, functions or systems of one list, the most frequent or most different ones first.
    fileprivate static let mostListed = 100

    /// The report as an object of the schema `patchpack.report/1`. Shares are in millionths.
    func json(_ gates: [ReportGateResult], _ failure: PatchError?, at made: Timestamp) -> JSONValue {
        let members: JSONMembers = [
            ("input", input), ("made", made), ("newest", newest), ("devices", devices),
            ("troubled", JSONValue(Trouble.allCases.map { ($0.event.rawValue, troubled[$0] ?? 0) })),
            ("unsynced", unsynced), ("device", device), ("faults", faults.prefix(Self.mostListed)), ("scale", scale),
            ("patches", patches), ("gates", gates),
        ]
        return .report("patchpack.report/1", failure, members)
    }
}

extension FleetReport.Input: JSONConvertible {
    var json: JSONValue {
        let leftOut = leftOut.map { JSONValue([("file", $0.file), ("reason", $0.reason)]) }
        return JSONValue([
            ("bytes", bytes), ("events", events), ("damaged", damaged), ("damagedDevices", damagedDevices),
            ("damagedWithoutDevice", damagedWithoutDevice), ("misnamed", misnamed), ("foreign", foreign),
            ("withoutDevice", withoutDevice), ("withoutTime", withoutTime), ("dropped", dropped),
            ("earlier", earlier), ("others", others), ("elsewhere", elsewhere), ("origins", origins),
            ("leftOut", leftOut),
        ])
    }
}

extension ReportGateResult: JSONConvertible {
    var json: JSONValue {
        JSONValue([
            ("gate", gate.text), ("patch", id), ("version", version), ("function", function),
            ("verdict", verdict.rawValue), ("share", share), ("reason", reason),
        ])
    }
}

extension FleetReport.Patch: JSONConvertible {
    var json: JSONValue {
        let counted: JSONMembers = [
            ("id", id), ("version", version), ("devices", devices), ("running", running), ("failing", failing),
            ("rolledBack", rolledBack), ("suspected", suspected), ("refused", refused),
            ("inShadow", devices(in: .shadow)),
            ("trial", devices(in: .trial)), ("good", devices(in: .good)), ("over", devices(in: .over)),
            ("withdrawn", devices(in: .withdrawn)), ("calls", counts.calls),
            ("failures", counts.failures), ("fallbacks", counts.fallbacks), ("shadowed", shadowed),
            ("uncounted", uncounted),
        ]
        let hours = hours.map { hour in
            JSONValue([
                ("hour", hourText(hour.hour)), ("newDevices", hour.newDevices), ("calls", hour.calls),
                ("failures", hour.failures), ("failed", hour.failed), ("rolledBack", hour.rolledBack),
            ])
        }
        let details: JSONMembers = [
            ("stopped", stopped), ("heard", heard), ("keeping", keeping), ("compared", JSONValue(comparison.members)),
            ("functions", comparisons.prefix(FleetReport.mostListed)), ("failureRate", counts.failureRate),
            ("failingDevices", Share(failing, of: devices)), ("meanNanoseconds", counts.meanTime),
            ("longestNanoseconds", counts.measured > 0 ? counts.longest.json : .null), ("times", counts.times),
            ("firstFailure", firstBelievedBadMinute.map(minuteText)),
            ("appVersions", appVersions.map { $0.json(called: "version") }),
            ("systems", systems.prefix(FleetReport.mostListed).map { $0.json(called: "system") }),
            ("faults", faults.prefix(FleetReport.mostListed)), ("hours", hours),
        ]
        return JSONValue(counted + details)
    }
}

extension ComparisonCounts {
    fileprivate var members: JSONMembers {
        [
            ("agreed", agreed), ("differed", differed), ("failed", failed), ("incomparable", incomparable),
            ("differing", differing), ("meanNanoseconds", meanTime),
        ]
    }
}

extension FleetReport.Comparison: JSONConvertible {
    var json: JSONValue {
        let reasons = reasons.map { JSONValue([("reason", $0.text), ("count", $0.count)]) }
        let examples = examples.map { example in
            JSONValue([
                ("answer", example.answer), ("result", example.result), ("file", example.place.file),
                ("line", example.place.line),
            ])
        }
        let others: JSONMembers = [("reasons", reasons), ("otherReasons", otherReasons), ("examples", examples)]
        return JSONValue([("function", function)] + counts.members + others)
    }
}

extension FleetReport.Fault: JSONConvertible {
    var json: JSONValue {
        JSONValue([
            ("event", event), ("code", code), ("function", function), ("file", place.file), ("line", place.line),
            ("stack", stack), ("message", message), ("count", count), ("last", last),
        ])
    }
}

extension FleetReport.Device: JSONConvertible {
    var json: JSONValue {
        let patches = patches.map { patch in
            JSONValue([
                ("id", patch.id), ("version", patch.version), ("running", patch.isRunning),
                ("stage", patch.stage.name), ("since", patch.since),
            ])
        }
        return JSONValue([
            ("installation", installation), ("appVersion", appVersion), ("system", system), ("launches", launches),
            ("lastLaunch", lastLaunch), ("syncs", syncs), ("lastSync", lastSync), ("patches", patches),
        ])
    }
}

extension FleetReport.Stage {
    /// The word in JSON.
    var name: String {
        switch self {
        case .none: ""
        case .shadow: "shadow"
        case .refused: "refused"
        case .trial: "trial"
        case .good: "good"
        case .over: "over"
        case .withdrawn: "withdrawn"
        case .rolledBack: "rolled-back"
        }
    }
}

extension FleetReport.Part {
    fileprivate func json(called name: String) -> JSONValue {
        JSONValue([(name, self.name), ("devices", devices), ("affected", affected)])
    }
}

extension Share: JSONConvertible {
    var json: JSONValue {
        func millionths(_ part: Double) -> Int { Int(exactly: (part * 1e6).rounded()) ?? 0 }
        return JSONValue([
            ("count", wholeCount), ("of", total), ("part", value.map(millionths)),
            ("low", millionths(interval.lowerBound)), ("high", millionths(interval.upperBound)),
        ])
    }
}
