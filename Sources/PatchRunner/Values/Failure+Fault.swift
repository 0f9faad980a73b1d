internal import CLuaBridge
internal import PatchCrypto
internal import PatchText

extension RunnerEvent.Failure {
    /// Makes a failure from the bridge's report about a failed run. The error value is on top of the stack.
    init(_ fault: pp_fault, stack: PatchStack) {
        let (kill, line, error) = unsafe (fault.kill, fault.line, fault.host_error)
        let script = unsafe line > 0 ? fault.script.map { unsafe String(cString: $0) } : nil
        self.script = script
        self.line = line > 0 ? Int(line) : nil
        let stackTrace = unsafe line > 0 ? fault.stack.map { unsafe String(cString: $0) } : nil
        self.stackTrace = stackTrace?.isEmpty == false ? stackTrace : nil
        code = kill == 0 ? .script : .scriptLimit
        isCircumstance = pp_is_circumstance(kill)
        switch UInt32(kill) {
        case PP_FUEL.rawValue: message = "ended: out of fuel"
        case PP_MEMORY.rawValue: message = "ended: past its memory limit"
        case PP_TIME.rawValue: message = "ended: past its limit of processor time"
        case PP_STALLED.rawValue: message = "ended: it waited too long for the processor"
        case PP_MACHINE.rawValue: message = "ended: the machine has no memory left"
        case PP_OTHERS.rawValue: message = "ended: other instances of the patch hold its memory"
        case PP_STRING.rawValue: message = "ended: past its limit for a string"
        case PP_COLLISIONS.rawValue: message = "ended: the numeric keys of one of its tables collide"
        default:
            if let error = stack.values.error(error) {
                message =
                    error is PatchedError
                    ? "host.throw in a function that cannot throw: \(error)"
                    : "uncaught error of the host: \(error)"
            } else if let text = stack.faultMessage {
                // The position that Lua's message begins with is reported separately.
                message = text
            } else {
                message = "the error has type \(stack.typeName(at: -1)), not string"
            }
        }
    }

    /// Makes a failure for a run whose result does not fit, or that could not begin.
    init(resultOf layer: Layer?, on stack: PatchStack, message: String) {
        let place = unsafe layer?.place(in: stack.state)
        script = place?.script
        line = place?.line
        code = .script
        self.message = message
    }
}

extension RunnerEvent.Failure {
    /// The failure with as many bytes of its message as an app allows.
    ///
    /// With none, the message is only the words of Lua or of the runner that it begins with. What follows them may be a value, and so
    /// may the whole message of an error that a script has made. The names of a stack are words of the script.
    func withText(of bytes: Int) -> RunnerEvent.Failure {
        var failure = self
        failure.message = bytes > 0 ? message.shortened(to: bytes) : code == .script ? ownWords : message
        return failure
    }

    private var ownWords: String {
        guard message.utf8.starts(with: "attempt to ".utf8) else {
            return Self.openings.first { message.utf8.starts(with: $0.utf8) } ?? "an error of the script"
        }
        return message.split(separator: " ").prefix { Self.wordsOfLua.contains(String($0)) }.joined(separator: " ")
    }

    /// The messages that the runner makes itself, up to the values in them.
    private static let openings = [
        "host.throw in a function that cannot throw", "uncaught error of the host", "wrong result", "stack overflow",
        "C stack overflow", "not enough memory",
    ]
    private static let wordsOfLua: Set<String> = [
        "attempt", "to", "call", "index", "compare", "concatenate", "get", "length", "of", "perform", "arithmetic",
        "bitwise",
        "operation", "on", "a", "two", "with", "nil", "boolean", "number", "string", "table", "function", "userdata",
        "value",
        "values",
    ]
}
