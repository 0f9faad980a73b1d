internal import CLuaBridge
internal import PatchCrypto

/// The callbacks of the bridge for a script. Each of them returns to C before an error is raised, so that no longjmp
/// crosses a Swift frame.
enum HostCallbacks {
    static let table = unsafe pp_host(
        original: { _, slot, cell, record, state in
            guard let address = unsafe slot, let cell = unsafe cell, let state = unsafe state else {
                return CallbackResult.raise
            }
            // No reference is taken, because the call that waits has one.
            return unsafe Unmanaged<Slot>.fromOpaque(address)._withUnsafeGuaranteedRef { slot in
                unsafe slot.invoke(slot, _PatchStack(state), 1, record.map(CallReference.init), LayerCell(cell))
            }
        },
        call: { context, name, length, state in
            guard let state = unsafe state else { return CallbackResult.raise }
            let stack = unsafe _PatchStack(state)
            let name = unsafe text(name, length)
            guard let slot = unsafe ScriptState.at(context).names.slot(name) else {
                stack.push(message: "the host has no function '\(name)'")
                return CallbackResult.raise
            }
            return slot.isAsynchronous ? CallbackResult.asynchronous : slot.invoke(from: stack, firstArgument: 2)
        },
        has: { context, name, length in
            unsafe ScriptState.at(context).names.slot(text(name, length)) != nil
        },
        script: { context, name, length, state in
            guard let state = unsafe state else { return CallbackResult.raise }
            return unsafe ScriptState.at(context).loader.require(text(name, length), on: _PatchStack(state))
        },
        method: { context, classIndex, method, state in
            guard let state = unsafe state else { return CallbackResult.raise }
            guard classIndex >= 0 else {
                return unsafe CallValues.at(context).functions[Int(method)](_PatchStack(state))
            }
            let exposed = unsafe ScriptState.at(context).names.method(Int(method), ofClass: Int(classIndex))
            return switch exposed.body {
            case .synchronous(let invoke): unsafe invoke(_PatchStack(state))
            case .asynchronous: CallbackResult.asynchronous
            }
        },
        throws: { context, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            let patch = unsafe CallValues.at(context).reports.patch
            return stack.raise(ScriptError(at: 1, on: stack, by: patch))
        },
        error_text: { context, number, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            let error = unsafe CallValues.at(context).error(number)
            stack.push(text: error.map { "\($0)" } ?? "an error from an earlier call")
            return 1
        },
        error_code: { context, number, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            let error = unsafe CallValues.at(context).error(number) as? ScriptError
            if let code = error?.code { stack.push(Int64(code)) } else { stack.pushNil() }
            return 1
        },
        log: { context, level, bytes, length, state in
            guard let state = unsafe state else { return }
            let text = unsafe UnsafeRawBufferPointer(start: bytes, count: length).assumingMemoryBound(to: UInt8.self)
            let reports = unsafe CallValues.at(context).reports
            guard reports.isHeard, let line = unsafe reports.line(severity(level), text) else {
                return
            }
            let stack = unsafe _PatchStack(state)
            stack.hostBegins()
            reports.emit(line)
            stack.hostEnds()
        },
        line: { context, script, line in
            guard let script = unsafe script else { return }
            unsafe ScriptState.at(context).onLine?(String(cString: script), Int(line))
        },
        call_ended: { context, call, hasRun in unsafe CallValues.at(context).callEnded(call, hasRun: hasRun) },
        refusal: { context, state in
            guard let state = unsafe state else { return }
            let fault = unsafe CallValues.at(context).takePushFault()
            unsafe _PatchStack(state).push(message: fault ?? "a value cannot be passed to the script")
        },
        closed: { context in unsafe CallValues.at(context).closed() })

    /// The callbacks for a patch in shadow. It calls no function and no method of the app, and its log lines are
    /// dropped.
    static let shadowTable = {
        var host = table
        unsafe host.original = { _, _, _, _, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            return ShadowRun.at(stack).callOriginal(on: stack)
        }
        unsafe host.call = { context, name, length, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            let text = unsafe text(name, length)
            guard unsafe ScriptState.at(context).names.slot(text) != nil else {
                return unsafe table.call(context, name, length, state)
            }
            return ShadowRun.at(stack).end("host.call \(text)", on: stack)
        }
        unsafe host.method = { context, classIndex, method, state in
            guard let stack = unsafe state.map({ unsafe _PatchStack($0) }) else { return CallbackResult.raise }
            let names = unsafe ScriptState.at(context).names
            let exposed = names.method(Int(method), ofClass: Int(classIndex))
            return ShadowRun.at(stack).end("\(names.className(at: Int(classIndex))):\(exposed.name)", on: stack)
        }
        unsafe host.log = { _, _, _, _, _ in }
        return host
    }()

    /// The severity of a log line, by its `pp_log_level`.
    private static func severity(_ level: Int32) -> EventSeverity {
        switch UInt32(bitPattern: level) {
        case PP_LOG_DEBUG.rawValue: .debug
        case PP_LOG_WARNING.rawValue: .warning
        case PP_LOG_ERROR.rawValue: .error
        default: .info
        }
    }

    /// A string from a script's bytes. Bytes that are not UTF-8 are replaced.
    private static func text(_ bytes: UnsafePointer<CChar>?, _ length: Int) -> String {
        unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: length).assumingMemoryBound(to: UInt8.self),
            as: UTF8.self)
    }
}
