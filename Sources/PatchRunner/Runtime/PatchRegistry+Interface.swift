public import PatchCrypto

extension PatchRegistry {
    /// The interface of this program, on which scripts can rely. Commit it with the scripts, and compare it from
    /// version to version.
    ///
    /// - Parameter host: The program.
    public func interface(of host: HostInfo) -> PatchInterface {
        // A class has the name under which it is exposed, not the name of its type.
        let classes = names.classes
        let exposedNames = Dictionary(
            classes.compactMap { exposed in exposed.typeName.map { ($0, exposed.name) } },
            uniquingKeysWith: { first, _ in first })
        func type(_ name: String) -> String {
            name.split(separator: " ", omittingEmptySubsequences: false).map { exposedNames[String($0)] ?? String($0) }
                .joined(separator: " ")
        }
        func function(_ name: String, _ signature: FunctionType) -> PatchInterface.Function {
            .init(
                name: name,
                signature: FunctionType(
                    signature.argumentTypes.map(type), parameters: signature.parameterNames,
                    result: type(signature.resultType),
                    throws: signature.isThrowing, isAsynchronous: signature.isAsynchronous))
        }
        let enums = names.basicTypes.compactMap { PatchInterface.Scalar($0, host: host) }
        let others = names.samples.filter { sample in !enums.contains { $0.name == sample.name } }
        let functions = names.slots.map { function($0.name, $0.signature) }
        let structs = names.structs.map { structure in
            PatchInterface.Struct(
                name: structure.name,
                fields: structure.fields.map { .init(name: $0.name, type: type($0.type)) })
        }
        let exposed = classes.map { exposed in
            PatchInterface.Class(
                name: exposed.name, methods: exposed.methods.map { function($0.name, $0.signature) })
        }
        let signatures = (functions + exposed.flatMap(\.methods)).map(\.signature)
        let used = signatures.flatMap { $0.argumentTypes + [$0.resultType] } + structs.flatMap { $0.fields.map(\.type) }
        let bytes = PatchInterface.Scalar.bytes
        let hasBytes = used.contains { $0.split(separator: " ").contains { $0 == bytes.name } }
        return PatchInterface(
            app: host.app, appVersion: host.version.description, functions: functions, structs: structs,
            scalars: enums + others + (hasBytes ? [bytes] : []), classes: exposed)
    }

    /// Lists the fields of a `Codable` type in the interface, or the basic value that scripts see for it, so that
    /// `patchpack lint` and `patchpack test` know them. The fields of a ``PatchStruct``, and the cases of a
    /// `CaseIterable` type, are known without it.
    ///
    /// - Parameter sample: Any value of the type. It is encoded to find the fields or the basic value.
    /// - Throws: `config` if the value cannot be encoded, if scripts see neither fields nor a basic value, or if
    ///   another type of this name has other fields.
    public func describe(sample: some PatchValue & Encodable) throws(PatchError) {
        let host = try HostInfo(app: "com.example.app", version: "1")
        if let scalar = PatchInterface.Scalar(type(of: sample), sample: sample, host: host) {
            return names.describe(scalar)
        }
        let (structs, types) = try FieldEncoder.structs(of: sample)
        try names.describe(types, and: structs)
    }
}
