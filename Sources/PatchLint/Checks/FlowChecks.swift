internal import PatchRunner

/// Finds the instructions of a function that are certain to fail if they run, and likely mistakes.
///
/// The types of all values are known then. Each instruction is checked with the state before it.
struct FlowChecks {
    struct Problem: Hashable {
        let code: Finding.Code
        let line: Int
        var word: String?
        let message: String
        var hint: String?
    }

    let function: Prototype
    let context: FlowContext
    let replacement: TypeFlow.Replacement?
    var flow: TypeFlow
    private(set) var problems: [Problem] = []
    private var reported: Set<Problem> = []

    init(_ flow: TypeFlow) {
        function = flow.function
        context = flow.context
        replacement = flow.replacement
        self.flow = flow
    }

    /// Advice on a value that may be nil.
    ///
    /// - Parameter word: Its name in the script; nil if it has none.
    static func hintForNil(_ word: String? = nil) -> String { "test it first: if \(word ?? "value") then … end" }
    static let hintForFraction = "// divides to a whole number, and math.floor makes one"

    /// Notes a problem, once.
    ///
    /// - Parameters:
    ///   - index: The place of the instruction in the function.
    ///   - word: A name in the instruction's line, at which the problem is shown; nil if there is none.
    mutating func report(
        _ code: Finding.Code, _ index: Int, _ word: String?, _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil
    ) {
        // After a test, which may be of a parameter, a helper may not get the arguments of all of its callers.
        if flow.arguments != nil, index > flow.firstTest { return }
        // In a protected call, a failure may be intended.
        let isTolerated =
            replacement == nil && [.mayBeNil, .mayNotFit].contains(code)
            && !context.globalsRead.isDisjoint(with: ["pcall", "xpcall"])
        guard !isTolerated else { return }
        // A value without a name is shown at its operator.
        let operators: [Instruction.Opcode: String] = [.length: "#", .concatenate: ".."]
        let problem = Problem(
            code: code, line: function.lineOf[index], word: word ?? operators[function.code[index].opcode],
            message: message(), hint: hint())
        guard reported.insert(problem).inserted, context.budget.countProblem() else { return }
        problems.append(problem)
    }

    /// Reports an operation on a value that has none of the types that the operation accepts, or that may be nil.
    ///
    /// - Parameters:
    ///   - code: The code for a value that has none of the types. The other one is `mayBeNil`.
    ///   - index: The place of the instruction in the function.
    ///   - word: The name of the value in the script; nil if it has none.
    ///   - kinds: The types that the operation accepts.
    ///   - operation: A verb, such as `calls`, whose object is the value.
    ///   - advice: The hint, unless there is one for the original or for nil.
    mutating func report(
        _ code: Finding.Code, _ index: Int, _ value: ValueType, _ word: String?, unless kinds: ValueType.Kinds,
        _ operation: String, hint advice: @autoclosure () -> String? = nil
    ) {
        // A test for nil does not help a value that the operation never accepts.
        guard value.isNever(kinds) else {
            guard !kinds.contains(.nil), flow.isDoubtful(value, word, index) else { return }
            let what = word.map { "\($0), which may be nil" } ?? "\(value)"
            return report(.mayBeNil, index, word, "\(operation) \(what)", hint: Self.hintForNil(word))
        }
        let what = word.map { "\($0), which is \(value)" } ?? "\(value)"
        let hint = value.isOriginal ? Self.hintForOriginal(word) : advice()
        report(code, index, word, "\(operation) \(what)", hint: hint)
    }

    /// Advice on an original that is used as another value: if it has another name, the script may not expect it there.
    private static func hintForOriginal(_ word: String?) -> String {
        if let word, word != "_", !word.lowercased().hasPrefix("orig") {
            return "a replacement's first parameter is the original; the arguments follow it"
        }
        return "call it: \(word ?? "original")(…)"
    }

    /// The words for the fault of a value.
    ///
    /// - Parameters:
    ///   - place: The subject and the verb, such as `Cart.total returns`.
    ///   - type: The type that it must have.
    ///   - what: Its name in the script.
    func words(
        for fault: ValueType.Fault, _ place: String, _ type: InterfaceType, _ what: String
    ) -> (message: String, hint: String?) {
        switch fault {
        case .type(_, let value): return ("\(place) \(type), but \(what) is \(value)", nil)
        case .missing(let field, let structure, let written):
            return (
                "\(place) \(structure), but \(what) has no field \(field)",
                context.budget.nearest(field, among: written).map { "\($0) is not a field of \(structure)" }
            )
        case .field(let field, let structure, let type, let value):
            return ("the field \(field) of \(structure) is \(type), but this is \(value)", nil)
        case .unknown(let field, let structure):
            let meant = context.interface.structure(structure).flatMap {
                context.budget.advice(for: field, among: $0.fieldNames)
            }
            return ("\(structure) has no field \(field)", meant)
        case .part(let part, let wanted, let value):
            return ("\(place) \(type), but \(part) of it is \(value), and not \(wanted)", nil)
        case .noCase(let name, let isText, let type):
            return ("\(type) has no value \(isText ? "\"\(name)\"" : name)", context.hint(for: name, in: type))
        }
    }
}

extension ValueType.Fault {
    /// The code of a finding that is about a name; nil for other faults.
    var code: Finding.Code? {
        switch self {
        case .unknown: .unknownField
        case .noCase: .unknownCase
        default: nil
        }
    }
}

extension FlowContext {
    /// Advice on the likely meaning of a string that is not one of a type's values.
    func hint(for text: String, in type: String) -> String {
        budget.advice(for: text, among: interface.words(in: type)) { "\"\($0)\"" }
            ?? "it has \(interface.shownCases(of: type))"
    }
}
