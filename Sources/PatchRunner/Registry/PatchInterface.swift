package import PatchCrypto

/// The interface that a program offers to patches: its replaceable functions, the structs that they take and return,
/// and the methods of the objects that they get.
///
/// Its JSON (`patchpack.interface/1`) has one function or struct per line in a stable order, so that it can be
/// committed with the patches.
public struct PatchInterface: Sendable, Equatable {
    /// A function, or a method.
    package struct Function: Sendable, Hashable {
        /// The name, such as `Cart.total`. For a method it is the method's name alone.
        package let name: String
        package let signature: FunctionType

        package init(name: String, signature: FunctionType) {
            self.name = name
            self.signature = signature
        }
    }

    /// A class whose objects are passed to scripts.
    package struct Class: Sendable, Hashable {
        package let name: String
        /// The methods, sorted by the bytes of their names.
        package let methods: [Function]

        package init(name: String, methods: [Function]) {
            self.name = name
            self.methods = methods
        }
    }

    /// A struct, which scripts see as a table.
    package struct Struct: Sendable, Hashable {
        /// The name of the type, as signatures have it.
        package let name: String
        /// The fields, in the order in which they are declared.
        package let fields: [Field]

        package init(name: String, fields: [Field]) {
            self.name = name
            self.fields = fields
        }
    }

    package struct Field: Sendable, Hashable {
        package let name: String
        /// The name of its type, such as `number or nil`.
        package let type: String

        package init(name: String, type: String) {
            self.name = name
            self.type = type
        }

        /// Whether a script may leave it out.
        package var isOptional: Bool { type.hasSuffix(" or nil") }
    }

    /// A type that scripts see as one basic value, such as an enum with raw values, or `Date`.
    package struct Scalar: Sendable, Hashable {
        /// A value that scripts can write.
        package enum Case: Sendable, Hashable {
            case string(String)
            case integer(Int)

            package var json: JSONValue {
                switch self {
                case .string(let text): .string(text)
                case .integer(let number): .integer(number)
                }
            }
        }

        /// The name of the type, as signatures have it.
        package let name: String
        /// The type that scripts see: `string`, `integer`, `number` or `boolean`.
        package let type: String
        /// All values of the type; empty if they are not known.
        package let cases: [Case]

        package init(name: String, type: String, cases: [Case]) {
            self.name = name
            self.type = type
            self.cases = cases
        }
    }

    package let app: String
    package let appVersion: String
    // All of these are sorted by the bytes of their names.
    package let functions: [Function]
    /// The structs whose fields are known.
    package let structs: [Struct]
    package let scalars: [Scalar]
    package let classes: [Class]

    package init(
        app: String, appVersion: String, functions: [Function], structs: [Struct], scalars: [Scalar] = [],
        classes: [Class]
    ) {
        self.app = app
        self.appVersion = appVersion
        self.functions = Self.sorted(functions, by: \.name)
        self.structs = Self.sorted(structs, by: \.name)
        self.scalars = Self.sorted(scalars, by: \.name)
        self.classes = Self.sorted(
            classes.map { Class(name: $0.name, methods: Self.sorted($0.methods, by: \.name)) }, by: \.name)
    }

    private static func sorted<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        elements.sorted { name($0).hasBytes(before: name($1)) }
    }

    package func function(_ name: String) -> Function? {
        functions.first { $0.name.isByteEqual(to: name) }
    }

    /// The struct with a name; nil if its fields are not known.
    package func structure(_ name: String) -> Struct? {
        structs.first { $0.name.isByteEqual(to: name) }
    }

    /// The type with a name; nil if it is not known that scripts see it as a basic value.
    package func scalar(_ name: String) -> Scalar? {
        scalars.first { $0.name.isByteEqual(to: name) }
    }
}

// MARK: JSON

extension PatchInterface {
    package static let schema = "patchpack.interface/1"

    /// The interface as JSON, with one function or struct per line.
    package var json: String {
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
              "structs": \(lines(structs.map { Self.json(of: $0) }, indent: "  ")),
              "scalars": \(lines(scalars.map { Self.json(of: $0) }, indent: "  ")),
              "classes": \(classes.isEmpty ? "[]" : "[\n\(classes.joined(separator: ",\n"))\n  ]")
            }

            """
    }

    /// The interface as JSON, with one function or struct per line, for a file.
    public func encoded() -> [UInt8] { Array(json.utf8) }

    private static func json(of structure: Struct) -> JSONValue {
        let fields = structure.fields.map { field in
            JSONValue.object([("name", .string(field.name)), ("type", .string(field.type))])
        }
        return .object([("name", .string(structure.name)), ("fields", .array(fields))])
    }

    private static func json(of scalar: Scalar) -> JSONValue {
        .object([
            ("name", .string(scalar.name)), ("type", .string(scalar.type)), ("cases", .array(scalar.cases.map(\.json))),
        ])
    }

    private static func json(of function: Function) -> JSONValue {
        let names = function.signature.parameterNames
        let parameters = names.isEmpty ? [] : [("parameters", JSONValue.array(names.map(JSONValue.string)))]
        return .object(
            [
                ("name", .string(function.name)),
                ("arguments", .array(function.signature.argumentTypes.map(JSONValue.string))),
            ] + parameters + [
                ("result", .string(function.signature.resultType)), ("throws", .bool(function.signature.isThrowing)),
                ("async", .bool(function.signature.isAsynchronous)),
            ])
    }
}
