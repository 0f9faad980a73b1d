/// The facts about all scripts together.
final class FlowContext {
    /// The interface of the app; empty if it is not known.
    let interface: KnownInterface
    let knowsApp: Bool
    /// The globals that a script assigns. They may be anything.
    let assigned: Set<String>
    /// The names of the fields and members that a script writes anywhere.
    let written: Set<String>
    /// Whether a script may give a table a metatable.
    let setsMetatables: Bool
    /// The globals that a script reads.
    var asks: Set<String> = []
    /// The names of fields that a script tests or keeps, so that it may know whether they are nil.
    var tests: Set<String> = []
    /// The names of fields that a script reads.
    var reads: Set<String> = []
    /// The names of fields whose values a script examines or passes on, so that it may know which of them are even; `#` if it does
    /// so with a length.
    var examined: Set<String> = []
    /// Whether a script writes position 0 of a table.
    var setsZero = false
    let helpers: Helpers
    let details = ValueDetails()
    let changes = Changes()
    /// Pays for all of this work.
    let budget: LintBudget
    let comparisons: TypeComparisons

    init(
        interface: KnownInterface, knowsApp: Bool, assigned: Set<String>, written: Set<String>, setsMetatables: Bool,
        budget: LintBudget, helpers: Helpers
    ) {
        self.interface = interface
        self.knowsApp = knowsApp
        self.assigned = assigned
        self.written = written
        self.setsMetatables = setsMetatables
        self.budget = budget
        self.helpers = helpers
        comparisons = TypeComparisons(interface, budget)
    }
}

/// The fields and tables of the app into which scripts have written values of another type.
///
/// Such a value may be read at a place where nothing reveals this.
final class Changes {
    /// The names of fields.
    private(set) var fields: Set<String> = []
    private var details: [ValueType.Detail] = []
    /// How many changes there are.
    var count: Int { fields.count + details.count }

    func add(field: String) { fields.insert(field) }

    func add(_ detail: ValueType.Detail) {
        if details.count < 20, !details.contains(detail) { details.append(detail) }
    }

    /// A value that is read from a table of the app, without the facts that may have changed.
    func read(_ value: ValueType) -> ValueType {
        guard let detail = value.detail, detail.isOfApp, details.count == 20 || details.contains(detail) else {
            return value
        }
        return ValueType(value.kinds)
    }
}

/// The local functions of a script that are only called by their names, so that all of their callers are known.
final class Helpers {
    private struct Helper {
        let function: Prototype
        /// The types of the arguments of all calls so far; nil before the first one.
        var arguments: [ValueType]?
        var result: ValueType?
        var ends = false
        var isFollowed = false
    }

    /// Follows a function. Returns the type of its result for any arguments, nil if it is not known; and whether it never returns.
    typealias Follow = (Prototype, FlowContext) -> (type: ValueType?, ends: Bool)

    private var helpers: [Helper] = []
    private let follow: Follow

    init(_ follow: @escaping Follow) { self.follow = follow }

    /// Adds a function, and returns its number.
    func add(_ function: Prototype) -> Int {
        helpers.append(Helper(function: function))
        return helpers.count - 1
    }

    /// Notes the arguments of a call, without constants and guesses, which the next call may not share.
    func note(_ number: Int, arguments: [ValueType], isOpen: Bool) {
        let count = helpers[number].function.parameters
        var types = arguments.prefix(count).map(\.widened)
        while types.count < count { types.append(isOpen ? .unknown : .nil) }
        helpers[number].arguments =
            helpers[number].arguments.map { zip($0, types).map { $0.joined(with: $1) } } ?? types
    }

    /// The types of the arguments of all calls; nil if there was no call.
    func arguments(of number: Int) -> [ValueType]? { helpers[number].arguments }

    /// The result of a function for any arguments; nil if it is not known.
    func result(of number: Int, in context: FlowContext) -> ValueType? {
        if !helpers[number].isFollowed {
            // While the function is followed, its result is not known.
            helpers[number].isFollowed = true
            (helpers[number].result, helpers[number].ends) = follow(helpers[number].function, context)
        }
        return helpers[number].result
    }

    /// Whether a function that has been followed never returns.
    func ends(_ number: Int) -> Bool { helpers[number].ends }
}

extension ValueType {
    /// The type, without the properties of only this value.
    fileprivate var widened: ValueType {
        switch detail {
        case .structure(let name, _): ValueType(kinds, .structure(name, ValueFields()))
        case .scalar, .array, .dictionary, .object, .original: ValueType(kinds, detail, number: number)
        default: ValueType(kinds)
        }
    }
}
