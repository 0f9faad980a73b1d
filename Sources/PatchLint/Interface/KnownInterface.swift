internal import PatchCrypto
internal import PatchRunner

/// An interface whose functions, types and fields are found by their names, however many there are. Each type is read
/// once.
final class KnownInterface {
    private let interface: PatchInterface
    private let moreScalars: [PatchInterface.Scalar]
    private lazy var functions = NameIndex(interface.functions, by: \.name)
    private lazy var structs = NameIndex(interface.structs, by: \.name)
    private lazy var scalars = NameIndex(interface.scalars + moreScalars, by: \.name)
    private lazy var classes = NameIndex(interface.classes, by: \.name)
    private var structures: [Int: KnownStruct] = [:]
    private var methods: [String: NameIndex<PatchInterface.Function>] = [:]
    private var namesOfMethods: [String: [String]] = [:]
    private var types: [ExactString: InterfaceType] = [:]
    private var words: [ExactString: [String]] = [:]
    private var setsOfWords: [ExactString: Set<ExactString>] = [:]

    /// - Parameter scalars: Types that are not of the app.
    init(_ interface: PatchInterface, adding scalars: [PatchInterface.Scalar]) {
        self.interface = interface
        moreScalars = scalars
    }

    private(set) lazy var functionNames = interface.functions.map(\.name)

    func function(_ name: String) -> PatchInterface.Function? { functions[name] }

    /// A struct; nil if its fields are not known.
    func structure(_ name: String) -> KnownStruct? {
        structs.place(of: name).map { number in
            structures.value(of: number) { KnownStruct(interface.structs[number], number: number, in: self) }
        }
    }

    func scalar(_ name: String) -> PatchInterface.Scalar? { scalars[name] }

    func exposes(_ name: String) -> Bool { classes[name] != nil }

    func methodNames(of name: String) -> [String] {
        namesOfMethods.value(of: name) { classes[name]?.methods.map(\.name) ?? [] }
    }

    func method(_ method: String, of name: String) -> PatchInterface.Function? {
        guard let exposed = classes[name] else { return nil }
        return methods.value(of: name) { NameIndex(exposed.methods, by: \.name) }[method]
    }

    func type(_ text: String) -> InterfaceType { types.value(of: ExactString(text)) { InterfaceType(text) } }

    /// Whether a string is certainly not a value of a type.
    func lacks(_ text: String, in name: String) -> Bool {
        guard let scalar = scalar(name), !scalar.cases.isEmpty else { return false }
        let known = setsOfWords.value(of: ExactString(name)) { Set(words(in: name).map(ExactString.init)) }
        return !known.contains(ExactString(text))
    }

    /// Whether an integer is certainly not a value of a type.
    func lacks(_ number: Int64, in name: String) -> Bool {
        guard let scalar = scalar(name), scalar.type == "integer", !scalar.cases.isEmpty else { return false }
        return !scalar.cases.contains(.integer(Int(number)))
    }

    /// Whether scripts see the values of a type as integers.
    func isInteger(_ name: String) -> Bool { name == "integer" || scalar(name)?.type == "integer" }

    /// Whether scripts see the values of a type as strings.
    func isText(_ name: String) -> Bool { name == "string" || scalar(name)?.type == "string" }

    /// The first values of a type, as a script writes them.
    func shownCases(of name: String) -> String {
        (scalar(name)?.cases ?? []).prefix(10).map { value in
            switch value {
            case .string(let text): "\"\(text)\""
            case .integer(let number): "\(number)"
            }
        }.joined(separator: ", ")
    }

    func words(in name: String) -> [String] {
        words.value(of: ExactString(name)) {
            (scalar(name)?.cases ?? []).compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
    }
}

/// A struct whose fields are found by their names.
final class KnownStruct {
    struct Field {
        let name: String
        let type: InterfaceType
        /// Whether a script may leave it out.
        let isOptional: Bool
    }

    let name: String
    /// Its place among the structs of the interface.
    let number: Int
    /// The fields, in the order in which they are declared.
    let fields: [Field]
    /// Whether there is a field that a script may not leave out.
    let needsFields: Bool
    private let names: NameIndex<Field>

    fileprivate init(_ structure: PatchInterface.Struct, number: Int, in interface: KnownInterface) {
        name = structure.name
        self.number = number
        fields = structure.fields.map {
            Field(name: $0.name, type: interface.type($0.type), isOptional: $0.isOptional)
        }
        needsFields = fields.contains { !$0.isOptional }
        names = NameIndex(fields, by: \.name)
    }

    func place(of field: String) -> Int? { names.place(of: field) }

    func field(_ name: String) -> Field? { names[name] }

    private(set) lazy var fieldNames = fields.map(\.name)
}

extension FunctionType {
    /// The signature for a message, with only the first of many arguments.
    var shown: String {
        let most = 30
        guard argumentTypes.count > most else { return description }
        let first = FunctionType(
            argumentTypes.prefix(most) + ["…"], result: resultType, throws: isThrowing, isAsynchronous: isAsynchronous)
        return first.description
    }
}

extension Dictionary {
    /// The value of a key, which is made if it is not there.
    mutating func value(of key: Key, made make: () -> Value) -> Value {
        if let known = self[key] { return known }
        let new = make()
        self[key] = new
        return new
    }
}

extension [String] {
    /// The words for a message, with commas; only the first of many words.
    var listed: String {
        let most = 30
        return count > most ? prefix(most).joined(separator: ", ") + ", …" : joined(separator: ", ")
    }
}
