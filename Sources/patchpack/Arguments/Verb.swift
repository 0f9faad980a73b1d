import PatchCrypto

/// A verb of the command line: the one table behind the parser, the help and the completions.
struct Verb: Sendable {
    let name: String
    /// One line for help, lower case, no full stop.
    let summary: String
    /// The operands as the usage line shows them.
    let operands: String
    /// What shells complete operands with.
    var operandValue: Option.Value?
    /// The words that its first operand can be, for a verb of several actions.
    var actions: [String] = []
    /// How many operands it takes.
    let operandCount: ClosedRange<Int>
    /// Its own options; every verb takes the common ones too.
    let options: [Option]
    /// A command to copy.
    let example: String
    /// Does the work; returns the exit status, which is not 0 where a file of several failed.
    let run: @Sendable (ParsedArguments, Console) throws(PatchError) -> Int32

    var allOptions: [Option] {
        options + Option.common.filter { common in !options.contains { $0.name == common.name } }
    }

    /// The verbs in the order of help.
    static let all = [
        InitCommand.verb, KeygenCommand.verb, KeyinfoCommand.verb, LintCommand.verb, TestCommand.verb, PackCommand.verb,
        VerifyCommand.verb,
        InspectCommand.verb, CatCommand.verb, DiffCommand.verb, UnpackCommand.verb, ResignCommand.verb,
        TrustCommand.verb, KeystoreCommand.verb,
        InterfaceCommand.verb, DoctorCommand.verb, CompletionsCommand.verb,
    ]
}
