// Made by scripts/generate-arities.py; change that, and run `make generate`.
//
public import PatchCrypto

// For each number of arguments: how a call enters the patch on its name (`call`), how a script's values come to the original
// (`invoker`), and the public functions over both.

// MARK: 0 arguments

extension Slot {
    @inlinable @inline(never)
    func call<Output: PatchResult>(
        _ cell: LayerCell, as _: Output.Type, original: @escaping () -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<() -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
                let stack: PatchStack
                if Scalar.kind(Output.Value.self) > 0 {
                    let kinds = Scalar.kind(Output.Value.self) << 32
                    let answer = unsafe call(cell, CallReference(record), nil, kinds)
                    switch answer {
                    case .value(let bits): return Scalar.value(bits, as: Output.Value.self)
                    case .original: return original()
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original()
                    }
                    if let value = Output.finish(entered, arguments: 0) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<Output: PatchResult>(
        _ original: @escaping @Sendable () -> Output.Value, as _: Output.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed = Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<() -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original() : slot.call(cell, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<Output: PatchResult>(ofPlace _: Output.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            guard let record = unsafe CallRecord<() -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee()
                : slot.call(cell, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<Output: PatchResult>(
        _ cell: LayerCell, as _: Output.Type, original: @escaping () throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<() throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<Output: PatchResult>(
        _ original: @escaping @Sendable () throws -> Output.Value, as _: Output.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed = Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<() throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original() : slot.callThrowing(cell, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<Output: PatchResult>(ofPlace _: Output.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard stack.has(0, from: first) else {
                return stack.refuseArguments(of: slot, from: first, [])
            }
            guard let record = unsafe CallRecord<() throws -> Output.Value, Output.Value, (any Error)>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee()
                    : slot.callThrowing(cell, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
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
    /// Registers a function of no arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable () -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () -> Value> {
        let slot = try register(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable () async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () async -> Value>
    where Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<Value: PatchValue>(
        _ name: String, _ function: (() -> Value).Type
    ) throws(PatchError) -> PatchPoint<() -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self)))
    }

    /// Registers a function of no arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable () throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () throws -> Value> {
        let slot = try register(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchValueResult<Value>.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable () async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable () async throws -> Value>
    where Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<Value: PatchValue>(
        _ name: String, _ function: (() throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<() throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchValueResult<Value>.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchValueResult<Value>.self)))
    }

    /// Registers a function of no arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable(
        _ name: String, _ original: @escaping @Sendable () -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () -> Void> {
        let slot = try register(
            name, arguments: [], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable(
        _ name: String, _ original: @escaping @Sendable () async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () async -> Void> {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point(
        _ name: String, _ function: (() -> Void).Type
    ) throws(PatchError) -> PatchPoint<() -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self)))
    }

    /// Registers a function of no arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable(
        _ name: String, _ original: @escaping @Sendable () throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () throws -> Void> {
        let slot = try register(
            name, arguments: [], result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of no arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable(
        _ name: String, _ original: @escaping @Sendable () async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable () async throws -> Void> {
        let slot = try registerAsynchronous(
            name, arguments: [], result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of no arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point(
        _ name: String, _ function: (() throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<() throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [], result: PatchNoResult.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue>() -> Value
    where Function == @Sendable () -> Value {
        guard slot.isPatched else { return original() }
        return slot.call(slot.cell, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<Value: PatchValue>() async -> Value
    where Function == @Sendable () async -> Value, Value: Sendable {
        guard slot.isPatched else { return await original() }
        return await slot.callAsynchronously(nil, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue>() throws -> Value
    where Function == @Sendable () throws -> Value {
        guard slot.isPatched else { return try original() }
        return try slot.callThrowing(slot.cell, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<Value: PatchValue>() async throws -> Value
    where Function == @Sendable () async throws -> Value, Value: Sendable {
        guard slot.isPatched else { return try await original() }
        return try await slot.callAsynchronously(nil, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction() -> Void
    where Function == @Sendable () -> Void {
        guard slot.isPatched else { return original() }
        return slot.call(slot.cell, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction() async -> Void
    where Function == @Sendable () async -> Void {
        guard slot.isPatched else { return await original() }
        return await slot.callAsynchronously(nil, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction() throws -> Void
    where Function == @Sendable () throws -> Void {
        guard slot.isPatched else { return try original() }
        return try slot.callThrowing(slot.cell, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction() async throws -> Void
    where Function == @Sendable () async throws -> Void {
        guard slot.isPatched else { return try await original() }
        return try await slot.callAsynchronously(nil, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue>(
        original: () -> Value
    ) -> Value where Function == () -> Value {
        guard slot.isPatched else { return original() }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<Value: PatchValue>(
        original: () throws -> Value
    ) throws -> Value where Function == () throws -> Value {
        guard slot.isPatched else { return try original() }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction(
        original: () -> Void
    ) -> Void where Function == () -> Void {
        guard slot.isPatched else { return original() }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction(
        original: () throws -> Void
    ) throws -> Void where Function == () throws -> Void {
        guard slot.isPatched else { return try original() }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 1 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, as _: Output.Type, original: @escaping (A) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a)
                    }
                    a.push(to: entered)
                    if let value = Output.finish(entered, arguments: 1) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<A: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A) -> Output.Value, as _: Output.Type, _: A.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a) : slot.call(cell, a, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, Output: PatchResult>(ofPlace _: Output.Type, _: A.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            guard let record = unsafe CallRecord<(A) -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a)
                : slot.call(cell, a, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<A: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, as _: Output.Type, original: @escaping (A) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<A: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A) throws -> Output.Value, as _: Output.Type, _: A.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a) : slot.callThrowing(cell, a, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<A: PatchValue, Output: PatchResult>(ofPlace _: Output.Type, _: A.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a) = arguments(stack, from: first, A.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self])
            }
            guard let record = unsafe CallRecord<(A) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a)
                    : slot.callThrowing(cell, a, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of one argument that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) -> Value> {
        let slot = try register(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) async -> Value>
    where A: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self)))
    }

    /// Registers a function of one argument that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchValueResult<Value>.self, A.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A) async throws -> Value>
    where A: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchValueResult<Value>.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchValueResult<Value>.self, A.self)))
    }

    /// Registers a function of one argument that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) -> Void> {
        let slot = try register(
            name, arguments: [A.self], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) async -> Void>
    where A: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue>(
        _ name: String, _ function: ((A) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self)))
    }

    /// Registers a function of one argument that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self], result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self, A.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of one argument that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A) async throws -> Void>
    where A: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self], result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of one argument, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue>(
        _ name: String, _ function: ((A) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self], result: PatchNoResult.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self, A.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue>(_ a: A) -> Value
    where Function == @Sendable (A) -> Value {
        guard slot.isPatched else { return original(a) }
        return slot.call(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, Value: PatchValue>(_ a: A) async -> Value
    where Function == @Sendable (A) async -> Value, A: Sendable, Value: Sendable {
        guard slot.isPatched else { return await original(a) }
        return await slot.callAsynchronously(nil, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue>(_ a: A) throws -> Value
    where Function == @Sendable (A) throws -> Value {
        guard slot.isPatched else { return try original(a) }
        return try slot.callThrowing(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, Value: PatchValue>(_ a: A) async throws -> Value
    where Function == @Sendable (A) async throws -> Value, A: Sendable, Value: Sendable {
        guard slot.isPatched else { return try await original(a) }
        return try await slot.callAsynchronously(nil, a, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue>(_ a: A) -> Void
    where Function == @Sendable (A) -> Void {
        guard slot.isPatched else { return original(a) }
        return slot.call(slot.cell, a, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue>(_ a: A) async -> Void
    where Function == @Sendable (A) async -> Void, A: Sendable {
        guard slot.isPatched else { return await original(a) }
        return await slot.callAsynchronously(nil, a, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue>(_ a: A) throws -> Void
    where Function == @Sendable (A) throws -> Void {
        guard slot.isPatched else { return try original(a) }
        return try slot.callThrowing(slot.cell, a, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue>(_ a: A) async throws -> Void
    where Function == @Sendable (A) async throws -> Void, A: Sendable {
        guard slot.isPatched else { return try await original(a) }
        return try await slot.callAsynchronously(nil, a, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue>(
        _ a: A, original: (A) -> Value
    ) -> Value where Function == (A) -> Value {
        guard slot.isPatched else { return original(a) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, Value: PatchValue>(
        _ a: A, original: (A) throws -> Value
    ) throws -> Value where Function == (A) throws -> Value {
        guard slot.isPatched else { return try original(a) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue>(
        _ a: A, original: (A) -> Void
    ) -> Void where Function == (A) -> Void {
        guard slot.isPatched else { return original(a) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue>(
        _ a: A, original: (A) throws -> Void
    ) throws -> Void where Function == (A) throws -> Void {
        guard slot.isPatched else { return try original(a) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 2 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, as _: Output.Type, original: @escaping (A, B) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    if let value = Output.finish(entered, arguments: 2) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(Output.Value.self) > 0
                && record != nil
            let record = unsafe CallRecord<(A, B) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b) : slot.call(cell, a, b, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, Output: PatchResult>(ofPlace _: Output.Type, _: A.Type, _: B.Type)
        -> Invoke
    {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            guard let record = unsafe CallRecord<(A, B) -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b)
                : slot.call(cell, a, b, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<A: PatchValue, B: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, as _: Output.Type, original: @escaping (A, B) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, b, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B) throws -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(Output.Value.self) > 0
                && record != nil
            let record = unsafe CallRecord<(A, B) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b) : slot.callThrowing(cell, a, b, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b) = arguments(stack, from: first, A.self, B.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self])
            }
            guard let record = unsafe CallRecord<(A, B) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed = Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b)
                    : slot.callThrowing(cell, a, b, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of two arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, B.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async -> Value>
    where A: Sendable, B: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, B.self)))
    }

    /// Registers a function of two arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchValueResult<Value>.self, A.self, B.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async throws -> Value>
    where A: Sendable, B: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchValueResult<Value>.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchValueResult<Value>.self, A.self, B.self)))
    }

    /// Registers a function of two arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async -> Void>
    where A: Sendable, B: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue>(
        _ name: String, _ function: ((A, B) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self)))
    }

    /// Registers a function of two arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self, A.self, B.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of two arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B) async throws -> Void>
    where A: Sendable, B: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of two arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue>(
        _ name: String, _ function: ((A, B) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self], result: PatchNoResult.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self, A.self, B.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(_ a: A, _ b: B) -> Value
    where Function == @Sendable (A, B) -> Value {
        guard slot.isPatched else { return original(a, b) }
        return slot.call(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(_ a: A, _ b: B) async -> Value
    where Function == @Sendable (A, B) async -> Value, A: Sendable, B: Sendable, Value: Sendable {
        guard slot.isPatched else { return await original(a, b) }
        return await slot.callAsynchronously(nil, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(_ a: A, _ b: B) throws -> Value
    where Function == @Sendable (A, B) throws -> Value {
        guard slot.isPatched else { return try original(a, b) }
        return try slot.callThrowing(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(_ a: A, _ b: B) async throws -> Value
    where Function == @Sendable (A, B) async throws -> Value, A: Sendable, B: Sendable, Value: Sendable {
        guard slot.isPatched else { return try await original(a, b) }
        return try await slot.callAsynchronously(nil, a, b, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue>(_ a: A, _ b: B) -> Void
    where Function == @Sendable (A, B) -> Void {
        guard slot.isPatched else { return original(a, b) }
        return slot.call(slot.cell, a, b, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue>(_ a: A, _ b: B) async -> Void
    where Function == @Sendable (A, B) async -> Void, A: Sendable, B: Sendable {
        guard slot.isPatched else { return await original(a, b) }
        return await slot.callAsynchronously(nil, a, b, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue>(_ a: A, _ b: B) throws -> Void
    where Function == @Sendable (A, B) throws -> Void {
        guard slot.isPatched else { return try original(a, b) }
        return try slot.callThrowing(slot.cell, a, b, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue>(_ a: A, _ b: B) async throws -> Void
    where Function == @Sendable (A, B) async throws -> Void, A: Sendable, B: Sendable {
        guard slot.isPatched else { return try await original(a, b) }
        return try await slot.callAsynchronously(nil, a, b, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, original: (A, B) -> Value
    ) -> Value where Function == (A, B) -> Value {
        guard slot.isPatched else { return original(a, b) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, original: (A, B) throws -> Value
    ) throws -> Value where Function == (A, B) throws -> Value {
        guard slot.isPatched else { return try original(a, b) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue>(
        _ a: A, _ b: B, original: (A, B) -> Void
    ) -> Void where Function == (A, B) -> Void {
        guard slot.isPatched else { return original(a, b) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue>(
        _ a: A, _ b: B, original: (A, B) throws -> Void
    ) throws -> Void where Function == (A, B) throws -> Void {
        guard slot.isPatched else { return try original(a, b) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 3 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, as _: Output.Type, original: @escaping (A, B, C) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    if let value = Output.finish(entered, arguments: 3) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B, C) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type, _: C.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c) : slot.call(cell, a, b, c, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            guard let record = unsafe CallRecord<(A, B, C) -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c)
                : slot.call(cell, a, b, c, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, as _: Output.Type,
        original: @escaping (A, B, C) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, b, c, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B, C) throws -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c) : slot.callThrowing(cell, a, b, c, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, C: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c) = arguments(stack, from: first, A.self, B.self, C.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self])
            }
            guard let record = unsafe CallRecord<(A, B, C) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c)
                    : slot.callThrowing(cell, a, b, c, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of three arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, B.self, C.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async -> Value>
    where A: Sendable, B: Sendable, C: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self)))
    }

    /// Registers a function of three arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchValueResult<Value>.self, A.self, B.self, C.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async throws -> Value>
    where A: Sendable, B: Sendable, C: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchValueResult<Value>.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self)))
    }

    /// Registers a function of three arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, C.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ function: ((A, B, C) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self)))
    }

    /// Registers a function of three arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self, A.self, B.self, C.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of three arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of three arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ name: String, _ function: ((A, B, C) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self], result: PatchNoResult.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self, A.self, B.self, C.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(_ a: A, _ b: B, _ c: C)
        -> Value
    where Function == @Sendable (A, B, C) -> Value {
        guard slot.isPatched else { return original(a, b, c) }
        return slot.call(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(_ a: A, _ b: B, _ c: C)
        async -> Value
    where Function == @Sendable (A, B, C) async -> Value, A: Sendable, B: Sendable, C: Sendable, Value: Sendable {
        guard slot.isPatched else { return await original(a, b, c) }
        return await slot.callAsynchronously(nil, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(_ a: A, _ b: B, _ c: C)
        throws -> Value
    where Function == @Sendable (A, B, C) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c) }
        return try slot.callThrowing(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(_ a: A, _ b: B, _ c: C)
        async throws -> Value
    where Function == @Sendable (A, B, C) async throws -> Value, A: Sendable, B: Sendable, C: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c) }
        return try await slot.callAsynchronously(nil, a, b, c, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(_ a: A, _ b: B, _ c: C) -> Void
    where Function == @Sendable (A, B, C) -> Void {
        guard slot.isPatched else { return original(a, b, c) }
        return slot.call(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(_ a: A, _ b: B, _ c: C) async -> Void
    where Function == @Sendable (A, B, C) async -> Void, A: Sendable, B: Sendable, C: Sendable {
        guard slot.isPatched else { return await original(a, b, c) }
        return await slot.callAsynchronously(nil, a, b, c, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(_ a: A, _ b: B, _ c: C) throws -> Void
    where Function == @Sendable (A, B, C) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c) }
        return try slot.callThrowing(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(_ a: A, _ b: B, _ c: C) async throws -> Void
    where Function == @Sendable (A, B, C) async throws -> Void, A: Sendable, B: Sendable, C: Sendable {
        guard slot.isPatched else { return try await original(a, b, c) }
        return try await slot.callAsynchronously(nil, a, b, c, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) -> Value
    ) -> Value where Function == (A, B, C) -> Value {
        guard slot.isPatched else { return original(a, b, c) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) throws -> Value
    ) throws -> Value where Function == (A, B, C) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, c, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) -> Void
    ) -> Void where Function == (A, B, C) -> Void {
        guard slot.isPatched else { return original(a, b, c) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue>(
        _ a: A, _ b: B, _ c: C, original: (A, B, C) throws -> Void
    ) throws -> Void where Function == (A, B, C) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 4 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, as _: Output.Type,
        original: @escaping (A, B, C, D) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c, d)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c, d)
                    }
                    a.push(to: entered)
                    b.push(to: entered)
                    c.push(to: entered)
                    d.push(to: entered)
                    if let value = Output.finish(entered, arguments: 4) { return value }
                    stack = entered
                }
                switch unsafe settle(stack, Output.self, record.pointee.outcome) {
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, d, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B, C, D) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c, d) : slot.call(cell, a, b, c, d, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            guard let record = unsafe CallRecord<(A, B, C, D) -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c, d)
                : slot.call(cell, a, b, c, d, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, as _: Output.Type,
        original: @escaping (A, B, C, D) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, b, c, d, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B, C, D) throws -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d) : slot.callThrowing(cell, a, b, c, d, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d) = arguments(stack, from: first, A.self, B.self, C.self, D.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D) throws -> Output.Value, Output.Value, (any Error)>.at(
                    record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d)
                    : slot.callThrowing(cell, a, b, c, d, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of four arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
            failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C, D) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
                failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self)))
    }

    /// Registers a function of four arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async throws -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C, D) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchValueResult<Value>.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self)))
    }

    /// Registers a function of four arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, C.self, D.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ function: ((A, B, C, D) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self)))
    }

    /// Registers a function of four arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self, A.self, B.self, C.self, D.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of four arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of four arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ name: String, _ function: ((A, B, C, D) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self], result: PatchNoResult.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Value
    where Function == @Sendable (A, B, C, D) -> Value {
        guard slot.isPatched else { return original(a, b, c, d) }
        return slot.call(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) async -> Value
    where
        Function == @Sendable (A, B, C, D) async -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        Value: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d) }
        return await slot.callAsynchronously(nil, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) throws -> Value
    where Function == @Sendable (A, B, C, D) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try slot.callThrowing(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) async throws -> Value
    where
        Function == @Sendable (A, B, C, D) async throws -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d) }
        return try await slot.callAsynchronously(nil, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) -> Void
    where Function == @Sendable (A, B, C, D) -> Void {
        guard slot.isPatched else { return original(a, b, c, d) }
        return slot.call(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) async -> Void
    where Function == @Sendable (A, B, C, D) async -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        guard slot.isPatched else { return await original(a, b, c, d) }
        return await slot.callAsynchronously(nil, a, b, c, d, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) throws -> Void
    where Function == @Sendable (A, B, C, D) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try slot.callThrowing(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D
    ) async throws -> Void
    where Function == @Sendable (A, B, C, D) async throws -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable {
        guard slot.isPatched else { return try await original(a, b, c, d) }
        return try await slot.callAsynchronously(nil, a, b, c, d, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) -> Value
    ) -> Value where Function == (A, B, C, D) -> Value {
        guard slot.isPatched else { return original(a, b, c, d) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, Value: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) throws -> Value
    ) throws -> Value where Function == (A, B, C, D) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, c, d, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) -> Void
    ) -> Void where Function == (A, B, C, D) -> Void {
        guard slot.isPatched else { return original(a, b, c, d) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, original: (A, B, C, D) throws -> Void
    ) throws -> Void where Function == (A, B, C, D) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, d, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 5 arguments

extension Slot {
    @inlinable @inline(never)
    func call<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, as _: Output.Type,
        original: @escaping (A, B, C, D, E) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c, d, e)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c, d, e)
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
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, d, e, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult>(
        _ original: @escaping @Sendable (A, B, C, D, E) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type, _: E.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c, d, e) : slot.call(cell, a, b, c, d, e, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult>(
        ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            guard let record = unsafe CallRecord<(A, B, C, D, E) -> Output.Value, Output.Value, Never>.at(record) else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c, d, e)
                : slot.call(cell, a, b, c, d, e, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult>(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, as _: Output.Type,
        original: @escaping (A, B, C, D, E) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, b, c, d, e, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E) throws -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type, _: E.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E) throws -> Output.Value, Output.Value, (any Error)>.at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e)
                    : slot.callThrowing(cell, a, b, c, d, e, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self) else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D, E) throws -> Output.Value, Output.Value, (any Error)>.at(
                    record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e)
                    : slot.callThrowing(cell, a, b, c, d, e, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of five arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: Never.self,
            invoke: Slot.invoker(original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
                failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self)))
    }

    /// Registers a function of five arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async throws -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchValueResult<Value>.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self)))
    }

    /// Registers a function of five arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
                failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self)))
    }

    /// Registers a function of five arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of five arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of five arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self], result: PatchNoResult.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) -> Value
    where Function == @Sendable (A, B, C, D, E) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e) }
        return slot.call(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) async -> Value
    where
        Function == @Sendable (A, B, C, D, E) async -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e) }
        return await slot.callAsynchronously(nil, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) throws -> Value
    where Function == @Sendable (A, B, C, D, E) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) async throws -> Value
    where
        Function == @Sendable (A, B, C, D, E) async throws -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) -> Void
    where Function == @Sendable (A, B, C, D, E) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e) }
        return slot.call(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) async -> Void
    where
        Function == @Sendable (A, B, C, D, E) async -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e) }
        return await slot.callAsynchronously(nil, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) throws -> Void
    where Function == @Sendable (A, B, C, D, E) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E
    ) async throws -> Void
    where
        Function == @Sendable (A, B, C, D, E) async throws -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e) }
        return try await slot.callAsynchronously(nil, a, b, c, d, e, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) -> Value
    ) -> Value where Function == (A, B, C, D, E) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) throws -> Value
    ) throws -> Value where Function == (A, B, C, D, E) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, c, d, e, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) -> Void
    ) -> Void where Function == (A, B, C, D, E) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue>(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, original: (A, B, C, D, E) throws -> Void
    ) throws -> Void where Function == (A, B, C, D, E) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, d, e, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 6 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c, d, e, f)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c, d, e, f)
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
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, d, e, f, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type, _: E.Type, _: F.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(Output.Value.self) > 0
                && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c, d, e, f) : slot.call(cell, a, b, c, d, e, f, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            guard let record = unsafe CallRecord<(A, B, C, D, E, F) -> Output.Value, Output.Value, Never>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c, d, e, f)
                : slot.call(cell, a, b, c, d, e, f, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F) throws -> Output.Value, Output.Value, (any Error)>(place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(LayerCell(below), a, b, c, d, e, f, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F) throws -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(Output.Value.self) > 0
                && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F) throws -> Output.Value, Output.Value, (any Error)>.at(
                record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f)
                    : slot.callThrowing(cell, a, b, c, d, e, f, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard let (a, b, c, d, e, f) = arguments(stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self)
            else {
                return stack.refuseArguments(of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D, E, F) throws -> Output.Value, Output.Value, (any Error)>.at(
                    record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f)
                    : slot.callThrowing(
                        cell, a, b, c, d, e, f, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of six arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: Never.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
                failure: Never.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self)))
    }

    /// Registers a function of six arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async throws -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchValueResult<Value>.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self)))
    }

    /// Registers a function of six arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: Never.self,
            invoke: Slot.invoker(original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E, F) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
                failure: Never.self,
                invoke: Slot.invoker(ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self)))
    }

    /// Registers a function of six arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of six arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of six arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue>(
        _ name: String, _ function: ((A, B, C, D, E, F) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self], result: PatchNoResult.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Value
    where Function == @Sendable (A, B, C, D, E, F) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f) }
        return slot.call(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async -> Value
    where
        Function == @Sendable (A, B, C, D, E, F) async -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, F: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f) }
        return await slot.callAsynchronously(
            nil, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) throws -> Value
    where Function == @Sendable (A, B, C, D, E, F) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async throws -> Value
    where
        Function == @Sendable (A, B, C, D, E, F) async throws -> Value, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Void
    where Function == @Sendable (A, B, C, D, E, F) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f) }
        return slot.call(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async -> Void
    where
        Function == @Sendable (A, B, C, D, E, F) async -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, F: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f) }
        return await slot.callAsynchronously(nil, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) throws -> Void
    where Function == @Sendable (A, B, C, D, E, F) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) async throws -> Void
    where
        Function == @Sendable (A, B, C, D, E, F) async throws -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f) }
        return try await slot.callAsynchronously(nil, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) -> Value
    ) -> Value where Function == (A, B, C, D, E, F) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) throws -> Value
    ) throws -> Value where Function == (A, B, C, D, E, F) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, c, d, e, f, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) -> Void
    ) -> Void where Function == (A, B, C, D, E, F) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, original: (A, B, C, D, E, F) throws -> Void
    ) throws -> Void where Function == (A, B, C, D, E, F) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, d, e, f, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 7 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F, G) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c, d, e, f, g)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c, d, e, f, g)
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
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, d, e, f, g, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G) -> Output.Value, as _: Output.Type, _: A.Type, _: B.Type,
        _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F, G) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c, d, e, f, g)
                : slot.call(cell, a, b, c, d, e, f, g, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            guard let record = unsafe CallRecord<(A, B, C, D, E, F, G) -> Output.Value, Output.Value, Never>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c, d, e, f, g)
                : slot.call(cell, a, b, c, d, e, f, g, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F, G) throws -> Output.Value, Output.Value, (any Error)>(
                place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(
                            LayerCell(below), a, b, c, d, e, f, g, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F, G) throws -> Output.Value, Output.Value, (any Error)>.at(
                record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f, g)
                    : slot.callThrowing(cell, a, b, c, d, e, f, g, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D, E, F, G) throws -> Output.Value, Output.Value, (any Error)>
                    .at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f, g)
                    : slot.callThrowing(
                        cell, a, b, c, d, e, f, g, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of seven arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
                result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self)))
    }

    /// Registers a function of seven arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async throws -> Value>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, Value: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
            result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self],
                result: PatchValueResult<Value>.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self)))
    }

    /// Registers a function of seven arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: Never.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
                failure: Never.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self)))
    }

    /// Registers a function of seven arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of seven arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
            failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of seven arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self], result: PatchNoResult.self,
                failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Value
    where Function == @Sendable (A, B, C, D, E, F, G) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g) }
        return slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G) async -> Value, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, F: Sendable, G: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f, g) }
        return await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) throws -> Value
    where Function == @Sendable (A, B, C, D, E, F, G) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try slot.callThrowing(
            slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async throws -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G) async throws -> Value, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Void
    where Function == @Sendable (A, B, C, D, E, F, G) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g) }
        return slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async -> Void
    where
        Function == @Sendable (A, B, C, D, E, F, G) async -> Void, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
        E: Sendable, F: Sendable, G: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f, g) }
        return await slot.callAsynchronously(nil, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) throws -> Void
    where Function == @Sendable (A, B, C, D, E, F, G) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) async throws -> Void
    where
        Function == @Sendable (A, B, C, D, E, F, G) async throws -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g) }
        return try await slot.callAsynchronously(nil, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) -> Value
    ) -> Value where Function == (A, B, C, D, E, F, G) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) throws -> Value
    ) throws -> Value where Function == (A, B, C, D, E, F, G) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(slot.cell, a, b, c, d, e, f, g, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) -> Void
    ) -> Void where Function == (A, B, C, D, E, F, G) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, original: (A, B, C, D, E, F, G) throws -> Void
    ) throws -> Void where Function == (A, B, C, D, E, F, G) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, d, e, f, g, as: PatchNoResult.self, original: original)
        }
    }
}

// MARK: 8 arguments

extension Slot {
    @inlinable @inline(never)
    func call<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G, H) -> Output.Value
    ) -> Output.Value {
        unsafe withUnsafePointer(to: original) { (place) -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F, G, H) -> Output.Value, Output.Value, Never>(place)
            return unsafe withUnsafeMutablePointer(to: &record) { (record) -> Output.Value in
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
                    case .original: return original(a, b, c, d, e, f, g, h)
                    case .none(let entered): stack = entered
                    }
                } else {
                    guard let entered = unsafe enter(cell, CallReference(record)) else {
                        return original(a, b, c, d, e, f, g, h)
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
                case .outcome(let outcome): return outcome.get()
                case .below(var below):
                    return unsafe withUnsafeMutablePointer(to: &below) { (below) -> Output.Value in
                        unsafe call(LayerCell(below), a, b, c, d, e, f, g, h, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g, h) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(H.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F, G, H) -> Output.Value, Output.Value, Never>.at(record)
            if !isTimed { stack.hostBegins() }
            let value =
                cell.isEmpty
                ? original(a, b, c, d, e, f, g, h)
                : slot.call(cell, a, b, c, d, e, f, g, h, as: Output.self, original: original)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invoker<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type)
        -> Invoke
    {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g, h) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
            }
            guard
                let record = unsafe CallRecord<(A, B, C, D, E, F, G, H) -> Output.Value, Output.Value, Never>.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(H.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            let value =
                unsafe cell.isEmpty
                ? record.pointee.original.pointee(a, b, c, d, e, f, g, h)
                : slot.call(cell, a, b, c, d, e, f, g, h, as: Output.self, original: record.pointee.original.pointee)
            if !isTimed { stack.hostEnds() }
            return unsafe stack.answer(value, of: record, as: Output.self)
        }
    }

    @inlinable @inline(never)
    func callThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(
        _ cell: LayerCell, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, as _: Output.Type,
        original: @escaping (A, B, C, D, E, F, G, H) throws -> Output.Value
    ) throws -> Output.Value {
        try unsafe withUnsafePointer(to: original) { (place) throws -> Output.Value in
            var record = unsafe CallRecord<(A, B, C, D, E, F, G, H) throws -> Output.Value, Output.Value, (any Error)>(
                place)
            return try unsafe withUnsafeMutablePointer(to: &record) { (record) throws -> Output.Value in
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
                    return try unsafe withUnsafeMutablePointer(to: &below) { (below) throws -> Output.Value in
                        try unsafe callThrowing(
                            LayerCell(below), a, b, c, d, e, f, g, h, as: Output.self, original: original)
                    }
                }
            }
        }
    }

    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(
        _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Output.Value, as _: Output.Type, _: A.Type,
        _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type
    ) -> Invoke {
        { slot, stack, first, record, cell in
            guard
                let (a, b, c, d, e, f, g, h) = arguments(
                    stack, from: first, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)
            else {
                return stack.refuseArguments(
                    of: slot, from: first, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self])
            }
            // The bridge tells the host's time from the script's for functions of scalars.
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(H.self) > 0 && Scalar.kind(Output.Value.self) > 0 && record != nil
            let record = unsafe CallRecord<(A, B, C, D, E, F, G, H) throws -> Output.Value, Output.Value, (any Error)>
                .at(record)
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try cell.isEmpty
                    ? original(a, b, c, d, e, f, g, h)
                    : slot.callThrowing(cell, a, b, c, d, e, f, g, h, as: Output.self, original: original)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
            }
        }
    }

    /// The same where the original is the code at the place that calls, and is in the call's record alone.
    @inlinable
    static func invokerThrowing<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Output: PatchResult
    >(ofPlace _: Output.Type, _: A.Type, _: B.Type, _: C.Type, _: D.Type, _: E.Type, _: F.Type, _: G.Type, _: H.Type)
        -> Invoke
    {
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
                    (A, B, C, D, E, F, G, H) throws -> Output.Value, Output.Value, (any Error)
                >.at(record)
            else {
                return stack.refuseCall(of: slot)
            }
            let isTimed =
                Scalar.kind(A.self) > 0 && Scalar.kind(B.self) > 0 && Scalar.kind(C.self) > 0 && Scalar.kind(D.self) > 0
                && Scalar.kind(E.self) > 0 && Scalar.kind(F.self) > 0 && Scalar.kind(G.self) > 0
                && Scalar.kind(H.self) > 0 && Scalar.kind(Output.Value.self) > 0
            if !isTimed { stack.hostBegins() }
            do {
                let value =
                    try unsafe cell.isEmpty
                    ? record.pointee.original.pointee(a, b, c, d, e, f, g, h)
                    : slot.callThrowing(
                        cell, a, b, c, d, e, f, g, h, as: Output.self, original: record.pointee.original.pointee)
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(value, of: record, as: Output.self)
            } catch {
                if !isTimed { stack.hostEnds() }
                return unsafe stack.answer(error, of: record)
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
    /// Registers a function of eight arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: Never.self,
            invoke: Slot.invoker(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                H.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns a value and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async -> Value>
    where
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable,
        Value: Sendable
    {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns a value and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchValueResult<Value>.self, failure: Never.self,
                invoke: Slot.invoker(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                    H.self)))
    }

    /// Registers a function of eight arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) throws -> Value> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                H.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns a value and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws -> Value
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async throws -> Value>
    where
        A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable,
        Value: Sendable
    {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchValueResult<Value>.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchValueResult<Value>.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns a value and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) throws -> Value).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) throws -> Value> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchValueResult<Value>.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchValueResult<Value>.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self,
                    H.self)))
    }

    /// Registers a function of eight arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: Never.self,
            invoke: Slot.invoker(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns nothing and cannot throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: Never.self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns nothing and cannot throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchNoResult.self, failure: Never.self,
                invoke: Slot.invoker(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)))
    }

    /// Registers a function of eight arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; it answers while no patch does.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) throws -> Void> {
        let slot = try register(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: (any Error).self,
            invoke: Slot.invokerThrowing(
                original, as: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self))
        return Replaceable(slot: slot, original: original)
    }

    /// Registers an asynchronous function of eight arguments that returns nothing and can throw.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - original: The function; while it runs for a patch, the patch's lock is free.
    /// - Returns: The function to call in its place.
    /// - Throws: `config` for a name that is registered already, or is none.
    public func replaceable<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ original: @escaping @Sendable (A, B, C, D, E, F, G, H) async throws -> Void
    ) throws(PatchError) -> Replaceable<@Sendable (A, B, C, D, E, F, G, H) async throws -> Void>
    where A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable {
        let slot = try registerAsynchronous(
            name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
            result: PatchNoResult.self, failure: (any Error).self
        ) { slot in slot.reader(original, as: PatchNoResult.self) }
        return Replaceable(slot: slot, original: original)
    }

    /// Registers a place in the code, of eight arguments, that returns nothing and can throw: its original is the code there.
    ///
    /// - Parameters:
    ///   - name: What patches call it, such as `Cart.total`.
    ///   - function: The type of the code at that place.
    /// - Throws: `config` for a name that is registered already, or is none.
    @inlinable
    public func point<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ name: String, _ function: ((A, B, C, D, E, F, G, H) throws -> Void).Type
    ) throws(PatchError) -> PatchPoint<(A, B, C, D, E, F, G, H) throws -> Void> {
        PatchPoint(
            slot: try register(
                name, arguments: [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self],
                result: PatchNoResult.self, failure: (any Error).self,
                invoke: Slot.invokerThrowing(
                    ofPlace: PatchNoResult.self, A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self)))
    }
}

extension Replaceable {
    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Value
    where Function == @Sendable (A, B, C, D, E, F, G, H) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g, h) }
        return slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async -> Value, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f, g, h) }
        return await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) throws -> Value
    where Function == @Sendable (A, B, C, D, E, F, G, H) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try slot.callThrowing(
            slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async throws -> Value
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async throws -> Value, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable, Value: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g, h) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Void
    where Function == @Sendable (A, B, C, D, E, F, G, H) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g, h) }
        return slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async -> Void
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    {
        guard slot.isPatched else { return await original(a, b, c, d, e, f, g, h) }
        return await slot.callAsynchronously(nil, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) throws -> Void
    where Function == @Sendable (A, B, C, D, E, F, G, H) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try slot.callThrowing(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }

    /// Calls the function, or what a patch has put in its place.
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) async throws -> Void
    where
        Function == @Sendable (A, B, C, D, E, F, G, H) async throws -> Void, A: Sendable, B: Sendable, C: Sendable,
        D: Sendable, E: Sendable, F: Sendable, G: Sendable, H: Sendable
    {
        guard slot.isPatched else { return try await original(a, b, c, d, e, f, g, h) }
        return try await slot.callAsynchronously(
            nil, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
    }
}

extension PatchPoint {
    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, original: (A, B, C, D, E, F, G, H) -> Value
    ) -> Value where Function == (A, B, C, D, E, F, G, H) -> Value {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g, h) }
        return withoutActuallyEscaping(original) { (original) -> Value in
            slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue, Value: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        original: (A, B, C, D, E, F, G, H) throws -> Value
    ) throws -> Value where Function == (A, B, C, D, E, F, G, H) throws -> Value {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try withoutActuallyEscaping(original) { (original) throws -> Value in
            try slot.callThrowing(
                slot.cell, a, b, c, d, e, f, g, h, as: PatchValueResult<Value>.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H, original: (A, B, C, D, E, F, G, H) -> Void
    ) -> Void where Function == (A, B, C, D, E, F, G, H) -> Void {
        guard slot.isPatched else { return original(a, b, c, d, e, f, g, h) }
        return withoutActuallyEscaping(original) { (original) -> Void in
            slot.call(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
        }
    }

    /// Runs the code at this place, or what a patch has put in its place.
    @inlinable @inline(__always)
    public func callAsFunction<
        A: PatchValue, B: PatchValue, C: PatchValue, D: PatchValue, E: PatchValue, F: PatchValue, G: PatchValue,
        H: PatchValue
    >(
        _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H,
        original: (A, B, C, D, E, F, G, H) throws -> Void
    ) throws -> Void where Function == (A, B, C, D, E, F, G, H) throws -> Void {
        guard slot.isPatched else { return try original(a, b, c, d, e, f, g, h) }
        return try withoutActuallyEscaping(original) { (original) throws -> Void in
            try slot.callThrowing(slot.cell, a, b, c, d, e, f, g, h, as: PatchNoResult.self, original: original)
        }
    }
}
