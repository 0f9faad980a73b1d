import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension Option {
    static let inShadow = Option(
        "shadow", "devices run it beside the code that answers, and report what it would change")
}

extension FeedCommand {
    @Sendable static func makeFeed(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let app = try arguments.runningApp().needed("no app", hint: "give --app NAME, such as com.example.shop")
        let environment = try arguments.environmentName()
        let options: [Option] = [.rootKey, .releaseKey, .onlineKey]
        let action = try FeedAction(arguments, console, keys: options)
        let keys = try options.map { (option) throws(PatchError) in
            let found = try action.keys.feedKeys(option)
            guard !found.isEmpty else {
                throw .usage(
                    "no key for --\(option.name)",
                    hint: "make one: patchpack keygen --profile modern --signing-only -o DIR")
            }
            return found
        }
        let feed = try FeedRepository(
            app: app, environment: environment, root: keys[0], rootThreshold: 1, release: keys[1], releaseThreshold: 1,
            online: keys[2], at: action.change.now)
        try action.make(feed, "made a feed for \(app)")
        if let root = try action.folder.read(FeedLayout.firstRoot) {
            console.note(
                "the app gets \(action.folder.path.appending(Path(FeedLayout.firstRoot))), SHA-256 \(try MessageDigest.sha256.text(of: root))"
            )
        }
    }

    @Sendable static func publish(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        let paths = arguments.operands.dropFirst().map(\.path)
        try publish(paths, in: action, arguments, console, as: "published") { _ in true }
    }

    @Sendable static func promote(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let source = FeedFolder(path: arguments.operands[0].path)
        let action = try FeedAction(arguments, console, folder: arguments.operands[1].path)
        let origin = try source.path.naming { () throws(PatchError) in try source.ownRepository() }
        let entry = try origin.entry(arguments.operands[2].text, version: arguments.number(of: .patchVersion))
        guard let path = entry.path, let digest = origin.digest(of: path) else {
            throw PatchError(.feedMalformed, "the release keys have not signed its envelope").about(source.path)
        }
        let file = source.path.appending(Path(FeedLayout.target(path, sha256: digest)))
        // Only the online key has signed the list, so the patch is identified by the manifest in its envelope.
        try publish([file], in: action, arguments, console, as: "promoted") { manifest in
            manifest.id == entry.id && manifest.version == entry.version
        }
    }

    /// Verifies envelopes, and adds them.
    ///
    /// - Parameters:
    ///   - word: What is done, for the lines.
    ///   - isExpected: Whether an envelope may have this manifest.
    /// - Throws: `feed-mismatch` if an envelope has another one, `policy` if it is for another app, `feed-listed` if a
    ///   version is listed already in another way, and the error of an envelope that is not good.
    private static func publish(
        _ paths: [Path], in action: FeedAction, _ arguments: ParsedArguments, _ console: Console, as word: String,
        _ isExpected: (Manifest) -> Bool
    ) throws(PatchError) {
        let verification = try Verification(arguments, keys: action.keys)
        let audience = try PatchAudience(arguments)
        let isShadow = arguments.has(.inShadow)
        guard arguments.value(of: .percentage) != nil || audience.isNarrow else {
            throw .usage(
                "nothing says who gets it",
                hint: "give --rollout 5%, --rollout 100% for every device, --group NAME or --user ID")
        }
        // The change may be made again, but a pipe cannot be read again.
        var envelopes: [(path: Path, manifest: Manifest, publication: Publication)] = []
        try deliverInOrder(paths, jobs: Resources.processorCount) { paths in
            paths.map { path in
                (path, Result { () throws(PatchError) in try contents(of: path, by: verification) })
            }
        } deliver: { (path, result) throws(PatchError) in
            let (manifest, envelope) = try result.get()
            guard isExpected(manifest) else {
                throw PatchError(
                    .feedMismatch, "the envelope is \(manifest.id) \(manifest.version), but the list has another one"
                ).about(path)
            }
            let publication = try Publication(envelope, manifest) { (entry) throws(PatchError) in
                try audience.apply(to: &entry)
                if isShadow { entry.state = .shadow }
            }
            envelopes.append((path, manifest, publication))
            console.progress(envelopes.count, of: paths.count)
        }
        var differing: PatchError?
        try action.run { (feed, details) throws(PatchError) in
            for (path, manifest, _) in envelopes where manifest.app != feed.app {
                throw PatchError(.policy, "the patch is for the app \(manifest.app), but the feed is for \(feed.app)")
                    .about(path)
            }
            differing = nil
            let listings = try feed.publish(
                envelopes.map(\.publication), files: action.folder.published(for: feed.app),
                allowsLower: arguments.has(.allowLower), in: details)
            // A version in shadow takes no lower one off.
            let listed = isShadow ? Dictionary(grouping: feed.list.entries, by: \.id) : [:]
            var lines: [String] = []
            for ((_, manifest, publication), listing) in zip(envelopes, listings) {
                let name = "\(manifest.id) \(manifest.version)"
                switch listing {
                case .added:
                    lines.append("\(word)  \(name)  \(isShadow ? "in shadow, " : "")\(audience.text)")
                    if let fallback = publication.entry.fallback(among: listed[manifest.id] ?? []) {
                        lines.append("still offered  \(fallback.name)  \(fallback.words)")
                    }
                case .unchanged: lines.append("unchanged  \(name)")
                case .differs(let entry):
                    lines.append("left as it is  \(name)  \(entry.words)")
                    differing = differing ?? PatchError.listed(entry, not: publication.entry)
                }
            }
            return lines
        }
        if let differing { throw differing.about(action.folder.path) }
    }

    /// A good envelope. A regular file can be read again, so its bytes are not kept. A pipe cannot.
    ///
    /// - Throws: The error of an envelope that is not good.
    private static func contents(
        of path: Path, by verification: Verification
    ) throws(PatchError) -> (Manifest, FeedFile.Contents) {
        try path.naming { () throws(PatchError) in
            let file = verification.result(of: path, keepingScripts: false, keepingEnvelope: true)
            if let error = file.error { throw error }
            guard let manifest = file.report.manifest else { throw PatchError(.internal, "no manifest") }
            guard path.canBeReadAgain else { return (manifest, try FeedFile.Contents(file.envelope)) }
            let envelope = try FeedFile.Contents(file.envelope) { () throws(PatchError) in
                try InputFile.contents(of: path, limit: FeedFolder.fileLimit)
            }
            return (manifest, envelope)
        }
    }

    @Sendable static func prune(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let action = try FeedAction(arguments, console)
        let keep = try arguments.number(of: .keep)
        let version = try arguments.number(of: .prunedVersion)
        let ids = arguments.operands.dropFirst().map(\.text)
        guard keep == nil || version == nil else {
            throw .usage("--keep with --patch-version", hint: "give one of them")
        }
        guard Set(ids).count == ids.count else {
            throw .usage("the same id is given twice", hint: "name each patch once")
        }
        try action.run { (feed, details) throws(PatchError) in
            var lines: [String] = []
            if let version {
                let gone = try feed.prune(ids, version: version, in: details)
                for id in ids {
                    if gone.contains(id) {
                        console.warning(
                            "a device that has \(id) \(version) keeps it, because no entry withdraws it any more")
                        lines.append("removed the withdrawal of  \(id) \(version)")
                    } else {
                        lines += ["removed  \(id) \(version)", "withdrawn  \(id) \(version)"]
                    }
                }
            } else {
                let (removed, needed) = try feed.prune(ids, keeping: keep ?? 1, in: details)
                lines =
                    removed.map { "removed  \($0.name)" }
                    + needed.map { entry in
                        let isKnown = entry.state != nil && entry.hasKnownAudience
                        let why = isKnown ? ", which no higher version is" : ""
                        return "stays  \(entry.name)  \(entry.words)\(why)"
                    }
            }
            for path in feed.unlistedTargets {
                console.warning("\(path) is signed, but in no entry: `feed prune` with --patch-version removes it")
            }
            return lines.isEmpty ? ["nothing to remove"] : lines
        }
    }
}

extension PatchError {
    /// An error for a version that is listed already, and not as it is asked for.
    fileprivate static func listed(_ entry: PatchEntryDraft, not asked: PatchEntryDraft) -> PatchError {
        let words = entry.words == asked.words ? "these users, or with this seed" : asked.words
        let hint =
            if entry.state != .withdrawn {
                "patchpack feed rollout, shadow, resume or pause changes it"
            } else if asked.state == .shadow {
                PublishingRemedy.packHigherInShadow.hint
            } else {
                "patchpack feed rollout, and then resume, offers it again"
            }
        return PatchError(
            .feedListed, "\(asked.name) is listed already: \(entry.words), and not \(words)", hint: hint)
    }
}
