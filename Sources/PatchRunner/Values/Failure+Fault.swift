internal import CLuaBridge
internal import PatchCrypto

extension PatchEvent.Failure {
    /// What the bridge says of a run that failed; the error value is on top of the stack.
    init(_ fault: pp_fault, stack: PatchStack) {
        let (kill, line, error) = unsafe (fault.kill, fault.line, fault.host_error)
        let script = unsafe line > 0 ? fault.script.map { unsafe String(cString: $0) } : nil
        self.script = script
        self.line = line > 0 ? Int(line) : nil
        code = kill == 0 ? .script : .scriptLimit
        switch UInt32(kill) {
        case PP_FUEL.rawValue: message = "ended: it used up its fuel"
        case PP_MEMORY.rawValue: message = "ended: it used more memory than its limit"
        case PP_TIME.rawValue: message = "ended: it ran longer than its limit"
        case PP_COLLISIONS.rawValue: message = "ended: the numbers that are keys of one of its tables collide"
        default:
            if let error = stack.values.error(error) {
                message =
                    error is PatchedError
                    ? "host.throw in a function that cannot throw it: \(error)"
                    : "an error of the host was not caught: \(error)"
            } else if stack.typeName(at: -1) == "string" {
                // Lua begins a message with its position, which is told apart here.
                let text = stack.text(at: -1)
                let position = script.map { "\($0):\(line): " } ?? ""
                message = text.utf8.starts(with: position.utf8) ? String(text.dropFirst(position.count)) : text
            } else {
                message = "an error that is a \(stack.typeName(at: -1))"
            }
        }
    }

    /// A run whose result does not fit, or that could not begin.
    init(resultOf layer: Layer?, message: String) {
        let place = layer?.place
        script = place?.script
        line = place?.line
        code = .script
        self.message = message
    }
}
