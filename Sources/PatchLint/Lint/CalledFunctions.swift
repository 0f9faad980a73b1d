/// The functions of a patch that a call may run. The others run only while its scripts are loaded.
///
/// A function runs only then if it is called where it is made, or only by a name, and no function that a call may run
/// uses that name.
struct CalledFunctions {
    private struct Local: Hashable {
        let function: ObjectIdentifier
        let register: Int
        let name: Int32
    }

    private enum Name: Hashable {
        case local(Local)
        /// A global, or a field of a table.
        case text(String)
    }

    /// Names that functions use.
    private struct Names {
        var names: Set<Name> = []
        /// Whether a field whose name is not known is among them.
        var hasAnyField = false

        func contains(_ name: Name) -> Bool {
            if hasAnyField, case .text = name { return true }
            return names.contains(name)
        }
    }

    /// A function, and the variables around it that it uses.
    private typealias Closure = (function: Prototype, captured: [Local?])

    private let definesClasses: Bool
    private let budget: LintBudget
    private var called: Set<ObjectIdentifier> = []
    /// Whether a call may use any field.
    private var usesFields = false
    /// Functions that a call may run, and that have not been followed.
    private var next: [Closure] = []
    /// The functions that are only called by a name.
    private var named: [Name: [Closure]] = [:]
    /// Those of them that nothing has named so far that runs while a script is loaded.
    private var waiting: [Name: [Closure]] = [:]
    /// Functions that run while a script is loaded, and that have not been followed.
    private var loading: [Closure] = []
    /// The names that such functions use.
    private var loaded = Names()
    /// The names of values with which such functions do more than call them.
    private var passed = Names()

    /// - Parameter definesClasses: Whether a global function may be a method, which the app calls.
    init(of functions: [Prototype], definesClasses: Bool, _ budget: LintBudget) {
        self.definesClasses = definesClasses
        self.budget = budget
        loading = functions.map { ($0, $0.upvalues.map { _ in nil }) }
        while let closure = loading.popLast() { load(closure) }
        for name in passed.names { use(name) }
        if passed.hasAnyField { useFields() }
        while let closure = next.popLast() { call(closure) }
    }

    /// Visits the outermost functions within a script that a call may run.
    func each(in function: Prototype, _ visit: (Prototype) -> Void) {
        for inner in function.inner {
            if called.contains(ObjectIdentifier(inner)) { visit(inner) } else { each(in: inner, visit) }
        }
    }

    /// The functions that a function makes, each with the place of the instruction that makes it.
    private func closures(in outer: Closure) -> [(closure: Closure, index: Int)] {
        let function = outer.function
        return function.code.indices.compactMap { index in
            let instruction = function.code[index]
            guard instruction.opcode == .closure, function.inner.indices.contains(instruction.bx) else { return nil }
            let inner = function.inner[instruction.bx]
            let captured = inner.upvalues.map { upvalue in
                guard upvalue.isInStack else {
                    return outer.captured.indices.contains(upvalue.index) ? outer.captured[upvalue.index] : nil
                }
                return Local(function: ObjectIdentifier(function), register: upvalue.index, name: upvalue.number)
            }
            return ((inner, captured), index)
        }
    }

    /// Follows a function that runs while a script is loaded.
    private mutating func load(_ outer: Closure) {
        let function = outer.function
        for case let local? in outer.captured { useWhileLoading(.local(local)) }
        for (index, instruction) in function.code.enumerated() {
            switch instruction.opcode {
            case .getGlobal, .getField, .getSelf:
                guard let name = function.text(instruction.c) else { break }
                useWhileLoading(.text(name))
                if instruction.opcode != .getSelf, !function.isCallee(index) { passed.names.insert(.text(name)) }
                if name == "pairs" || name == "next" {
                    passed.hasAnyField = true
                    useFieldsWhileLoading()
                }
            case .getTable:
                if !function.isCallee(index) { passed.hasAnyField = true }
                useFieldsWhileLoading()
            case .move:
                guard let local = function.localNames.local(of: instruction.b, at: index) else { break }
                useWhileLoading(
                    .local(Local(function: ObjectIdentifier(function), register: instruction.b, name: local.number)))
            default: break
            }
        }
        for (closure, index) in closures(in: outer) {
            if function.isCallee(index) {
                loading.append(closure)
            } else if let name = name(of: index, in: function) {
                named[name, default: []].append(closure)
                if loaded.contains(name) {
                    loading.append(closure)
                } else {
                    waiting[name, default: []].append(closure)
                }
            } else {
                next.append(closure)
            }
        }
    }

    /// Notes a name that is used while a script is loaded. The functions that have waited for it run then.
    private mutating func useWhileLoading(_ name: Name) {
        guard loaded.names.insert(name).inserted else { return }
        loading += waiting.removeValue(forKey: name) ?? []
    }

    /// Notes a use of any field while a script is loaded.
    private mutating func useFieldsWhileLoading() {
        guard !loaded.hasAnyField else { return }
        loaded.hasAnyField = true
        for case .text(let name) in Array(waiting.keys) { loading += waiting.removeValue(forKey: .text(name)) ?? [] }
    }

    /// The only name by which a function can be called that an instruction makes; nil if it can be called in another
    /// way.
    private func name(of index: Int, in function: Prototype) -> Name? {
        let register = function.code[index].a
        guard index + 1 < function.code.count else { return nil }
        let then = function.code[index + 1]
        switch then.opcode {
        case .setField where !then.k && then.c == register && then.a != register,
            .setGlobal where !then.k && then.c == register && function.isEnvironment(then.a) && !definesClasses:
            // Lua calls metamethods.
            return function.text(then.b).flatMap { $0.hasPrefix("__") ? nil : .text($0) }
        default:
            guard let local = function.localNames.local(of: register, at: index + 1),
                local.range.lowerBound == index + 1, function.onlyCalls(register, in: local.range, budget)
            else { return nil }
            return .local(Local(function: ObjectIdentifier(function), register: register, name: local.number))
        }
    }

    /// Follows a function that a call may run.
    private mutating func call(_ closure: Closure) {
        let function = closure.function
        guard called.insert(ObjectIdentifier(function)).inserted else { return }
        for case let local? in closure.captured { use(.local(local)) }
        // The variables of `for name, check in pairs(checks)`.
        let looped = Set(function.code.filter { $0.opcode == .genericForCall }.flatMap { $0.a + 4..<$0.a + 4 + $0.c })
        for (index, instruction) in function.code.enumerated() {
            switch instruction.opcode {
            case .getGlobal, .getField, .getSelf:
                if let name = function.text(instruction.c) { use(.text(name)) }
            // It may be any field.
            case .getTable where function.isCallee(index): useFields()
            case .move where looped.contains(instruction.b) && function.isCallee(index): useFields()
            default: break
            }
        }
        next += closures(in: closure).map(\.closure)
    }

    /// Follows all functions that are fields or globals.
    private mutating func useFields() {
        guard !usesFields else { return }
        usesFields = true
        for case .text(let name) in Array(named.keys) { use(.text(name)) }
    }

    /// Follows the functions that are only called by a name, which a call may use.
    private mutating func use(_ name: Name) { next += named.removeValue(forKey: name) ?? [] }
}
