internal import PatchCrypto

/// Finds the faults of values that the app is to take.
///
/// Structs may refer to themselves. While two structs are compared, they are assumed to fit, as in the subtyping of
/// recursive types. The results are remembered.
final class TypeComparisons {
    private struct Pair: Hashable {
        let given: Int
        let wanted: Int
    }

    /// Values that are nested deeper are assumed to fit.
    private static let deepest = 32

    private let interface: KnownInterface
    private let budget: LintBudget
    private var fitting: Set<Pair> = []
    private var faults: [Pair: ValueType.Fault] = [:]
    /// The pairs that are assumed to fit for now.
    private var assumed: Set<Pair> = []
    /// Whether a part has not been compared, so that a fit is not certain.
    private var isCut = false

    init(_ interface: KnownInterface, _ budget: LintBudget) {
        self.interface = interface
        self.budget = budget
    }

    /// The certain fault of a value as one of a type; nil if it may be right.
    func fault(of value: ValueType, as type: InterfaceType) -> ValueType.Fault? {
        assumed = []
        isCut = false
        let fault = fault(of: value, as: type, depth: 0)
        // A fault does not depend on the assumptions, but a fit does.
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
            switch value.detail {
            case .text(let text) where interface.lacks(text.text, in: name):
                return .noCase(text.text, isText: true, of: name)
            case .integer(let number) where interface.lacks(number, in: name):
                return .noCase("\(number)", isText: false, of: name)
            case .float(let number) where Int64(exactly: number) == nil && interface.isInteger(name):
                return .type(type, value)
            default: break
            }
            return interface.structure(name).flatMap { fault(of: value, asOneOf: $0, depth: depth) }
        case .array(let element):
            if value.isNever(.table) { return .type(type, value) }
            switch value.detail {
            case .structure: return .type(type, value)
            case .fields(let fields, _) where !fields.isEmpty: return .type(type, value)
            default: return faultOfParts(of: value, as: element, type, depth: depth)
            }
        case .dictionary(let key, let element):
            if value.isNever(.table) { return .type(type, value) }
            if case .list(let elements, _) = value.detail, !elements.isEmpty, interface.isText(key) {
                return .type(type, value)
            }
            guard case .fields(let fields, _) = value.detail, depth < Self.deepest else { return nil }
            budget.pay(10 + 20 * fields.count)
            if let name = fields.presentNames.filter({ interface.lacks($0, in: key) }).min() {
                return .noCase(name, isText: true, of: key)
            }
            for name in fields.names.sorted() {
                guard let value = fields[name], value.kinds != .nil,
                    let fault = fault(of: value, as: element, depth: depth + 1)
                else { continue }
                if case .type = fault { return .part("the field \(name)", element, value) }
                return fault
            }
            return nil
        }
    }

    /// The fault of an element of an array, as one of the array's type.
    private func faultOfParts(
        of value: ValueType, as element: InterfaceType, _ type: InterfaceType, depth: Int
    ) -> ValueType.Fault? {
        guard depth < Self.deepest, !budget.isSpent else {
            isCut = true
            return nil
        }
        switch value.detail {
        case .list(let elements, _):
            budget.pay(20 * elements.count)
            for value in elements {
                guard let fault = fault(of: value, as: element, depth: depth + 1) else { continue }
                if case .type = fault { return .part("an element", element, value) }
                return fault
            }
            return nil
        case .array(let given):
            let fault = fault(of: ValueType(given, in: interface), as: element, depth: depth + 1)
            return fault.map { _ in .type(type, value) }
        default: return nil
        }
    }

    /// A place at which a value has a number with a fraction.
    enum FractionPlace {
        case value
        /// A field of a struct.
        case field(String)
    }

    /// Where a value is likely to have a fraction, but an integer is wanted; nil if there is no such place.
    func fraction(in value: ValueType, as type: InterfaceType) -> FractionPlace? {
        switch (type, value.detail) {
        case (.optional(let type), _): return fraction(in: value, as: type)
        case (.named(let name), .fraction): return interface.isInteger(name) ? .value : nil
        case (.named(let name), .fields(let fields, _)):
            budget.pay(10 + 20 * fields.count)
            let field = interface.structure(name)?.fields.first { field in
                guard case .named(let name) = field.type, interface.isInteger(name) else { return false }
                return fields[field.name]?.detail == .fraction
            }
            return field.map { .field($0.name) }
        case (.array(let type), .list(let elements, _)):
            for element in elements {
                if let place = fraction(in: element, as: type) { return place }
            }
            return nil
        default: return nil
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
            return fault
                ?? fields.presentNames.filter { wanted.place(of: $0) == nil }.min().map {
                    .unknown(field: $0, of: wanted.name)
                }
        case .structure(wanted.name, let written): return faultOfWritten(written, wanted, depth: depth)
        case .array where wanted.needsFields, .list where wanted.needsFields:
            return .type(.named(wanted.name), value)
        // Another struct may have the same fields.
        case .structure(let name, let written):
            guard written.isEmpty, let given = interface.structure(name) else { return nil }
            return fault(of: value, given, asOneOf: wanted, depth: depth)
        default: return nil
        }
    }

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
        let fault: ValueType.Fault?
        if wanted.fields.contains(where: { !$0.isOptional && given.place(of: $0.name) == nil }) {
            fault = .type(.named(wanted.name), value)
        } else {
            fault = faultOfFields(wanted, depth: depth, writes: ValueFields()) { [interface] field in
                given.field(field.name).map { ValueType($0.type, in: interface) }
            }
        }
        if let fault { faults[pair] = fault }
        return fault
    }

    /// The fault of the first field that does not fit, or is missing.
    ///
    /// - Parameters:
    ///   - writes: The fields that the script has written.
    ///   - value: Returns the value that there is for a field; nil if there is none.
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
            case .type, .part: return .field(field.name, of: wanted.name, field.type, value)
            case let inner?: return inner
            }
        }
        return nil
    }

    private func faultOfWritten(_ written: ValueFields, _ wanted: KnownStruct, depth: Int) -> ValueType.Fault? {
        budget.pay(10 + 20 * written.count)
        for place in written.names.compactMap({ wanted.place(of: $0) }).sorted() {
            let field = wanted.fields[place]
            if let value = written[field.name], fault(of: value, as: field.type, depth: depth + 1) != nil {
                return .field(field.name, of: wanted.name, field.type, value)
            }
        }
        return nil
    }
}

extension ValueType {
    enum Fault: Equatable {
        /// A value of another type.
        case type(InterfaceType, ValueType)
        /// A field that it does not have, and the fields that it has but the struct does not.
        case missing(field: String, of: String, written: [String])
        /// A field that has another type.
        case field(String, of: String, InterfaceType, ValueType)
        /// A field that the struct does not have.
        case unknown(field: String, of: String)
        /// A value in a table: the words for its place, and its required type.
        case part(String, InterfaceType, ValueType)
        /// A string or an integer that is not one of the type's values.
        case noCase(String, isText: Bool, of: String)
    }
}
