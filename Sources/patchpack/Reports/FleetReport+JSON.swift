import PatchCrypto
import PatchFiles
import PatchReport

extension FleetReport {
    /// The report as an object of the schema `patchpack.report/1`. Shares are in millionths.
    func json(_ gates: [ReportGateResult], _ failure: PatchError?, at made: Timestamp) -> JSONValue {
        let counts: [(key: String, value: JSONValue)] = [
            ("bytes", input.bytes), ("events", input.events), ("damaged", input.damaged), ("misnamed", input.misnamed),
            ("foreign", input.foreign), ("withoutDevice", input.withoutDevice), ("withoutTime", input.withoutTime),
            ("dropped", input.dropped), ("earlier", input.earlier), ("others", input.others),
        ].map { ($0, .integer($1)) }
        let members: [(key: String, value: JSONValue)] = [
            ("input", .object(counts + [("leftOut", .array(input.leftOut.map(\.json)))])),
            ("made", .string(made.description)), ("newest", newest.json), ("devices", .integer(devices)),
            ("troubled", .object(Trouble.allCases.map { ($0.rawValue, .integer(troubled[$0] ?? 0)) })),
            ("unsynced", .integer(unsynced)), ("device", device?.json ?? .null),
            ("faults", .array(faults.prefix(100).map(\.json))),
            ("scale", .integer(scale)), ("patches", .array(patches.map(\.json))),
            (
                "gates",
                .array(
                    gates.map { gate in
                        .object([
                            ("gate", .string(gate.gate.text)), ("patch", .optional(gate.id)),
                            ("version", gate.version.map(JSONValue.integer) ?? .null),
                            ("function", .optional(gate.function)),
                            ("verdict", .string(gate.verdict.rawValue)), ("share", gate.share.json),
                            ("reason", .string(gate.reason)),
                        ])
                    })
            ),
        ]
        return .report("patchpack.report/1", failure, members)
    }
}

extension FleetReport.Patch {
    fileprivate var json: JSONValue {
        let numbers: [(key: String, value: JSONValue)] = [
            ("devices", devices), ("running", running), ("failing", failing), ("rolledBack", rolledBack),
            ("suspected", suspected), ("refused", refused), ("inShadow", inShadow), ("trial", trial), ("good", good),
            ("over", over), ("withdrawn", withdrawn), ("calls", counts.calls),
            ("failures", counts.failures), ("fallbacks", counts.fallbacks), ("shadowed", shadowed),
        ].map { ($0, .integer($1)) }
        let others: [(key: String, value: JSONValue)] = [
            ("stopped", stopped.json), ("heard", .integer(heard)), ("keeping", .integer(keeping)),
            ("compared", .object(comparison.json)), ("functions", .array(comparisons.prefix(100).map(\.json))),
            ("failureRate", counts.failureRate.json), ("failingDevices", Share(failing, of: devices).json),
            ("meanNanoseconds", counts.meanTime.map(JSONValue.integer) ?? .null),
            ("longestNanoseconds", counts.measured > 0 ? .integer(counts.longest) : .null),
            ("times", .array(counts.times.map(JSONValue.integer))),
            ("firstFailure", firstBadMinute.map { .string(minuteText($0)) } ?? .null),
            ("appVersions", .array(appVersions.map { $0.json(called: "version") })),
            ("systems", .array(systems.prefix(100).map { $0.json(called: "system") })),
            ("faults", .array(faults.prefix(100).map(\.json))),
            (
                "hours",
                .array(
                    hours.map { hour in
                        .object([
                            ("hour", .string(hourText(hour.hour))), ("newDevices", .integer(hour.newDevices)),
                            ("calls", .integer(hour.calls)), ("failures", .integer(hour.failures)),
                            ("failed", .integer(hour.failed)), ("rolledBack", .integer(hour.rolledBack)),
                        ])
                    })
            ),
        ]
        return .object([("id", .string(id)), ("version", .integer(version))] + numbers + others)
    }
}

extension ComparisonCounts {
    fileprivate var json: [(key: String, value: JSONValue)] {
        [
            ("agreed", .integer(agreed)), ("differed", .integer(differed)), ("failed", .integer(failed)),
            ("incomparable", .integer(incomparable)), ("differing", differing.json),
            ("meanNanoseconds", meanTime.map(JSONValue.integer) ?? .null),
        ]
    }
}

extension FleetReport.Comparison {
    fileprivate var json: JSONValue {
        let reasons = reasons.map { JSONValue.object([("reason", .string($0.text)), ("count", .integer($0.count))]) }
        let examples = examples.map { example in
            JSONValue.object([
                ("answer", .string(example.answer)), ("result", .string(example.result)),
                ("file", .optional(example.place.file)), ("line", example.place.line.map(JSONValue.integer) ?? .null),
            ])
        }
        return .object(
            [("function", .string(function))] + counts.json + [
                ("reasons", .array(reasons)), ("otherReasons", .integer(otherReasons)), ("examples", .array(examples)),
            ])
    }
}

extension FleetReport.Fault {
    fileprivate var json: JSONValue {
        .object([
            ("event", .string(event)), ("code", .string(code)), ("function", .string(function)),
            ("file", place.file.map(JSONValue.string) ?? .null), ("line", place.line.map(JSONValue.integer) ?? .null),
            ("stack", .optional(stack)), ("message", .string(message)), ("count", .integer(count)), ("last", last.json),
        ])
    }
}

extension FleetReport.Input.LeftOut {
    fileprivate var json: JSONValue {
        .object([("file", .string(file.description)), ("reason", .string(reason))])
    }
}

extension FleetReport.Device {
    fileprivate var json: JSONValue {
        .object([
            ("installation", .string(installation)), ("appVersion", .string(appVersion)), ("system", .string(system)),
            ("launches", .integer(launches)), ("lastLaunch", lastLaunch.json), ("syncs", .integer(syncs)),
            ("lastSync", lastSync.json),
            (
                "patches",
                .array(
                    patches.map { patch in
                        .object([
                            ("id", .string(patch.id)), ("version", .integer(patch.version)),
                            ("running", .bool(patch.isRunning)), ("stage", .string(patch.stage.name)),
                            ("since", patch.since.json),
                        ])
                    })
            ),
        ])
    }
}

extension FleetReport.Stage {
    fileprivate var name: String {
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

extension Timestamp? {
    fileprivate var json: JSONValue { map { .string($0.description) } ?? .null }
}

extension FleetReport.Part {
    fileprivate func json(called name: String) -> JSONValue {
        .object([(name, .string(self.name)), ("devices", .integer(devices)), ("affected", .integer(affected))])
    }
}

extension Share {
    fileprivate var json: JSONValue {
        func millionths(_ part: Double) -> JSONValue { .integer(Int((part * 1e6).rounded())) }
        return .object([
            ("count", .integer(Int(count.rounded()))), ("of", .integer(total)),
            ("part", value.map(millionths) ?? .null),
            ("low", millionths(interval.lowerBound)), ("high", millionths(interval.upperBound)),
        ])
    }
}
