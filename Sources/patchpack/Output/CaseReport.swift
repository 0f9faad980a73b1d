import PatchCrypto

/// One thing that went well or not, for the reports that CI servers read: a test, or a file that was verified.
struct ReportCase {
    enum Outcome {
        case passed, failed, skipped
        /// It could not even be looked at.
        case broken
    }

    /// What it belongs to: a spec, or the verb.
    let group: String
    let name: String
    let outcome: Outcome
    /// Why it did not pass; several lines at most.
    var message = ""
    /// A file and a line, for people.
    var place: String?
    var nanoseconds: UInt64 = 0
}

/// TAP, version 13, which Debian's `prove` reads; nothing of version 14 is needed.
enum TAP {
    static func text(_ cases: [ReportCase]) -> String {
        var lines = ["TAP version 13", "1..\(cases.count)"]
        for (index, test) in cases.enumerated() {
            let result = test.outcome == .failed || test.outcome == .broken ? "not ok" : "ok"
            let skipped = test.outcome == .skipped ? " # SKIP \(line(test.message))" : ""
            lines.append("\(result) \(index + 1) - \(line(test.name))\(skipped)")
            guard result == "not ok", !test.message.isEmpty else { continue }
            let text = test.message.split(separator: "\n").map { escaped(String($0)) }.joined(separator: "\n")
            lines += ["  ---", "  message: \(JSONValue.string(text).text())"]
            if let place = test.place { lines.append("  at: \(JSONValue.string(place).text())") }
            lines.append("  ...")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ text: String) -> String {
        escaped(text.replacingLineFeeds).map { $0 == "#" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }
}

/// JUnit's XML, in the form that CI servers share and Jenkins' schema allows.
enum JUnit {
    static func text(_ cases: [ReportCase]) -> String {
        var groups: [(name: String, cases: [ReportCase])] = []
        for test in cases {
            if groups.last?.name != test.group { groups.append((test.group, [])) }
            groups[groups.count - 1].cases.append(test)
        }
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        for group in groups {
            func count(_ outcome: ReportCase.Outcome) -> Int { group.cases.count { $0.outcome == outcome } }
            let time = seconds(group.cases.reduce(0) { $0 &+ $1.nanoseconds })
            xml +=
                "  <testsuite name=\"\(attribute(group.name))\" tests=\"\(group.cases.count)\" failures=\"\(count(.failed))\""
                + " errors=\"\(count(.broken))\" skipped=\"\(count(.skipped))\" time=\"\(time)\">\n"
            for test in group.cases { xml += element(test) }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    private static func element(_ test: ReportCase) -> String {
        let head =
            "    <testcase classname=\"\(attribute(test.group))\" name=\"\(attribute(test.name))\" time=\"\(seconds(test.nanoseconds))\""
        let first = attribute(test.message.split(separator: "\n").first.map(String.init) ?? "")
        let body =
            switch test.outcome {
            case .passed: ""
            case .skipped: "<skipped message=\"\(first)\"/>"
            case .failed: "<failure message=\"\(first)\">\(attribute(test.message))</failure>"
            case .broken: "<error message=\"\(first)\">\(attribute(test.message))</error>"
            }
        return head + (body.isEmpty ? "/>\n" : ">\(body)</testcase>\n")
    }

    /// Jenkins' schema has three places.
    private static func seconds(_ nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let digits = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// Text in XML; what XML cannot hold is shown as an escape.
    private static func attribute(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
                scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }.joined()
    }
}

/// How many of a run's files came to which end, for its last line.
struct Tally {
    private var good = 0
    private var bad: [(verdict: String, count: Int)] = []

    mutating func add(_ error: PatchError?) {
        guard let verdict = error?.code.description else { return good += 1 }
        if let index = bad.firstIndex(where: { $0.verdict == verdict }) {
            bad[index].count += 1
        } else {
            bad.append((verdict, 1))
        }
    }

    /// - Parameters:
    ///   - done: What happened to the good ones: `ok`, `packed`.
    ///   - refused: What happened to the others: `refused`, `failed`.
    func text(_ done: String, _ refused: String) -> String {
        let failed = bad.reduce(0) { $0 + $1.count }
        guard failed > 0 else { return "\(good) \(done)" }
        let kinds = bad.sorted { $0.count > $1.count }.map { "\($0.count) \($0.verdict)" }
        return "\(good) \(done), \(failed) \(refused): \(kinds.joined(separator: ", "))"
    }
}
