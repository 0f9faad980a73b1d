internal import CLuaBridge
internal import PatchCrypto

extension RunnerEvent.Failure {
    /// Makes a failure from the bridge's report about a failed run. The error value is on top of the stack.
    init(_ fault: pp_fault, stack: _PatchStack) {
        let kill = unsafe fault.kill
        let line = unsafe fault.line
        script = unsafe line > 0 ? fault.script.map { unsafe String(cString: $0) } : nil
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
            if let error = unsafe stack.values.error(fault.host_error) {
                message =
                    error is ScriptError
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
    init(resultOf layer: Layer?, on stack: _PatchStack, message: String) {
        let place = unsafe layer?.place(in: stack.state)
        script = place?.script
        line = place?.line
        code = .script
        self.message = message
    }
}
