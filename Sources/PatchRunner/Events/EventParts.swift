internal import PatchCrypto
internal import PatchText

/// The severity of an event. The names are the same as swift-log's levels:
/// `Logger.Level(rawValue: event.severity.rawValue)`.
///
/// A version after 1.0 may add cases, such as `trace` and `critical`. Give a `switch` an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum EventSeverity: String, Sendable {
    /// For developers: a script's own lines.
    case debug
    /// Something happened as it should.
    case info
    /// Something did not happen as it should, but can wait.
    case warning
    /// Something failed.
    case error
}

extension EventSeverity: Comparable {
    /// Whether the first one is less severe.
    public static func < (left: Self, right: Self) -> Bool { left.recorded.rawValue < right.recorded.rawValue }
}

/// The value of an event's attribute. Each case is also a case of swift-log's `MetadataValue`, except numbers and truth
/// values, which are strings there.
///
/// A version after 1.0 may add cases, such as one for other numbers. Give a `switch` an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum EventValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A truth value.
    case bool(Bool)
    /// Several values.
    case array([EventValue])
    /// Values with names.
    case dictionary([String: EventValue])
}

/// A value of an event, with its name in JSON.
public struct EventAttribute: Sendable, Hashable {
    /// The name, such as `patch.id` (docs/events.md).
    public let name: String
    /// The value.
    public let value: EventValue
}

extension EventValue: CustomStringConvertible {
    /// A string as it is, and any other value as JSON. Characters that a terminal would act on are escaped.
    public var description: String {
        if case .string(let text) = self { return Escape.comment(text) }
        return json.text(escaping: isUnprintable)
    }

    private var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .bool(let value): .bool(value)
        case .array(let values): .array(values.map(\.json))
        case .dictionary(let values):
            .object(values.sorted { $0.key.hasBytes(before: $1.key) }.map { ($0.key, $0.value.json) })
        }
    }

    fileprivate init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .string("")
            case .bool(let value): .bool(value)
            case .integer(let number): .integer(number)
            case .string(let text): .string(text)
            case .array(let values): .array(values.map(EventValue.init))
            case .object(let members):
                .dictionary(
                    Dictionary(members.map { ($0.key, EventValue($0.value)) }, uniquingKeysWith: { _, last in last }))
            }
    }
}

extension EventRecord {
    /// The severity for loggers.
    package var level: EventSeverity {
        switch severity {
        case .debug: .debug
        case .info: .info
        case .warn: .warning
        case .error: .error
        }
    }

    package var values: [EventAttribute] {
        attributes.map { EventAttribute(name: $0.key.rawValue, value: EventValue($0.value)) }
    }
}
