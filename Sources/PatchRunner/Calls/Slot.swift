internal import CLuaBridge
internal import PatchCrypto
public import Synchronization

/// The slots of a registry.
protocol SlotRegistry: AnyObject, Sendable {
    /// The memory of all states of the registry.
    var pool: StatePool { get }

    /// The instrument in which calls that reach a patch run.
    var instrument: (any PatchInstrument)? { get }

    /// The slot of a name.
    func slot(_ name: String) -> Slot?

    /// A method by its class's place and its own.
    func method(_ index: Int, ofClass place: Int) -> ExposedMethod
}

/// An active patch, to which layers belong.
protocol LayerOwner: AnyObject, Sendable {
    var reports: PatchEventSink { get }

    /// Makes another instance for a call that found the others taken.
    func makeInstances()

    /// Whether it has failed too often, so that only its script's `otherwise` answers.
    var isOpen: Bool { get }
}

/// A registered function and the patches that replace it.
///
/// A call reads `top` without a lock and without a reference. A slot lives as long as a call through it is possible.
@safe @usableFromInline
package final class Slot: Sendable {
    /// Calls the layer that a cell holds, or the original, with arguments from a place on the stack. The record belongs to the
    /// call whose original this is, if there is one.
    @usableFromInline package typealias Invoke =
        @Sendable (Slot, PatchStack, Int32, CallReference?, LayerCell) -> Int32
    /// Pushes the outcome of a call. Returns false if it is an error.
    @usableFromInline package typealias PushOutcome = @Sendable (PatchStack) -> Bool
    /// The same for an asynchronous function. It reads the arguments, and returns a function to await, which returns a function
    /// that pushes the result.
    @usableFromInline package typealias AsyncInvoke =
        @Sendable (Slot, PatchStack, Int32) -> (@Sendable () async -> PushOutcome)?

    package let name: String
    package let signature: PatchSignature
    /// The address of the topmost layer, or 0. The bridge also reads it.
    @usableFromInline nonisolated(unsafe) let top: UnsafeMutablePointer<Atomic<UInt>>
    let invoke: Invoke
    let invokeAsync: AsyncInvoke?
    /// The types of the arguments and of the result, if there is one.
    let types: [any PatchValue.Type]
    /// Reads a result that a script gives while it loads. If it does not fit, the error describes the mismatch.
    private let readResult: @Sendable (PatchStack) -> Result<Otherwise, Mismatch>
    private let membership = Mutex(Membership())

    /// The registry that a slot is in. A slot that a macro declares is in none at first, and may be in one registry after
    /// another.
    private struct Membership {
        weak var registry: (any SlotRegistry)?
        /// The memory of all states of the registries, which a call may still be in. An app has one registry; the registries of
        /// tests are small.
        var pools: [StatePool] = []
    }
    private let stack = Mutex(Stack())

    private struct Stack {
        /// The layers on this name and the patches that they belong to, the topmost last.
        var layers: [ActiveLayer] = []
        /// How often the patches that were deactivated last were called, the newest last.
        var ended: [Total] = []
        /// How many layers were put on this name.
        var activations = 0
        /// The answers in place of layers, by the layers' addresses. They are kept for calls that continue when their layer is
        /// gone.
        var otherwise: [UInt: Otherwise] = [:]
        /// Is above the layers if calls are instrumented, so that a call without an instrument has nothing to check.
        var barrier: Layer?
    }

    /// Why a value is not a result of the function.
    package struct Mismatch: Error {
        let description: String

        package init(_ description: String) { self.description = description }
    }

    private struct ActiveLayer {
        let layer: Layer
        let patch: any LayerOwner
        let activation: Int
        /// How often calls could not enter it, by the reason.
        var refusals: [String: Int] = [:]
    }
    /// The calls of a patch from an activation until now, or until its deactivation.
    typealias Total = (patch: PatchID, activation: Int, calls: RunnerEvent.Calls)
    /// How many deactivated patches are remembered until the next query.
    private static let mostEnded = 4

    package init(
        name: String, signature: PatchSignature, types: [any PatchValue.Type] = [], invoke: @escaping Invoke,
        invokeAsync: AsyncInvoke?, readResult: @escaping @Sendable (PatchStack) -> Result<Otherwise, Mismatch>
    ) {
        self.name = name
        self.signature = signature
        self.types = types
        self.readResult = readResult
        self.invoke = invoke
        self.invokeAsync = invokeAsync
        unsafe top = .allocate(capacity: 1)
        unsafe top.initialize(to: Atomic(0))
    }

    /// - Parameter invoke: nil if scripts can only await the function.
    convenience init<Output: PatchResult, Failure: Error>(
        _ name: String, _ arguments: [any PatchValue.Type], _: Output.Type, _: Failure.Type, parameters: [String] = [],
        invoke: Invoke? = nil, invokeAsync: AsyncInvoke?
    ) {
        self.init(
            name: name,
            signature: PatchSignature(
                arguments.map { $0.patchTypeName }, parameters: parameters, result: Output.typeName,
                throws: Failure.self != Never.self,
                isAsynchronous: invokeAsync != nil),
            types: arguments + (Output.type.map { [$0] } ?? []),
            invoke: invoke ?? { slot, stack, _, _, _ in stack.refuseCall(of: slot) }, invokeAsync: invokeAsync,
            readResult: { stack in Output.type.map { Self.read($0, from: stack) } ?? .success(.nothing) })
    }

    private static func read<Value: PatchValue>(_: Value.Type, from stack: PatchStack) -> Result<Otherwise, Mismatch> {
        if let value = Value.read(from: stack, at: -1) { return .success(Otherwise(value)) }
        return .failure(Mismatch(stack.takeReadFault() ?? Value._mismatch(in: stack, at: -1)))
    }

    /// Undoes a ``join(_:)`` that no caller has seen yet.
    func leave() { membership.locked { $0.registry = nil } }

    deinit {
        stack.locked { unsafe pp_free_barrier($0.barrier?.pointer) }
        unsafe top.deinitialize(count: 1)
        unsafe top.deallocate()
    }

    var isAsynchronous: Bool { invokeAsync != nil }

    /// The registry that the slot is in.
    var registry: (any SlotRegistry)? { membership.locked { $0.registry } }

    /// Enters a registry, unless the slot is in one already.
    func join(_ registry: any SlotRegistry) -> Bool {
        membership.locked { membership in
            guard membership.registry == nil else { return false }
            membership.registry = registry
            membership.pools.append(registry.pool)
            return true
        }
    }

    /// Whether a patch is active on the name.
    @inlinable @inline(__always) var isPatched: Bool { unsafe top.pointee.load(ordering: .acquiring) != 0 }

    /// The cell that holds the address of the topmost layer.
    @inlinable @inline(__always) var cell: LayerCell { unsafe LayerCell(UnsafeMutableRawPointer(top)) }

    /// Calls the name's current implementation for `host.call`.
    func invoke(from stack: PatchStack, firstArgument: Int32) -> Int32 {
        invoke(self, stack, firstArgument, nil, cell)
    }

    // MARK: layers

    /// Puts a layer on top.
    ///
    /// - Parameter otherwise: The answer in its place when its script cannot answer.
    func push(_ layer: Layer, of patch: any LayerOwner, otherwise: Otherwise?) {
        let isInstrumented = registry?.instrument != nil
        stack.locked { stack in
            if isInstrumented, stack.barrier == nil { stack.barrier = unsafe pp_new_barrier().map { unsafe Layer($0) } }
            unsafe layer.isPut(on: Unmanaged.passUnretained(self).toOpaque(), above: stack.layers.last?.layer)
            stack.activations += 1
            stack.otherwise[layer.address] = otherwise
            stack.layers.append(ActiveLayer(layer: layer, patch: patch, activation: stack.activations))
            put(layer, on: stack)
        }
    }

    /// Makes a layer the topmost layer of a patch; nil if there is none.
    private func put(_ layer: Layer?, on stack: Stack) {
        stack.barrier?.isPut(above: layer)
        unsafe pp_cell_set(top, layer.map { unsafe (stack.barrier ?? $0).pointer })
    }

    /// Takes a patch's layer off. The layer above it then lies on the layer below it.
    func remove(_ patch: any LayerOwner) {
        stack.locked { stack in
            guard let index = stack.layers.firstIndex(where: { $0.patch === patch }) else { return }
            if stack.ended.count == Self.mostEnded { stack.ended.removeFirst() }
            stack.ended.append(Self.total(of: stack.layers.remove(at: index)))
            let below = index > 0 ? stack.layers[index - 1].layer : nil
            if index < stack.layers.count {
                stack.layers[index].layer.isPut(above: below)
            } else {
                put(below, on: stack)
            }
        }
    }

    /// The patches that are active on the name, the topmost last.
    package var patches: [ReplaceableState.ActivePatch] {
        stack.locked { $0.layers.map { (Self.total(of: $0), $0.patch.isOpen) } }.map { total, isOpen in
            let calls = total.calls
            return ReplaceableState.ActivePatch(
                patch: total.patch, calls: calls.calls, failures: calls.failures, fallbacks: calls.fallbacks,
                isOpen: isOpen,
                meanTime: calls.measured == 0 ? nil : .nanoseconds(calls.nanoseconds / calls.measured),
                longestTime: .nanoseconds(calls.longest))
        }
    }

    /// The calls of the patches on the name, including the patches that were deactivated last.
    var totals: [Total] { stack.locked { $0.ended + $0.layers.map(Self.total) } }

    private static func total(of active: ActiveLayer) -> Total {
        let statistics = active.layer.statistics
        return (
            active.patch.reports.patch, active.activation,
            RunnerEvent.Calls(
                calls: Int(clamping: statistics.calls), failures: Int(clamping: statistics.failures),
                fallbacks: Int(clamping: statistics.fallbacks), measured: Int(clamping: statistics.measured),
                nanoseconds: Int(clamping: statistics.nanoseconds), longest: Int(clamping: statistics.longest),
                times: statistics.measured == 0 ? [] : statistics.allTimes)
        )
    }

    /// The data for the metrics of an active patch.
    struct Measure {
        let reports: PatchEventSink
        let calls: RunnerEvent.Calls
        let refusals: [String: Int]
        /// How many asynchronous calls of the patch wait, including calls of other functions.
        let waitingCalls: Int
        let instances: Int
        let isOpen: Bool
    }

    /// The measures of the patches that are active on the name.
    var measures: [Measure] {
        stack.locked { stack in
            stack.layers.map { active in
                Measure(
                    reports: active.patch.reports, calls: Self.total(of: active).calls, refusals: active.refusals,
                    waitingCalls: active.layer.waitingCalls, instances: active.layer.instances,
                    isOpen: active.patch.isOpen)
            }
        }
    }

    private func owner(of layer: Layer) -> (any LayerOwner)? {
        stack.locked { stack in stack.layers.first { $0.layer == layer }?.patch }
    }

    /// Counts that a layer could not be entered, and returns its patch; nil if it is no longer active.
    private func count(_ refusal: Refusal, of layer: Layer) -> (any LayerOwner)? {
        stack.locked { stack in
            guard let place = stack.layers.firstIndex(where: { $0.layer == layer }) else { return nil }
            if let reason = refusal.metricReason { stack.layers[place].refusals[reason, default: 0] += 1 }
            return stack.layers[place].patch
        }
    }

    /// The answer in place of a layer that was put here; nil if its script gives no `otherwise`.
    func otherwise(of layer: Layer) -> Otherwise? { stack.locked { $0.otherwise[layer.address] } }

    /// Reads the value that answers when the script of a layer cannot.
    ///
    /// - Parameters:
    ///   - stack: The stack that holds the value, or the parts of an error, on top.
    ///   - isError: Whether it is an error.
    ///   - patch: The patch's id.
    /// - Throws: Why the function cannot end in this way.
    func otherwise(on stack: PatchStack, isError: Bool, of patch: String) throws(Mismatch) -> Otherwise {
        guard isError else { return try readResult(stack).get() }
        guard signature.throws else { throw Mismatch("an error was given, but \(name) cannot throw") }
        return Otherwise(PatchedError(madeOn: stack, by: patch))
    }

    // MARK: calls

    /// Enters the layer that a cell holds.
    @usableFromInline
    package func enter(_ cell: LayerCell, _ record: CallReference) -> Entrance {
        let entry = unsafe pp_enter(cell.address, Unmanaged.passUnretained(self).toOpaque(), record.address)
        if let state = unsafe entry.L { return unsafe .entered(PatchStack(state)) }
        return unsafe answer(for: Refusal(bits: entry.refused), cell) { enter($0, record) }
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
            return unsafe .entered(PatchStack(state))
        }
        return self.answer(for: Refusal(bits: UInt(answer.bits)), cell) { unsafe call($0, record, arguments, kinds) }
    }

    /// The answer in place of a layer that could not be entered.
    enum Substitute {
        /// Another attempt: there is another instance now, or another layer in its place.
        case again
        /// The layer below it, by its address.
        case below(UInt)
        case original
        case otherwise(Otherwise)
        /// The layer that the cell holds, within the registry's instrument.
        case instrumented(LayerCell)
    }

    /// Finds the answer in place of the layer that a cell held, and reports the refusal.
    func substitute(for refusal: Refusal, _ cell: LayerCell) -> Substitute {
        guard let layer = refusal.layer else { return .original }
        guard !layer.isBarrier else { return unsafe .instrumented(LayerCell(layer.cellBelow)) }
        if refusal.mayGrow {
            owner(of: layer)?.makeInstances()
            return .again
        }
        guard let owner = count(refusal, of: layer) else {
            // The patch was taken off, and another may be there, such as its next version.
            return cell.isEmpty || cell.holds(layer) ? .original : .again
        }
        layer.countFallback()
        if let event = refusal.event { owner.reports.fellBack(event, in: name) }
        if let otherwise = self.otherwise(of: layer) { return .otherwise(otherwise) }
        guard refusal.event != nil || refusal.isRepeated, layer.below != 0 else { return .original }
        return .below(layer.below)
    }

    private func answer(for refusal: Refusal, _ cell: LayerCell, _ body: (LayerCell) -> Entrance) -> Entrance {
        switch substitute(for: refusal, cell) {
        case .again: return body(cell)
        case .below(var below): return unsafe withUnsafeMutablePointer(to: &below) { unsafe body(LayerCell($0)) }
        case .original: return .original
        case .otherwise(let otherwise): return .otherwise(otherwise.bits)
        case .instrumented(let cell): return .instrumented(cell)
        }
    }

    /// The call that is passed to an instrument; nil if no patch is on the name any more.
    func instrumentedCall() -> PatchedCall? {
        stack.locked { $0.layers.last?.patch.reports.patch }.map { PatchedCall(function: name, patch: $0) }
    }

    /// The end of a call that the script did not answer.
    @frozen @usableFromInline package enum Settlement<Value, Failure: Error> {
        /// The original's outcome, or an error that the call throws.
        case outcome(Result<Value, Failure>)
        /// The layer below must answer. The value is its address, as a cell holds it, or 0 for the original.
        case below(UInt)
    }

    /// Leaves a call whose run failed, and returns how the call ends.
    @inlinable
    package func settle<Output: PatchResult, Failure: Error>(
        _ stack: PatchStack, _: Output.Type, _ outcome: Result<Output.Value, Failure>?
    ) -> Settlement<Output.Value, Failure> {
        if Failure.self != Never.self, let error = thrownError(on: stack) as? Failure {
            // The call throws this error itself. It is not a failure of the patch.
            stack.leave()
            return .outcome(.failure(error))
        }
        let (below, otherwise) = fail(on: stack) { Output.mismatch(in: stack) }
        if let otherwise { return .outcome(otherwise.outcome(Output.Value.self, Failure.self)) }
        return outcome.map { .outcome($0) } ?? .below(below)
    }

    /// The error that a failed run threw with `host.throw`, or that it did not catch.
    @usableFromInline
    func thrownError(on stack: PatchStack) -> (any Error)? {
        guard unsafe !pp_has_run(stack.state), unsafe !pp_is_refused(stack.state) else { return nil }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        return unsafe fault.kill == 0 && fault.host_error != 0 ? stack.values.error(fault.host_error) : nil
    }

    /// Leaves a call that has failed, and reports the failure.
    ///
    /// - Parameter mismatch: Describes a result that does not fit.
    /// - Returns: The address of the layer below it, as a cell holds it, or 0; and the script's `otherwise`, which answers in
    ///   place of either.
    @usableFromInline
    func fail(on stack: PatchStack, mismatch: () -> String) -> (below: UInt, otherwise: Otherwise?) {
        let values = stack.values
        let layer = unsafe pp_current_layer(stack.state).map { unsafe Layer($0) }
        let failure = failure(of: layer, on: stack, mismatch)
        let below = unsafe UInt(pp_current_below(stack.state))
        let otherwise = layer.flatMap { $0.hasOtherwise ? self.otherwise(of: $0) : nil }
        let isStalled = unsafe pp_is_stalled(stack.state)
        layer?.countFailure()
        layer?.countFallback()
        unsafe pp_leave(stack.state)
        values.reports.failed(failure, in: name, isOfPatch: !isStalled)
        return (below, otherwise)
    }

    /// Describes why a run failed, or its result does not fit; nil if there is no listener.
    private func failure(of layer: Layer?, on stack: PatchStack, _ mismatch: () -> String) -> RunnerEvent.Failure? {
        let refusal = stack.values.takePushFault()
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
                    resultOf: layer, on: stack, message: refusal ?? "a value cannot be passed to the script")
            }
        }
        return unsafe RunnerEvent.Failure(fault, stack: stack)
    }
}
