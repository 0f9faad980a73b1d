public import PatchCrypto

extension PatchRegistry {
    /// The interface of this program: what scripts can rely on. Commit it with the scripts, and compare it from version to version.
    ///
    /// - Parameter host: The program.
    public func interface(of host: HostInfo) -> PatchInterface {
        // A class has the name under which it is exposed, and not that of its type.
        let classes = names.classes
        let exposedNames = Dictionary(
            classes.compactMap { exposed in exposed.typeName.map { ($0, exposed.name) } },
            uniquingKeysWith: { first, _ in first })
        func type(_ name: String) -> String {
            name.split(separator: " ", omittingEmptySubsequences: false).map { exposedNames[String($0)] ?? String($0) }
                .joined(separator: " ")
        }
        func function(_ name: String, _ signature: PatchSignature) -> PatchInterface.Function {
            .init(
                name: name,
                signature: PatchSignature(
                    signature.arguments.map(type), parameters: signature.parameters, result: type(signature.result),
                    throws: signature.throws, isAsynchronous: signature.isAsynchronous))
        }
        let enums = names.basicTypes.compactMap { PatchInterface.Scalar($0, host: host) }
        let others = names.samples.filter { sample in !enums.contains { $0.name == sample.name } }
        return PatchInterface(
            app: host.app, appVersion: host.version.description,
            functions: names.slots.map { function($0.name, $0.signature) },
            structs: names.structs.map { structure in
                .init(
                    name: structure.name,
                    fields: structure.fields.map { .init(name: $0.name, type: type($0.type)) })
            },
            scalars: enums + others,
            classes: classes.map { exposed in
                PatchInterface.Class(
                    name: exposed.name, methods: exposed.methods.map { function($0.name, $0.signature) })
            })
    }

    /// Lists the fields of a `Codable` type in the interface, or the basic value that scripts see of it, so that
    /// `patchpack lint` and `patchpack test` know them. The fields of a ``PatchStruct``, and the cases of a `CaseIterable`
    /// type, are known without it.
    ///
    /// - Parameter sample: Any value of the type. What scripts see is found by encoding it.
    /// - Throws: `config` if the value cannot be encoded, if scripts see neither fields nor a basic value, or if another type
    ///   of this name has other fields.
    public func describe(_ sample: some PatchValue & Encodable) throws(PatchError) {
        let host = try HostInfo(app: "com.example.app", version: "1")
        if let scalar = PatchInterface.Scalar(type(of: sample), sample: sample, host: host) {
            return names.describe(scalar)
        }
        let (structs, types) = try FieldEncoder.structs(of: sample)
        try names.describe(types, and: structs)
    }
}
