import PatchCrypto
import PatchFiles

extension JSONValue {
    /// An object that reports the outcome of a file, a key or a change.
    static func report(
        _ schema: String, about subject: [(key: String, value: JSONValue)] = [], _ error: PatchError? = nil,
        _ members: [(key: String, value: JSONValue)] = []
    ) -> JSONValue {
        .object([("schema", .string(schema))] + subject + outcome(error) + members + [("error", .error(error))])
    }

    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    static func optional(_ text: (some CustomStringConvertible)?) -> JSONValue {
        text.map { .string($0.description) } ?? .null
    }

    private static func outcome(_ error: PatchError?) -> [(key: String, value: JSONValue)] {
        [
            ("ok", .bool(error == nil)), ("verdict", .string(error?.code.description ?? "ok")),
            ("exitCode", .integer(Int(error?.code.exitStatus ?? 0))),
        ]
    }

    static func error(_ error: PatchError?) -> JSONValue {
        guard let error else { return .null }
        return .object([
            ("code", .string(error.code.description)), ("message", .string(error.message)),
            ("hint", .optional(error.shownHint)), ("file", .optional(error.place?.file)),
            ("line", error.place?.line.map { .integer($0) } ?? .null), ("field", .optional(error.place?.field)),
        ])
    }

    /// The line for a failure before anything was read.
    static func failure(_ error: PatchError, file: Path? = nil) -> JSONValue {
        .report("patchpack.error/1", about: file.map { [(key: "file", value: .string($0.description))] } ?? [], error)
    }
}
