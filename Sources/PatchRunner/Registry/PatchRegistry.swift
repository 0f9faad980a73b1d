public import PatchCrypto

/// The functions of a program that patches can replace.
///
///     let registry = PatchRegistry()
///     let total = try registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
///         price * Double(quantity)
///     }
///     total(9.5, 2)    // 19, or a patch's result
///
/// Functions take up to six arguments, may throw, and may be asynchronous.
public final class PatchRegistry: Sendable {
    package let names: NameTable

    /// Makes an empty registry.
    ///
    /// - Parameter instrument: Runs each call that reaches a patch, for example in a span of a trace; nil if there is
    ///   none, which costs nothing.
    public init(instrument: (any PatchInstrument)? = nil) { names = NameTable(instrument: instrument) }

    /// Makes an empty registry for a spec, which calls functions from a state of its own.
    package init(callerStates: Int32) { names = NameTable(callerStates: callerStates) }

    /// The registered names, sorted by their bytes, and the patches that are active or in shadow on them.
    public var state: [ReplaceableState] {
        names.slots.map { slot in
            ReplaceableState(
                name: slot.name, type: slot.signature, patches: slot.patches,
                shadows: slot.shadows.map { .init(patch: $0.patch, comparison: $0.total) })
        }
    }

    /// Lets scripts call methods of a class's objects.
    ///
    ///     try registry.expose(Cart.self) { cart in
    ///         cart.method("add") { (cart: Cart, item: String) in cart.add(item) }
    ///     }
    ///
    /// In a script: `cart:add("pen")`. An object is valid only in the call in which the script received it. Patches
    /// that were loaded earlier do not know the class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: The name that scripts use. By default it is the type's name.
    ///   - describe: Names the methods.
    /// - Throws: `config` if the class or the name is already exposed, if a name is not a word, if two methods have the
    ///   same name, or if a struct that they take or return is declared wrong.
    public func expose<Object: PatchObject>(
        _ type: Object.Type, as name: String? = nil, _ describe: (inout PatchMethods<Object>) -> Void
    ) throws(PatchError) {
        var methods = PatchMethods<Object>(className: name ?? Object.patchTypeName)
        describe(&methods)
        try names.expose(
            type, typeName: Object.patchTypeName, as: name ?? Object.patchTypeName, methods: methods.methods,
            of: methods.types)
    }

    /// Registers places in the code.
    ///
    ///     let total = try registry.register(PatchPoint<(Double, Int) -> Double>("Cart.total"))
    ///
    /// A place may be in one registry at a time. It can be registered with another one after that is gone.
    ///
    /// - Parameter point: The places.
    /// - Returns: The same places.
    /// - Throws: `config` if a name is already registered or cannot be registered, if a place is in another registry,
    ///   or if a struct that it takes or returns is declared wrong. None is registered then.
    @discardableResult
    public func register<each Function>(
        _ point: repeat PatchPoint<each Function>
    ) throws(PatchError) -> (repeat PatchPoint<each Function>) {
        var slots: [Slot] = []
        for slot in repeat (each point).slot { slots.append(slot) }
        try names.add(slots)
        return (repeat each point)
    }

    @usableFromInline
    func register<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        invoke: @escaping Slot.Invoke
    ) throws(PatchError) -> Slot {
        let slot = Slot(name, arguments, Output.self, Failure.self, invoke: invoke, invokeAsync: nil)
        try names.add([slot])
        return slot
    }

    @usableFromInline func registerAsynchronous<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        invoke: @escaping Slot.AsyncInvoke
    ) throws(PatchError) -> Slot {
        let slot = Slot(name, arguments, Output.self, Failure.self, invokeAsync: invoke)
        try names.add([slot])
        return slot
    }
}
