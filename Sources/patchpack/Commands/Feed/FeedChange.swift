import PatchCrypto
import PatchFeed
import PatchFiles
import PatchHTTP
import PatchPublishing

/// One change of a feed: reads it, changes it, signs what has changed, and writes it, while no other process does the same.
struct FeedChange {
    /// The options of an action that changes a feed.
    static let options: [Option] = [
        .feedKey, .pinnedRoot, .signatureCommand, .passphraseEnv, .passphraseFile, .allowUnsafePermissions, .stage,
        .dryRun, .served, .authorities, .insecure, .clockIsRight, .above,
    ]

    /// These, and who makes the change, and why.
    static let listOptions = options + [.author, .changeReason]

    private let arguments: ParsedArguments
    private let console: Console
    private let keys: KeyFiles
    let folder: FeedFolder
    /// This machine's clock.
    let now: Timestamp
    private let signers: [FeedSigner]
    /// The ids of the private keys at hand.
    let keyIDs: Set<String>
    private let pin: PinnedRoot

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
        pin = PinnedRoot(
            of: folder, given: PinnedRoot.given(arguments), keys: (options + [.addKey]).flatMap(keys.files),
            hasKey: !signers.isEmpty)
    }

    /// The public halves of the keys that an option names.
    func publicKeys(_ option: Option) throws(PatchError) -> [FeedKey] { try keys.feedKeys(option) }

    /// The feed as it is, read from the root that this signer trusts.
    func repository() throws(PatchError) -> FeedRepository {
        let feed = try folder.repository(
            FeedRepository.Reading(root: pin.root(), isInterrupted: arguments.has(.interrupted)))
        try pin.check(feed.state(of: .timestamp).version)
        return feed
    }

    /// The earlier states of the feed. They count if the keys of a trusted root have signed them.
    func history() -> FeedHistory {
        FeedHistory { (number) throws(PatchError) in
            guard try folder.read(FeedLayout.snapshot(number)) != nil else { return nil }
            return try folder.repository(FeedRepository.Reading(root: pin.root(), snapshot: number))
        }
    }

    /// Changes the feed.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether the change is made although another one waits for signatures. That one is made again on top.
    ///   - body: Makes the change, and returns a line for each part of it.
    func run(
        isUrgent: Bool = false, _ body: (inout FeedRepository, inout ChangeDetails) throws(PatchError) -> [String]
    ) throws(PatchError) {
        try whileLocked { () throws(PatchError) in
            let base = try repository()
            var staged: FeedRepository?
            var isUnreadable = false
            do throws(PatchError) {
                staged = try folder.staged(on: base)
            } catch {
                guard isUrgent else { throw error.hinting("patchpack feed sign \(folder.path) --discard drops it") }
                console.warning("the change that waits for signatures is left as it is: \(error.message)")
                isUnreadable = true
            }
            guard staged == nil || isUrgent else {
                throw PatchError(
                    .config, "another change waits for signatures",
                    hint: "patchpack feed sign \(folder.path), or feed sign \(folder.path) --discard"
                ).about(folder.path)
            }
            try checkServed(base)
            try checkClock(base)
            var (feed, details) = (base, try details())
            details.above = try arguments.number(of: .above) ?? 0
            guard details.above < 1 << 52 else { throw PatchError(.usage, "--above: expected a number below 2^52") }
            if staged != nil { details.locked = [.targets, .root] }
            let lines = try body(&feed, &details)
            try finish(&feed, lines, in: details, since: base, under: staged, keepsStaged: isUnreadable)
        }
    }

    /// When the feed is changed, by whom and why.
    private func details() throws(PatchError) -> ChangeDetails {
        var details = ChangeDetails(at: now)
        (details.author, details.reason) = (try author(), try reason())
        return details
    }

    /// Who makes the change; nil if no name is to be given.
    private func author() throws(PatchError) -> String? {
        let name = try arguments.text(of: .author) ?? Environment["PATCHPACK_AUTHOR"] ?? Environment["USER"] ?? ""
        return name.isEmpty ? nil : String(name.prefix(100))
    }

    /// Why it is made. Each device downloads it with the list.
    private func reason() throws(PatchError) -> String? {
        guard let reason = try arguments.text(of: .changeReason) else { return nil }
        guard reason.utf8.count <= 500 else {
            throw PatchError(
                .usage, "--reason has \(reason.utf8.count) bytes; at most 500 are allowed",
                hint: "each device downloads it: name the place where the rest is")
        }
        return reason
    }

    /// Goes on with a change that was staged.
    ///
    /// - Parameter body: Gets what the change is, and adds to it.
    func resume(_ body: (inout FeedRepository, [String]) throws(PatchError) -> [String]) throws(PatchError) {
        try whileLocked { () throws(PatchError) in
            let base = try repository()
            var feed = try staged(on: base)
            try checkServed(base)
            try checkClock(base)
            try checkClock(feed)
            let details = try details()
            let lines = try body(&feed, changes(of: feed, since: base))
            try finish(&feed, lines, in: details, since: base, isStaged: true)
        }
    }

    /// The feed with the change that waits for signatures.
    ///
    /// - Throws: `config` if none waits.
    func staged(on base: FeedRepository) throws(PatchError) -> FeedRepository {
        guard let staged = try folder.staged(on: base) else {
            throw PatchError(.config, "nothing waits for signatures").about(folder.path)
        }
        return staged
    }

    /// What differs between two states of the feed, with the keys of a trust store that is delivered.
    func changes(of feed: FeedRepository, since base: FeedRepository) throws(PatchError) -> [String] {
        let (before, after) = (try folder.trustedKeys(of: base), try folder.trustedKeys(of: feed))
        return feed.changes(since: base) + before.filter { !after.contains($0) }.map { "trust store: removes \($0)" }
            + after.filter { !before.contains($0) }.map { "trust store: adds \($0)" }
    }

    /// Drops a change that was staged.
    ///
    /// - Returns: Whether there was one.
    func discard() throws(PatchError) -> Bool {
        var hadOne = false
        try whileLocked { () throws(PatchError) in
            hadOne = try folder.hasStaged()
            if !arguments.has(.dryRun) { try folder.discardStaged() }
        }
        return hadOne
    }

    /// Refuses to change a folder that is older than what the server has.
    private func checkServed(_ feed: FeedRepository) throws(PatchError) {
        guard let url = try arguments.text(of: .served) else { return }
        let reply = try FeedReading.timestamp(from: url, arguments)
        if let date = reply.date { try checkClock(against: date, by: 300, "the server's clock says \(date)") }
        guard case .bytes(let bytes, _) = reply.content else { return }
        try feed.checkNotOlder(than: bytes)
        let position = try feed.position(of: bytes, called: "the served timestamp.json", root: pin.root()) {
            (path) throws(PatchError) in try folder.read(path)
        }
        // `--above` passes the numbers of the other copy, to give it up.
        let above = try arguments.number(of: .above)
        guard position.isOwn || above != nil else {
            throw .otherCopy(HTTPSource.shown(url), position)
        }
    }

    /// Refuses to sign a time that is far before the one that the feed was last signed at: one of the two clocks was wrong.
    private func checkClock(_ feed: FeedRepository) throws(PatchError) {
        guard let published = feed.published, published > now else { return }
        try checkClock(against: published, by: 3600, "the feed was published at \(published)")
    }

    private func checkClock(against other: Timestamp, by seconds: Int, _ reason: String) throws(PatchError) {
        guard !arguments.has(.clockIsRight),
            (other.secondsSince1970 - now.secondsSince1970).magnitude > seconds
        else { return }
        throw PatchError(
            .clock, "\(reason), but this machine's clock says \(now)",
            hint: "set the clock, or give --clock-is-right if it is right")
    }

    private func whileLocked(_ body: () throws(PatchError) -> Void) throws(PatchError) {
        // The error of the lock would be about a file that no reader knows.
        guard try folder.read(FeedLayout.timestamp) != nil else {
            throw PatchError(
                .feedUnavailable, "\(FeedLayout.timestamp): missing, so this is not the folder of a feed",
                hint: folder.path.isFolder ? "make one: patchpack feed init DIR" : "the folder of the feed comes first"
            ).about(folder.path)
        }
        try Folder.whileLocked(around: folder.path.appending(Path(".")), body)
    }

    /// Signs and writes a feed that was changed or made.
    ///
    /// - Parameters:
    ///   - base: The feed before the change; nil for a new feed.
    ///   - under: Another change, which waits for signatures.
    func finish(
        _ feed: inout FeedRepository, _ lines: [String], in details: ChangeDetails? = nil,
        since base: FeedRepository? = nil, isStaged: Bool = false, under staged: FeedRepository? = nil,
        keepsStaged: Bool = false
    ) throws(PatchError) {
        let details = details ?? ChangeDetails(at: now)
        feed.mend(in: details)
        var lines = lines
        if arguments.has(.dryRun), let base { lines += try changes(of: feed, since: base) }
        guard !feed.changed.isEmpty else { return try show(feed, lines, "unchanged", []) }
        try feed.sign(with: signers)
        let missing = try feed.missing()
        guard missing.isEmpty || !(isStaged || arguments.has(.stage)) || staged != nil else {
            if !arguments.has(.dryRun) { try folder.write(feed.staged) }
            return try show(feed, lines, "staged", missing)
        }
        if let first = missing.first {
            throw PatchError(
                .feedSignature,
                "the role \(first.role) needs \(first.count) more of the keys \(FeedKey.short(first.keyIDs))",
                hint: "give private keys with --key, or --stage the change and sign it elsewhere")
        }
        let files = try feed.files(signedBy: signers, in: details)
        let list = feed.list.json.encoded().count
        if feed.changed.contains(.rollout), list > PatchList.largeBytes {
            console.warning(
                "the list has \(list) bytes, which each device downloads with each change: patchpack feed prune DIR ID…"
            )
        }
        if !arguments.has(.dryRun) {
            if var staged, let base {
                // Written first: if this ends in between, the change that waits still fits what is published.
                // It is not shown here, so nothing of it is signed here.
                try staged.rebase(from: base, onto: feed, in: details)
                try staged.sign(with: [])
                try folder.write(staged.staged)
                try folder.write(files)
            } else {
                try folder.write(files)
                if !keepsStaged { try folder.discardStaged() }
            }
            try pin.noteSigned(feed.state(of: .timestamp).version)
            if arguments.verb.lastWord != "refresh" {
                for fault in feed.faults(at: now) {
                    console.warning("devices refuse this feed: \(fault.text(at: now))")
                }
            }
            // A new key of the root, or a signer's first feed.
            if base == nil || feed.changed.contains(.root),
                let root = files.first(where: { FeedLayout.isRoot($0.path) })
            {
                for file in try pin.keep(root.bytes) {
                    console.warning(
                        "\(file) cannot be written, so give --root to sign with the key beside it")
                }
            }
        }
        try show(feed, lines, arguments.has(.dryRun) ? "would write" : "wrote", [], files)
    }

    /// Prints what a change is, without making it.
    func show(_ lines: [String]) throws(PatchError) {
        guard console.format == .json else {
            for line in lines { try console.line(line) }
            return
        }
        try console.json(
            .object(
                [("schema", .string("patchpack.feed-changes/1")), ("feed", .string(folder.path.description))]
                    + JSONValue.outcome(nil) + [("changes", .array(lines.map(JSONValue.string))), ("error", .null)]))
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
