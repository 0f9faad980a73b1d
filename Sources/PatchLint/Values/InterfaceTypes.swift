internal import PatchCrypto
package import PatchRunner

/// The types of an interface for reading values, found by their names, however many there are. Each type is read once.
package struct InterfaceTypes: Sendable {
    struct Structure: Sendable {
        let name: String
        /// The fields, in the order in which they are declared.
        let fields: [(name: String, type: InterfaceType)]
        /// The places of the fields, by the bytes of their names.
        let places: [[UInt8]: Int]
        /// The places of the fields that a script may not leave out, in ascending order.
        let required: [Int]

        /// The values that a table has for the fields, by the places of these.
        func values(in pairs: [(key: ScriptValue, value: ScriptValue)]) -> [Int: ScriptValue] {
            var values: [Int: ScriptValue] = [:]
            for case (.string(let name), let value) in pairs {
                if let place = places[name] { values[place] = value }
            }
            return values
        }
    }

    /// A type that scripts see as a basic value.
    struct Scalar: Sendable {
        let name: String
        let type: String
        /// All values of the type; empty if they are not known.
        let cases: Set<PatchInterface.Scalar.Case>
    }

    private let structures: NameIndex<Structure>
    private let scalars: NameIndex<Scalar>
    private let classes: Set<ExactString>

    package init(_ interface: PatchInterface) {
        let scalars = NameIndex(
            interface.scalars.map { Scalar(name: $0.name, type: $0.type, cases: Set($0.cases)) }, by: \.name)
        self.scalars = scalars
        classes = Set(interface.classes.map { ExactString($0.name) })
        /// Whether nil is a value of a type.
        func acceptsNil(_ type: InterfaceType) -> Bool {
            switch type {
            case .optional: true
            case .array, .dictionary: false
            case .named(let name): scalars[name] == nil && (name == "value" || name == "nothing")
            }
        }
        let structures = interface.structs.map { structure in
            let fields = structure.fields.map { (name: $0.name, type: InterfaceType($0.type)) }
            let places = fields.indices.map { (Array(fields[$0].name.utf8), $0) }
            return Structure(
                name: structure.name, fields: fields,
                places: Dictionary(places, uniquingKeysWith: { first, _ in first }),
                required: fields.indices.filter { !acceptsNil(fields[$0].type) })
        }
        self.structures = NameIndex(structures, by: \.name)
    }

    /// A struct; nil if its fields are not known.
    func structure(_ name: String) -> Structure? { structures[name] }

    func scalar(_ name: String) -> Scalar? { scalars[name] }

    func exposes(_ name: String) -> Bool { classes.contains(ExactString(name)) }
}
