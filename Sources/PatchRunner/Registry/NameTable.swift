package import PatchCrypto
internal import Synchronization

/// The names of a registry, and the classes that it exposes to scripts.
package final class NameTable: Sendable {
    package init() {}

    let pool = StatePool()
    private let table = Mutex<[String: Slot]>([:])
    private let exposed = Mutex<[ExposedClass]>([])
    /// Held while any runner activates or deactivates a patch.
    private let changes = Mutex<Void>(())

    /// The slot of a name. Bytes are compared, so Unicode-equivalent text is a different name.
    package func slot(_ name: String) -> Slot? {
        guard let slot = table.locked({ $0[name] }), slot.name.hasBytes(of: name) else { return nil }
        return slot
    }

    var slots: [Slot] {
        table.locked { Array($0.values) }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    package var classes: [ExposedClass] { exposed.locked { $0 } }

    func className(of object: AnyObject) -> String {
        if let object = object as? any NamedObject { return object.className }
        let id = ObjectIdentifier(type(of: object))
        return classes.first { $0.type == id }?.name ?? "\(type(of: object))"
    }

    package func add(
        _ name: String, _ signature: PatchSignature, invoke: @escaping Slot.Invoke, invokeAsync: Slot.AsyncInvoke?
    ) throws(PatchError) -> Slot {
        guard Manifest.isReplaceable(name) else {
            throw PatchError(
                .config, "`\(name)` cannot be registered",
                hint: "use letters, digits and _, as in Cart.total")
        }
        let slot = Slot(name: name, signature: signature, names: self, invoke: invoke, invokeAsync: invokeAsync)
        let isNew = table.locked { table in
            guard table[name] == nil else { return false }
            table[name] = slot
            return true
        }
        guard isNew else {
            throw PatchError(.config, "\(name) is already registered", hint: "give each function its own name")
        }
        return slot
    }

    /// Exposes a class that is known only by its name: the objects of a spec all have the same Swift type.
    package func expose(className name: String, methods: [ExposedMethod]) throws(PatchError) {
        try expose(nil, as: name, methods: methods)
    }

    func expose(_ type: AnyClass?, as name: String, methods: [ExposedMethod]) throws(PatchError) {
        for word in [name] + methods.map(\.name)
        where !Manifest.isReplaceable(word) || word.contains(where: { ".:".contains($0) }) {
            throw PatchError(.config, "`\(word)` cannot be exposed", hint: "use letters, digits and _")
        }
        guard Set(methods.map(\.name)).count == methods.count else {
            throw PatchError(.config, "\(name) has two methods of the same name", hint: "give each method its own name")
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
        guard isNew else { throw PatchError(.config, "\(name) is already exposed", hint: "expose each class once") }
    }

    func whileChanging<Result>(_ body: () -> Result) -> Result { changes.locked { _ in body() } }
}
