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
    /// A launch began with these patches.
    case launched([PatchID], isSafe: Bool)
    /// A patch runs for the first time on this device.
    case trial(PatchID)
    /// A launch with the patch was confirmed, so it is good.
    case confirmed(PatchID)
    /// A patch is taken back because launches or calls failed with it. Its envelope has this SHA-256.
    case rolledBack(PatchID, reason: String, hash: String)
    /// So many launches failed with good patches that the app runs without any.
    case safeMode(failures: Int)
    /// A patch was withdrawn by the feed.
    case withdrawn(PatchID, reason: String?)
    /// The feed has switched all patches off.
    case disabled
    /// The feed has switched patches on again.
    case enabled
    /// The store was brought up to date with the feed. There is a count for each code of a choice.
    case synced(bytes: Int, milliseconds: Int, counts: [String: Int])
    /// The feed could not be read.
    case syncFailed(PatchError)
    /// The feed's values for the app have changed.
    case switches([String: String])
    /// The store's folder or a file in it cannot be used.
    case storeFailed(PatchError)
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
            members += Self.members(of: error)
            members += [
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
        case .trial, .confirmed, .disabled, .enabled: break
        case .launched(let patches, let isSafe):
            let running = patches.map { patch in
                JSONValue.object([("id", .string(patch.id)), ("version", .integer(patch.version))])
            }
            members += [("patches", .array(running)), ("safeMode", .bool(isSafe))]
        case .rolledBack(_, let reason, let hash): members += [("reason", .string(reason)), ("hash", .string(hash))]
        case .safeMode(let failures): members.append(("failures", .integer(failures)))
        case .withdrawn(_, let reason): members.append(("reason", reason.map(JSONValue.string) ?? .null))
        case .synced(let bytes, let milliseconds, let counts):
            members += [
                ("bytes", .integer(bytes)), ("milliseconds", .integer(milliseconds)),
                ("counts", .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })),
            ]
        case .syncFailed(let error), .storeFailed(let error): members += Self.members(of: error)
        case .switches(let values):
            members.append(("switches", .object(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })))
        }
        return JSONValue.object(members).text(escaping: isUnprintable)
    }

    private static func members(of error: PatchError) -> [(key: String, value: JSONValue)] {
        [
            ("code", .string("\(error.code)")), ("message", .string(error.message)),
            ("hint", error.hint.map(JSONValue.string) ?? .null),
        ]
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
        case .launched: "launched"
        case .trial: "trial"
        case .confirmed: "confirmed"
        case .rolledBack: "rolled-back"
        case .safeMode: "safe-mode"
        case .withdrawn: "withdrawn"
        case .disabled: "disabled"
        case .enabled: "enabled"
        case .synced: "synced"
        case .syncFailed: "sync-failed"
        case .switches: "switches"
        case .storeFailed: "store-failed"
        }
    }

    /// The patch that the event is about.
    public var patch: PatchID? {
        switch self {
        case .loaded(let patch, _), .activated(let patch), .deactivated(let patch), .failed(let patch, _, _),
            .fellBack(let patch, _, _), .breakerOpened(let patch, _), .log(let patch, _, _), .trial(let patch),
            .confirmed(let patch), .rolledBack(let patch, _, _), .withdrawn(let patch, _):
            patch
        case .launched, .safeMode, .disabled, .enabled, .synced, .syncFailed, .switches, .storeFailed: nil
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
        case .launched(let patches, let isSafe):
            let names =
                patches.isEmpty ? "no patches" : patches.map { "\($0.id) \($0.version)" }.joined(separator: ", ")
            return "launched with \(names)\(isSafe ? ", in safe mode" : "")"
        case .trial: return "\(subject) is on trial"
        case .confirmed: return "\(subject) is good"
        case .rolledBack(_, let reason, _): return "\(subject) was taken back: \(reason)"
        case .safeMode(let failures): return "\(failures) launches failed, so the app runs without patches"
        case .withdrawn(_, let reason): return "\(subject) was withdrawn" + (reason.map { ": \($0)" } ?? "")
        case .disabled: return "all patches are switched off"
        case .enabled: return "patches are switched on again"
        case .synced(let bytes, let milliseconds, let counts):
            let codes = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return "synced: \(codes.isEmpty ? "no patches" : codes); \(bytes) bytes in \(milliseconds) ms"
        case .syncFailed(let error): return "sync failed: \(error)"
        case .switches(let values):
            return "switches: "
                + values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        case .storeFailed(let error): return "the store: \(error)"
        }
    }
}

extension PatchEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError { PatchError(code, message, at: .init(file: script, line: line)) }
}
