/// Finds what is wrong with values that the app is to take.
///
/// Structs may refer to themselves. While two are compared they are taken to fit, as subtyping of recursive types does, and what
/// has been compared is remembered.
final class TypeComparisons {
    private struct Pair: Hashable {
        let given: Int
        let wanted: Int
    }

    /// What is nested deeper is taken to fit.
    private static let deepest = 32

    private let interface: KnownInterface
    private let budget: LintBudget
    private var fitting: Set<Pair> = []
    private var faults: [Pair: ValueType.Fault] = [:]
    /// The pairs that are taken to fit for now.
    private var assumed: Set<Pair> = []
    /// Whether something was not compared to its end.
    private var isCut = false

    init(_ interface: KnownInterface, _ budget: LintBudget) {
        self.interface = interface
        self.budget = budget
    }

    /// What is certainly wrong with a value as one of a type; nil if it may be right.
    func fault(of value: ValueType, as type: InterfaceType) -> ValueType.Fault? {
        (assumed, isCut) = ([], false)
        let fault = fault(of: value, as: type, depth: 0)
        // A fault does not depend on what was assumed, but that something fits does.
        if fault == nil, !isCut { fitting.formUnion(assumed) }
        return fault
    }

    private func fault(of value: ValueType, as type: InterfaceType, depth: Int) -> ValueType.Fault? {
        guard !value.isUnknown else { return nil }
        switch type {
        case .optional(let type):
            return value.kinds == .nil
                ? nil : fault(of: ValueType(value.kinds.subtracting(.nil), value.detail), as: type, depth: depth)
        case .named(let name):
            if value.isNever(ValueType.accepted(as: type, in: interface)) { return .type(type, value) }
            if case .text(let text) = value.detail, interface.lacks(text, in: name) {
                return .noCase(text, of: name)
            }
            return interface.structure(name).flatMap { fault(of: value, asOneOf: $0, depth: depth) }
        case .array, .dictionary:
            if value.isNever(.table) { return .type(type, value) }
            if case .structure = value.detail, case .array = type { return .type(type, value) }
            return nil
        }
    }

    private func fault(of value: ValueType, asOneOf wanted: KnownStruct, depth: Int) -> ValueType.Fault? {
        guard depth < Self.deepest, !budget.isSpent else {
            isCut = true
            return nil
        }
        switch value.detail {
        case .fields(let fields, _):
            budget.pay(10 + 20 * wanted.fields.count)
            let fault = faultOfFields(wanted, depth: depth, writes: fields) { fields[$0.name] }
            return fault ?? faultOfNames(fields, wanted)
        case .structure(wanted.name, let written): return faultOfWritten(written, wanted, depth: depth)
        case .array where wanted.needsFields:
            return .type(.named(wanted.name), value)
        // Another struct may have the same fields.
        case .structure(let name, let written):
            guard written.isEmpty, let given = interface.structure(name) else { return nil }
            return fault(of: value, given, asOneOf: wanted, depth: depth)
        default: return nil
        }
    }

    /// What is wrong with a struct of the app where another one is wanted.
    private func fault(
        of value: ValueType, _ given: KnownStruct, asOneOf wanted: KnownStruct, depth: Int
    ) -> ValueType.Fault? {
        let pair = Pair(given: given.number, wanted: wanted.number)
        if let fault = faults[pair] {
            if case .type(let type, _) = fault { return .type(type, value) }
            return fault
        }
        guard !fitting.contains(pair), assumed.insert(pair).inserted else { return nil }
        budget.pay(40 + 100 * wanted.fields.count)
        let fault =
            wanted.fields.contains { !$0.isOptional && given.place(of: $0.name) == nil }
            ? .type(.named(wanted.name), value)
            : faultOfFields(wanted, depth: depth, writes: ValueFields()) { [interface] field in
                given.field(field.name).map { ValueType($0.type, in: interface) }
            }
        if let fault { faults[pair] = fault }
        return fault
    }

    /// The first field that is missing or has another type.
    private func faultOfFields(
        _ wanted: KnownStruct, depth: Int, writes: ValueFields, value: (KnownStruct.Field) -> ValueType?
    ) -> ValueType.Fault? {
        for field in wanted.fields {
            guard let value = value(field) else {
                if field.isOptional { continue }
                return .missing(
                    field: field.name, of: wanted.name,
                    written: writes.names.filter { wanted.place(of: $0) == nil }.sorted())
            }
            switch fault(of: value, as: field.type, depth: depth + 1) {
            case nil: continue
            case .type: return .field(field.name, of: wanted.name, field.type, value)
            case let inner?: return inner
            }
        }
        return nil
    }

    /// A name that the struct does not have.
    private func faultOfNames(_ fields: ValueFields, _ wanted: KnownStruct) -> ValueType.Fault? {
        fields.names.filter { wanted.place(of: $0) == nil }.min().map { .unknown(field: $0, of: wanted.name) }
    }

    /// What is wrong with the fields that a script has written to a struct of the app.
    private func faultOfWritten(_ written: ValueFields, _ wanted: KnownStruct, depth: Int) -> ValueType.Fault? {
        budget.pay(10 + 20 * written.count)
        for place in written.names.compactMap({ wanted.place(of: $0) }).sorted() {
            let field = wanted.fields[place]
            guard let value = written[field.name], fault(of: value, as: field.type, depth: depth + 1) != nil else {
                continue
            }
            return .field(field.name, of: wanted.name, field.type, value)
        }
        return nil
    }
}

extension ValueType {
    /// What is wrong with a value that the app is to take.
    enum Fault: Equatable {
        /// Its type.
        case type(InterfaceType, ValueType)
        /// A field that it does not have.
        case missing(field: String, of: String, written: [String])
        /// A field that has another type.
        case field(String, of: String, InterfaceType, ValueType)
        /// A field that the struct does not have.
        case unknown(field: String, of: String)
        /// A string that is not one of the type's values.
        case noCase(String, of: String)
    }
}
