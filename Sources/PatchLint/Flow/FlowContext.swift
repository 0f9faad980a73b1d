internal import PatchCrypto

/// The facts about all scripts together.
final class FlowContext {
    /// The interface of the app; empty if it is not known.
    let interface: KnownInterface
    /// Whether the interface of the app is known.
    let knowsApp: Bool
    /// The globals that a script assigns. They may be anything.
    let assigned: Set<String>
    /// The names of the fields and members that a script writes anywhere.
    let written: Set<String>
    /// Whether a script may give a table a metatable.
    let setsMetatables: Bool
    var globalsRead: Set<String> = []
    /// The names of fields that a script tests or keeps, so that it may know whether they are nil.
    var fieldsTested: Set<String> = []
    var fieldsRead: Set<String> = []
    /// The names of fields whose values a script examines or passes on, so that it may know which are even; `#` for a
    /// length.
    var examined: Set<String> = []
    /// The functions for which a script asks with `host.has`, so that it may know that the app has no such function.
    var functionsAsked: Set<ExactString> = []
    /// Whether a script writes position 0 of a table.
    var setsZero = false
    let helpers: LocalFunctions
    let details = ValueDetails()
    let changes = WrittenTypes()
    let budget: LintBudget
    let comparisons: TypeComparisons
    private var globals: [String: ValueType] = [:]

    init(
        interface: KnownInterface, knowsApp: Bool, assigned: Set<String>, written: Set<String>, setsMetatables: Bool,
        budget: LintBudget = LintBudget(), helpers: LocalFunctions
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

    /// A table or a function of the sandbox; unknown for any other global, and for one whose name is not known.
    func global(_ name: String?) -> ValueType {
        guard let name else { return .unknown }
        return globals.value(of: name) {
            if assigned.contains(name) { return .unknown }
            if SandboxNames.members[name] != nil { return details.numbered(ValueType(.table, .library(name))) }
            guard LibraryFunction.all[name] != nil else { return .unknown }
            return details.numbered(ValueType(.function, .library(name)))
        }
    }
}
