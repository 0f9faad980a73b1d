import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// An action of `feed` that changes a feed according to the options.
struct FeedAction {
    static let options: [Option] = [
        .feedKey, .pinnedRoot, .signatureCommand, .passphraseEnv, .passphraseFile, .allowUnsafePermissions, .stage,
        .dryRun, .checkServed, .authorities, .insecure, .ignoreClock, .afterVersion,
    ]

    static let listOptions = options + [.author, .changeReason]

    private let arguments: ParsedArguments
    private let console: Console
    let keys: KeyFiles
    let change: FeedChange

    /// Reads the keys, and the settings of the change.
    ///
    /// - Parameters:
    ///   - options: The options that name keys. Private keys sign.
    ///   - path: The feed's folder, if it is not the first operand.
    /// - Throws: `usage` if an option is wrong, and the error of a key.
    init(
        _ arguments: ParsedArguments, _ console: Console, keys options: [Option] = [.feedKey], folder path: Path? = nil
    ) throws(PatchError) {
        self.arguments = arguments
        self.console = console
        let folder = FeedFolder(path: path ?? arguments.operands[0].path)
        let now = try SystemClock.now()
        // A passphrase may take minutes, and so may a pipe.
        let began = try? folder.read(FeedLayout.timestamp)
        keys = try KeyFiles(arguments)
        var signers: [FeedSigner] = []
        var ids: Set<String> = []
        for option in options {
            for key in try keys.signingKeys(option) {
                guard try ids.insert(FeedKey(key.verifyingKey).id).inserted else { continue }
                signers.append(try FeedSigner(key))
            }
        }
        for command in SignatureCommand.all(arguments) {
            signers.append(FeedSigner { payload throws(PatchError) in try command.signature(of: payload) })
        }
        let pin = PinnedRoot(
            of: folder, given: PinnedRoot.pathFromOptions(arguments), keys: (options + [.addKey]).flatMap(keys.files),
            keyIDs: ids, hasKey: !signers.isEmpty, takesOwn: arguments.has(.attach))
        var settings = try Self.settings(arguments, at: now)
        settings.began = began
        change = FeedChange(of: folder, settings, signers: signers, pin: pin) { warning in
            // `refresh` ends with an error for what devices still refuse.
            if case .refused = warning, arguments.verb.lastWord == "refresh" { return }
            console.warning(warning.text(at: now))
        }
    }

    private static func settings(
        _ arguments: ParsedArguments, at now: Timestamp
    ) throws(PatchError) -> FeedChange.Settings {
        var settings = FeedChange.Settings(ChangeDetails(at: now))
        settings.clock = SystemClock.now
        settings.isInterrupted = arguments.has(.resumeRotation)
        settings.stages = arguments.has(.stage)
        settings.isTrial = arguments.has(.dryRun)
        settings.trustsClock = arguments.has(.ignoreClock)
        settings.details.author = ChangeDetails.author(
            try arguments.text(of: .author) ?? Environment["PATCHPACK_AUTHOR"] ?? Environment["USER"] ?? "")
        settings.details.reason = try reason(arguments)
        settings.details.versionFloor = try arguments.number(of: .afterVersion) ?? 0
        guard settings.details.versionFloor < ChangeDetails.highest else {
            throw .usage("--after-version: expected a number below 2^52")
        }
        if let server = try FeedReading.Server(.checkServed, arguments) {
            let timestamp = { () throws(PatchError) in
                do throws(PatchError) {
                    return try server.timestamp()
                } catch {
                    guard error.code == .feedUnavailable else { throw error }
                    throw error.hinting("the change itself needs no server: to sign it now, leave --check-served out")
                }
            }
            settings.served = (server.name, timestamp)
        }
        return settings
    }

    private static func reason(_ arguments: ParsedArguments) throws(PatchError) -> String? {
        guard let reason = try arguments.text(of: .changeReason) else { return nil }
        guard reason.utf8.count <= ChangeDetails.longestReason else {
            throw .usage(
                "--reason has \(reason.utf8.count) bytes; at most \(ChangeDetails.longestReason) are allowed",
                hint: "each device downloads it: name the place where the rest is")
        }
        return reason
    }

    var folder: FeedFolder { change.folder }

    /// Makes a feed as `FeedChange.make` does, and prints a line about it.
    func make(_ feed: FeedRepository, _ line: String) throws(PatchError) { try show(change.make(feed), [line]) }

    /// Changes the feed as `FeedChange.run` does, and prints the lines that `body` returns.
    ///
    /// - Returns: Whether the change was written, and is neither a trial nor waits for signatures.
    @discardableResult
    func run(
        isUrgent: Bool = false, _ body: (inout FeedRepository, inout ChangeDetails) throws(PatchError) -> [String]
    ) throws(PatchError) -> Bool {
        var lines: [String] = []
        let result = try change.run(isUrgent: isUrgent) { (feed, details) throws(PatchError) in
            lines = try body(&feed, &details)
        }
        try show(result, lines)
        return result.outcome == .written && !arguments.has(.dryRun)
    }

    /// Resumes a change as `FeedChange.resume` does, and prints the lines that `body` returns.
    func resume(_ body: (inout FeedRepository, [String]) throws(PatchError) -> [String]) throws(PatchError) {
        var lines: [String] = []
        let result = try change.resume { (feed, changes) throws(PatchError) in lines = try body(&feed, changes) }
        try show(result, lines)
    }

    /// Prints the lines of a change without making it.
    func show(_ lines: [String]) throws(PatchError) {
        if console.format == .json {
            try console.report("patchpack.feed-changes/1", about: [("feed", folder.path)], nil, [("changes", lines)])
        } else {
            for line in lines { try console.line(line) }
        }
    }

    private func show(_ result: FeedChange.Result, _ lines: [String]) throws(PatchError) {
        let lines = lines + result.changes
        let files = result.files
        let bytes = files.reduce(0) { $0 + $1.size }
        let outcome =
            switch result.outcome {
            case .unchanged: "unchanged"
            case .staged: "staged"
            case .written: arguments.has(.dryRun) ? "would write" : "wrote"
            }
        if console.format == .json {
            let versions: JSONMembers = FeedRole.allCases.map { ($0.rawValue, result.feed.state(of: $0).version) }
            let waiting = result.missing.map {
                JSONValue([("role", $0.role.rawValue), ("count", $0.count), ("keyIDs", $0.keyIDs)])
            }
            return try console.report(
                "patchpack.feed/1", about: [("feed", folder.path)], nil,
                [
                    ("action", arguments.verb.lastWord), ("outcome", outcome), ("changes", lines),
                    ("versions", JSONValue(versions)), ("missing", waiting), ("files", files.map(\.path)),
                    ("bytes", bytes),
                ])
        }
        guard !console.isQuiet else { return }
        for line in lines { try console.line(line) }
        for missing in result.missing {
            let signer = "\(missing.role.keyName) (role \(missing.role))"
            try console.line(
                .faint, "waits", "  for \(signer): \(missing.count) more of \(FeedKey.short(missing.keyIDs))")
        }
        let detail = files.isEmpty ? "" : "  \(files.count) files, \(bytes) bytes"
        try console.line(.good, outcome, "  \(folder.path)\(detail)")
    }
}

extension FeedChange.Warning {
    fileprivate func text(at now: Timestamp) -> String {
        switch self {
        case .stagedIsUnreadable(let error):
            "the change that waits for signatures is left as it is: \(error.message)"
        case .largeList(let size):
            "the list has \(size) bytes, which each device downloads with each change: patchpack feed prune DIR ID…"
        case .refused(let fault): "devices refuse this feed: \(fault.text(at: now))"
        case .clockDiffers(let error): "\(error.message); this is signed nevertheless, because it is a stop"
        case .rootNotKept(let file): "\(file) cannot be written, so give --root to sign with the key beside it"
        }
    }
}
