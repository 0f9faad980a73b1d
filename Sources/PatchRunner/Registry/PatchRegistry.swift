public import PatchCrypto
internal import Synchronization

/// The functions of a program that patches can replace.
///
///     let registry = PatchRegistry()
///     let total = try registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
///         price * Double(quantity)
///     }
///     total(9.5, 2)    // 19, or what a patch makes of it
///
/// Functions take up to eight arguments, may throw, and may be asynchronous.
public final class PatchRegistry: Sendable {
    let names = NameTable()

    /// Makes an empty registry.
    public init() {}

    /// Every name, in the order of their bytes, and what stands on it.
    public var state: [ReplaceableState] {
        names.slots.map { ReplaceableState(name: $0.name, signature: $0.signature, patches: $0.patches) }
    }

    /// What scripts can count on in this program: to be committed beside them, and compared from version to version.
    ///
    /// - Parameter host: The program.
    public func interface(of host: HostInfo) -> PatchInterface {
        PatchInterface(
            app: host.app, appVersion: host.version.description,
            functions: names.slots.map { PatchInterface.Function(name: $0.name, signature: $0.signature) },
            classes: names.classes.map { exposed in
                PatchInterface.Class(
                    name: exposed.name,
                    methods: exposed.methods.map { PatchInterface.Function(name: $0.name, signature: $0.signature) })
            })
    }

    /// Lets scripts call methods of a class's objects.
    ///
    ///     try registry.expose(Cart.self) { cart in
    ///         cart.method("add") { (cart: Cart, item: String) in cart.add(item) }
    ///     }
    ///
    /// In a script: `cart:add("pen")`. An object that a script was given is good for the call that it was given in. Patches that
    /// are loaded before know nothing of the class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - name: What scripts call it; the type's name where nothing is said.
    ///   - describe: Names the methods.
    /// - Throws: `config` for a class or a name that is exposed already, for a name that is no word, and for two methods of one name.
    public func expose<Object: PatchObject>(
        _ type: Object.Type, as name: String? = nil, _ describe: (inout PatchMethods<Object>) -> Void
    ) throws(PatchError) {
        var methods = PatchMethods<Object>(className: name ?? Object.patchTypeName)
        describe(&methods)
        try names.expose(type, as: name ?? Object.patchTypeName, methods: methods.methods)
    }

    @usableFromInline
    func register<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        invoke: @escaping Slot.Invoke
    ) throws(PatchError) -> Slot {
        let signature = PatchSignature(
            arguments.map { $0.patchTypeName }, result: Output.typeName, throws: failure != Never.self)
        return try names.add(name, signature, invoke: invoke, invokeAsync: nil)
    }

    func registerAsynchronous<Output: PatchResult, Failure: Error>(
        _ name: String, arguments: [any PatchValue.Type], result: Output.Type, failure: Failure.Type,
        reader: @escaping @Sendable (Slot) -> Slot.AsyncReader<Output.Value, Failure>
    ) throws(PatchError) -> Slot where Output.Value: Sendable {
        let signature = PatchSignature(
            arguments.map { $0.patchTypeName }, result: Output.typeName, throws: failure != Never.self,
            isAsynchronous: true)
        return try names.add(
            name, signature, invoke: { slot, stack, _, _, _ in stack.refuseCall(of: slot) },
            invokeAsync: { slot, stack, first in
                Slot.invocation(reader(slot), stack, first, as: Output.self)
            })
    }
}

/// The names of a registry, and what scripts may know of its classes.
final class NameTable: Sendable {
    let pool = StatePool()
    private let table = Mutex<[String: Slot]>([:])
    private let exposed = Mutex<[ExposedClass]>([])
    /// Held while patches are put on and taken off, by whatever runner.
    private let changes = Mutex<Void>(())

    /// A class whose objects' methods scripts may call.
    struct ExposedClass: Sendable {
        /// nil for a class that is known by its name alone.
        let type: ObjectIdentifier?
        let name: String
        let methods: [Method]
    }

    /// A method of such a class.
    struct Method: Sendable {
        let name: String
        let signature: PatchSignature
        let invoke: @Sendable (PatchStack) -> Int32
    }

    /// The slot of a name. Its bytes are compared: text that Unicode calls equivalent is another name.
    func slot(_ name: String) -> Slot? {
        guard let slot = table.locked({ $0[name] }), slot.name.hasBytes(of: name) else { return nil }
        return slot
    }

    var slots: [Slot] {
        table.locked { Array($0.values) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    var classes: [ExposedClass] { exposed.locked { $0 } }

    func className(of object: AnyObject) -> String {
        if let object = object as? SpecObject { return object.className }
        let id = ObjectIdentifier(type(of: object))
        return classes.first { $0.type == id }?.name ?? "\(type(of: object))"
    }

    func add(
        _ name: String, _ signature: PatchSignature, invoke: @escaping Slot.Invoke, invokeAsync: Slot.AsyncInvoke?
    ) throws(PatchError) -> Slot {
        guard Manifest.isReplaceable(name) else {
            throw PatchError(
                .config, "`\(name)` cannot be registered",
                hint: "use names such as Cart.total, of letters, digits and _")
        }
        let slot = Slot(name: name, signature: signature, pool: pool, invoke: invoke, invokeAsync: invokeAsync)
        let isNew = table.locked { table in
            guard table[name] == nil else { return false }
            table[name] = slot
            return true
        }
        guard isNew else {
            throw PatchError(.config, "\(name) is registered already", hint: "give each function a name of its own")
        }
        return slot
    }

    /// Exposes a class that is known by its name alone: a spec's objects are all of one type.
    func expose(className name: String, methods: [Method]) throws(PatchError) {
        try expose(nil, as: name, methods: methods)
    }

    func expose(_ type: AnyClass?, as name: String, methods: [Method]) throws(PatchError) {
        for word in [name] + methods.map(\.name)
        where !Manifest.isReplaceable(word) || word.contains(where: { ".:".contains($0) }) {
            throw PatchError(.config, "`\(word)` cannot be exposed", hint: "use letters, digits and _")
        }
        guard Set(methods.map(\.name)).count == methods.count else {
            throw PatchError(.config, "\(name) has two methods of one name", hint: "give each method a name of its own")
        }
        let isNew = exposed.locked { exposed in
            guard
                !exposed.contains(where: {
                    $0.name == name || type != nil && $0.type == type.map(ObjectIdentifier.init)
                })
            else {
                return false
            }
            exposed.append(ExposedClass(type: type.map(ObjectIdentifier.init), name: name, methods: methods))
            return true
        }
        guard isNew else { throw PatchError(.config, "\(name) is exposed already", hint: "expose each class once") }
    }

    func whileChanging<Result>(_ body: () -> Result) -> Result { changes.locked { _ in body() } }
}
