internal import CLuaBridge
internal import PatchCrypto
public import Synchronization

/// A registered function and the patches that replace it.
///
/// A call reads `top` without a lock and without a reference. A slot lives as long as a call through it is possible.
@safe @usableFromInline
package final class Slot: Sendable {
    /// Calls the layer that a cell holds, or the original, with arguments from a place on the stack. The record is that
    /// of the call whose original this is, if there is one.
    @usableFromInline package typealias Invoke =
        @Sendable (Slot, PatchStack, Int32, CallReference?, LayerCell) -> Int32
    /// The same for an asynchronous function. It reads the arguments, and returns a function to await. That one returns
    /// a function that pushes the result.
    @usableFromInline package typealias AsyncInvoke =
        @Sendable (Slot, PatchStack, Int32) -> (@Sendable () async -> PushOutcome)?

    package let name: String
    package let signature: PatchSignature
    /// The address of the topmost layer, or 0. The bridge also reads it.
    @usableFromInline nonisolated(unsafe) let top: UnsafeMutablePointer<Atomic<UInt>>
    let invoke: Invoke
    let invokeAsync: AsyncInvoke?
    private let pool: StatePool
    /// The other names of the registry.
    weak let names: NameTable?
    /// The layers on this name and the patches that they belong to, the topmost last.
    private let layers = Mutex<[(layer: Layer, reports: PatchReports)]>([])

    init(
        name: String, signature: PatchSignature, names: NameTable, invoke: @escaping Invoke, invokeAsync: AsyncInvoke?
    ) {
        self.name = name
        self.names = names
        self.signature = signature
        pool = names.pool
        self.invoke = invoke
        self.invokeAsync = invokeAsync
        unsafe top = .allocate(capacity: 1)
        unsafe top.initialize(to: Atomic(0))
    }

    deinit {
        unsafe top.deinitialize(count: 1)
        unsafe top.deallocate()
    }

    var isAsynchronous: Bool { invokeAsync != nil }

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
    func push(_ layer: Layer, of reports: PatchReports) {
        layers.locked { layers in
            unsafe layer.isPut(on: Unmanaged.passUnretained(self).toOpaque(), above: layers.last?.layer)
            layers.append((layer, reports))
            unsafe pp_cell_set(top, layer.pointer)
        }
    }

    /// Takes a patch's layer off. The layer above it then lies on the layer below it.
    func remove(_ reports: PatchReports) {
        layers.locked { layers in
            guard let index = layers.firstIndex(where: { $0.reports === reports }) else { return }
            layers.remove(at: index)
            let below = index > 0 ? layers[index - 1].layer : nil
            if index < layers.count {
                layers[index].layer.isPut(above: below)
            } else {
                unsafe pp_cell_set(top, below?.pointer)
            }
        }
    }

    /// The patches that are active on the name, the topmost last.
    package var patches: [ReplaceableState.ActivePatch] {
        layers.locked { layers in
            layers.map { layer, reports in
                let statistics = layer.statistics
                return ReplaceableState.ActivePatch(
                    patch: reports.patch, calls: Int(statistics.calls), failures: Int(statistics.failures),
                    fallbacks: Int(statistics.fallbacks),
                    meanTime: statistics.measured == 0
                        ? nil : .nanoseconds(Int64(statistics.nanoseconds / statistics.measured)),
                    longestTime: .nanoseconds(Int64(statistics.longest)))
            }
        }
    }

    private func reports(of layer: Layer) -> PatchReports? {
        layers.locked { layers in layers.first { $0.layer == layer }?.reports }
    }

    // MARK: calls

    /// Enters the layer that a cell holds. nil if the original must answer.
    @usableFromInline
    package func enter(_ cell: LayerCell, _ record: CallReference) -> PatchStack? {
        let entry = unsafe pp_enter(cell.address, Unmanaged.passUnretained(self).toOpaque(), record.address)
        if let state = unsafe entry.L { return unsafe PatchStack(state) }
        return unsafe withLayer(below: entry.refused) { enter($0, record) }
    }

    /// Enters the layer that a cell holds, runs it on scalars, and leaves it if the run succeeds.
    @usableFromInline
    func call(_ cell: LayerCell, _ record: CallReference, _ arguments: UnsafePointer<UInt64>?, _ kinds: UInt64)
        -> ScalarAnswer
    {
        let answer = unsafe pp_call_scalars(
            cell.address, Unmanaged.passUnretained(self).toOpaque(), record.address, arguments, kinds)
        if answer.outcome == PP_ANSWERED { return .value(answer.bits) }
        if answer.outcome == PP_NO_ANSWER, let state = unsafe OpaquePointer(bitPattern: UInt(answer.bits)) {
            return unsafe .none(PatchStack(state))
        }
        return withLayer(below: UInt(answer.bits)) { unsafe call($0, record, arguments, kinds) } ?? .original
    }

    /// Reports that a layer could not be entered, and continues with the layer below it, if there is one.
    func withLayer<Answer>(below refused: UInt, _ body: (LayerCell) -> Answer?) -> Answer? {
        let layer = unsafe OpaquePointer(bitPattern: refused & ~7).map { unsafe Layer($0) }
        guard note(UInt32(refused & 7), of: layer), var below = layer?.below, below != 0 else { return nil }
        return unsafe withUnsafeMutablePointer(to: &below) { unsafe body(LayerCell($0)) }
    }

    /// Reports that what lies below a layer answers, although the layer is active on the name.
    ///
    /// - Returns: Whether the layer is still active on the name.
    @discardableResult
    func note(_ refusal: UInt32, of layer: Layer?) -> Bool {
        guard let layer, let reports = reports(of: layer) else { return false }
        layer.countFallback()
        let reason: PatchEvent.Fallback
        switch refusal {
        case PP_BUSY.rawValue: reason = .busy
        case PP_NO_ROOM.rawValue: reason = .noRoom
        case PP_CROWDED.rawValue: reason = .waiting
        case PP_KILLED.rawValue: reason = .ended
        default: return refusal == PP_REFUSED_AGAIN.rawValue
        }
        reports.fellBack(reason, in: name)
        return true
    }

    /// How a call ends that the script did not answer.
    @usableFromInline package enum Settlement<Value, Failure: Error> {
        /// The original's outcome, or an error that the call throws.
        case outcome(Result<Value, Failure>)
        /// The layer below must answer. The value is its address, as a cell holds it, or 0 for the original.
        case below(UInt)
    }

    /// Leaves a call whose run failed, and returns what answers it.
    @usableFromInline
    package func settle<Output: PatchResult, Failure: Error>(
        _ stack: PatchStack, _: Output.Type, _ outcome: Result<Output.Value, Failure>?
    ) -> Settlement<Output.Value, Failure> {
        let values = stack.values
        let layer = unsafe pp_current_layer(stack.state).map { unsafe Layer($0) }
        var failure: PatchEvent.Failure?
        var thrown: (any Error)?
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        if unsafe fault.kill != 0 {
            failure = unsafe PatchEvent.Failure(fault, stack: stack)
        } else if unsafe pp_has_run(stack.state) {
            failure = PatchEvent.Failure(
                resultOf: layer, message: "wrong result: " + Output.mismatch(in: stack))
        } else if unsafe pp_is_refused(stack.state) {
            failure = PatchEvent.Failure(
                resultOf: layer, message: values.takePushFault() ?? "a value cannot be passed to the script")
        } else {
            thrown = unsafe values.error(fault.host_error)
            failure = unsafe PatchEvent.Failure(fault, stack: stack)
        }
        let settlement: Settlement<Output.Value, Failure>
        if let error = thrown as? Failure {
            // The call throws this error itself. It is not a failure of the patch.
            failure = nil
            settlement = .outcome(.failure(error))
        } else if let outcome {
            settlement = .outcome(outcome)
        } else {
            settlement = unsafe .below(UInt(pp_current_below(stack.state)))
        }
        if failure != nil {
            layer?.countFailure()
            layer?.countFallback()
        }
        unsafe pp_leave(stack.state)
        if let failure { values.reports.failed(failure, in: name) }
        return settlement
    }
}

/// A place that holds the address of a layer: a slot's topmost, or the one below a layer. The bridge reads it.
@frozen @safe @usableFromInline
package struct LayerCell {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable package init(_ address: UnsafeMutableRawPointer) { unsafe self.address = unsafe address }

    /// Whether it holds no layer.
    @inlinable @inline(__always) package var isEmpty: Bool {
        unsafe address.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring) == 0
    }
}

/// The record of a running call, as the bridge holds it.
@frozen @safe @usableFromInline
package struct CallReference {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable package init(_ address: UnsafeMutableRawPointer) { unsafe self.address = unsafe address }
}

/// What a running call keeps for the bridge: its original, and the original's outcome after it has run.
@frozen @safe @usableFromInline
package struct CallRecord<Function, Value, Failure: Error> {
    /// A pointer to the caller's variable. With a reference of its own, the record would be reference-counted for each
    /// call.
    @usableFromInline let original: UnsafePointer<Function>
    @usableFromInline package var outcome: Result<Value, Failure>?

    @inlinable package init(_ original: UnsafePointer<Function>) { unsafe self.original = unsafe original }

    /// The record that a reference refers to.
    @inlinable package static func at(_ reference: CallReference?) -> UnsafeMutablePointer<CallRecord>? {
        unsafe reference?.address.assumingMemoryBound(to: CallRecord.self)
    }
}

extension PatchStack {
    /// Runs the entered function with this many arguments. Returns whether the run succeeded.
    @usableFromInline package func runs(_ arguments: Int32, _ results: Int32) -> Bool {
        unsafe pp_run(state, arguments, results)
    }

    /// Ends the call.
    @usableFromInline package func leave() { unsafe pp_leave(state) }

    /// Reads the scalars that a function takes, from a place on the stack up to the top.
    @usableFromInline func read(_ kinds: UInt64, from first: Int32, into values: UnsafeMutablePointer<UInt64>?) -> Bool
    {
        unsafe pp_read_scalars(state, first, values, kinds)
    }

    /// Keeps the value that an original returned, and pushes it for the script.
    @inlinable func answer<Function, Output: PatchResult, Failure: Error>(
        _ value: Output.Value, of record: UnsafeMutablePointer<CallRecord<Function, Output.Value, Failure>>?,
        as _: Output.Type
    ) -> Int32 {
        unsafe record?.pointee.outcome = .success(value)
        return Output.push(value, to: self)
    }

    /// Keeps the error that an original threw, and pushes it for the bridge to raise.
    @inlinable func answer<Function, Value, Failure: Error>(
        _ error: Failure, of record: UnsafeMutablePointer<CallRecord<Function, Value, Failure>>?
    ) -> Int32 {
        unsafe record?.pointee.outcome = .failure(error)
        return raise(error)
    }

    /// Pushes an error for arguments that do not fit.
    ///
    /// - Returns: The callback result that says that nothing was called.
    @usableFromInline
    func refuseArguments(of slot: Slot, from first: Int32, _ types: [any PatchValue.Type]) -> Int32 {
        let given = Int(top) - Int(first) + 1
        var message = "\(slot.name) takes \(types.count) argument\(types.count == 1 ? "" : "s"), given \(given)"
        // The arguments are read again to say what is wrong. A table that has changed meanwhile may fit then.
        if given <= types.count, let fault = takeReadFault() { message = "an argument of \(slot.name): \(fault)" }
        if given <= types.count {
            for (index, type) in types.enumerated() where !type.canBeRead(from: self, at: first + Int32(index)) {
                message =
                    "argument \(index + 1) of \(slot.name): " + type.mismatch(in: self, at: first + Int32(index))
                break
            }
        }
        push(message: message)
        return CallbackResult.notCalled
    }

    /// Whether there are no more arguments than a function takes.
    @usableFromInline func has(_ count: Int32, from first: Int32) -> Bool { top - first + 1 <= count }

    /// Pushes an error for a function that only the host can call.
    @usableFromInline package func refuseCall(of slot: Slot) -> Int32 {
        push(message: "\(slot.name) can be called only by the host: its original is code at the host's call site")
        return CallbackResult.notCalled
    }
}

extension PatchValue {
    fileprivate static func canBeRead(from stack: PatchStack, at index: Int32) -> Bool {
        read(from: stack, at: index) != nil
    }
}
