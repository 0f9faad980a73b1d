/// The fields and tables of the app into which scripts have written values of another type.
///
/// Such a value may be read at a place where nothing reveals this.
final class WrittenTypes {
    var fields: Set<String> = []
    private var details: [ValueType.Detail] = []
    var count: Int { fields.count + details.count }

    func add(_ detail: ValueType.Detail) {
        if details.count < 20, !details.contains(detail) { details.append(detail) }
    }

    /// A value that is read from a table of the app, without the facts that may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail, detail.isOfApp else { return value }
        return details.count == 20 || details.contains(detail) ? ValueType(value.kinds) : value
    }
}
