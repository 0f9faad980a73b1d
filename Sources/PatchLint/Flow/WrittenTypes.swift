/// The fields and tables of the app into which scripts have written values of another type.
///
/// Such a value may be read at a place where nothing reveals this.
final class WrittenTypes {
    /// With as many changed tables, each one of the app may be changed: they are searched for each value that is read.
    private static let mostDetails = 20
    /// The names of the fields that may have values of another type.
    var fields: Set<String> = []
    /// Whether each table of the app may have other fields and other values: a script has written into a table that is
    /// not known, with a key that is not known.
    var areAll = false
    /// The tables that may have changed, as the app gives them.
    private var details: [ValueType.Detail] = []
    /// How many changes are noted. It only grows, and shows whether a round has found another one.
    var count: Int { fields.count + details.count + (areAll ? 1 : 0) }

    func add(_ detail: ValueType.Detail) {
        if details.count < Self.mostDetails, !details.contains(detail) { details.append(detail) }
    }

    /// A value that is read from a table of the app, without the facts that may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail?.unwritten, detail.isOfApp else { return value }
        if areAll || details.count == Self.mostDetails { return ValueType(value.kinds) }
        return details.contains(detail) ? ValueType(value.kinds, .changed(detail)) : value
    }
}
