package import PatchCrypto
internal import Synchronization

/// The names of a registry, and the classes that it exposes to scripts.
package final class NameTable: SlotRegistry {
    package init(instrument: (any PatchInstrument)? = nil, callerStates: Int32 = 0) {
        self.instrument = instrument.map(Instrument.init)
        self.callerStates = callerStates
    }

    let callerStates: Int32
    let instrument: Instrument?
    let pool = StatePool()
    private let state = Mutex(State())

    private struct State {
        var slots: [String: Slot] = [:]
        var classes: [ExposedClass] = []
        var classNames: Set<String> = []
        var structs: [String: PatchInterface.Struct] = [:]
        /// The types with cases and other basic types, by their names; nil for a name that several types have.
        var enums: [String: (any PatchValue.Type)?] = [:]
        var samples: [String: PatchInterface.Scalar] = [:]
        var listener: (@Sendable () -> Void)?
    }

    /// Held while any runner activates or deactivates a patch. Calls never wait for it, and nothing of the app runs or
    /// ends under it.
    private let changes = Mutex<Void>(())

    /// The slot of a name. Bytes are compared, so Unicode-equivalent text is a different name.
    package func slot(_ name: String) -> Slot? {
        guard let slot = state.locked({ $0.slots[name] }), slot.name.isByteEqual(to: name) else { return nil }
        return slot
    }

    var slots: [Slot] {
        state.locked { Array($0.slots.values) }.sorted { $0.name.hasBytes(before: $1.name) }
    }

    package var classes: [ExposedClass] { state.locked { $0.classes } }

    func method(_ index: Int, ofClass place: Int) -> ExposedMethod {
        state.locked { $0.classes[place].methods[index] }
    }

    func className(at place: Int) -> String { state.locked { $0.classes[place].name } }

    func className(of object: AnyObject) -> String {
        if let object = object as? any NamedObject { return object.className }
        let id = ObjectIdentifier(type(of: object))
        return classes.first { $0.type == id }?.name ?? "\(type(of: object))"
    }

    /// Registers all slots, or none if one of them cannot be registered.
    package func add(_ slots: [Slot]) throws(PatchError) {
        for slot in slots where !Manifest.isReplaceable(slot.name) {
            throw PatchError(
                .config, "`\(slot.name)` cannot be registered",
                hint: "use letters, digits and _, as in Cart.total")
        }
        try describe(slots.flatMap(\.types))
        let (fault, other) = state.locked { state -> (PatchError?, (any SlotRegistry)?) in
            var names: Set<String> = []
            for slot in slots where state.slots[slot.name] != nil || !names.insert(slot.name).inserted {
                let fault = PatchError(
                    .config, "\(slot.name) is already registered", hint: "give each function its own name")
                return (fault, nil)
            }
            for (count, slot) in slots.enumerated() {
                guard let other = slot.join(self) else { continue }
                for joined in slots.prefix(count) { joined.leave() }
                let fault = PatchError(
                    .config, "\(slot.name) is registered with another registry, which is still in use",
                    hint: "let tests that share it use one registry, or run in one serialized suite")
                return (fault, other)
            }
            for slot in slots { state.slots[slot.name] = slot }
            return (nil, nil)
        }
        withExtendedLifetime(other) {}  // it is released without the lock
        if let fault { throw fault }
        state.locked { $0.listener }?()
    }

    /// Calls a closure after each registration, on the registering thread.
    package func whenAdded(_ body: @escaping @Sendable () -> Void) {
        let old = state.locked { state in
            defer { state.listener = body }
            return state.listener
        }
        withExtendedLifetime(old) {}  // it is released without the lock
    }

    /// The given names that are not registered.
    package func missing(_ wanted: [String]) -> [String] { wanted.filter { slot($0) == nil } }

    package var isEmpty: Bool { state.locked { $0.slots.isEmpty } }

    /// Exposes a class that is known only by its name: the objects of a spec all have the same Swift type.
    package func expose(className name: String, methods: [ExposedMethod]) throws(PatchError) {
        try expose(nil, typeName: nil, as: name, methods: methods)
    }

    func expose(_ type: AnyClass?, typeName: String?, as name: String, methods: [ExposedMethod]) throws(PatchError) {
        for word in [name] + methods.map(\.name)
        where !Manifest.isReplaceable(word) || word.contains(where: { ".:".contains($0) }) {
            throw PatchError(.config, "`\(word)` cannot be exposed", hint: "use letters, digits and _")
        }
        guard Set(methods.map(\.name)).count == methods.count else {
            throw PatchError(.config, "\(name) has two methods of the same name", hint: "give each method its own name")
        }
        let isNew = state.locked { state in
            // An interface may have very many classes, all without a type.
            let isKnown = type.map(ObjectIdentifier.init).map { type in state.classes.contains { $0.type == type } }
            guard isKnown != true, state.classNames.insert(name).inserted else { return false }
            state.classes.append(
                ExposedClass(
                    type: type.map(ObjectIdentifier.init), typeName: typeName == name ? nil : typeName, name: name,
                    methods: methods))
            return true
        }
        guard isNew else { throw PatchError(.config, "\(name) is already exposed", hint: "expose each class once") }
    }

    // MARK: structs

    var structs: [PatchInterface.Struct] { state.locked { Array($0.structs.values) } }

    /// Records the fields of these structs and of every struct reachable from these types, or of none if two conflict.
    func describe(
        _ types: [any PatchValue.Type], and structs: [PatchInterface.Struct] = []
    ) throws(PatchError) {
        var found: [String: PatchInterface.Struct] = [:]
        for structure in structs { _ = try Self.add(structure, to: &found) }
        var enums: [any PatchValue.Type] = []
        for type in types { try Self.add(type, to: &found, &enums) }
        let named = enums.map { (name: $0.patchTypeName, type: $0) }  // calls the app
        let conflict = state.locked { state -> String? in
            if let conflict = found.first(where: { (state.structs[$0.key] ?? $0.value) != $0.value }) {
                return conflict.key
            }
            state.structs.merge(found) { known, _ in known }
            for (name, type) in named {
                let other = state.enums.updateValue(type, forKey: name)
                if let other, other.map({ $0 != type }) ?? true { state.enums[name] = .some(nil) }
            }
            return nil
        }
        if let conflict { throw Self.twoStructs(named: conflict) }
    }

    /// The types with cases, and other basic ones, whose names are their own.
    var basicTypes: [any PatchValue.Type] { state.locked { $0.enums.values.compactMap(\.self) } }

    /// The types of samples that scripts see as a basic value.
    var samples: [PatchInterface.Scalar] { state.locked { Array($0.samples.values) } }

    func describe(_ scalar: PatchInterface.Scalar) { state.locked { $0.samples[scalar.name] = scalar } }

    private static func add(
        _ type: any PatchValue.Type, to found: inout [String: PatchInterface.Struct],
        _ enums: inout [any PatchValue.Type]
    ) throws(PatchError) {
        if let container = type as? any PatchContainer.Type {
            for type in container.contained { try add(type, to: &found, &enums) }
            return
        }
        guard let type = type as? any PatchStruct.Type else {
            if type is any CaseIterable.Type || type is any BasicValue.Type { enums.append(type) }
            return
        }
        let fields = type.declaredFields
        let structure = PatchInterface.Struct(
            name: type.patchTypeName, fields: fields.map { .init(name: $0.name, type: $0.type.patchTypeName) })
        guard try add(structure, to: &found) else { return }
        if let fault = type.layoutFault { throw fault }
        for field in fields { try add(field.type, to: &found, &enums) }
    }

    /// Returns whether the struct is new.
    private static func add(
        _ structure: PatchInterface.Struct, to found: inout [String: PatchInterface.Struct]
    ) throws(PatchError) -> Bool {
        var names: Set<String> = []
        for field in structure.fields where field.name.isEmpty || field.name.utf8.contains(0) {
            throw PatchError(
                .config, "a field of \(structure.name) cannot have the name `\(field.name)`", hint: "give it a name")
        }
        for field in structure.fields where !names.insert(field.name).inserted {
            throw PatchError(
                .config, "\(structure.name) has the field \(field.name) twice", hint: "give each field its own name")
        }
        guard let known = found.updateValue(structure, forKey: structure.name) else { return true }
        guard known == structure else { throw twoStructs(named: structure.name) }
        return false
    }

    private static func twoStructs(named name: String) -> PatchError {
        PatchError(
            .config, "two structs with different fields have the name \(name)", hint: "give one of them another name")
    }

    func whileChanging<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try changes.locked { (_) throws(Failure) in try body() }
    }
}
