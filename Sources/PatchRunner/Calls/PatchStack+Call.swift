internal import CLuaBridge

extension _PatchStack {
    /// Runs the entered function with this many arguments, for this many results. Returns whether the run succeeded.
    @usableFromInline package func run(_ arguments: Int32, _ results: Int32) -> Bool {
        unsafe pp_run(state, arguments, results)
    }

    @usableFromInline package func leave() { unsafe pp_leave(state) }

    /// Ends the call, which throws an error for the app.
    @usableFromInline func leaveThrowing() {
        // The script ran as it should, so a try of it has succeeded. `pp_leave` would count it as given up.
        unsafe values.takeProbe(of: pp_current_call(state))?.ended(succeeded: true)
        leave()
    }

    /// Keeps a try of the script until the call has ended.
    func keep(_ probe: Breaker.Probe) { unsafe values.keep(probe, for: pp_note_call(state)) }

    /// Reads the scalars that a function takes, from a place on the stack up to the top. Returns false for other
    /// values, or another number of them.
    @usableFromInline func read(_ kinds: UInt64, from first: Int32, into values: UnsafeMutablePointer<UInt64>?) -> Bool
    {
        unsafe pp_read_scalars(state, first, values, kinds)
    }

    /// Calls an original for a script, keeps the value that it returns, and pushes it.
    ///
    /// - Parameter isTimed: Whether the bridge separates the original's time from the script's.
    @_alwaysEmitIntoClient @inline(__always)
    func answer<Function, Output: PatchResult>(
        _ record: UnsafeMutablePointer<CallRecord<Function, Output.Value, Never>>?, isTimed: Bool, as _: Output.Type,
        original: () -> Output.Value
    ) -> Int32 {
        if !isTimed { hostBegins() }
        let value = original()
        if !isTimed { hostEnds() }
        return unsafe answer(value, of: record, as: Output.self)
    }

    /// The same for an original that may throw.
    @_alwaysEmitIntoClient @inline(__always)
    func answerThrowing<Function, Output: PatchResult>(
        _ record: UnsafeMutablePointer<CallRecord<Function, Output.Value, any Error>>?, isTimed: Bool,
        as _: Output.Type, original: () throws -> Output.Value
    ) -> Int32 {
        if !isTimed { hostBegins() }
        do {
            let value = try original()
            if !isTimed { hostEnds() }
            return unsafe answer(value, of: record, as: Output.self)
        } catch {
            if !isTimed { hostEnds() }
            return unsafe answer(error, of: record)
        }
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

    /// Pushes an error for arguments that do not fit, and returns the callback result for it.
    @usableFromInline
    func refuseArguments(of slot: Slot, from first: Int32, _ types: [any PatchValue.Type]) -> Int32 {
        let given = Int(top) - Int(first) + 1
        var message = Self.argumentCountMessage(of: slot.name, takes: types.count, got: given)
        if given <= types.count {
            // The arguments are read again for the message. A table that has changed meanwhile may fit then.
            let reason = takeReadFault().map { ": \($0)" } ?? " did not fit when it was first read"
            message = "an argument of \(slot.name)\(reason)"
            let places = zip(first..., types)
            if let (place, type) = places.first(where: { $1._read(from: self, at: $0) == nil }) {
                message = "argument \(place - first + 1) of \(slot.name): " + type._mismatch(in: self, at: place)
            }
        }
        push(message: message)
        return CallbackResult.notCalled
    }

    /// Whether there are at most this many arguments from a place on the stack.
    @usableFromInline func hasAtMost(_ count: Int32, from first: Int32) -> Bool { top - first + 1 <= count }

    /// Pushes an error for a function that only the host can call.
    @usableFromInline package func refuseCall(of slot: Slot) -> Int32 {
        push(message: "\(slot.name) can be called only by the host: its original is code at the host's call site")
        return CallbackResult.notCalled
    }
}

extension PatchResult {
    /// Runs the entered function with this many arguments, reads its result, and ends the call if that succeeds.
    ///
    /// - Returns: The result. nil if the run failed or the result has another type; the call has not ended then.
    @inlinable static func finish(_ stack: _PatchStack, arguments: Int32) -> Value? {
        guard stack.run(arguments, count), let value = read(from: stack) else { return nil }
        stack.leave()
        return value
    }
}
