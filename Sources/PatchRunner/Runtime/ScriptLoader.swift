internal import CLuaBridge
package import PatchCrypto

/// Compiles and runs a patch's scripts.
package struct ScriptLoader: Sendable {
    let lua: LuaState
    let scripts: [PatchScript]
    let limits: PatchLimits

    private var stack: _PatchStack { unsafe _PatchStack(lua.main) }

    /// Runs the entry script, which declares its replacements.
    ///
    /// - Parameter isCompiled: Whether its function is on top of the stack.
    /// - Throws: As ``compile(_:on:)`` and ``run(on:)``; `script-limit` also if the thread has too little stack left.
    func run(_ patch: PatchID, in host: HostInfo, isCompiled: Bool = false) throws(PatchError) {
        guard unsafe pp_has_stack(lua.pointer) else {
            throw PatchError(
                .scriptLimit, "the loading thread has less than \(limits.stackBytes) bytes of stack left",
                hint: "load it on a thread with a larger stack"
            ).ofCircumstance
        }
        unsafe pp_begin_loading(lua.pointer)
        let stack = stack
        for (field, value) in [("id", patch.id), ("app", host.app), ("appVersion", host.version.description)] {
            stack.push(text: value)
            unsafe pp_set_field(stack.state, "patch", field)
        }
        stack.push(Int64(patch.version))
        unsafe pp_set_field(stack.state, "patch", "version")
        if !isCompiled { try compile(scripts[0], on: stack) }
        try run(on: stack)
    }

    /// Compiles a script, and pushes its function.
    ///
    /// - Throws: `script` if it does not compile, or `script-limit` if compiling took too long or too much memory.
    package func compile(_ script: PatchScript, on stack: _PatchStack) throws(PatchError) {
        guard !pushCompiled(script, on: stack) else { return }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        let message = stack.text(at: -1)
        let failure = unsafe RunnerEvent.Failure(fault, stack: stack)
        stack.pop()
        guard failure.code == .scriptLimit else { throw Self.syntaxError(in: script, message) }
        let error = PatchError(.scriptLimit, failure.message)
        throw failure.isCircumstance ? error.ofCircumstance : error
    }

    /// Runs the function on top.
    ///
    /// - Throws: `script` if it fails, or `script-limit` if it runs past a limit.
    package func run(on stack: _PatchStack) throws(PatchError) {
        var fault = unsafe pp_fault()
        guard unsafe pp_run_script(lua.pointer, &fault) else {
            throw unsafe RunnerEvent.Failure(fault, stack: stack).error
        }
    }

    /// Compiles a script, and pushes its function, or a message if that fails. Returns whether it pushed a function.
    private func pushCompiled(_ script: PatchScript, on stack: _PatchStack) -> Bool {
        guard script.bytes.count <= limits.sourceBytes else {
            stack.push(
                text: "\(script.name) has \(script.bytes.count) bytes; at most \(limits.sourceBytes) are allowed")
            return false
        }
        if let fault = SourceScan.fault(in: script.bytes) {
            stack.push(text: "\(script.name):\(fault.line): \(fault.message)")
            return false
        }
        return unsafe script.bytes.withUnsafeBytes {
            unsafe pp_compile(
                stack.state, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, script.name)
        }
    }

    /// - Parameter message: Lua's message, which begins with the script's name and the line.
    private static func syntaxError(in script: PatchScript, _ message: String) -> PatchError {
        let fields = message.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let line = Int(fields[1]), fields[2].first == " ", isName(fields[0], of: script) else {
            return PatchError(.script, message, hint: "fix the script")
        }
        return PatchError(
            .script, String(fields[2].dropFirst()), hint: "fix the script", at: .init(file: script.name, line: line)
        )
    }

    /// Whether Lua shows a script's name so: of a long name only the end, after three dots.
    private static func isName(_ shown: Substring, of script: PatchScript) -> Bool {
        if shown.hasPrefix("...") { return script.name.hasSuffix(shown.dropFirst(3)) }
        return shown == script.name
    }

    /// Compiles the script that `require` names, and pushes its function, or a message. Returns the callback result.
    func require(_ name: String, on stack: _PatchStack) -> Int32 {
        guard let script = script(required: name) else {
            stack.push(message: "the patch has no script '\(name)'; `require` finds only scripts in the same envelope")
            return CallbackResult.raise
        }
        return pushCompiled(script, on: stack) ? 1 : CallbackResult.raise
    }

    /// The script with a name whose dots are already slashes: `cart/total` is `cart/total.lua`, or
    /// `cart/total/init.lua`.
    private func script(required name: String) -> PatchScript? {
        // `require "wax"` is the first line of most scripts for Wax. The functions of that module are built in here, or
        // missing.
        let isWax = name == "wax" || name.hasPrefix("wax/")
        // A script for Wax that is itself called wax.lua does not mean itself.
        let others = isWax ? scripts.dropFirst() : scripts[...]
        for candidate in ["\(name).lua", "\(name)/init.lua"] {
            if let script = others.first(where: { $0.name.isByteEqual(to: candidate) }) { return script }
        }
        if isWax { return PatchScript(name: "wax.lua", bytes: Array("return {}".utf8)) }
        guard ["math", "string", "table", "utf8"].contains(name) else { return nil }
        return PatchScript(name: "\(name).lua", bytes: Array("return \(name)".utf8))
    }

    // MARK: compiled code

    /// The precompiled form of a script.
    ///
    /// - Parameter stays: Whether its function stays on the stack.
    /// - Throws: As ``compile(_:on:)``.
    package func precompiled(_ script: PatchScript, stays: Bool = false) throws(PatchError) -> [UInt8] {
        let stack = stack
        unsafe pp_begin_loading(lua.pointer)
        try compile(script, on: stack)
        defer { if !stays { stack.pop() } }
        var bytes: [UInt8] = []
        unsafe withUnsafeMutablePointer(to: &bytes) {
            unsafe pp_dump(
                stack.state,
                { context, piece, count in
                    unsafe context?.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: piece, count: count))
                }, $0)
        }
        return bytes
    }
}
