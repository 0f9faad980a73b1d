/// The names of a script, and the members of their values that it uses.
///
/// The output of Lua's compiler shows the globals that a script uses (`GlobalUses`), but not enough about its locals.
struct SourceOutline {
    struct Place {
        let line: Int
        /// The bytes in the script: of the name, or of the first parameter for the `self` of a method.
        let range: Range<Int>
        /// The number of the text among the outline's names.
        let id: ScriptNames.ID
    }

    /// The arguments that are written in a call.
    struct Arguments {
        var count = 0
        /// Whether the last one may be several values: a call, or `...`.
        var isOpen = false
    }

    /// A use of a member of the value of a name.
    struct Member {
        enum Use {
            /// `name.member`, which may be called.
            case read
            /// `name:member(…)`
            case methodCall(Arguments)
            /// `self.member(…)` whose first argument is not `self`.
            case callWithoutSelf(Arguments)
        }

        /// The number of the name as it is written.
        let receiver: ScriptNames.ID
        let name: Place
        var use: Use
        /// Whether `self` is a parameter of a function that is defined as a member or a global.
        let isInMethod: Bool

        /// The arguments if it is a method call.
        var methodCall: Arguments? { if case .methodCall(let arguments) = use { arguments } else { nil } }

        /// The arguments if it is called in one of the forms that are told apart.
        var arguments: Arguments? {
            switch use {
            case .read: nil
            case .methodCall(let arguments), .callWithoutSelf(let arguments): arguments
            }
        }
    }

    var locals: [Place] = []
    /// The last parts of the names that functions are defined with.
    var functionNames: Set<String> = []
    /// The `name:method` calls and the `name.member` uses.
    var members: [Member] = []
    /// The members that the script adds to tables, such as `string.trim`.
    var assignedMembers: Set<String> = []
    /// The names that are passed to `require`; nil for a name that is known only when the script runs.
    var required: [String?] = []
    /// The names that are passed to `waxClass`.
    var waxClasses: [Place] = []
    /// Whether the whole script was read. If not, it is nested too deeply, and only its beginning is known.
    var isWhole = true

    var names = ScriptNames()
    /// The number of `self` among the names.
    let itself: ScriptNames.ID

    /// The outline of an empty script.
    init() { itself = names.number(of: "self") }

    /// - Parameter source: A script that compiles.
    init(_ source: [UInt8]) {
        var reader = OutlineReader(source)
        reader.readAll()
        self = reader.outline
    }

    /// The names of the locals that are declared up to a line.
    func locals(upTo line: Int) -> [String] { locals.filter { $0.line <= line }.map(text) }

    /// The first line that declares a local name; nil if none does.
    func line(ofLocal name: String) -> Int? { locals.first { text($0) == name }?.line }

    func text(_ place: Place) -> String { names[place.id] }

    /// The classes that `waxClass` names, each once.
    var classNames: [String] {
        var seen: Set<String> = []
        return waxClasses.map(text).filter { seen.insert($0).inserted }
    }
}
