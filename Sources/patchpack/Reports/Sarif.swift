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

    struct Result {
        let rule: String
        let level: String
        let message: String
        var file: Path
        /// The place; nil for the file as a whole.
        var region: Region?
    }

    /// A place in a line, counted from 1 in code points.
    struct Region {
        let line: Int
        let column: Int
        let length: Int
    }

    /// - Parameter failure: The reason that the run ended before it had checked every file; nil if it checked all.
    static func log(_ rules: [Rule], _ results: [Result], failure: PatchError?) -> JSONValue {
        let driver: JSONValue = .object([
            ("name", .string("patchpack")), ("version", .string(toolVersion)), ("rules", .array(rules.map(json))),
        ])
        let run: JSONValue = .object([
            ("tool", .object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(results.map(json))), ("invocations", .array([invocation(failure)])),
        ])
        return .object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ])
    }

    private static func invocation(_ failure: PatchError?) -> JSONValue {
        let notifications = [failure].compactMap(\.self).map { error in
            JSONValue.object([
                ("level", .string("error")), ("descriptor", .object([("id", .string(error.code.description))])),
                ("message", .object([("text", .string(error.text + (error.shownHint.map { "; \($0)" } ?? "")))])),
            ])
        }
        return .object([
            ("executionSuccessful", .bool(failure == nil)), ("toolExecutionNotifications", .array(notifications)),
        ])
    }

    private static func json(_ rule: Rule) -> JSONValue {
        .object([
            ("id", .string(rule.id)), ("shortDescription", .object([("text", .string(rule.meaning))])),
            ("defaultConfiguration", .object([("level", .string(rule.level))])),
        ])
    }

    /// A reference relative to the working folder, or a `file:` URI (RFC 8089) for a file outside it.
    private static func uri(of file: Path) -> String {
        let path = file.fromWorkingFolder
        return (path.isAbsolute ? "file://" : "") + Escape.uri(path.bytes)
    }

    private static func json(_ result: Result) -> JSONValue {
        var place: [(key: String, value: JSONValue)] = [
            ("artifactLocation", .object([("uri", .string(uri(of: result.file)))]))
        ]
        if let region = result.region {
            place.append(
                (
                    "region",
                    .object([
                        ("startLine", .integer(region.line)), ("startColumn", .integer(region.column)),
                        ("endColumn", .integer(region.column + region.length)),
                    ])
                ))
        }
        return .object([
            ("ruleId", .string(result.rule)), ("level", .string(result.level)),
            ("message", .object([("text", .string(result.message))])),
            ("locations", .array([.object([("physicalLocation", .object(place))])])),
        ])
    }
}
