package import PatchCrypto
package import PatchText

// The words of each kind: its name, its members in JSON, and its text.
extension RunnerEvent.Kind {
    package var name: EventRecord.Name { subject.name }

    package var patch: PatchID? { subject.patch }

    private var subject: (name: EventRecord.Name, patch: PatchID?) {
        switch self {
        case .loaded(let load): (.loaded, load.patch)
        case .activated(let activation): (.activated, activation.patch)
        case .deactivated(let deactivation): (.deactivated, deactivation.patch)
        case .refused(let refusal): (.refused, refusal.patch)
        case .failed(let failed): (.failed, failed.call.patch)
        case .fellBack(let fallback): (.fellBack, fallback.call.patch)
        case .compared(let compared): (.compared, compared.patch)
        case .breakerOpened(let breaker): (.breakerOpened, breaker.patch)
        case .breakerClosed(let breaker): (.breakerClosed, breaker.patch)
        case .logged(let line): (.log, line.patch)
        }
    }

    package var record: EventRecord {
        switch self {
        case .activated, .deactivated: make([])
        case .loaded(let load): make([(.replaces, .array(load.replaces.map(JSONValue.string)))])
        case .refused(let refusal): make(refusal.error.attributes)
        case .failed(let failed):
            make(
                [(.function, .string(failed.call.function))] + failed.failure.error.attributes
                    + failed.failure.stackMembers)
        case .fellBack(let fallback):
            make([(.function, .string(fallback.call.function)), (.error, .string(fallback.reason.rawValue))])
        case .compared(let compared):
            make([(.function, .string(compared.function))] + compared.comparison.attributes)
        case .breakerOpened(let breaker):
            make(
                [
                    (.replaces, .array(breaker.functions.map(JSONValue.string))),
                    (.failures, .integer(breaker.failures)),
                ]
                    + (breaker.otherwise.isEmpty
                        ? [] : [(.otherwise, .array(breaker.otherwise.map(JSONValue.string)))]))
        case .breakerClosed(let breaker): make([(.function, .string(breaker.function))])
        case .logged(let line):
            EventRecord(name, patch: line.patch.pair, severity: line.severity.recorded, body: line.text)
        }
    }

    private func make(_ members: EventRecord.Members) -> EventRecord { EventRecord(name, patch: patch?.pair, members) }

    /// One line of text for a reader. Nothing in it is escaped.
    package var text: String {
        let subject = patch.map { "\($0)" } ?? "a patch"
        switch self {
        case .loaded(let load): return "\(subject) loaded: replaces \(load.replaces.joined(separator: ", "))"
        case .activated, .deactivated: return "\(subject) \(name.rawValue)"
        case .refused(let refusal): return "\(subject) refused: \(refusal.error)"
        case .failed(let failed): return "\(subject) failed in \(failed.call.function): \(failed.failure.text)"
        case .fellBack(let fallback):
            return "\(subject) was skipped in \(fallback.call.function): \(fallback.reason.rawValue)"
        case .compared(let compared):
            return "\(subject) in shadow of \(compared.function): \(compared.comparison)"
        case .breakerOpened(let breaker):
            let functions = breaker.functions.joined(separator: ", ")
            let otherwise = breaker.otherwise.joined(separator: ", ")
            return "\(subject) failed \(breaker.failures.times), and is skipped in \(functions)"
                + (otherwise.isEmpty ? "" : ": `otherwise` answers \(otherwise)")
        case .breakerClosed(let breaker): return "\(subject) runs again in \(breaker.function)"
        case .logged(let line): return "\(subject) \(line.severity.recorded): \(line.text)"
        }
    }

    package var sameness: EventSameness? {
        let name = name.rawValue
        return switch self {
        case .failed(let failed):
            EventSameness(name, patch, "\(failed.call.function) \(failed.failure.code)")
        case .fellBack(let fallback):
            EventSameness(name, patch, "\(fallback.call.function) \(fallback.reason.rawValue)")
        case .logged(let line): EventSameness(name, patch, "\(line.severity) \(line.text)")
        case .refused(let refusal): EventSameness(name, patch, "\(refusal.error.code)")
        default: nil
        }
    }
}

extension PatchID {
    package var pair: (id: String, version: Int) { (id, version) }
}

extension EventSeverity {
    /// The severity in the lines of a log. A script has the same name for it.
    package var recorded: EventRecord.Severity {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warn
        case .error: .error
        }
    }
}

extension Int {
    /// `1 time`, `2 times`.
    package var times: String { "\(self) time\(self == 1 ? "" : "s")" }
}

extension RunnerEvent.Failure {
    /// The place, if it is known, and the message: `cart.lua:3: attempt to call a nil value`.
    package var text: String { error.text }

    var stackMembers: EventRecord.Members { stackTrace.map { [(.stack, .string($0))] } ?? [] }

    /// The failure as an error, for a run that is not part of a call.
    var error: PatchError {
        let error = PatchError(code, message, at: .init(file: script, line: line))
        return isCircumstance ? error.ofCircumstance : error
    }
}

extension String {
    /// The text of an event, and how often it has happened again, if it is not nil.
    package func withRepetitions(_ repetitions: Int?) -> String {
        repetitions.map { "\(self) (\($0.times) more)" } ?? self
    }
}
