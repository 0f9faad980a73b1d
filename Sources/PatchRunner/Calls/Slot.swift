internal import CLuaBridge
internal import PatchCrypto
internal import PatchText
public import Synchronization

/// A registry, as its slots see it.
protocol SlotRegistry: AnyObject, Sendable {
    var pool: StatePool { get }

    var instrument: Instrument? { get }

    /// How many states a thread is in that calls a function from outside of all patches: 1 for a spec, which runs in
    /// one.
    var callerStates: Int32 { get }

    func slot(_ name: String) -> Slot?

    func method(_ index: Int, ofClass place: Int) -> ExposedMethod
}

/// A registered function and the patches that replace it.
///
/// A call reads `top` without a lock and without a reference. A slot lives as long as a call through it is possible.
@safe @usableFromInline
package final class Slot: Sendable {
    /// Calls the layer that a cell holds, or the original, with arguments from a place on the stack. The record belongs
    /// to the call whose original this is, if there is one.
    ///
    /// Returns how many results it has pushed, or a ``CallbackResult`` after an error was pushed.
    @usableFromInline package typealias Invoke =
        @Sendable (Slot, _PatchStack, _ firstArgument: Int32, CallReference?, LayerCell) -> Int32
    /// Pushes the outcome of a call. Returns false if it is an error.
    @usableFromInline package typealias PushOutcome = @Sendable (_PatchStack) -> Bool
    /// The same for an asynchronous function. It reads the arguments, and returns a function to await, which returns a
    /// function that pushes the result.
    @usableFromInline package typealias AsyncInvoke =
        @Sendable (Slot, _PatchStack, _ firstArgument: Int32) -> (@Sendable () async -> PushOutcome)?

    package let name: String
    package let signature: FunctionType
    /// A ``LayerReference`` to the topmost layer: two words, which the bridge writes.
    @usableFromInline nonisolated(unsafe) let top: UnsafeMutablePointer<Atomic<UInt>>
    let invoke: Invoke
    let invokeAsync: AsyncInvoke?
    /// The types of the arguments and of the result, if there is one.
    let types: [any PatchValue.Type]
    /// Reads a result that a script gives while it loads. If it does not fit, the error describes the mismatch.
    private let readResult: @Sendable (_PatchStack) -> Result<Otherwise, Mismatch>
    private let membership = Mutex(Membership())

    /// The registry that a slot is in. A slot of a macro is in none at first, and may be in one registry after another.
    private struct Membership {
        weak var registry: (any SlotRegistry)?
        /// The memory of all states of the registries, which a call may still be in. Only tests have several
        /// registries.
        var pools: [StatePool] = []
    }

    /// The patches on the name.
    let layers: Mutex<LayerStack>

    /// Why a value is not a result of the function.
    package struct Mismatch: Error {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package init(
        name: String, signature: FunctionType, types: [any PatchValue.Type] = [], invoke: @escaping Invoke,
        invokeAsync: AsyncInvoke?,
        readResult: @escaping @Sendable (_PatchStack) -> Result<Otherwise, Mismatch>
    ) {
        self.name = name
        self.signature = signature
        self.types = types
        self.readResult = readResult
        self.invoke = invoke
        self.invokeAsync = invokeAsync
        unsafe top = .allocate(capacity: 2)
        for word in 0..<2 { unsafe (top + word).initialize(to: Atomic(0)) }
        layers = Mutex(LayerStack(name: name, top: unsafe LayerCell(top)))
    }

    /// - Parameter invoke: Left out if scripts can only await the function.
    convenience init<Output: PatchResult, Failure: Error>(
        _ name: String, _ arguments: [any PatchValue.Type], _: Output.Type, _: Failure.Type, parameters: [String] = [],
        invoke: @escaping Invoke = { slot, stack, _, _, _ in stack.refuseCall(of: slot) },
        invokeAsync: AsyncInvoke?
    ) {
        self.init(
            name: name,
            signature: FunctionType(
                arguments.map { $0.patchTypeName }, parameters: parameters, result: Output.typeName,
                throws: Failure.self != Never.self, isAsynchronous: invokeAsync != nil),
            types: arguments + (Output.type.map { [$0] } ?? []),
            invoke: invoke, invokeAsync: invokeAsync,
            readResult: { stack in Output.type.map { Self.read($0, from: stack) } ?? .success(.nothing) })
    }

    private static func read<Value: PatchValue>(_: Value.Type, from stack: _PatchStack) -> Result<Otherwise, Mismatch> {
        if let value = Value._read(from: stack, at: -1) { return .success(Otherwise(value)) }
        return .failure(Mismatch(stack.takeReadFault() ?? Value._mismatch(in: stack, at: -1)))
    }

    /// Undoes a ``join(_:)`` that no caller has seen yet.
    func leave() { membership.locked { $0.registry = nil } }

    deinit {
        layers.locked { $0.freeBarriers() }
        unsafe top.deinitialize(count: 2)
        unsafe top.deallocate()
    }

    var isAsynchronous: Bool { invokeAsync != nil }

    var registry: (any SlotRegistry)? { membership.locked { $0.registry } }

    /// Enters a registry, unless the slot is in one already.
    ///
    /// - Returns: The registry that the slot is in; nil if it has entered. The caller keeps it until no lock is held:
    ///   it may be the last reference, and closures of the app end with the registry.
    func join(_ registry: any SlotRegistry) -> (any SlotRegistry)? {
        membership.locked { membership -> (any SlotRegistry)? in
            if let current = membership.registry { return current }
            membership.registry = registry
            membership.pools.append(registry.pool)
            return nil
        }
    }

    /// Whether a patch is active on the name.
    @inlinable @inline(__always) var isPatched: Bool { unsafe top.pointee.load(ordering: .acquiring) != 0 }

    @inlinable @inline(__always) var cell: LayerCell { unsafe LayerCell(UnsafeMutableRawPointer(top)) }

    /// Calls the name's current implementation for `host.call`.
    ///
    /// - Returns: What ``Invoke`` returns.
    func invoke(from stack: _PatchStack, firstArgument: Int32) -> Int32 {
        invoke(self, stack, firstArgument, nil, cell)
    }

    /// Puts a layer on the name: in the place of an older version, or above the layers of patches whose ids are less,
    /// or equal with a lower version.
    ///
    /// A call finds either the older version or the new one.
    ///
    /// - Parameter otherwise: The answer in its place when its script cannot answer.
    /// - Returns: What is to be released while no lock is held: an object may end with it, whose `deinit` may call
    ///   anything.
    func put(
        _ layer: Layer, of patch: any LayerOwner, replacing old: (any LayerOwner)?, otherwise: Otherwise?
    ) -> LayerStack.KnownLayer? {
        let isInstrumented = registry?.instrument != nil
        return layers.locked { layers in
            layers.isInstrumented = isInstrumented
            return layers.put(layer, of: patch, replacing: old, otherwise: otherwise)
        }
    }

    /// The patches that are active on the name, the topmost last.
    package var patches: [ReplaceableState.ActivePatch] { layers.locked { $0.active.map { $0.state(on: name) } } }

    var shadows: [Shadow] { layers.locked { $0.sample.shadows } }

    /// Takes a call into the samples of the patches in shadow. When a sample is full, calls do not meet it until its
    /// second ends.
    func takeSample() -> [SampledCall] {
        let (taken, full) = layers.locked { $0.takeSample() }
        for shadow in full { refill(shadow) }
        return taken
    }

    /// Lets a sample take calls again after a second.
    private func refill(_ shadow: Shadow) {
        let uptime = shadow.uptime
        Task.detached(priority: .utility) { [weak self, weak shadow, end = uptime.now() + .seconds(1)] in
            try? await uptime.sleep(end)
            guard let self, let shadow else { return }
            layers.locked { $0.fill(shadow) }
        }
    }

    /// Counts that a layer, which may be gone, was entered in vain or not at all, and reports the reason.
    func countFallback(of layer: Layer, _ refusal: Refusal) {
        let known = layers.locked { $0.countFallback(of: layer, refusal) }
        if let known, let reason = refusal.reported {
            known.listener?.hear(.fellBack(.init(PatchedCall(known.patch, name), reason)))
        }
    }

    /// The answer in place of a layer that a call is in; nil if its script gives no `otherwise`.
    func otherwise(of layer: Layer) -> Otherwise? { layers.locked { $0.otherwise(at: layer.address) } }

    /// Reads the value that answers when the script of a layer cannot.
    ///
    /// - Parameter stack: The stack that holds the value, or the parts of an error, on top.
    /// - Throws: Why the function cannot end in this way.
    func otherwise(on stack: _PatchStack, isError: Bool, of patch: PatchID) throws(Mismatch) -> Otherwise {
        guard isError else { return try readResult(stack).get() }
        guard signature.isThrowing else { throw Mismatch("an error was given, but \(name) cannot throw") }
        return Otherwise(ScriptError(at: -2, on: stack, by: patch))
    }

    // MARK: calls

    // A call goes on by these types, from one to the next. `AsyncCall.Entry` is the entrance of an asynchronous call.
    //
    //     Entrance      how an attempt to enter a layer has ended: entered, answered, or what answers in its place
    //     Refusal       why the bridge has not entered the layer
    //     Substitute    the answer to a refusal: another attempt, the layer below, the original, or an `otherwise`
    //     Settlement    how a call ends whose script has not answered: with an outcome, or in the layer below

    @usableFromInline
    package func enter(_ cell: LayerCell, _ record: CallReference) -> Entrance {
        let entry = unsafe pp_enter(cell.address, Unmanaged.passUnretained(self).toOpaque(), record.address)
        if let state = unsafe entry.L { return unsafe .entered(_PatchStack(state)) }
        return unsafe enterAgain(cell, record, after: entry.refused)
    }

    // These functions are apart, so that a call that enters the patch does not prepare for them.
    @inline(never)
    private func enterAgain(_ cell: LayerCell, _ record: CallReference, after refusal: UInt) -> Entrance {
        answer(for: refusal, cell) { enter($0, record) }
    }

    @inline(never)
    private func callAgain(
        _ cell: LayerCell, _ record: CallReference, _ arguments: UnsafePointer<UInt64>?, _ kinds: UInt64,
        after refusal: UInt
    ) -> Entrance {
        answer(for: refusal, cell) { unsafe call($0, record, arguments, kinds) }
    }

    /// Enters the layer that a cell holds, runs it on scalars, and leaves it if the run succeeds.
    @usableFromInline
    func call(_ cell: LayerCell, _ record: CallReference, _ arguments: UnsafePointer<UInt64>?, _ kinds: UInt64)
        -> Entrance
    {
        let answer = unsafe pp_call_scalars(
            cell.address, Unmanaged.passUnretained(self).toOpaque(), record.address, arguments, kinds)
        if answer.outcome == PP_ANSWERED { return .value(answer.bits) }
        if answer.outcome == PP_NO_ANSWER, let state = unsafe OpaquePointer(bitPattern: UInt(answer.bits)) {
            return unsafe .entered(_PatchStack(state))
        }
        return unsafe callAgain(cell, record, arguments, kinds, after: UInt(answer.bits))
    }

    /// The answer in place of a layer that could not be entered.
    enum Substitute {
        /// Another attempt: there is another instance now, or another layer in its place.
        case again
        case below(LayerReference)
        case original
        case otherwise(Otherwise)
        /// The layer that the cell holds, within the registry's instrument.
        case instrumented(LayerCell)
        /// The layer itself, although its breaker is open.
        case probe(Breaker.Probe, Layer)
    }

    /// Finds the answer in place of the layer that a cell held, and reports the refusal.
    func substitute(for refusal: Refusal, _ cell: LayerCell) -> Substitute {
        guard let layer = refusal.layer else { return .original }
        guard !layer.isBarrier else { return unsafe .instrumented(LayerCell(layer.cellBelow)) }
        if refusal.mayGrow {
            layers.locked { $0.place(of: layer) }?.owner.makeInstance()
            return .again
        }
        guard let (owner, below, otherwise) = layers.locked({ $0.place(of: layer) }) else {
            return substitute(forGone: layer, cell)
        }
        if refusal.isStale { return .again }  // it was put back meanwhile
        if refusal.isOpen, let probe = owner.reports.breaker.probe(name) {
            return .probe(probe, layer)
        }
        // Without an `otherwise`, few calls meet a layer whose breaker is open.
        if !refusal.isOpen || otherwise != nil { countFallback(of: layer, refusal) }
        if let otherwise { return .otherwise(otherwise) }
        return below.address == 0 ? .original : .below(below)
    }

    /// Finds the answer in place of a layer that was taken off: the layer that has replaced it, or the next one below.
    private func substitute(forGone layer: Layer, _ cell: LayerCell) -> Substitute {
        let (found, isInPatch) = layers.locked { layers -> (Substitute?, Bool) in
            // A cell that is a copy, or that belongs to a layer that was taken off before, still holds it.
            guard cell.isEmpty || cell.content == layer.reference else { return (.again, false) }
            if let replacement = layers.replacement(of: layer) { return (.below(replacement.reference), false) }
            return (nil, unsafe cell.address != self.cell.address && !layers.isAboveAll(cell))
        }
        if isInPatch { countFallback(of: layer, Refusal(nil, by: layer)) }
        return found ?? .original
    }

    /// - Parameter refusal: In the bridge's form; 0 if no layer was on the name.
    private func answer(for refusal: UInt, _ cell: LayerCell, _ body: (LayerCell) -> Entrance) -> Entrance {
        guard refusal != 0 else { return .original }
        switch substitute(for: Refusal(bits: refusal), cell) {
        case .again:
            defer { LuaState.releaseReserved() }
            return body(cell)
        case .below(var below): return unsafe withUnsafeMutablePointer(to: &below) { unsafe body(LayerCell($0)) }
        case .original: return .original
        case .otherwise(let otherwise): return .otherwise(otherwise.retainedBits())
        case .instrumented(let cell): return .instrumented(cell)
        case .probe(let probe, let layer): return attempt(probe, in: layer) { body(cell) }
        }
    }

    /// Makes a call that tries a script whose breaker is open.
    private func attempt(_ probe: Breaker.Probe, in layer: Layer, _ body: () -> Entrance) -> Entrance {
        layer.allowTry()
        let entrance = body()
        let hasEntered = layer.endTry()
        switch entrance {
        case .value where hasEntered: probe.ended(succeeded: true)
        case .entered(let stack) where hasEntered: stack.keep(probe)
        default: probe.ended(succeeded: nil)
        }
        return entrance
    }

    /// The sink of the topmost patch; nil if no patch is on the name any more.
    var topmost: PatchEventSink? { layers.locked { $0.active.last?.patch.reports } }

    /// The end of a call that the script did not answer.
    @frozen @usableFromInline package enum Settlement<Value, Failure: Error> {
        /// The original's outcome, or an error that the call throws.
        case outcome(Result<Value, Failure>)
        /// The layer below must answer, or the original if there is none.
        case below(LayerReference)
    }

    /// Leaves a call whose run failed, and returns how the call ends.
    @inlinable
    package func settle<Output: PatchResult, Failure: Error>(
        _ stack: _PatchStack, _: Output.Type, _ outcome: Result<Output.Value, Failure>?
    ) -> Settlement<Output.Value, Failure> {
        if Failure.self != Never.self, let error = thrownError(on: stack) as? Failure {
            // The call throws this error itself. It is not a failure of the patch.
            stack.leaveThrowing()
            return .outcome(.failure(error))
        }
        let (below, otherwise) = fail(on: stack) { Output.mismatch(in: stack) }
        if let otherwise { return .outcome(otherwise.outcome(Output.Value.self, Failure.self)) }
        return outcome.map { .outcome($0) } ?? .below(below)
    }

    /// The error that a failed run threw with `host.throw`, or that it did not catch.
    @usableFromInline
    func thrownError(on stack: _PatchStack) -> (any Error)? {
        guard unsafe !pp_has_run(stack.state), unsafe !pp_is_refused(stack.state) else { return nil }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        return unsafe fault.kill == 0 && fault.host_error != 0 ? stack.values.error(fault.host_error) : nil
    }

    /// Leaves a call that has failed, and reports the failure.
    ///
    /// - Parameter mismatch: Describes a result that does not fit.
    /// - Returns: The layer below it, and the script's `otherwise`, which answers in its place.
    @usableFromInline
    func fail(on stack: _PatchStack, mismatch: () -> String) -> (below: LayerReference, otherwise: Otherwise?) {
        let values = stack.values
        let layer = unsafe pp_current_layer(stack.state).map { unsafe Layer($0) }
        let failure = failure(of: layer, on: stack, mismatch)
        let below = unsafe LayerReference(pp_current_below(stack.state))
        let otherwise = layer.flatMap { $0.hasOtherwise ? self.otherwise(of: $0) : nil }
        let kill = unsafe pp_kill_of(stack.state)
        let isOfPatch = !pp_is_circumstance(kill)
        let probe = values.takeProbe(of: unsafe pp_current_call(stack.state))
        if let layer, kill == PP_OTHERS.rawValue {
            layer.shrink()
        } else if let layer, !layer.countFailure() {
            layers.locked { $0.countEnded(layer, failures: 1) }
        }
        unsafe pp_leave(stack.state)
        if let layer, kill == PP_OTHERS.rawValue {
            countFallback(of: layer, Refusal(PP_BUSY, by: layer))
        } else {
            values.reports.failed(failure, in: name, isOfPatch: isOfPatch)
        }
        probe?.ended(succeeded: isOfPatch ? false : nil)
        return (below, otherwise)
    }

    /// Describes why a run failed, or its result does not fit; nil if there is no listener.
    private func failure(of layer: Layer?, on stack: _PatchStack, _ mismatch: () -> String) -> RunnerEvent.Failure? {
        let pushFault = stack.values.takePushFault()
        guard stack.values.reports.isHeard else {
            _ = stack.takeReadFault()
            return nil
        }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        if unsafe fault.kill == 0 {
            if unsafe pp_has_run(stack.state) {
                return RunnerEvent.Failure(resultOf: layer, on: stack, message: "wrong result: " + mismatch())
            }
            if unsafe pp_is_refused(stack.state) {
                return RunnerEvent.Failure(
                    resultOf: layer, on: stack, message: pushFault ?? "a value cannot be passed to the script")
            }
        }
        return unsafe RunnerEvent.Failure(fault, stack: stack)
    }
}
