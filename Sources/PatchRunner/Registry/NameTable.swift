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
        /// The types with cases and other basic types, by their names.
        var basicTypes: [String: any PatchValue.Type] = [:]
        /// The names that several of these types have.
        var sharedNames: Set<String> = []
        var samples: [String: PatchInterface.Scalar] = [:]
        var listener: (@Sendable () -> Void)?

        /// Why types cannot be described beside the known ones; nil if they can.
        func conflict(with found: FoundTypes) -> PatchError? {
            for (name, structure) in found.structs {
                if let known = structs[name], known != structure { return FoundTypes.twoStructs(named: name) }
            }
            return nil
        }

        mutating func describe(_ found: FoundTypes) {
            structs.merge(found.structs) { known, _ in known }
            for (name, type) in found.basic {
                let other = basicTypes.updateValue(type, forKey: name)
                if let other, other != type { sharedNames.insert(name) }
            }
        }
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

    /// Registers all slots, and describes their types, or does neither if one slot cannot be registered.
    ///
    /// - Throws: `config` if a name is taken or cannot be registered, if a slot is in another registry, or as
    ///   ``describe(_:and:)``.
    package func add(_ slots: [Slot]) throws(PatchError) {
        for slot in slots where !Manifest.isReplaceable(slot.name) {
            throw PatchError(
                .config, "`\(slot.name)` cannot be registered",
                hint: "use letters, digits and _, as in Cart.total")
        }
        let found = try FoundTypes(in: slots.flatMap(\.types))
        let (fault, other) = state.locked { state -> (PatchError?, (any SlotRegistry)?) in
            if let fault = state.conflict(with: found) { return (fault, nil) }
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
            state.describe(found)
            return (nil, nil)
        }
        withExtendedLifetime(other) {}  // it is released without the lock
        if let fault { throw fault }
        state.locked { $0.listener }?()
    }

    /// Calls a closure after each registration, on the registering thread, in place of the closure of an earlier call.
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
    ///
    /// - Throws: `config` if the name is taken, if a name is not a word, or if two methods have the same name.
    package func expose(className name: String, methods: [ExposedMethod]) throws(PatchError) {
        try expose(nil, typeName: nil, as: name, methods: methods, of: [])
    }

    /// Exposes a class, and describes the types of its methods, or does neither if it cannot be exposed.
    ///
    /// - Throws: `config` if the class or the name is taken, if a name is not a word, if two methods have the same
    ///   name, or as ``describe(_:and:)``.
    func expose(
        _ type: AnyClass?, typeName: String?, as name: String, methods: [ExposedMethod], of types: [any PatchValue.Type]
    ) throws(PatchError) {
        for word in [name] + methods.map(\.name)
        where !Manifest.isReplaceable(word) || word.contains(where: { ".:".contains($0) }) {
            throw PatchError(.config, "`\(word)` cannot be exposed", hint: "use letters, digits and _")
        }
        guard Set(methods.map(\.name)).count == methods.count else {
            throw PatchError(.config, "\(name) has two methods of the same name", hint: "give each method its own name")
        }
        let found = try FoundTypes(in: types)
        let id = type.map { ObjectIdentifier($0) }
        let fault = state.locked { state -> PatchError? in
            if let fault = state.conflict(with: found) { return fault }
            // An interface may have very many classes, all without a type.
            if let id, let known = state.classes.first(where: { $0.type == id }) {
                return PatchError(
                    .config, "\(typeName ?? name) is already exposed as \(known.name)", hint: "expose each class once")
            }
            guard state.classNames.insert(name).inserted else {
                return PatchError(
                    .config, "another class is already exposed as \(name)", hint: "give one of them another name")
            }
            state.classes.append(
                ExposedClass(type: id, typeName: typeName == name ? nil : typeName, name: name, methods: methods))
            state.describe(found)
            return nil
        }
        if let fault { throw fault }
    }

    // MARK: structs

    var structs: [PatchInterface.Struct] { state.locked { Array($0.structs.values) } }

    /// Records the fields of these structs, and the structs and basic types that are reachable from these types, or
    /// none of them.
    ///
    /// - Throws: `config` if a struct has a field without a name, two fields of one name or a wrong layout, or if two
    ///   structs of one name have other fields.
    func describe(
        _ types: [any PatchValue.Type], and structs: [PatchInterface.Struct] = []
    ) throws(PatchError) {
        let found = try FoundTypes(in: types, and: structs)
        let fault = state.locked { state -> PatchError? in
            if let fault = state.conflict(with: found) { return fault }
            state.describe(found)
            return nil
        }
        if let fault { throw fault }
    }

    /// The types with cases, and other basic ones, whose names are their own.
    var basicTypes: [any PatchValue.Type] {
        state.locked { state in Array(state.basicTypes.filter { !state.sharedNames.contains($0.key) }.values) }
    }

    /// The types of samples that scripts see as a basic value.
    var samples: [PatchInterface.Scalar] { state.locked { Array($0.samples.values) } }

    func describe(_ scalar: PatchInterface.Scalar) { state.locked { $0.samples[scalar.name] = scalar } }

    /// Changes the active patches, while no other runner does.
    func whileChanging<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try changes.locked { (_) throws(Failure) in try body() }
    }
}

/// The types that a registration names, with all that are reachable from them. The app is asked for their names and
/// fields.
private struct FoundTypes {
    private(set) var structs: [String: PatchInterface.Struct] = [:]
    /// The types with cases, and other basic types.
    private(set) var basic: [(name: String, type: any PatchValue.Type)] = []

    /// - Throws: `config` if a struct cannot be described, or if two of one name have other fields.
    init(in types: [any PatchValue.Type], and structs: [PatchInterface.Struct] = []) throws(PatchError) {
        for structure in structs { _ = try add(structure) }
        for type in types { try add(type) }
    }

    private mutating func add(_ type: any PatchValue.Type) throws(PatchError) {
        if let container = type as? any PatchContainer.Type {
            for type in container.contained { try add(type) }
            return
        }
        guard let type = type as? any PatchStruct.Type else {
            if type is any CaseIterable.Type || type is any BasicValue.Type {
                basic.append((name: type.patchTypeName, type: type))
            }
            return
        }
        let fields = type.declaredFields
        let structure = PatchInterface.Struct(
            name: type.patchTypeName, fields: fields.map { .init(name: $0.name, type: $0.type.patchTypeName) })
        guard try add(structure) else { return }
        if let fault = type.layoutFault { throw fault }
        for field in fields { try add(field.type) }
    }

    /// Returns whether the struct is new.
    private mutating func add(_ structure: PatchInterface.Struct) throws(PatchError) -> Bool {
        var names: Set<String> = []
        for field in structure.fields where field.name.isEmpty || field.name.utf8.contains(0) {
            throw PatchError(
                .config, "a field of \(structure.name) cannot have the name `\(field.name)`",
                hint: field.name.isEmpty ? "give it a name" : "give it a name without a zero byte")
        }
        for field in structure.fields where !names.insert(field.name).inserted {
            throw PatchError(
                .config, "\(structure.name) has the field \(field.name) twice", hint: "give each field its own name")
        }
        guard let known = structs.updateValue(structure, forKey: structure.name) else { return true }
        guard known == structure else { throw Self.twoStructs(named: structure.name) }
        return false
    }

    static func twoStructs(named name: String) -> PatchError {
        PatchError(
            .config, "two structs with different fields have the name \(name)", hint: "give one of them another name")
    }
}
