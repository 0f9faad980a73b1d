import PatchCrypto
import PatchText

/// TAP version 13, which Debian's `prove` reads. Nothing from version 14 is needed.
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
        Escape.tap(text.split(separator: "\n").joined(separator: " "))
    }
}
