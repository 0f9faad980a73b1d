package import PatchCrypto
internal import Synchronization

/// The names of a registry, and what scripts may know of its classes.
package final class NameTable: Sendable {
    package init() {}

    let pool = StatePool()
    private let table = Mutex<[String: Slot]>([:])
    private let exposed = Mutex<[ExposedClass]>([])
    /// Held while patches are put on and taken off, by whatever runner.
    private let changes = Mutex<Void>(())

    /// The slot of a name. Its bytes are compared: text that Unicode calls equivalent is another name.
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
                hint: "use names such as Cart.total, of letters, digits and _")
        }
        let slot = Slot(name: name, signature: signature, names: self, invoke: invoke, invokeAsync: invokeAsync)
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
    package func expose(className name: String, methods: [ExposedMethod]) throws(PatchError) {
        try expose(nil, as: name, methods: methods)
    }

    func expose(_ type: AnyClass?, as name: String, methods: [ExposedMethod]) throws(PatchError) {
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
