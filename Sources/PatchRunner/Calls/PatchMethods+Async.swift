extension PatchMethods {
    /// Exposes an asynchronous method, such as one of an actor. Replacements of asynchronous functions can call it; the
    /// script waits for it, and its patch is free for other calls meanwhile.
    ///
    /// - Parameters:
    ///   - name: The name that scripts use: `cart:name(…)`.
    ///   - body: The method's code. Its first argument is the object.
    public mutating func method<each Argument: PatchValue & Sendable, Result: PatchValue & Sendable>(
        _ name: String, _ body: @escaping @Sendable (Object, repeat each Argument) async throws -> Result
    ) {
        addAsynchronous(name, as: PatchValueResult<Result>.self, body)
    }

    /// Exposes an asynchronous method that returns nothing.
    ///
    /// - Parameters:
    ///   - name: The name that scripts use: `cart:name(…)`.
    ///   - body: The method's code. Its first argument is the object.
    public mutating func method<each Argument: PatchValue & Sendable>(
        _ name: String, _ body: @escaping @Sendable (Object, repeat each Argument) async throws -> Void
    ) {
        addAsynchronous(name, as: PatchNoResult.self, body)
    }

    private mutating func addAsynchronous<each Argument: PatchValue & Sendable, Output: PatchResult>(
        _ name: String, as _: Output.Type,
        _ body: @escaping @Sendable (Object, repeat each Argument) async throws -> Output.Value
    ) where Output.Value: Sendable {
        let method = "\(className):\(name)"
        var arguments: [String] = []
        for type in repeat (each Argument).self { arguments.append(note(type)) }
        if let type = Output.type { types.append(type) }
        let signature = FunctionType(arguments, result: Output.typeName, isAsynchronous: true)
        let count = arguments.count
        let read: @Sendable (_PatchStack, Int32) -> (@Sendable () async -> Slot.PushOutcome)? = { stack, first in
            var reader = PatchArguments(of: method, taking: count, on: stack, from: first)
            do {
                let object = try reader.object(Object.self)
                let arguments = (repeat try reader.next((each Argument).self))
                return {
                    await Slot.outcome(as: Output.self) { () async throws -> Output.Value in
                        try await body(object, repeat each arguments)
                    }
                }
            } catch {
                _ = reader.fail(with: error)
                return nil
            }
        }
        methods.append(.init(name: name, signature: signature, body: .asynchronous(read)))
    }
}
