public import PatchCrypto

/// An event in the life of a patch, for a host's log.
public enum PatchEvent: Sendable {
    /// Why a call of a replacement failed.
    public struct Failure: Sendable {
        /// `script` for an error or a wrong result, `script-limit` for a run that was ended.
        public let code: PatchError.Code
        /// Lua's message without its position, or what was expected and what was given.
        public let message: String
        /// The script in which it happened; nil if Lua does not know it.
        public let script: String?
        /// The line in the script, from 1. For a wrong result it is the line on which the function begins.
        public let line: Int?
    }

    /// The reason why an older patch or the original answered although the patch did not fail.
    public enum Fallback: String, Sendable {
        /// Another thread was in the patch for longer than ``PatchLimits/lockTime``.
        case busy
        /// The thread's stack was nearly used up, or calls were nested too deep. Reported once for all calls within a
        /// call.
        case noRoom = "no-room"
        /// There were already ``PatchLimits/waitingCalls`` asynchronous calls waiting.
        case waiting
        /// The run around the call was ended.
        case ended
    }

    /// The level of a script's log line.
    public enum LogLevel: Int, Sendable {
        case debug, info, warn, error
    }

    /// A patch was loaded: its script ran, and said what it replaces.
    case loaded(PatchID, replaces: [String])
    /// A patch's replacements are active.
    case activated(PatchID)
    /// A patch's replacements are no longer active.
    case deactivated(PatchID)
    /// A patch was refused. Its id and version are given if the manifest was verified.
    case refused(PatchError, PatchID?)
    /// A replacement failed. What lies below it answered, unless it had already answered.
    case failed(PatchID, function: String, Failure)
    /// An older patch or the original answered, although the patch did not fail.
    case fellBack(PatchID, function: String, Fallback)
    /// A patch failed too often and was deactivated.
    case breakerOpened(PatchID, failures: Int)
    /// A script wrote to the log.
    case log(PatchID, LogLevel, String)
}

extension PatchEvent {
    /// The event as one line of JSON, of the schema `patchpack.event/1`. Characters that a terminal would act on are
    /// escaped.
    public var jsonLine: String {
        var members: [(key: String, value: JSONValue)] = [
            ("schema", .string("patchpack.event/1")), ("event", .string(name)),
            ("patch", patch.map { .string($0.id) } ?? .null), ("version", patch.map { .integer($0.version) } ?? .null),
        ]
        switch self {
        case .loaded(_, let replaces): members.append(("replaces", .array(replaces.map(JSONValue.string))))
        case .activated, .deactivated: break
        case .refused(let error, _):
            members += [
                ("code", .string("\(error.code)")), ("message", .string(error.message)),
                ("hint", error.hint.map(JSONValue.string) ?? .null),
                ("script", error.place?.file.map(JSONValue.string) ?? .null),
                ("line", error.place?.line.map(JSONValue.integer) ?? .null),
            ]
        case .failed(_, let function, let failure):
            members += [
                ("function", .string(function)), ("code", .string("\(failure.code)")),
                ("message", .string(failure.message)), ("script", failure.script.map(JSONValue.string) ?? .null),
                ("line", failure.line.map(JSONValue.integer) ?? .null),
            ]
        case .fellBack(_, let function, let reason):
            members += [("function", .string(function)), ("reason", .string(reason.rawValue))]
        case .breakerOpened(_, let failures): members.append(("failures", .integer(failures)))
        case .log(_, let level, let text): members += [("level", .string("\(level)")), ("message", .string(text))]
        }
        return JSONValue.object(members).text(escaping: isUnprintable)
    }

    /// The event's name in JSON, such as `breaker-opened`.
    public var name: String {
        switch self {
        case .loaded: "loaded"
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .refused: "refused"
        case .failed: "failed"
        case .fellBack: "fell-back"
        case .breakerOpened: "breaker-opened"
        case .log: "log"
        }
    }

    /// The patch that the event is about.
    public var patch: PatchID? {
        switch self {
        case .loaded(let patch, _), .activated(let patch), .deactivated(let patch), .failed(let patch, _, _),
            .fellBack(let patch, _, _), .breakerOpened(let patch, _), .log(let patch, _, _):
            patch
        case .refused(_, let patch): patch
        }
    }
}

extension PatchEvent: CustomStringConvertible {
    /// The event as a line of text for a reader.
    public var description: String {
        let subject = patch.map { "\($0.id) \($0.version)" } ?? "a patch"
        switch self {
        case .loaded(_, let replaces): return "\(subject) loaded: replaces \(replaces.joined(separator: ", "))"
        case .activated, .deactivated: return "\(subject) \(name)"
        case .refused(let error, _): return "\(subject) refused: \(error)"
        case .failed(_, let function, let failure):
            return "\(subject) failed in \(function): \(failure.text)"
        case .fellBack(_, let function, let reason):
            return "\(subject) was skipped in \(function): \(reason.rawValue)"
        case .breakerOpened(_, let failures): return "\(subject) was deactivated after \(failures) failures"
        case .log(_, let level, let text): return "\(subject) \(level): \(text)"
        }
    }
}

extension PatchEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError { PatchError(code, message, at: .init(file: script, line: line)) }
}
