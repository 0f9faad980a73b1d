import PatchCrypto
import PatchFiles

/// A value that JSON has a form for.
protocol JSONConvertible {
    var json: JSONValue { get }
}

typealias JSONMembers = [(key: String, value: any JSONConvertible)]

extension JSONConvertible where Self: CustomStringConvertible {
    var json: JSONValue { .string(description) }
}

extension String: JSONConvertible {}
extension Path: JSONConvertible {}
extension Timestamp: JSONConvertible {}
extension AppVersion: JSONConvertible {}
extension KeyID: JSONConvertible {}
extension PatchError.Code: JSONConvertible {}
extension Manifest: JSONConvertible {}

extension Int: JSONConvertible {
    var json: JSONValue { .integer(self) }
}

extension Bool: JSONConvertible {
    var json: JSONValue { .bool(self) }
}

extension Optional: JSONConvertible where Wrapped: JSONConvertible {
    var json: JSONValue { self?.json ?? .null }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    var json: JSONValue { .array(map(\.json)) }
}

extension ArraySlice: JSONConvertible where Element: JSONConvertible {
    var json: JSONValue { .array(map(\.json)) }
}

extension PatchError: JSONConvertible {
    var json: JSONValue {
        JSONValue([
            ("code", code), ("message", message), ("hint", shownHint), ("file", place?.file), ("line", place?.line),
            ("field", place?.field),
        ])
    }
}

extension JSONValue: JSONConvertible {
    var json: JSONValue { self }

    init(_ members: JSONMembers) { self = .object(members.map { ($0.key, $0.value.json) }) }

    static func object(_ schema: String, _ members: JSONMembers) -> JSONValue {
        JSONValue([("schema", schema)] + members)
    }

    /// An object that reports the outcome of a file, a key or a change.
    static func report(
        _ schema: String, about subject: JSONMembers = [], _ error: PatchError? = nil, _ members: JSONMembers = []
    ) -> JSONValue {
        let outcome: JSONMembers = [
            ("ok", error == nil), ("verdict", error?.code.description ?? "ok"),
            ("exitCode", Int(error?.code.exitStatus ?? 0)),
        ]
        return .object(schema, subject + outcome + members + [("error", error)])
    }

    /// The line for a failure before anything was read.
    static func failure(_ error: PatchError, file: Path? = nil) -> JSONValue {
        .report("patchpack.error/1", about: file.map { [("file", $0)] } ?? [], error)
    }
}
