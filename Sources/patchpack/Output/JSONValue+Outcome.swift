import PatchCrypto
import PatchFiles

extension JSONValue {
    /// The members that describe an outcome.
    static func outcome(_ error: PatchError?) -> [(key: String, value: JSONValue)] {
        [
            ("ok", .bool(error == nil)),
            ("verdict", .string(error?.code.description ?? "ok")),
            ("exitCode", .integer(Int(error?.code.exitStatus ?? 0))),
        ]
    }

    /// An error, or null.
    static func error(_ error: PatchError?) -> JSONValue {
        guard let error else { return .null }
        return .object([
            ("code", .string(error.code.description)), ("message", .string(error.message)),
            ("hint", error.shownHint.map { .string($0) } ?? .null),
            ("file", error.place?.file.map { .string($0) } ?? .null),
            ("line", error.place?.line.map { .integer($0) } ?? .null),
            ("field", error.place?.field.map { .string($0) } ?? .null),
        ])
    }

    /// The line for a failure before anything was read.
    ///
    /// - Parameter file: The file that the failure is about, if there is one.
    static func failure(_ error: PatchError, file: Path? = nil) -> JSONValue {
        let about = file.map { [(key: "file", value: JSONValue.string($0.description))] } ?? []
        return .object([("schema", .string("patchpack.error/1"))] + about + outcome(error) + [("error", .error(error))])
    }
}
