package import PatchCrypto
package import PatchRunner

extension PatchInterface {
    /// Reads an interface.
    ///
    /// - Parameter json: UTF-8 text of the schema `patchpack.interface/1`.
    /// - Throws: `malformed` if it is anything else.
    package init(json: [UInt8]) throws(PatchError) {
        let value = try JSONValue(parsing: json)
        guard case .string(let schema) = value["schema"], schema == Self.schema else {
            throw PatchError(
                .malformed, "not an interface of the schema \(Self.schema)", hint: "have the app write it again")
        }
        var classes: [Class] = []
        for value in try Self.array(value, "classes") {
            classes.append(Class(name: try Self.text(value, "name"), methods: try Self.functions(value, "methods")))
        }
        let version = try Self.text(value, "appVersion")
        guard AppVersion(version) != nil else { throw Self.missing("appVersion") }
        self.init(
            app: try Self.text(value, "app"), appVersion: version, functions: try Self.functions(value, "functions"),
            structs: try Self.structs(value), classes: classes)
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

    /// The structs. An older app did not write them.
    private static func structs(_ value: JSONValue) throws(PatchError) -> [Struct] {
        var structs: [Struct] = []
        for value in value["structs"] == nil ? [] : try array(value, "structs") {
            var fields: [Field] = []
            for field in try array(value, "fields") {
                fields.append(Field(name: try text(field, "name"), type: try text(field, "type")))
            }
            structs.append(Struct(name: try text(value, "name"), fields: fields))
            try checkOnce(fields.map(\.name), "fields")
        }
        try checkOnce(structs.map(\.name), "structs")
        return structs
    }

    private static func functions(_ value: JSONValue, _ key: String) throws(PatchError) -> [Function] {
        var functions: [Function] = []
        for value in try array(value, key) {
            var arguments: [String] = []
            for argument in try array(value, "arguments") {
                guard case .string(let name) = argument, isShort(name) else { throw missing("arguments") }
                arguments.append(name)
            }
            functions.append(
                Function(
                    name: try text(value, "name"),
                    signature: PatchSignature(
                        arguments, result: try text(value, "result"), throws: try flag(value, "throws"),
                        isAsynchronous: try flag(value, "async"))))
        }
        return functions
    }

    private static func missing(_ key: String) -> PatchError {
        PatchError(
            .malformed, "interface: `\(key)` is missing, has the wrong type, or is too long",
            hint: "have the app write it again")
    }

    private static func text(_ value: JSONValue, _ key: String) throws(PatchError) -> String {
        guard case .string(let text) = value[key], isShort(text) else { throw missing(key) }
        return text
    }

    /// Whether a name or a type can be one of an app. Types are read with recursion.
    private static func isShort(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && !text.utf8.contains(0)
    }

    private static func flag(_ value: JSONValue, _ key: String) throws(PatchError) -> Bool {
        guard case .bool(let flag) = value[key] else { throw missing(key) }
        return flag
    }

    private static func array(_ value: JSONValue, _ key: String) throws(PatchError) -> [JSONValue] {
        guard case .array(let values) = value[key] else { throw missing(key) }
        return values
    }
}
