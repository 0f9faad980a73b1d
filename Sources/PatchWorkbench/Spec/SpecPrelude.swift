/// What a spec finds besides Lua and `host`, in the habit of busted and luassert.
///
/// It is Lua because what it works on is: functions, tables, errors with their positions.
enum SpecPrelude {
    /// In this order: each part uses what those before it have left in `__spec`.
    static let source = [values, doubles, assertions, tests].joined(separator: "\n")
}
