import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    /// Renews what ends soon.
    ///
    /// - Throws: `feed-expired` or `clock` if devices refuse the feed nevertheless.
    @Sendable static func refresh(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        try action.run(isUrgent: true) { (feed, details) throws(PatchError) in
            let change = action.change
            return feed.refresh(with: change.keyIDs, asking: change.asksSigner, in: details).compactMap { renewal in
                switch renewal {
                case .renewed(let role, let version): return "renewed  \(role) \(version)"
                case .endsSoon(let role, let days):
                    let end = days < 0 ? "has ended" : "ends in \(days) days"
                    console.warning("the role \(role) \(end), and its keys are not here")
                    return nil
                }
            }
        }
        // A role whose keys are elsewhere may still have ended. Devices then refuse the feed.
        guard !arguments.has(.dryRun), let fault = try action.change.repository().faults(at: action.change.now).first
        else { return }
        let code: PatchError.Code = if case .signedAhead = fault { .clock } else { .feedExpired }
        throw PatchError(code, "devices refuse it still: \(fault.text(at: action.change.now))")
            .about(action.folder.path)
    }

    @Sendable static func rotate(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let names = arguments.operands[1].text.split(separator: ",").map(String.init)
        let roles = try names.map { (name) throws(PatchError) in
            if let role = FeedRole(rawValue: name) { return role }
            let known = FeedRole.allCases.map(\.rawValue)
            throw .unknown("role", name, known: known, help: "one of \(known.joined(separator: ", "))")
        }
        guard !roles.isEmpty else {
            throw .usage("no role to rotate", hint: "give one, or several with commas between, such as targets,rollout")
        }
        let action = try FeedAction(arguments, console)
        let added = try action.keys.feedKeys(.addKey)
        let removed = try arguments.texts(of: .removeKey)
        let threshold = try arguments.number(of: .roleThreshold)
        guard !added.isEmpty || !removed.isEmpty || threshold != nil else {
            throw .usage("nothing to rotate", hint: "give --add KEY, --remove ID or --threshold N")
        }
        try action.run { (feed, details) throws(PatchError) in
            details.unusedVersions = try action.folder.unusedVersions()
            return try feed.rotate(roles, adding: added, removing: removed, threshold: threshold, in: details).map {
                "the role \($0.role) has \($0.keys) keys, of which \($0.threshold) must sign"
            }
        }
    }

    @Sendable static func deliverTrust(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        var store: NewStore?
        if arguments.operands.count == 2 {
            let new = try NewStore(at: arguments.operands[1].path, action.change.now)
            new.describe(on: console)
            store = new
        }
        let ended = Set(store?.refused.map(\.key.id) ?? [])
        try action.run { (feed, details) throws(PatchError) in
            if let store, let label = store.label { try action.folder.checkTrustStore(label, store.bytes, in: feed) }
            for name in try action.folder.patches(of: feed, signedOnlyBy: ended) {
                console.warning(
                    "\(name) is signed by no other key, so devices drop it: publish a higher version that a key which stays has signed"
                )
            }
            let isNew = try feed.setTarget(PatchList.trustPath(for: feed.app), to: store?.bytes, in: details)
            guard isNew else { return ["unchanged"] }
            return [store == nil ? "removed  the trust store" : "added  the trust store"]
        }
    }

    /// A trust store to deliver.
    private struct NewStore {
        let path: Path
        let bytes: [UInt8]
        /// The keys that devices no longer trust with it: they are revoked, or past their dates.
        let refused: [TrustedKey]
        let live: [TrustedKey]
        private let signed: SignedTrustStore

        /// Which store of which app it is; nil if no key has signed it.
        var label: SignedTrustStore.Label? { signed.signerIDs.isEmpty ? nil : signed.label }

        /// - Throws: `no-input` if the file cannot be read, `config` if it is not a trust store, or is too large,
        ///   `limit` if it has too many signatures.
        init(at path: Path, _ now: Timestamp) throws(PatchError) {
            let bytes = try InputFile.small(path, limit: PatchList.trustLimit)
            let keys = try path.naming { () throws(PatchError) in
                try TrustStore(decoding: bytes, rsaDefault: .rsaSHA1).keys
            }
            self.path = path
            self.bytes = bytes
            refused = keys.filter { $0.refusal(at: now) != nil }
            live = keys.filter { $0.refusal(at: now) == nil }
            signed = try path.naming { () throws(PatchError) in try SignedTrustStore(bytes) }
        }

        /// Tells what devices take from it.
        func describe(on console: Console) {
            func names(_ keys: [TrustedKey]) -> String {
                keys.map { "\($0.key.id)\($0.name.map { " \($0)" } ?? "")" }.joined(separator: ", ")
            }
            if !refused.isEmpty { console.note("devices will no longer trust \(names(refused))") }
            if !live.isEmpty { console.note("devices go on trusting \(names(live)) if the app has these keys") }
            let signers = signed.signerIDs.map(\.description).joined(separator: ", ")
            console.note(
                signers.isEmpty
                    ? "no key of envelopes has signed it, so it adds no key: patchpack trust sign \(path) --app NAME --signing-key KEY"
                    : "it adds the others if the app has the keys that signed it: \(signers)")
        }
    }

    @Sendable static func sign(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        // To drop a change, no key is needed.
        let action = try FeedAction(arguments, console, keys: arguments.has(.discard) ? [] : [.feedKey])
        if arguments.has(.discard) {
            let isStaged = try action.change.discard()
            let word = arguments.has(.dryRun) ? "would be" : "is"
            return console.note(isStaged ? "the staged change \(word) dropped" : "no change was staged")
        }
        if arguments.has(.detach) { return try detach(arguments, action) }
        if arguments.has(.showChange) {
            let base = try action.change.repository()
            return try action.show(action.change.changes(of: action.change.staged(on: base), since: base))
        }
        let role = try arguments.text(of: .role).flatMap(FeedRole.init)
        // A pipe can be read only once, and the change below may be made again.
        let signatures = try arguments.values(of: .attach).map(\.path).map { (path) throws(PatchError) in
            (path: path, bytes: try InputFile.signature(path))
        }
        try action.resume { (feed, changes) throws(PatchError) in
            // One person stages a change, and another one signs it, so the signer sees it first.
            _ = try askToSign(changes, arguments, console)
            var lines = changes
            for (path, bytes) in signatures {
                let id = try path.naming { () throws(PatchError) in try feed.attach(bytes, to: role) }
                lines.append("attached  a signature of \(id.prefix(16))")
            }
            return lines
        }
    }

    /// Shows a change, and asks whether to sign it.
    ///
    /// - Returns: Whether a person has agreed; false if nobody is asked, because of `--yes` or `--dry-run`.
    /// - Throws: `usage` if the answer is no, or if nobody can be asked.
    static func askToSign(
        _ changes: [String], _ arguments: ParsedArguments, _ console: Console
    ) throws(PatchError) -> Bool {
        guard !arguments.has(.yes), !arguments.has(.dryRun) else { return false }
        guard console.format == .text, !console.isQuiet else {
            let option = arguments.takes(.showChange) ? Option.showChange : .dryRun
            throw .usage(
                "nothing is shown, so nothing is signed", hint: "look with --\(option.name), and give --yes")
        }
        for line in changes { console.note(line) }
        guard Terminal.askToGoOn("sign this? ") else {
            throw .usage("nothing is signed", hint: "give --yes to sign the printed change without being asked")
        }
        return true
    }

    /// Writes the payload to sign on another machine.
    private static func detach(_ arguments: ParsedArguments, _ action: FeedAction) throws(PatchError) {
        let output = try arguments.newFile(
            .outputFile, force: arguments.has(.forceOutput), allowsStandardOutput: true
        ).needed("no output", hint: "give -o FILE, or -o -")
        let feed = try action.change.staged(on: action.change.repository())
        let role = try role(arguments, of: feed)
        let payload = try action.folder.path.naming { () throws(PatchError) in try feed.payload(of: role) }
        if output.isStandardStream {
            try StandardOutput.write(payload)
        } else {
            try OutputFile.write(payload, to: output, force: arguments.has(.forceOutput))
        }
    }

    /// The role that `--role` names, or the only role that waits.
    ///
    /// - Throws: `usage` if several roles wait, or none.
    private static func role(_ arguments: ParsedArguments, of feed: FeedRepository) throws(PatchError) -> FeedRole {
        if let name = try arguments.text(of: .role), let role = FeedRole(rawValue: name) { return role }
        return try feed.waitingRole()
    }
}
