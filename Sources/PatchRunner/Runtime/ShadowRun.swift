internal import CLuaBridge
internal import PatchText

/// A run of a patch in shadow. The bridge's callbacks find it as the record of the call.
///
/// The script calls nothing of the app: `original` has the outcome that is known, and any other call ends the run.
@safe final class ShadowRun {
    private let shadow: Shadow
    private let call: AnsweredCall
    private let slot: Slot
    /// What the script was about to call, so that the run cannot be compared.
    private var effect: String?

    init(_ shadow: Shadow, beside call: AnsweredCall, of slot: Slot) {
        self.shadow = shadow
        self.call = call
        self.slot = slot
    }

    /// The run whose script has called back.
    static func at(_ stack: _PatchStack) -> ShadowRun {
        guard let record = unsafe pp_record(stack.state) else { fatalError("a run of a patch in shadow has no record") }
        return unsafe Unmanaged<ShadowRun>.fromOpaque(record).takeUnretainedValue()
    }

    /// Runs the script, and counts how that ended.
    func run() {
        let breaker = shadow.reports.breaker
        let isOpen = breaker.isOpen(shadow.function)
        let probe = isOpen ? breaker.probe(shadow.function) : nil
        guard !isOpen || probe != nil else { return }
        var layer = shadow.layer.reference
        let entry = unsafe pp_enter_shadow(&layer, Unmanaged.passUnretained(self).toOpaque(), slot.isAsynchronous)
        guard let state = unsafe entry.L else {
            let reason = unsafe Refusal(bits: entry.refused).reported ?? .busy
            shadow.count(.incomparable(reason.rawValue))
            probe?.ended(succeeded: nil)
            return
        }
        let stack = unsafe _PatchStack(state)
        let began = pp_nanoseconds()
        call.answer.pushArguments(stack)
        let hasRun = unsafe pp_run_shadow(state, call.count, call.results)
        let took = Int(clamping: pp_nanoseconds() - began)
        var outcome = judge(stack, hasRun: hasRun)
        outcome.nanoseconds = took
        _ = stack.values.takePushFault()
        _ = stack.takeReadFault()
        unsafe pp_leave_shadow(state)
        shadow.count(outcome)
        if outcome.failed > 0 { breaker.count(shadow.function) }
        probe?.ended(succeeded: outcome.incomparable > 0 ? nil : outcome.failed == 0)
    }

    // MARK: the host for the script

    /// Answers the script's call of its original with a callback result.
    func callOriginal(on stack: _PatchStack) -> Int32 {
        guard let original = call.original, isCall(of: original, on: stack) else {
            return end("original of \(slot.name)", on: stack)
        }
        return original.pushOutcome(stack) ? call.results : CallbackResult.raise
    }

    /// Ends the run when the host returns, because the script was about to call something. Returns a callback result.
    func end(_ effect: String, on stack: _PatchStack) -> Int32 {
        if self.effect == nil { self.effect = effect }
        unsafe pp_end_run(stack.state)
        stack.pushNil()
        return CallbackResult.raise
    }

    /// Whether the arguments on the stack are those of a call.
    private func isCall(of part: AnsweredCall.Part, on stack: _PatchStack) -> Bool {
        let given = stack.top
        guard given <= call.count, stack.makeRoom() else { return false }
        defer { stack.top = given }
        stack.top = call.count
        part.pushArguments(stack)
        var found = pp_difference()
        return (0..<call.count).allSatisfy { index in
            compare(index + 1, call.count + index + 1, as: knownType(at: Int(index)), &found, on: stack) == PP_SAME
        }
    }

    /// The type of an argument, or of the result after them; nil for a function of a spec, which has none in Swift.
    private func knownType(at index: Int) -> (any PatchValue.Type)? {
        slot.types.indices.contains(index) ? slot.types[index] : nil
    }

    /// Compares two values on the stack as the app reads values of a type: two numbers that are one `Float` are the
    /// same.
    private func compare(
        _ left: Int32, _ right: Int32, as type: (any PatchValue.Type)?, _ found: inout pp_difference,
        on stack: _PatchStack
    ) -> pp_comparison {
        var reading = Reading(type: type, stack: stack)
        return unsafe withUnsafeMutablePointer(to: &reading) { reading in
            unsafe pp_compare(
                stack.state, left, right, &found,
                { context, keys, depth in
                    guard let reading = unsafe context?.assumingMemoryBound(to: Reading.self).pointee,
                        let type = reading.type
                    else { return false }
                    let places = unsafe Array(UnsafeBufferPointer(start: keys, count: Int(depth)))
                    return ShadowRun.isFloat(type, places[...], reading.stack)
                }, reading)
        }
    }

    /// How the app reads the values that are compared.
    private struct Reading {
        let type: (any PatchValue.Type)?
        let stack: _PatchStack
    }

    /// Whether keys on the stack lead from a type to a `Float`. What a type does whose own code reads it is not known.
    private static func isFloat(
        _ type: any PatchValue.Type, _ keys: ArraySlice<Int32>, _ stack: _PatchStack
    ) -> Bool {
        if type == Float.self { return keys.isEmpty }
        if let container = type as? any PatchContainer.Type, let part = container.contained.last {
            guard keys.count >= container.keys else { return false }
            return isFloat(part, keys.dropFirst(container.keys), stack)
        }
        guard let structure = type as? any PatchStruct.Type, let key = keys.first, let name = stack.string(at: key),
            let field = structure.declaredFields.first(where: { $0.name.isByteEqual(to: name) })
        else { return false }
        return isFloat(field.type, keys.dropFirst(), stack)
    }

    // MARK: the end of a run

    /// Compares the outcome of the run, which is still on the stack, with that of the call.
    private func judge(_ stack: _PatchStack, hasRun: Bool) -> RunnerEvent.Comparison {
        if let effect { return .incomparable(effect) }
        guard hasRun else { return judgeError(on: stack) }
        guard fits(stack) else {
            let words = "wrong result: expected \(slot.signature.resultType), got \(stack.typeName(at: -1))"
            return .failed(example(stack, failure: .init(resultOf: shadow.layer, on: stack, message: words)))
        }
        if call.error != nil { return .differed(example(stack, result: summary(of: -1, on: stack))) }
        guard call.results > 0 else { return .agreed }
        _ = call.answer.pushOutcome(stack)
        var found = pp_difference()
        guard unsafe pp_kill_of(stack.state) == 0, unsafe !pp_is_refused(stack.state) else {
            return .incomparable("too large")
        }
        let answer = stack.top
        switch compare(answer, answer - 1, as: knownType(at: Int(call.count)), &found, on: stack) {
        case PP_SAME: return .agreed
        case PP_DIFFERENT: return .differed(example(found, from: answer, on: stack))
        default: return .incomparable("too large")
        }
    }

    private func judgeError(on stack: _PatchStack) -> RunnerEvent.Comparison {
        let kill = unsafe pp_kill_of(stack.state)
        if pp_is_circumstance(kill) { return .incomparable("the machine") }
        if slot.signature.isThrowing, let error = slot.thrownError(on: stack) {
            switch hasThrown(error) {
            case true: return .agreed
            case false: return .differed(example(stack, result: summary(of: error)))
            case nil: return .incomparable("errors of the app")
            }
        }
        if kill == 0, unsafe pp_is_refused(stack.state) { return .incomparable("too large") }
        var fault = unsafe pp_fault()
        unsafe pp_fault_of(stack.state, &fault)
        let failure = unsafe RunnerEvent.Failure(fault, stack: stack)
        return .failed(example(stack, failure: failure.withText(of: shadow.limits.shadowTextBytes)))
    }

    /// Whether the result fits a function of a basic type. For other types this is not known: their own code would have
    /// to read it.
    private func fits(_ stack: _PatchStack) -> Bool {
        switch slot.signature.resultType {
        case "boolean": stack.bool(at: -1) != nil
        case "integer": stack.integer(at: -1) != nil
        case "number": stack.number(at: -1) != nil
        case "string": stack.typeName(at: -1) == "string"
        default: true
        }
    }

    /// Whether the call has thrown the error of the script, which can throw an error of the app only if `original` has
    /// thrown that.
    ///
    /// - Returns: nil if that cannot be known.
    private func hasThrown(_ error: any Error) -> Bool? {
        guard let thrown = call.error else { return false }
        if let thrown = thrown as? ScriptError, let error = error as? ScriptError {
            return thrown.code == error.code && thrown.message.isByteEqual(to: error.message)
        }
        guard type(of: thrown) == type(of: error) else { return false }
        if call.isOfOriginal { return true }
        // An older version of the patch has thrown one of several.
        if let thrown = thrown as? any Equatable { return Self.isEqual(thrown, error) }
        guard type(of: thrown) is AnyClass else { return "\(thrown)".isByteEqual(to: "\(error)") }
        return (thrown as AnyObject) === (error as AnyObject) ? true : nil
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: any Error) -> Bool {
        left == right as? Value
    }

    // MARK: examples

    private func example(_ stack: _PatchStack, result: String? = nil, failure: RunnerEvent.Failure? = nil)
        -> RunnerEvent.Example
    {
        var answer = "nothing"
        if let error = call.error {
            answer = summary(of: error)
        } else if call.results > 0 {
            _ = call.answer.pushOutcome(stack)
            answer = summary(of: -1, on: stack)
            stack.pop()
        }
        return unsafe RunnerEvent.Example(
            answer: answer, result: result, failure: failure, place: shadow.layer.place(in: stack.state))
    }

    /// The first difference of two values, and the way to it, such as `lines[2].price: `.
    private func example(_ found: pp_difference, from table: Int32, on stack: _PatchStack) -> RunnerEvent.Example {
        var path = path(found, from: table, on: stack)
        var from = 0
        if shadow.limits.shadowTextBytes > 0, let left = bytes(at: found.left, on: stack),
            let right = bytes(at: found.right, on: stack)
        {
            from = zip(left, right).prefix { $0 == $1 }.count
            path += "byte \(from + 1): "
        }
        return unsafe RunnerEvent.Example(
            answer: path + summary(of: found.left, from: from, on: stack),
            result: path + summary(of: found.right, from: from, on: stack), failure: nil,
            place: shadow.layer.place(in: stack.state))
    }

    private func summary(of error: any Error) -> String {
        let thrown = error as? ScriptError
        let most = shadow.limits.shadowTextBytes
        let code = thrown?.code.map { " \($0)" } ?? ""
        guard most > 0 else { return "error \(type(of: error))\(code)" }
        return "error\(code): \((thrown?.message ?? "\(error)").shortened(to: most))"
    }

    /// Describes a value by its type and size; numbers and booleans by their values, and strings by as many bytes as
    /// the limit allows.
    ///
    /// - Parameter place: Where a string differs from another one.
    private func summary(of index: Int32, from place: Int = 0, on stack: _PatchStack) -> String {
        guard call.results > 0 else { return "nothing" }
        let type = stack.typeName(at: index)
        switch type {
        case "boolean": return stack.bool(at: index) == true ? "true" : "false"
        case "integer": return stack.integer(at: index).map { "\($0)" } ?? type
        case "number": return "\(unsafe pp_read_number(stack.state, index).value)"
        case "string": return bytes(at: index, on: stack).map { text(of: $0, around: place) } ?? type
        case "table": return stack.sequenceLength(at: index).map { "array of \($0)" } ?? type
        default: return type
        }
    }

    private func bytes(at index: Int32, on stack: _PatchStack) -> [UInt8]? {
        var count = 0
        guard let bytes = unsafe pp_read_string(stack.state, index, &count) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// A part of a string in quotes, in which all but printable ASCII is escaped; if no text is allowed, only its
    /// length.
    private func text(of bytes: [UInt8], around place: Int) -> String {
        let most = min(shadow.limits.shadowTextBytes, bytes.count)
        guard most > 0 else { return "string of \(bytes.count) bytes" }
        /// The beginning of the character that is at an index.
        func boundary(before index: Int) -> Int {
            var index = index
            while index > 0, index < bytes.count, bytes[index] & 0xC0 == 0x80 { index -= 1 }
            return index
        }
        let start = boundary(before: place < most ? 0 : place - most / 4)
        let end = max(boundary(before: min(start + most, bytes.count)), start)
        let part = bytes[start..<end]
        let text = String(decoding: part, as: UTF8.self)
        let isText = text.utf8.elementsEqual(part)
        let escaped = isText ? Escape.swift(text) : part.map { "\\x\(String($0, radix: 16))" }.joined()
        return (start > 0 ? "…" : "") + "\"\(escaped)\"" + (end < bytes.count ? "…" : "")
            + (part.count < bytes.count ? " of \(bytes.count) bytes" : "")
    }

    /// The way to a difference within a table. If no text is allowed, only positions and names of fields are shown.
    private func path(_ found: pp_difference, from table: Int32, on stack: _PatchStack) -> String {
        let depth = min(found.depth, Int32(PP_KEYS))
        guard depth > 0 else { return "" }
        let fieldNames = shadow.runner.fieldNames
        let keys = unsafe withUnsafeBytes(of: found.keys) { unsafe Array($0.bindMemory(to: Int32.self)) }
        var path = ""
        var table = table
        for key in keys.prefix(Int(depth)) {
            if let position = stack.integer(at: key), let length = stack.sequenceLength(at: table), position > 0,
                position <= length
            {
                path += "[\(position)]"
            } else if let name = stack.string(at: key), fieldNames.contains(name) {
                path += path.isEmpty ? name : ".\(name)"
            } else {
                path += "[\(shadow.limits.shadowTextBytes > 0 ? summary(of: key, on: stack) : "…")]"
            }
            table = key + 1
        }
        return path + (found.depth > depth ? "…: " : ": ")
    }
}
