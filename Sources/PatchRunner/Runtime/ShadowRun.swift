internal import CLuaBridge
internal import PatchText

/// A run of a patch in shadow. The bridge's callbacks find it as the record of the call.
@safe final class ShadowRun {
    private let shadow: Shadow
    private let call: AnsweredCall
    private let slot: Slot
    /// Why the run cannot be compared: it has called what may have an effect.
    private var effect: String?
    /// The error that `original` has thrown, as the script knows it; or 0.
    private var thrown: Int64 = 0

    init(_ shadow: Shadow, beside call: AnsweredCall, of slot: Slot) {
        self.shadow = shadow
        self.call = call
        self.slot = slot
    }

    /// The run whose script has called back.
    static func at(_ stack: PatchStack) -> ShadowRun {
        guard let record = unsafe pp_record(stack.state) else { fatalError("a run of a patch in shadow has no record") }
        return unsafe Unmanaged<ShadowRun>.fromOpaque(record).takeUnretainedValue()
    }

    private var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    // MARK: runs

    /// Runs the script.
    func run() {
        guard let probe = shadow.probe() else { return }
        var place = shadow.layer.address
        let entry = unsafe pp_enter_at_once(&place, slot.shadowAddress, address)
        guard let state = unsafe entry.L else {
            unsafe shadow.count(.incomparable(Refusal(bits: entry.refused).shadowReason))
            return probe.ended(succeeded: nil)
        }
        let stack = unsafe PatchStack(state)
        let began = pp_nanoseconds()
        call.whole.pushArguments(stack)
        let hasRun = stack.runs(call.count, call.results)
        probe.ended(succeeded: conclude(stack, hasRun: hasRun, since: began))
    }

    /// Runs the script of an asynchronous function, in the task of the call.
    func runAsynchronously() async {
        guard let probe = shadow.probe() else { return }
        var entered = AsyncCall.Entry(shadow.layer, inShadowOf: slot)
        guard var running = entered.call.take() else {
            shadow.count(.incomparable(entered.shadowReason))
            return probe.ended(succeeded: nil)
        }
        unsafe pp_set_record(running.stack.state, address)
        let began = pp_nanoseconds()
        call.whole.pushArguments(running.stack)
        var step = running.resume(call.count, results: call.results)
        while step.isWaiting {
            guard let next = await answer(&running, step) else {
                shadow.count(.incomparable(RunnerEvent.Fallback.busy.rawValue))
                return probe.ended(succeeded: nil)
            }
            step = next
        }
        probe.ended(succeeded: conclude(running.stack, hasRun: step == .done, since: began))
    }

    /// Answers the script that waits. nil if it could not continue, and the call has ended.
    private func answer(_ running: inout AsyncCall, _ step: AsyncCall.Step) async -> AsyncCall.Step? {
        let stack = running.stack
        if step == .waitsForOriginal, let original = call.original, isCall(of: original, on: stack) {
            running.beginAnswer()
            let succeeded = pushOutcome(of: original, to: stack)
            unsafe pp_count_original(stack.state)
            return running.resume(withSuccess: succeeded, results: call.results)
        }
        let invocation: (@Sendable () async -> Slot.PushOutcome)?
        if step == .waitsForCall {
            invocation = slot.invocation(askedForBy: running)
        } else if mayCall(slot, named: originalName, on: stack) {
            invocation = slot.invokeAsync?(slot, stack, 1)
        } else {
            invocation = nil
        }
        guard let invocation else { return running.resumeRaising(results: call.results) }
        running.suspend()
        let pushAnswer = await Slot.$isShadowed.withValue(true) { await invocation() }
        var hasContinued = running.tryResume()
        if hasContinued == nil { hasContinued = await running.awaitTurn(on: slot) }
        guard hasContinued == true else { return nil }
        running.beginAnswer()
        return running.resume(withSuccess: pushAnswer(running.stack), results: call.results)
    }

    // MARK: the host for the script

    private var originalName: String { "original of \(slot.name)" }

    /// Answers the script's call of its original.
    ///
    /// - Returns: A callback result.
    func callOriginal(on stack: PatchStack) -> Int32 {
        if let original = call.original, isCall(of: original, on: stack) {
            return pushOutcome(of: original, to: stack) ? call.results : CallbackResult.raise
        }
        guard mayCall(slot, named: originalName, on: stack) else { return CallbackResult.raise }
        return slot.invoke(from: stack, firstArgument: 1)
    }

    /// Whether the script may call a function of the host. If not, ends the run.
    func mayCall(_ slot: Slot, named name: String, on stack: PatchStack) -> Bool {
        guard slot.signature.isPure, !slot.isReplaced else {
            end(slot.signature.isPure ? "\(name), which a patch replaces" : name, on: stack)
            return false
        }
        return true
    }

    /// Ends the run when the host returns, because it was about to have an effect. Pushes the value that the host then raises.
    func end(_ effect: String, on stack: PatchStack) {
        if self.effect == nil { self.effect = effect }
        unsafe pp_end_run(stack.state)
        stack.pushNil()
    }

    /// Pushes the outcome of the original. Returns false if it is an error.
    private func pushOutcome(of original: AnsweredCall.Part, to stack: PatchStack) -> Bool {
        let succeeded = original.pushOutcome(stack)
        if !succeeded { thrown = hostError(on: stack) }
        return succeeded
    }

    /// The number of the host's error on top; 0 for another value.
    private func hostError(on stack: PatchStack) -> Int64 {
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        return unsafe fault.host_error
    }

    /// Whether the arguments on the stack are those of a call.
    private func isCall(of part: AnsweredCall.Part, on stack: PatchStack) -> Bool {
        let given = stack.top
        guard given <= call.count, stack.makeRoom() else { return false }
        defer { stack.top = given }
        stack.top = call.count
        part.pushArguments(stack)
        for index in 0..<call.count where compare(index + 1, call.count + index + 1, on: stack) != PP_SAME {
            return false
        }
        return true
    }

    private func compare(_ left: Int32, _ right: Int32, on stack: PatchStack) -> pp_comparison {
        var found = pp_difference()
        return unsafe pp_compare(stack.state, left, right, &found)
    }

    // MARK: the end of a run

    /// Compares the outcome of a run, counts it, and ends the call.
    ///
    /// - Returns: Whether the script succeeded; nil if the run says nothing about the patch.
    private func conclude(_ stack: PatchStack, hasRun: Bool, since began: UInt64) -> Bool? {
        let took = Int(clamping: pp_nanoseconds() - began)
        let outcome = hasRun ? judgeResult(on: stack) : judgeError(on: stack)
        _ = stack.values.takePushFault()
        _ = stack.takeReadFault()
        unsafe pp_leave(stack.state)
        shadow.count(outcome, nanoseconds: took)
        switch outcome {
        case .agreed, .differed: return true
        case .incomparable: return nil
        case .failed:
            shadow.reports.breaker.count(shadow.function)
            return false
        }
    }

    private func judgeResult(on stack: PatchStack) -> Shadow.Outcome {
        guard call.results == 0 || call.readResult(stack) else {
            guard !hasEnded(stack) else { return .incomparable("too large") }
            let failure = RunnerEvent.Failure(
                resultOf: shadow.layer, on: stack, message: "wrong result: " + call.mismatch(stack))
            return .failed(example(stack, result: nil, failure))
        }
        if call.error != nil { return .differed(example(stack, result: summary(of: -1, on: stack))) }
        guard call.results > 0 else { return .agreed }
        _ = call.whole.pushOutcome(stack)
        guard !hasEnded(stack) else { return .incomparable("too large") }
        let (result, answer) = (stack.top - 1, stack.top)
        var found = pp_difference()
        switch unsafe pp_compare(stack.state, answer, result, &found) {
        case PP_SAME: return .agreed
        case PP_DIFFERENT: break
        default: return .incomparable("too large")
        }
        let path = path(found, from: answer, on: stack)
        return .differed(
            RunnerEvent.Example(
                answer: path + summary(of: found.left, on: stack),
                result: path + summary(of: found.right, on: stack), failure: nil, place: place(stack)))
    }

    private func judgeError(on stack: PatchStack) -> Shadow.Outcome {
        if let effect { return .incomparable(effect) }
        let kill = unsafe pp_kill_of(stack.state)
        if pp_is_circumstance(kill) { return .incomparable("the machine") }
        if let error = slot.thrownError(on: stack), call.canThrow(error) {
            let isThrownAgain = call.isOriginal && thrown != 0 && thrown == hostError(on: stack)
            if let answer = call.error, isThrownAgain || Self.areSame(answer, error) { return .agreed }
            return .differed(example(stack, result: summary(of: error)))
        }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        if unsafe kill == 0 && pp_is_refused(stack.state) {
            return .incomparable("too large")
        }
        return .failed(example(stack, result: nil, unsafe RunnerEvent.Failure(fault, stack: stack)))
    }

    /// Whether the budget ended while values were pushed or read.
    private func hasEnded(_ stack: PatchStack) -> Bool {
        unsafe pp_kill_of(stack.state) != 0 || pp_is_refused(stack.state)
    }

    private static func areSame(_ left: any Error, _ right: any Error) -> Bool {
        (left as? PatchedError)?.code == (right as? PatchedError)?.code
            && text(of: left).isByteEqual(to: text(of: right))
    }

    private static func text(of error: any Error) -> String { (error as? PatchedError)?.message ?? "\(error)" }

    // MARK: examples

    private func place(_ stack: PatchStack) -> (script: String, line: Int) {
        unsafe shadow.layer.place(in: stack.state)
    }

    private func example(_ stack: PatchStack, result: String?, _ failure: RunnerEvent.Failure? = nil)
        -> RunnerEvent.Example
    {
        var answer = "nothing"
        if let error = call.error {
            answer = summary(of: error)
        } else if call.results > 0 {
            _ = call.whole.pushOutcome(stack)
            answer = summary(of: -1, on: stack)
            stack.pop()
        }
        return RunnerEvent.Example(answer: answer, result: result, failure: failure, place: place(stack))
    }

    private func summary(of error: any Error) -> String {
        let code = (error as? PatchedError)?.code.map { " \($0)" } ?? ""
        let most = shadow.limits.shadowTextBytes
        guard most > 0 else { return "error \(type(of: error))\(code)" }
        return "error\(code): \(String(decoding: Self.text(of: error).utf8.prefix(most), as: UTF8.self))"
    }

    /// Describes a value by its type and size; numbers and booleans by their values.
    private func summary(of index: Int32, on stack: PatchStack) -> String {
        guard call.results > 0 else { return "nothing" }
        let type = stack.typeName(at: index)
        switch type {
        case "boolean": return stack.bool(at: index) == true ? "true" : "false"
        case "integer": return stack.integer(at: index).map { "\($0)" } ?? type
        case "number": return "\(unsafe pp_read_number(stack.state, index).value)"
        case "string":
            var count = 0
            guard let bytes = unsafe pp_read_string(stack.state, index, &count) else { return type }
            let most = min(shadow.limits.shadowTextBytes, count)
            guard most > 0 else { return "string of \(count) bytes" }
            let text = unsafe UnsafeRawBufferPointer(start: bytes, count: most)
            return unsafe "\"\(String(decoding: text, as: UTF8.self))\"" + (most < count ? "… of \(count) bytes" : "")
        case "table": return stack.sequenceLength(at: index).map { "array of \($0)" } ?? type
        default: return type
        }
    }

    /// The way to a difference within a table, such as `lines[2].price: `. A key that is neither a position nor the name of a field is not
    /// shown.
    private func path(_ found: pp_difference, from table: Int32, on stack: PatchStack) -> String {
        let depth = min(found.depth, Int32(PP_KEYS))
        guard depth > 0 else { return "" }
        let fields = shadow.runner.fieldNames
        var (path, table) = ("", table)
        for level in 0..<Int(depth) {
            let key = unsafe withUnsafeBytes(of: found.keys) {
                unsafe $0.load(fromByteOffset: 4 * level, as: Int32.self)
            }
            if let position = stack.integer(at: key), let length = stack.sequenceLength(at: table), position > 0,
                position <= length
            {
                path += "[\(position)]"
            } else if let name = stack.string(at: key), fields.contains(name) {
                path += path.isEmpty ? name : ".\(name)"
            } else {
                path += "[…]"
            }
            table = key + 1
        }
        return path + (found.depth > depth ? "…: " : ": ")
    }
}
