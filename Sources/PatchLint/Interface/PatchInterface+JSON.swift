package import PatchCrypto
package import PatchRunner

extension PatchInterface {
    /// Reads an interface.
    ///
    /// - Parameter json: UTF-8 text of the schema `patchpack.interface/1`.
    /// - Throws: `malformed` if it is anything else.
    package init(decoding json: [UInt8]) throws(PatchError) {
        let file = try JSONObject(try JSONValue(parsing: json), "interface") { place, key, what in
            Self.malformed("\(place)\(key.map { ": `\($0)`" } ?? ""): \(what)")
        }
        guard case .string(let schema) = file["schema"], schema == Self.schema else {
            throw Self.malformed("not an interface of the schema \(Self.schema)")
        }
        let classes = try file.objects("classes").map { (one) throws(PatchError) in
            Class(name: try one.shortText("name"), methods: try Self.functions(one, "methods"))
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

    private static func malformed(_ message: String) -> PatchError {
        PatchError(.malformed, message, hint: "have the app write it again")
    }

    /// Checks that each name can be registered, and that none is given twice.
    private static func check(_ names: [String], _ key: String) throws(PatchError) {
        for name in names where !Manifest.isReplaceable(name) {
            throw malformed("interface: `\(key)` has the invalid name \(name)")
        }
        try checkOnce(names, key)
    }

    private static func checkOnce(_ names: [String], _ key: String) throws(PatchError) {
        guard Set(names.map(ExactString.init)).count == names.count else {
            throw malformed("interface: `\(key)` has a name twice")
        }
    }

    /// The structs. Older apps did not write them.
    private static func structs(_ file: JSONObject) throws(PatchError) -> [Struct] {
        let structs = try (file.optional("structs", file.objects) ?? []).map { (one) throws(PatchError) in
            let fields = try one.objects("fields").map { (field) throws(PatchError) in
                Field(name: try field.shortText("name"), type: try field.shortText("type"))
            }
            let structure = Struct(name: try one.shortText("name"), fields: fields)
            try checkOnce(fields.map(\.name), "fields")
            return structure
        }
        try checkOnce(structs.map(\.name), "structs")
        return structs
    }

    /// The types that scripts see as a basic value. Older apps did not write them.
    private static func scalars(_ file: JSONObject) throws(PatchError) -> [Scalar] {
        let scalars = try (file.optional("scalars", file.objects) ?? []).map { (one) throws(PatchError) in
            let cases = try one.list("cases").map { (value) throws(PatchError) -> Scalar.Case in
                switch value {
                case .string(let text): .string(text)
                case .integer(let number): .integer(number)
                default: throw one.fault("cases", "expected a list of strings or whole numbers")
                }
            }
            let type = try one.text("type")
            guard Scalar.types.contains(type) else {
                throw one.fault("type", "expected \(Scalar.types.sorted().joined(separator: ", "))")
            }
            return Scalar(name: try one.shortText("name"), type: type, cases: cases)
        }
        try checkOnce(scalars.map(\.name) + Scalar.types, "scalars")
        return scalars
    }

    private static func functions(_ object: JSONObject, _ key: String) throws(PatchError) -> [Function] {
        try object.objects(key).map { (one) throws(PatchError) in
            let arguments = try one.texts("arguments")
            for argument in arguments { try one.checkLength(of: argument, "arguments") }
            let parameters = try one.optional("parameters", one.texts) ?? []
            for parameter in parameters { try one.checkLength(of: parameter, "parameters") }
            return Function(
                name: try one.shortText("name"),
                signature: FunctionType(
                    arguments, parameters: parameters, result: try one.shortText("result"),
                    throws: try one.flag("throws"), isAsynchronous: try one.flag("async")))
        }
    }
}

extension JSONObject {
    /// A name or a type.
    ///
    /// - Throws: `malformed` if it is not of 1 to 1,024 bytes, or has a NUL byte.
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
