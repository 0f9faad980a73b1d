// Made by scripts/generate-arities.py; change that, and run `make generate`.
//
public import PatchCrypto

// For each number of arguments: how a call enters the patch on its name (`call`), how a script's values come to the original
// (`invoker`), and the public functions over both.

// MARK: 0 arguments

extension Slot {
    @inlinable @inline(never)
    func call<Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, as _: Output.Type,
        original: @escaping () throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<() throws(Failure) -> Output.Value, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(Output.Value.self) > 0 {
                    let kinds = Scalar.kind(Output.Value.self) << 32
                    let answer = unsafe call(cell, CallReference(record), nil, kinds)
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original()
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original()
                    }
                    if let value = Output.finish(entered, arguments: 0) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable () throws(Failure) -> Output.Value, as _: Output.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            let record = unsafe CallRecord<() throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original() : slot.call(cell, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<Output: PatchResult, Failure: Error>(
        ofPlace _: Output.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            guard let record = unsafe CallRecord<() throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee()
                    : slot.call(cell, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<Output: PatchResult, Failure: Error>(
        _ cell: UInt?, as _: Output.Type, original: @escaping @Sendable () async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable {
        try await run(cell, [], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original()
        }
    }

    func reader<Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable () async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure> where Output.Value: Sendable {
        { [self] stack, first in
            guard stack.has(0, from: first) else {
                _ = stack.refuseArguments(of: self, from: first, [])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of no arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable () throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () async throws(Failure) -> Value>
    where Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<Value: PatchValue, Failure: Error>(
        _ name: String, _ function: (() throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<() throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, failure: Failure.self)))
    }

    /// Registers a function of no arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<Failure: Error>(
        _ name: String, _ original: @escaping @Sendable () throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [], result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<Failure: Error>(
        _ name: String, _ original: @escaping @Sendable () async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () async throws(Failure) -> Void> {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<Failure: Error>(
        _ name: String, _ function: (() throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<() throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue, Failure: Error>() throws(Failure) -> Value
    where Function == @Sendable () throws(Failure) -> Value {
        guard slot.isPatched else { return try original() }
        return try slot.call(slot.cell, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Failure: Error>() throws(Failure)
    where Function == @Sendable () throws(Failure) -> Void {
        guard slot.isPatched else { return try original() }
        try slot.call(slot.cell, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<Value: PatchValue, Failure: Error>() async throws(Failure) -> Value
    where Function == @Sendable () async throws(Failure) -> Value, Value: Sendable {
        guard slot.isPatched else { return try await original() }
        return try await slot.callAsynchronously(nil, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<Failure: Error>() async throws(Failure)
    where Function == @Sendable () async throws(Failure) -> Void {
        guard slot.isPatched else { return try await original() }
        try await slot.callAsynchronously(nil, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue, Failure: Error>(
        original: () throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == () throws(Failure) -> Value {
        guard slot.isPatched else { return try original() }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Failure: Error>(
        original: () throws(Failure) -> Void
    ) throws(Failure) where Function == () throws(Failure) -> Void {
        guard slot.isPatched else { return try original() }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 1 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ a: A, as _: Output.Type,
        original: @escaping (A) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A) throws(Failure) -> Output.Value, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(Output.Value.self) > 0 {
                    let kinds = Scalar.kind(A.self) | Scalar.kind(Output.Value.self) << 32
                    var bits = (Scalar.bits(a))
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a)
                    }
                    a.push(to: entered)
                    if let value = Output.finish(entered, arguments: 1) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue>(_ stack: PatchStack, from first: Int32, _: A.Type) -> (A)? {
        if Scalar.kind(A.self) > 0 {
            var bits = (UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self), from: first, into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead ? (Scalar.value(bits, as: A.self)) : nil
        }
        guard stack.has(1, from: first), let a = A.read(from: stack, at: first) else { return nil }
        return (a)
    }

    @inlinable
    static func invoker<A: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A) throws(Failure) -> Output.Value, as _: Output.Type, _: A.Type,
        failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            let record = unsafe CallRecord<(A) throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a) : slot.call(cell, a, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, Output: PatchResult, Failure: Error>(
        ofPlace _: Output.Type, _: A.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            guard let record = unsafe CallRecord<(A) throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a)
                    : slot.call(cell, a, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<A: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: UInt?, _ a: A, as _: Output.Type,
        original: @escaping @Sendable (A) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable, A: Sendable {
        try await run(cell, [a], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a)
        }
    }

    func reader<A: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure> where Output.Value: Sendable, A: Sendable {
        { [self] stack, first in
            guard let (a) = Self.arguments(stack, from: first, A.self) else {
                _ = stack.refuseArguments(of: self, from: first, [A.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of one argument that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) async throws(Failure) -> Value>
    where A: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, failure: Failure.self)))
    }

    /// Registers a function of one argument that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self], result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) async throws(Failure) -> Void>
    where A: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue, Failure: Error>(_ a: A) throws(Failure) -> Value
    where Function == @Sendable (A) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a) }
        return try slot.call(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Failure: Error>(_ a: A) throws(Failure)
    where Function == @Sendable (A) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a) }
        try slot.call(slot.cell, a, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, Value: PatchValue, Failure: Error>(_ a: A) async throws(Failure) -> Value
    where Function == @Sendable (A) async throws(Failure) -> Value, Value: Sendable, A: Sendable {
        guard slot.isPatched else { return try await original(a) }
        return try await slot.callAsynchronously(nil, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, Failure: Error>(_ a: A) async throws(Failure)
    where Function == @Sendable (A) async throws(Failure) -> Void, A: Sendable {
        guard slot.isPatched else { return try await original(a) }
        try await slot.callAsynchronously(nil, a, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue, Failure: Error>(
        _ a: A, original: (A) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Failure: Error>(
        _ a: A, original: (A) throws(Failure) -> Void
    ) throws(Failure) where Function == (A) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 2 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ a: A, _ b: B, as _: Output.Type,
        original: @escaping (A, B) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A, B) throws(Failure) -> Output.Value, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(Output.Value.self) > 0 {
                    let kinds = Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(Output.Value.self) << 32
                    var bits = (Scalar.bits(a), Scalar.bits(b))
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    if let value = Output.finish(entered, arguments: 2) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue, B: PatchValue>(_ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type)
        -> (A, B)?
    {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0 {
            var bits = (UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4, from: first,
                    into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead ? (Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self)) : nil
        }
        guard stack.has(2, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1)
        else { return nil }
        return (a, b)
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A, B) throws(Failure) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            let record = unsafe CallRecord<(A, B) throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b) : slot.call(cell, a, b, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, Output: PatchResult, Failure: Error>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            guard
                let record = unsafe CallRecord<(A, B) throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b)
                    : slot.call(cell, a, b, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<A: PatchValue, B: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: UInt?, _ a: A, _ b: B, as _: Output.Type,
        original: @escaping @Sendable (A, B) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable, A: Sendable, B: Sendable {
        try await run(cell, [a, b], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b)
        }
    }

    func reader<A: PatchValue, B: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A, B) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure> where Output.Value: Sendable, A: Sendable, B: Sendable {
        { [self] stack, first in
            guard let (a, b) = Self.arguments(stack, from: first, A.self, B.self) else {
                _ = stack.refuseArguments(of: self, from: first, [A.self, B.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of two arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, B.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, B.self, failure: Failure.self)))
    }

    /// Registers a function of two arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(_ a: A, _ b: B)
        throws(Failure) -> Value
    where Function == @Sendable (A, B) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b) }
        return try slot.call(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Failure: Error>(_ a: A, _ b: B) throws(Failure)
    where Function == @Sendable (A, B) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b) }
        try slot.call(slot.cell, a, b, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(_ a: A, _ b: B)
        async throws(Failure) -> Value
    where Function == @Sendable (A, B) async throws(Failure) -> Value, Value: Sendable, A: Sendable, B: Sendable {
        guard slot.isPatched else { return try await original(a, b) }
        return try await slot.callAsynchronously(nil, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, Failure: Error>(_ a: A, _ b: B) async throws(Failure)
    where Function == @Sendable (A, B) async throws(Failure) -> Void, A: Sendable, B: Sendable {
        guard slot.isPatched else { return try await original(a, b) }
        try await slot.callAsynchronously(nil, a, b, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue, Failure: Error>(
        _ a: A, _ b: B, original: (A, B) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Failure: Error>(
        _ a: A, _ b: B, original: (A, B) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 3 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, as _: Output.Type,
        original: @escaping (A, B, C) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C) throws(Failure) -> Output.Value, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0,
                    Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(
                            Output.Value.self) << 32
                    var bits = (Scalar.bits(a), Scalar.bits(b), Scalar.bits(c))
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    if let value = Output.finish(entered, arguments: 3) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type
    ) -> (A, B, C)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0 {
            var bits = (UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8, from: first,
                    into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self), Scalar.value(bits.2, as: C.self))
                : nil
        }
        guard stack.has(3, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2)
        else { return nil }
        return (a, b, c)
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A, B, C) throws(Failure) -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            let record = unsafe CallRecord<(A, B, C) throws(Failure) -> Output.Value, Output.Value, Failure>.at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c) : slot.call(cell, a, b, c, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult, Failure: Error>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C) throws(Failure) -> Output.Value, Output.Value, Failure>.at(
                    record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c)
                    : slot.call(cell, a, b, c, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, as _: Output.Type,
        original: @escaping @Sendable (A, B, C) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable {
        try await run(cell, [a, b, c], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c)
        }
    }

    func reader<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A, B, C) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure> where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable {
        { [self] stack, first in
            guard let (a, b, c) = Self.arguments(stack, from: first, A.self, B.self, C.self) else {
                _ = stack.refuseArguments(of: self, from: first, [A.self, B.self, C.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of three arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, C: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B, C) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, failure: Failure.self)))
    }

    /// Registers a function of three arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, C.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B, C) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self, failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C
    ) throws(Failure) -> Value
    where Function == @Sendable (A, B, C) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c) }
        return try slot.call(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(_ a: A, _ b: B, _ c: C)
        throws(Failure)
    where Function == @Sendable (A, B, C) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c) }
        try slot.call(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C
    ) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C) async throws(Failure) -> Value, Value: Sendable, A: Sendable, B: Sendable,
        C: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c) }
        return try await slot.callAsynchronously(nil, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(_ a: A, _ b: B, _ c: C)
        async throws(Failure)
    where Function == @Sendable (A, B, C) async throws(Failure) -> Void, A: Sendable, B: Sendable, C: Sendable {
        guard slot.isPatched else { return try await original(a, b, c) }
        try await slot.callAsynchronously(nil, a, b, c, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 4 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult, Failure: Error>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, as _: Output.Type,
        original: @escaping (A, B, C, D) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D) throws(Failure) -> Output.Value, Output.Value, Failure>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
                    Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(Output.Value.self) << 32
                    var bits = (Scalar.bits(a), Scalar.bits(b), Scalar.bits(c), Scalar.bits(d))
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c, d)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c, d)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    if let value = Output.finish(entered, arguments: 4) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, d, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type, _: D.Type
    ) -> (A, B, C, D)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0 {
            var bits = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12, from: first, into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (
                    Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self),
                    Scalar.value(bits.2, as: C.self), Scalar.value(bits.3, as: D.self)
                ) : nil
        }
        guard stack.has(4, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2),
            let d = D.read(from: stack, at: first + 3)
        else { return nil }
        return (a, b, c, d)
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D) throws(Failure) -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            let record = unsafe CallRecord<(A, B, C, D) throws(Failure) -> Output.Value, Output.Value, Failure>.at(
                record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d) : slot.call(cell, a, b, c, d, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult, Failure: Error
    >(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D) throws(Failure) -> Output.Value, Output.Value, Failure>.at(
                    record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d)
                    : slot.call(cell, a, b, c, d, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, _ d: D, as _: Output.Type,
        original: @escaping @Sendable (A, B, C, D) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        try await run(cell, [a, b, c, d], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c, d)
        }
    }

    func reader<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult, Failure: Error>(
        _ original: @escaping @Sendable (A, B, C, D) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure>
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        { [self] stack, first in
            guard let (a, b, c, d) = Self.arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                _ = stack.refuseArguments(of: self, from: first, [A.self, B.self, C.self, D.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, d, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of four arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
            failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B, C, D) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, failure: Failure.self)))
    }

    /// Registers a function of four arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B, C, D) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, failure: Failure.self)
            ))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D) throws(Failure) -> Value
    where Function == @Sendable (A, B, C, D) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try slot.call(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) throws(Failure)
    where Function == @Sendable (A, B, C, D) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d) }
        try slot.call(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C, D) async throws(Failure) -> Value, Value: Sendable, A: Sendable, B: Sendable,
        C: Sendable, D: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d) }
        return try await slot.callAsynchronously(nil, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) async throws(Failure)
    where
        Function == @Sendable (A, B, C, D) async throws(Failure) -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d) }
        try await slot.callAsynchronously(nil, a, b, c, d, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C, D) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Failure: Error>(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C, D) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 5 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, as _: Output.Type,
        original: @escaping (A, B, C, D, E) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E) throws(Failure) -> Output.Value, Output.Value, Failure>(
                place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
                    Scalar.kind(E.self) > 0, Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(Output.Value.self) << 32
                    var bits = (Scalar.bits(a), Scalar.bits(b), Scalar.bits(c), Scalar.bits(d), Scalar.bits(e))
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c, d, e)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c, d, e)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    e.push(to: entered)
                    if let value = Output.finish(entered, arguments: 5) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, d, e, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type
    ) -> (A, B, C, D, E)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
            Scalar.kind(E.self) > 0
        {
            var bits = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16, from: first,
                    into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (
                    Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self),
                    Scalar.value(bits.2, as: C.self), Scalar.value(bits.3, as: D.self), Scalar.value(bits.4, as: E.self)
                ) : nil
        }
        guard stack.has(5, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2),
            let d = D.read(from: stack, at: first + 3), let e = E.read(from: stack, at: first + 4)
        else { return nil }
        return (a, b, c, d, e)
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E) throws(Failure) -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, _: E.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            let record = unsafe CallRecord<(A, B, C, D, E) throws(Failure) -> Output.Value, Output.Value, Failure>.at(
                record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e) : slot.call(cell, a, b, c, d, e, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult, Failure: Error
    >(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D, E) throws(Failure) -> Output.Value, Output.Value, Failure>
                    .at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e)
                    : slot.call(cell, a, b, c, d, e, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, as _: Output.Type,
        original: @escaping @Sendable (A, B, C, D, E) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {
        try await run(cell, [a, b, c, d, e], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c, d, e)
        }
    }

    func reader<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure>
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {
        { [self] stack, first in
            guard let (a, b, c, d, e) = Self.arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self)
            else {
                _ = stack.refuseArguments(of: self, from: first, [A.self, B.self, C.self, D.self, E.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, d, e, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of five arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self,
                failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, failure: Failure.self
                )))
    }

    /// Registers a function of five arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error>(
        _ name: String, _ function: ((A, B, C, D, E) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) throws(Failure) -> Value
    where Function == @Sendable (A, B, C, D, E) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try slot.call(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) throws(Failure)
    where Function == @Sendable (A, B, C, D, E) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        try slot.call(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C, D, E) async throws(Failure) -> Value, Value: Sendable, A: Sendable, B: Sendable,
        C: Sendable, D: Sendable, E: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) async throws(Failure)
    where
        Function == @Sendable (A, B, C, D, E) async throws(Failure) -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e) }
        try await slot.callAsynchronously(nil, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C, D, E) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C, D, E) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 6 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult,
        Failure: Error
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F) throws(Failure) -> Output.Value, Output.Value, Failure>(
                place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
                    Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0, Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20 | Scalar.kind(Output.Value.self)
                        << 32
                    var bits = (
                        Scalar.bits(a), Scalar.bits(b), Scalar.bits(c), Scalar.bits(d), Scalar.bits(e), Scalar.bits(f)
                    )
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c, d, e, f)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c, d, e, f)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    e.push(to: entered)
                    f.push(to: entered)
                    if let value = Output.finish(entered, arguments: 6) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, d, e, f, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type
    ) -> (A, B, C, D, E, F)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
            Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0
        {
            var bits = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20, from: first,
                    into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (
                    Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self),
                    Scalar.value(bits.2, as: C.self), Scalar.value(bits.3, as: D.self),
                    Scalar.value(bits.4, as: E.self), Scalar.value(bits.5, as: F.self)
                ) : nil
        }
        guard stack.has(6, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2),
            let d = D.read(from: stack, at: first + 3), let e = E.read(from: stack, at: first + 4),
            let f = F.read(from: stack, at: first + 5)
        else { return nil }
        return (a, b, c, d, e, f)
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult,
        Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F) throws(Failure) -> Output.Value, as _: Output.Type,
        _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            let record = unsafe CallRecord<(A, B, C, D, E, F) throws(Failure) -> Output.Value, Output.Value, Failure>
                .at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f)
                    : slot.call(cell, a, b, c, d, e, f, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult,
        Failure: Error
    >(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            guard
                let record = unsafe CallRecord<
                    (A, B, C, D, E, F) throws(Failure) -> Output.Value, Output.Value, Failure
                >.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f)
                    : slot.call(cell, a, b, c, d, e, f, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult,
        Failure: Error
    >(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, as _: Output.Type,
        original: @escaping @Sendable (A, B, C, D, E, F) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {
        try await run(cell, [a, b, c, d, e, f], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c, d, e, f)
        }
    }

    func reader<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult,
        Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure>
    where Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {
        { [self] stack, first in
            guard
                let (a, b, c, d, e, f) = Self.arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                _ = stack.refuseArguments(of: self, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, d, e, f, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of six arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self,
                failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self,
                    failure: Failure.self)))
    }

    /// Registers a function of six arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, failure: Failure.self)
        )
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, failure: Failure.self))
        )
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) throws(Failure) -> Value
    where Function == @Sendable (A, B, C, D, E, F) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try slot.call(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) throws(Failure)
    where Function == @Sendable (A, B, C, D, E, F) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        try slot.call(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C, D, E, F) async throws(Failure) -> Value, Value: Sendable, A: Sendable,
        B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async throws(Failure)
    where
        Function == @Sendable (A, B, C, D, E, F) async throws(Failure) -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f) }
        try await slot.callAsynchronously(nil, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue,
        Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C, D, E, F) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C, D, E, F) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 7 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult, Failure: Error
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<
                (A, B, C, D, E, F, G) throws(Failure) -> Output.Value, Output.Value, Failure
            >(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
                    Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0, Scalar.kind(G.self) > 0,
                    Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20 | Scalar.kind(G.self) << 24
                        | Scalar.kind(Output.Value.self) << 32
                    var bits = (
                        Scalar.bits(a), Scalar.bits(b), Scalar.bits(c), Scalar.bits(d), Scalar.bits(e), Scalar.bits(f),
                        Scalar.bits(g)
                    )
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c, d, e, f, g)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c, d, e, f, g)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    e.push(to: entered)
                    f.push(to: entered)
                    g.push(to: entered)
                    if let value = Output.finish(entered, arguments: 7) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, d, e, f, g, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type,
        _: G.Type
    ) -> (A, B, C, D, E, F, G)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
            Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0, Scalar.kind(G.self) > 0
        {
            var bits = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20 | Scalar.kind(G.self) << 24,
                    from: first, into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (
                    Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self),
                    Scalar.value(bits.2, as: C.self), Scalar.value(bits.3, as: D.self),
                    Scalar.value(bits.4, as: E.self), Scalar.value(bits.5, as: F.self), Scalar.value(bits.6, as: G.self)
                ) : nil
        }
        guard stack.has(7, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2),
            let d = D.read(from: stack, at: first + 3), let e = E.read(from: stack, at: first + 4),
            let f = F.read(from: stack, at: first + 5), let g = G.read(from: stack, at: first + 6)
        else { return nil }
        return (a, b, c, d, e, f, g)
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws(Failure) -> Output.Value, as _: Output.Type,
        _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            let record = unsafe CallRecord<(A, B, C, D, E, F, G) throws(Failure) -> Output.Value, Output.Value, Failure>
                .at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f, g)
                    : slot.call(cell, a, b, c, d, e, f, g, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult, Failure: Error
    >(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type,
        failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            guard
                let record = unsafe CallRecord<
                    (A, B, C, D, E, F, G) throws(Failure) -> Output.Value, Output.Value, Failure
                >.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f, g)
                    : slot.call(cell, a, b, c, d, e, f, g, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult, Failure: Error
    >(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, as _: Output.Type,
        original: @escaping @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value
    where
        Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable,
        G: Sendable
    {
        try await run(cell, [a, b, c, d, e, f, g], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c, d, e, f, g)
        }
    }

    func reader<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Output.Value, as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure>
    where
        Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable,
        G: Sendable
    {
        { [self] stack, first in
            guard
                let (a, b, c, d, e, f, g) = Self.arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                _ = stack.refuseArguments(
                    of: self, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, d, e, f, g, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of seven arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
                result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                    failure: Failure.self)))
    }

    /// Registers a function of seven arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
                failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                    failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) throws(Failure) -> Value
    where Function == @Sendable (A, B, C, D, E, F, G) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) throws(Failure)
    where Function == @Sendable (A, B, C, D, E, F, G) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        try slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Value, Value: Sendable, A: Sendable,
        B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async throws(Failure)
    where
        Function == @Sendable (A, B, C, D, E, F, G) async throws(Failure) -> Void, A: Sendable, B: Sendable,
        C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g) }
        try await slot.callAsynchronously(nil, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C, D, E, F, G) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C, D, E, F, G) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 8 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G, H) throws(Failure) -> Output.Value
    ) throws(Failure) -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws(Failure) -> Output.Value in
            var record = unsafe CallRecord<
                (A, B, C, D, E, F, G, H) throws(Failure) -> Output.Value, Output.Value, Failure
            >(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws(Failure) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
                    Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0, Scalar.kind(G.self) > 0, Scalar.kind(H.self) > 0,
                    Scalar.kind(Output.Value.self) > 0
                {
                    let kinds =
                        Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20 | Scalar.kind(G.self) << 24
                        | Scalar.kind(H.self) << 28 | Scalar.kind(Output.Value.self) << 32
                    var bits = (
                        Scalar.bits(a), Scalar.bits(b), Scalar.bits(c), Scalar.bits(d), Scalar.bits(e), Scalar.bits(f),
                        Scalar.bits(g), Scalar.bits(h)
                    )
                    let answer = unsafe withUnsafeBytes(of: &bits) { bits in
                        unsafe call(
                            cell, CallReference(record), bits.assumingMemoryBound(to: UInt64.self).baseAddress, kinds)
                    }
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return try original(a, b, c, d, e, f, g, h)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return try original(a, b, c, d, e, f, g, h)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    e.push(to: entered)
                    f.push(to: entered)
                    g.push(to: entered)
                    h.push(to: entered)
                    if let value = Output.finish(entered, arguments: 8) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return try outcome.get()
                case .below(var below):
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws(Failure) -> Output.Value in
                        try unsafe call(LayerCell(below), a, b, c, d, e, f, g, h, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable @inline(__always)
    static func arguments<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ stack: PatchStack, from first: Int32, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type,
        _: G.Type, _: H.Type
    ) -> (A, B, C, D, E, F, G, H)? {
        if Scalar.kind(A.self) > 0, Scalar.kind(B.self) > 0, Scalar.kind(C.self) > 0, Scalar.kind(D.self) > 0,
            Scalar.kind(E.self) > 0, Scalar.kind(F.self) > 0, Scalar.kind(G.self) > 0, Scalar.kind(H.self) > 0
        {
            var bits = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
            let areRead = unsafe withUnsafeMutableBytes(of: &bits) { bits in
                unsafe stack.read(
                    Scalar.kind(A.self) | Scalar.kind(B.self) << 4 | Scalar.kind(C.self) << 8 | Scalar.kind(D.self)
                        << 12 | Scalar.kind(E.self) << 16 | Scalar.kind(F.self) << 20 | Scalar.kind(G.self) << 24
                        | Scalar.kind(H.self) << 28, from: first,
                    into: bits.assumingMemoryBound(to: UInt64.self).baseAddress)
            }
            return areRead
                ? (
                    Scalar.value(bits.0, as: A.self), Scalar.value(bits.1, as: B.self),
                    Scalar.value(bits.2, as: C.self), Scalar.value(bits.3, as: D.self),
                    Scalar.value(bits.4, as: E.self), Scalar.value(bits.5, as: F.self),
                    Scalar.value(bits.6, as: G.self), Scalar.value(bits.7, as: H.self)
                ) : nil
        }
        guard stack.has(8, from: first), let a = A.read(from: stack, at: first),
            let b = B.read(from: stack, at: first + 1), let c = C.read(from: stack, at: first + 2),
            let d = D.read(from: stack, at: first + 3), let e = E.read(from: stack, at: first + 4),
            let f = F.read(from: stack, at: first + 5), let g = G.read(from: stack, at: first + 6),
            let h = H.read(from: stack, at: first + 7)
        else { return nil }
        return (a, b, c, d, e, f, g, h)
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Output.Value, as _: Output.Type,
        _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type, failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g, h) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
            }
            let record = unsafe CallRecord<
                (A, B, C, D, E, F, G, H) throws(Failure) -> Output.Value, Output.Value, Failure
            >.at(record)
            do throws(Failure) {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f, g, h)
                    : slot.call(cell, a, b, c, d, e, f, g, h, as: Output.self, original: original)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original stands at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult, Failure: Error
    >(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type,
        failure: Failure.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g, h) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
            }
            guard
                let record = unsafe CallRecord<
                    (A, B, C, D, E, F, G, H) throws(Failure) -> Output.Value, Output.Value, Failure
                >.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            do throws(Failure) {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f, g, h)
                    : slot.call(
                        cell, a, b, c, d, e, f, g, h, as: Output.self, original: record.pointee.original.pointee)
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    func callAsynchronously<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ cell: UInt?, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, as _: Output.Type,
        original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Output.Value
    ) async throws(Failure) -> Output.Value
    where
        Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable,
        G: Sendable, H: Sendable
    {
        try await run(cell, [a, b, c, d, e, f, g, h], as: Output.self, read: reader(original, as: Output.self)) {
            () async throws(Failure) -> Output.Value in try await original(a, b, c, d, e, f, g, h)
        }
    }

    func reader<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult, Failure: Error
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Output.Value,
        as _: Output.Type
    ) -> AsyncReader<Output.Value, Failure>
    where
        Output.Value: Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable,
        G: Sendable, H: Sendable
    {
        { [self] stack, first in
            guard
                let (a, b, c, d, e, f, g, h) = Self.arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                _ = stack.refuseArguments(
                    of: self, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
                return nil
            }
            return { (cell) async throws(Failure) -> Output.Value in
                try await self.callAsynchronously(cell, a, b, c, d, e, f, g, h, as: Output.self, original: original)
            }
        }
    }
}

extension PatchRegistry {
    /// Registers a function of eight arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                H.self, failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns a value.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Value>
    where
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable,
        Value: Sendable
    {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns a value: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) throws(Failure) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) throws(Failure) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchValueResult<Value>.self, failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                    H.self, failure: Failure.self)))
    }

    /// Registers a function of eight arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: Failure.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self,
                failure: Failure.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns nothing.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: Failure.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns nothing: its original stands where it is called.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) throws(Failure) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) throws(Failure) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchNoResult.self, failure: Failure.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self,
                    failure: Failure.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) throws(Failure) -> Value
    where Function == @Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) throws(Failure)
    where Function == @Sendable (A, B, C, D, E, F, G, H) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        try slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async throws(Failure) -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Value, Value: Sendable, A: Sendable,
        B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g, h) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async throws(Failure)
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async throws(Failure) -> Void, A: Sendable, B: Sendable,
        C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g, h) }
        try await slot.callAsynchronously(nil, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        original: (A, B, C, D, E, F, G, H) throws(Failure) -> Value
    ) throws(Failure) -> Value where Function == (A, B, C, D, E, F, G, H) throws(Failure) -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try withoutActuallyEscaping(original) { (original) throws(Failure) -> Value in
            try slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Failure: Error
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        original: (A, B, C, D, E, F, G, H) throws(Failure) -> Void
    ) throws(Failure) where Function == (A, B, C, D, E, F, G, H) throws(Failure) -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        try withoutActuallyEscaping(original) { (original) throws(Failure) in
            try slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
        }
    }
}
