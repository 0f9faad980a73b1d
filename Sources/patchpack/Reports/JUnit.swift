import PatchText

/// JUnit XML, in the form that CI servers share and the Jenkins schema allows.
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
                "  <testsuite name=\"\(Escape.xml(group.name))\" tests=\"\(group.cases.count)\" failures=\"\(count(.failed))\""
                + " errors=\"\(count(.broken))\" skipped=\"\(count(.skipped))\" time=\"\(time)\">\n"
            for test in group.cases { xml += element(test) }
            xml += "  </testsuite>\n"
        }
        return xml + "</testsuites>\n"
    }

    private static func element(_ test: ReportCase) -> String {
        let head =
            "    <testcase classname=\"\(Escape.xml(test.group))\" name=\"\(Escape.xml(test.name))\" time=\"\(seconds(test.nanoseconds))\""
        let first = Escape.xml((test.message.split(separator: "\n").first ?? "").shortened(to: 1000))
        let body =
            switch test.outcome {
            case .passed: ""
            case .skipped: "<skipped message=\"\(first)\"/>"
            case .failed: "<failure message=\"\(first)\">\(Escape.xml(test.message))</failure>"
            case .broken: "<error message=\"\(first)\">\(Escape.xml(test.message))</error>"
            }
        return head + (body.isEmpty ? "/>\n" : ">\(body)</testcase>\n")
    }

    /// Seconds with three decimal places, as in the Jenkins schema.
    private static func seconds(_ nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let digits = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }
}
