extension Verb {
    /// The verbs in the order of help. A command line makes only those up to its own.
    private static let made: [@Sendable () -> Verb] = [
        { InitCommand.verb }, { KeygenCommand.verb }, { KeyinfoCommand.verb }, { LintCommand.verb },
        { TestCommand.verb }, { PackCommand.verb }, { VerifyCommand.verb }, { InspectCommand.verb },
        { CatCommand.verb }, { UnpackCommand.verb }, { ResignCommand.verb },
        { TrustCommand.verb }, { KeystoreCommand.verb }, { InterfaceCommand.verb }, { FeedCommand.verb },
        { SyncCommand.verb }, { StoreCommand.verb }, { ReportCommand.verb }, { DoctorCommand.verb },
        { CompletionsCommand.verb }, { ManCommand.verb }, { EmbedCommand.verb },
    ]

    static let all = made.map { $0() }

    static func named(_ word: Argument) -> Verb? { made.lazy.map { $0() }.first { word.isText($0.name) } }

    static let allWithActions = all.flatMap { [$0] + $0.actions }
}
