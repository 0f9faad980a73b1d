import PatchCrypto
import PatchFiles
import PatchText

/// SARIF 2.1.0, which GitHub and editors read.
enum Sarif {
    struct Rule {
        let id: String
        let meaning: String
        let level: String
    }

    /// A place in a line, counted from 1 in code points.
    struct Region {
        let line: Int
        let column: Int
        let length: Int
    }

    /// - Parameter failure: The reason that the run ended before it had checked every file; nil if it checked all.
    static func log(_ rules: [Rule], _ results: [Annotation], failure: PatchError?) -> JSONValue {
        let driver = JSONValue([("name", "patchpack"), ("version", toolVersion), ("rules", rules.map(json))])
        let run = JSONValue([
            ("tool", JSONValue([("driver", driver)])), ("columnKind", "unicodeCodePoints"),
            ("results", results.map(json)), ("invocations", [invocation(failure)]),
        ])
        return JSONValue([
            ("$schema", "https://json.schemastore.org/sarif-2.1.0.json"), ("version", "2.1.0"), ("runs", [run]),
        ])
    }

    private static func text(_ text: String) -> JSONValue { JSONValue([("text", text)]) }

    private static func invocation(_ failure: PatchError?) -> JSONValue {
        let notification = failure.map { error in
            JSONValue([
                ("level", "error"), ("descriptor", JSONValue([("id", error.code)])),
                ("message", text(error.text + (error.shownHint.map { "; \($0)" } ?? ""))),
            ])
        }
        return JSONValue([
            ("executionSuccessful", failure == nil), ("toolExecutionNotifications", [notification].compactMap(\.self)),
        ])
    }

    private static func json(_ rule: Rule) -> JSONValue {
        JSONValue([
            ("id", rule.id), ("shortDescription", text(rule.meaning)),
            ("defaultConfiguration", JSONValue([("level", rule.level)])),
        ])
    }

    /// A reference relative to the working folder, or a `file:` URI (RFC 8089) for a file outside it.
    private static func uri(of file: Path) -> String {
        let path = file.fromWorkingFolder
        return (path.isAbsolute ? "file://" : "") + Escape.uri(path.bytes)
    }

    private static func json(_ result: Annotation) -> JSONValue {
        var place: JSONMembers = [("artifactLocation", JSONValue([("uri", result.file.map(uri))]))]
        if let region = result.region {
            let members: JSONMembers = [
                ("startLine", region.line), ("startColumn", region.column),
                ("endColumn", region.column + region.length),
            ]
            place.append(("region", JSONValue(members)))
        }
        return JSONValue([
            ("ruleId", result.title), ("level", result.level), ("message", text(result.message)),
            ("locations", [JSONValue([("physicalLocation", JSONValue(place))])]),
        ])
    }
}
