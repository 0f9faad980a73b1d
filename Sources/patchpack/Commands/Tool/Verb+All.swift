extension Verb {
    /// The verbs in the order of help.
    static let all = [
        InitCommand.verb, KeygenCommand.verb, KeyinfoCommand.verb, LintCommand.verb, TestCommand.verb, PackCommand.verb,
        VerifyCommand.verb, InspectCommand.verb, CatCommand.verb, DiffCommand.verb, UnpackCommand.verb,
        ResignCommand.verb, TrustCommand.verb, KeystoreCommand.verb, InterfaceCommand.verb, FeedCommand.verb,
        SyncCommand.verb, StoreCommand.verb, ReportCommand.verb,
        DoctorCommand.verb, CompletionsCommand.verb, ManCommand.verb, EmbedCommand.verb,
    ]

    /// The verbs, and after each verb its actions.
    static let allWithActions = all.flatMap { [$0] + $0.actions }
}
