package import PatchCrypto
package import PatchRunner

extension PatchInterface {
    /// Reads an interface.
    ///
    /// - Parameter json: UTF-8 text of the schema `patchpack.interface/1`.
    /// - Throws: `malformed` if it is anything else.
    package init(json: [UInt8]) throws(PatchError) {
        let file = try JSONObject(try JSONValue(parsing: json), "interface") { place, key, what in
            PatchError(
                .malformed, "\(place)\(key.map { ": `\($0)`" } ?? ""): \(what)", hint: "have the app write it again")
        }
        guard case .string(let schema) = file["schema"], schema == Self.schema else {
            throw PatchError(
                .malformed, "not an interface of the schema \(Self.schema)", hint: "have the app write it again")
        }
        var classes: [Class] = []
        for one in try file.objects("classes") {
            classes.append(Class(name: try one.shortText("name"), methods: try Self.functions(one, "methods")))
        }
        let version = try file.shortText("appVersion")
        if let fault = AppVersion.fault(in: version) {
            throw file.fault("appVersion", "\(version) \(fault); expected a version such as 2.3.1")
        }
        self.init(
            app: try file.shortText("app"), appVersion: version, functions: try Self.functions(file, "functions"),
            structs: try Self.structs(file), scalars: try Self.scalars(file), classes: classes)
        try Self.check(functions.map(\.name), "functions")
        try Self.check(self.classes.map(\.name), "classes")
        for exposed in self.classes { try Self.check(exposed.methods.map(\.name), "methods") }
    }

    /// Checks that each name can be registered, and that none is given twice.
    private static func check(_ names: [String], _ key: String) throws(PatchError) {
        for name in names where !Manifest.isReplaceable(name) {
            throw PatchError(
                .malformed, "interface: `\(key)` has the invalid name \(name)", hint: "have the app write it again")
        }
        try checkOnce(names, key)
    }

    private static func checkOnce(_ names: [String], _ key: String) throws(PatchError) {
        guard Set(names).count == names.count else {
            throw PatchError(.malformed, "interface: `\(key)` has a name twice", hint: "have the app write it again")
        }
    }

    /// The structs. Older apps did not write them.
    private static func structs(_ file: JSONObject) throws(PatchError) -> [Struct] {
        var structs: [Struct] = []
        for one in try file.optional("structs", file.objects) ?? [] {
            var fields: [Field] = []
            for field in try one.objects("fields") {
                fields.append(Field(name: try field.shortText("name"), type: try field.shortText("type")))
            }
            structs.append(Struct(name: try one.shortText("name"), fields: fields))
            try checkOnce(fields.map(\.name), "fields")
        }
        try checkOnce(structs.map(\.name), "structs")
        return structs
    }

    /// The types that scripts see as a basic value. Older apps did not write them.
    private static func scalars(_ file: JSONObject) throws(PatchError) -> [Scalar] {
        var scalars: [Scalar] = []
        for one in try file.optional("scalars", file.objects) ?? [] {
            var cases: [Scalar.Case] = []
            for value in try one.list("cases") {
                switch value {
                case .string(let text): cases.append(.string(text))
                case .integer(let number): cases.append(.integer(number))
                default: throw one.fault("cases", "expected a list of strings or whole numbers")
                }
            }
            let type = try one.text("type")
            guard Scalar.types.contains(type) else {
                throw one.fault("type", "expected \(Scalar.types.sorted().joined(separator: ", "))")
            }
            scalars.append(Scalar(name: try one.shortText("name"), type: type, cases: cases))
        }
        try checkOnce(scalars.map(\.name) + Scalar.types, "scalars")
        return scalars
    }

    private static func functions(_ object: JSONObject, _ key: String) throws(PatchError) -> [Function] {
        var functions: [Function] = []
        for one in try object.objects(key) {
            let arguments = try one.texts("arguments")
            for argument in arguments { try one.checkLength(of: argument, "arguments") }
            let parameters = try one.optional("parameters", one.texts) ?? []
            for parameter in parameters { try one.checkLength(of: parameter, "parameters") }
            functions.append(
                Function(
                    name: try one.shortText("name"),
                    signature: PatchSignature(
                        arguments, parameters: parameters, result: try one.shortText("result"),
                        throws: try one.flag("throws"),
                        isAsynchronous: try one.flag("async"))))
        }
        return functions
    }
}

extension JSONObject {
    /// A name or a type. Its length is limited, because it is read with recursion.
    fileprivate func shortText(_ key: String) throws(PatchError) -> String {
        let text = try text(key)
        try checkLength(of: text, key)
        return text
    }

    fileprivate func checkLength(of text: String, _ key: String) throws(PatchError) {
        guard (1...1024).contains(text.utf8.count), !text.utf8.contains(0) else {
            throw fault(key, "expected a string of 1 to 1,024 bytes")
        }
    }
}
