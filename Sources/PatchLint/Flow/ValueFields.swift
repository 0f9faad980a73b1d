internal import PatchCrypto

/// The known fields of a table. It keeps a count of the values in it, so that nothing has to walk through them.
struct ValueFields: Hashable, Sendable {
    /// A table with more values in it is not followed.
    static let most = 200
    /// Tables that are nested deeper are not followed.
    static let deepest = 4
    /// A write into a table with as many fields is not followed, because it copies them.
    static let mostWritten = 100
    /// How many types of an array's elements are followed.
    static let mostElements = 8

    /// How many values there are in it, including the values in its tables.
    private(set) var size = 0
    /// How deeply tables are nested in it, itself included.
    private(set) var depth = 1
    private var values: [ExactString: ValueType] = [:]

    var isEmpty: Bool { values.isEmpty }
    var count: Int { values.count }
    var names: some Sequence<String> { values.keys.lazy.map(\.text) }
    /// The names of the fields that are not known to be nil.
    var presentNames: some Sequence<String> { values.lazy.filter { $0.value.kinds != .nil }.map(\.key.text) }

    subscript(name: String) -> ValueType? { values[ExactString(name)] }

    /// Sets a field; of a value that is too large or too deep, only the type. Returns whether there was room for it.
    mutating func set(_ name: String, to value: ValueType) -> Bool {
        let key = ExactString(name)
        let old = values[key]
        let others = size - (old?.size ?? 0)
        let fits = value.depth < Self.deepest && others + value.size <= Self.most
        let value = fits ? value : ValueType(value.kinds)
        guard others + value.size <= Self.most else { return false }
        size = others + value.size
        values[key] = value
        if value.depth + 1 >= depth {
            depth = value.depth + 1
        } else if let old, old.depth + 1 == depth {
            depth = 1 + (values.values.map(\.depth).max() ?? 0)
        }
        return true
    }

    /// The fields with other tables in them.
    func mapTables(_ change: (ValueType) -> ValueType) -> ValueFields {
        var fields = self
        for (name, value) in values where value.depth > 0 { _ = fields.set(name.text, to: change(value)) }
        return fields
    }

    /// The fields with other values, none of which is larger.
    func map(_ change: (ValueType) -> ValueType) -> ValueFields {
        var fields = self
        for (name, value) in values { _ = fields.set(name.text, to: change(value)) }
        return fields
    }
}

extension ValueType {
    /// How many values it is: itself, and those in its table.
    var size: Int {
        switch detail {
        case .fields(let fields, _), .structure(_, let fields): 1 + fields.size
        case .list(let elements, _): elements.reduce(1) { $0 + $1.size }
        default: 1
        }
    }

    /// How deeply known tables are nested in it.
    var depth: Int {
        switch detail {
        case .fields(let fields, _), .structure(_, let fields): fields.depth
        case .list(let elements, _): 1 + (elements.map(\.depth).max() ?? 0)
        default: 0
        }
    }
}
