public import PatchCrypto

/// What a program offers to patches: its replaceable functions, and the methods of the objects that they are given.
///
/// Its JSON (`patchpack.interface/1`) has a function a line in a stable order, to be committed beside the patches.
public struct PatchInterface: Sendable, Hashable {
    /// A function, or a method.
    public struct Function: Sendable, Hashable {
        /// Its name: `Cart.total`, or a method's alone.
        public let name: String
        /// What it takes and gives.
        public let signature: PatchSignature
    }

    /// A class whose objects scripts are given.
    public struct Class: Sendable, Hashable {
        /// What scripts call it.
        public let name: String
        /// Its methods, in the order of their names' bytes.
        public let methods: [Function]
    }

    /// The program's reverse-DNS name.
    public let app: String
    /// The program's version.
    public let appVersion: String
    /// The functions, in the order of their names' bytes.
    public let functions: [Function]
    /// The classes, in the order of their names' bytes.
    public let classes: [Class]

    init(app: String, appVersion: String, functions: [Function], classes: [Class]) {
        self.app = app
        self.appVersion = appVersion
        self.functions = Self.sorted(functions, by: \.name)
        self.classes = Self.sorted(
            classes.map { Class(name: $0.name, methods: Self.sorted($0.methods, by: \.name)) }, by: \.name)
    }

    private static func sorted<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        elements.sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
    }

    /// The function of a name.
    public func function(_ name: String) -> Function? {
        functions.first { $0.name.hasBytes(of: name) }
    }
}

// MARK: JSON

extension PatchInterface {
    private static let schema = "patchpack.interface/1"

    /// The interface as JSON, a function a line.
    public var json: String {
        func lines(_ values: [JSONValue], indent: String) -> String {
            values.isEmpty
                ? "[]" : "[\n" + values.map { indent + "  " + $0.text() }.joined(separator: ",\n") + "\n\(indent)]"
        }
        let classes = classes.map { exposed in
            "    {\"name\":\(JSONValue.string(exposed.name).text()),\"methods\":"
                + lines(exposed.methods.map { Self.json(of: $0) }, indent: "    ") + "}"
        }
        return """
            {
              "schema": "\(Self.schema)",
              "app": \(JSONValue.string(app).text()),
              "appVersion": \(JSONValue.string(appVersion).text()),
              "functions": \(lines(functions.map { Self.json(of: $0) }, indent: "  ")),
              "classes": \(classes.isEmpty ? "[]" : "[\n\(classes.joined(separator: ",\n"))\n  ]")
            }

            """
    }

    private static func json(of function: Function) -> JSONValue {
        .object([
            ("name", .string(function.name)),
            ("arguments", .array(function.signature.arguments.map(JSONValue.string))),
            ("result", .string(function.signature.result)), ("throws", .bool(function.signature.throws)),
            ("async", .bool(function.signature.isAsynchronous)),
        ])
    }

    /// Reads an interface.
    ///
    /// - Parameter json: UTF-8 text of the schema `patchpack.interface/1`.
    /// - Throws: `malformed` for anything else.
    public init(json: [UInt8]) throws(PatchError) {
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
            classes: classes)
        try Self.check(functions.map(\.name), "functions")
        try Self.check(self.classes.map(\.name), "classes")
        for exposed in self.classes { try Self.check(exposed.methods.map(\.name), "methods") }
    }

    /// Names that could be registered, each once.
    private static func check(_ names: [String], _ key: String) throws(PatchError) {
        for name in names where !Manifest.isReplaceable(name) {
            throw PatchError(
                .malformed, "interface: `\(key)` holds the name \(name)", hint: "have the app write it again")
        }
        guard Set(names).count == names.count else {
            throw PatchError(.malformed, "interface: `\(key)` names one twice", hint: "have the app write it again")
        }
    }

    private static func functions(_ value: JSONValue, _ key: String) throws(PatchError) -> [Function] {
        var functions: [Function] = []
        for value in try array(value, key) {
            var arguments: [String] = []
            for argument in try array(value, "arguments") {
                guard case .string(let name) = argument else { throw missing("arguments") }
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
        PatchError(.malformed, "interface: `\(key)` is missing or of another type", hint: "have the app write it again")
    }

    private static func text(_ value: JSONValue, _ key: String) throws(PatchError) -> String {
        guard case .string(let text) = value[key] else { throw missing(key) }
        return text
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

// MARK: changes

extension PatchInterface {
    /// A difference between two versions of an interface.
    public struct Change: Sendable {
        /// Whether a patch for the older one could break on it.
        public let isBreaking: Bool
        /// What changed, such as `Cart.total is gone`.
        public let description: String
    }

    /// What changes from this interface to a newer one, what breaks patches first.
    public func changes(to newer: PatchInterface) -> [Change] {
        let isOther = !app.hasBytes(of: newer.app)
        let other = isOther ? [Change(isBreaking: true, description: "the app was \(app), and is \(newer.app)")] : []
        return other + changesOfNames(to: newer)
    }

    /// Why a patch is not for this app or this version of it; nil where it is.
    package func refusal(of manifest: Manifest) -> String? {
        guard manifest.app.hasBytes(of: app) else {
            return "the patch is for the app \(manifest.app), and the interface of \(app)"
        }
        guard let version = AppVersion(appVersion), !manifest.appVersions.contains(version) else { return nil }
        return "the patch is for app versions \(manifest.appVersions), and the interface of \(appVersion)"
    }

    private func changesOfNames(to newer: PatchInterface) -> [Change] {
        var changes = Self.changes(functions, newer.functions) { $0 }
        for exposed in classes {
            let methods = newer.classes.first { $0.name == exposed.name }?.methods
            if methods == nil {
                changes.append(Change(isBreaking: true, description: "the class \(exposed.name) is gone"))
            }
            changes += Self.changes(exposed.methods, methods ?? exposed.methods) { "\(exposed.name):\($0)" }
        }
        for exposed in newer.classes where !classes.contains(where: { $0.name == exposed.name }) {
            changes.append(Change(isBreaking: false, description: "the class \(exposed.name) is new"))
        }
        return changes.filter(\.isBreaking) + changes.filter { !$0.isBreaking }
    }

    private static func changes(
        _ older: [Function], _ newer: [Function], named name: (String) -> String
    ) -> [Change] {
        var changes: [Change] = []
        for function in older {
            guard let other = newer.first(where: { $0.name == function.name }) else {
                changes.append(Change(isBreaking: true, description: "\(name(function.name)) is gone"))
                continue
            }
            guard other.signature != function.signature else { continue }
            // A function that may now throw gives a patch no new duty; one that may no more takes `host.throw` away.
            let isBreaking =
                other.signature.arguments != function.signature.arguments
                || other.signature.result != function.signature.result
                || function.signature.throws && !other.signature.throws
                || other.signature.isAsynchronous != function.signature.isAsynchronous
            changes.append(
                Change(
                    isBreaking: isBreaking,
                    description: "\(name(function.name)) was \(function.signature), and is \(other.signature)"))
        }
        for function in newer where !older.contains(where: { $0.name == function.name }) {
            changes.append(
                Change(isBreaking: false, description: "\(name(function.name)) is new: \(function.signature)"))
        }
        return changes
    }
}
