/// The fields and tables of the app into which scripts have written values of another type.
///
/// Such a value may be read at a place where nothing reveals this.
final class WrittenTypes {
    var fields: Set<String> = []
    /// Whether each table of the app may have other fields and other values: a script has written into a table that is
    /// not known, with a key that is not known.
    var areAll = false
    private var details: [ValueType.Detail] = []
    var count: Int { fields.count + details.count + (areAll ? 1 : 0) }

    func add(_ detail: ValueType.Detail) {
        if details.count < 20, !details.contains(detail) { details.append(detail) }
    }

    /// A value that is read from a table of the app, without the facts that may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail?.unwritten, detail.isOfApp else { return value }
        if areAll || details.count == 20 { return ValueType(value.kinds) }
        return details.contains(detail) ? ValueType(value.kinds, .changed(detail)) : value
    }
}
