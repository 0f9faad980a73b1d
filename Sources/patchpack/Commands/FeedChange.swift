import PatchCrypto
import PatchFeed
import PatchFiles

/// One change of a feed: reads it, changes it, signs what has changed, and writes it, while no other process does the same.
struct FeedChange {
    /// The options of an action that changes a feed.
    static let options: [Option] = [
        .feedKey, .signatureCommand, .passphraseEnv, .passphraseFile, .allowUnsafePermissions, .stage, .dryRun,
        .served, .authorities, .insecure,
    ]

    private let arguments: ParsedArguments
    private let console: Console
    private let keys: KeyFiles
    let folder: FeedFolder
    let now: Timestamp
    private let signers: [FeedSigner]
    /// The ids of the private keys at hand.
    let keyIDs: Set<String>

    /// - Parameters:
    ///   - options: The options that name keys; those that are private sign.
    ///   - path: The feed's folder, if it is not the first operand.
    init(
        _ arguments: ParsedArguments, _ console: Console, keys options: [Option] = [.feedKey], folder path: Path? = nil
    ) throws(PatchError) {
        self.arguments = arguments
        self.console = console
        folder = FeedFolder(path: path ?? arguments.operands[0].path)
        now = try SystemClock.now()
        keys = try KeyFiles(arguments, operands: [])
        var signers: [FeedSigner] = []
        var ids: Set<String> = []
        for option in options {
            for key in try keys.signingKeys(option) {
                guard try ids.insert(FeedKey(key.verifyingKey).id).inserted else { continue }
                signers.append(try FeedSigner(key))
            }
        }
        for command in try SignatureCommand.all(arguments) {
            signers.append(FeedSigner { payload throws(PatchError) in try command.signature(of: payload) })
        }
        self.signers = signers
        keyIDs = ids
    }

    /// The public halves of the keys that an option names.
    func publicKeys(_ option: Option) throws(PatchError) -> [FeedKey] { try keys.feedKeys(option) }

    /// Changes the feed.
    ///
    /// - Parameter body: Makes the change, and returns a line for each part of it.
    func run(_ body: (inout FeedRepository) throws(PatchError) -> [String]) throws(PatchError) {
        try whileLocked { () throws(PatchError) in
            var (feed, isStaged) = try folder.repositoryWithChange()
            guard !isStaged else {
                throw PatchError(
                    .config, "another change waits for signatures",
                    hint: "patchpack feed sign \(folder.path), or feed sign \(folder.path) --discard"
                ).about(folder.path)
            }
            try checkServed(feed)
            let lines = try body(&feed)
            try finish(&feed, lines)
        }
    }

    /// Goes on with a change that was staged.
    func resume(_ body: (inout FeedRepository) throws(PatchError) -> [String]) throws(PatchError) {
        try whileLocked { () throws(PatchError) in
            var feed = try folder.staged()
            try checkServed(feed)
            let lines = try body(&feed)
            try finish(&feed, lines, isStaged: true)
        }
    }

    /// Drops a change that was staged.
    func discard() throws(PatchError) {
        try whileLocked { () throws(PatchError) in
            _ = try folder.repository()
            if !arguments.has(.dryRun) { try folder.discardStaged() }
        }
    }

    /// Refuses to change a folder that is older than what the server has.
    private func checkServed(_ feed: FeedRepository) throws(PatchError) {
        guard let url = try arguments.text(of: .served) else { return }
        let source = try FeedReading.server(url, arguments)
        let reply = try waiting { () async throws(PatchError) in
            try await source.fetch("metadata/timestamp.json", limit: FeedLimits().timestamp, etag: nil)
        }
        guard case .bytes(let bytes, _) = reply.content else { return }
        try feed.check(served: bytes)
    }

    private func whileLocked(_ body: () throws(PatchError) -> Void) throws(PatchError) {
        try Folder.whileLocked(around: folder.path.appending(Path(".")), body)
    }

    /// Signs and writes a feed that was changed or made.
    func finish(_ feed: inout FeedRepository, _ lines: [String], isStaged: Bool = false) throws(PatchError) {
        feed.mend(at: now)
        guard !feed.changed.isEmpty else { return try show(feed, lines, "unchanged", []) }
        try feed.sign(with: signers)
        let missing = try feed.missing()
        guard missing.isEmpty || !(isStaged || arguments.has(.stage)) else {
            if !arguments.has(.dryRun) { try folder.write(feed.staged) }
            return try show(feed, lines, "staged", missing)
        }
        if let first = missing.first {
            throw PatchError(
                .feedSignature,
                "the role \(first.role) needs \(first.count) more of the keys \(FeedKey.short(first.keyIDs))",
                hint: "give private keys with --key, or --stage the change and sign it elsewhere")
        }
        let files = try feed.files(signedBy: signers, at: now)
        if !arguments.has(.dryRun) {
            try folder.write(files)
            try folder.discardStaged()
        }
        try show(feed, lines, arguments.has(.dryRun) ? "would write" : "wrote", [], files)
    }

    private func show(
        _ feed: FeedRepository, _ lines: [String], _ outcome: String, _ missing: [FeedRepository.Missing],
        _ files: [FeedRepository.File] = []
    ) throws(PatchError) {
        if console.format == .json {
            let versions = FeedRepository.Role.allCases.map { role in
                (key: role.rawValue, value: JSONValue.integer(feed.state(of: role).version))
            }
            try console.json(
                .object(
                    [("schema", .string("patchpack.feed/1")), ("feed", .string(folder.path.description))]
                        + JSONValue.outcome(nil) + [
                            ("action", .string(arguments.verb.lastWord)), ("outcome", .string(outcome)),
                            ("changes", .array(lines.map(JSONValue.string))), ("versions", .object(versions)),
                            (
                                "missing",
                                .array(
                                    missing.map { role in
                                        .object([
                                            ("role", .string(role.role.rawValue)), ("count", .integer(role.count)),
                                            ("keyIDs", .array(role.keyIDs.map(JSONValue.string))),
                                        ])
                                    })
                            ),
                            ("files", .array(files.map { .string($0.path) })),
                            ("bytes", .integer(files.reduce(0) { $0 + $1.bytes.count })), ("error", .null),
                        ]))
            return
        }
        guard !console.isQuiet else { return }
        for line in lines { try console.line(line) }
        for role in missing {
            try console.line(
                .faint, "waits",
                "  the role \(role.role) for \(role.count) more of the keys \(FeedKey.short(role.keyIDs))"
            )
        }
        let bytes = files.reduce(0) { $0 + $1.bytes.count }
        let detail = files.isEmpty ? "" : "  \(files.count) files, \(bytes) bytes"
        try console.line(.good, outcome, "  \(folder.path)\(detail)")
    }
}
