import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

extension FeedCommand {
    @Sendable static func makeFeed(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard let app = try arguments.text(of: .runningApp), NameForm.isReverseDNS(app) else {
            throw PatchError(.usage, "no app", hint: "give --app NAME, such as com.example.shop")
        }
        let environment = try arguments.environmentName()
        let action = try FeedAction(arguments, console, keys: [.rootKey, .releaseKey, .onlineKey])
        var keys: [[FeedKey]] = []
        for option in [Option.rootKey, .releaseKey, .onlineKey] {
            let found = try action.publicKeys(option)
            guard !found.isEmpty else {
                throw PatchError(
                    .usage, "no key for --\(option.name)",
                    hint: "make one: patchpack keygen --algorithm ed25519 -o DIR")
            }
            keys.append(found)
        }
        guard FileInfo(action.folder.path.appending(Path(FeedLayout.metadataFolder)), following: true) == nil else {
            throw PatchError(.exists, "is a feed already", hint: "name another folder").about(action.folder.path)
        }
        let feed = try FeedRepository(
            app: app, environment: environment, root: keys[0],
            rootThreshold: arguments.number(of: .rootThreshold) ?? 1, release: keys[1],
            releaseThreshold: arguments.number(of: .releaseThreshold) ?? 1, online: keys[2], at: action.change.now)
        try action.make(feed, "made a feed for \(app)")
        if let root = try action.folder.read(FeedLayout.firstRoot) {
            console.note(
                "the app gets \(action.folder.path.appending(Path(FeedLayout.firstRoot))), SHA-256 \(try MessageDigest.sha256.text(of: root))"
            )
        }
        return 0
    }

    @Sendable static func publish(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = try FeedAction(arguments, console)
        let paths = arguments.operands.dropFirst().map(\.path)
        try publish(paths, in: action, arguments, console, as: "published") { _ in true }
        return 0
    }

    @Sendable static func promote(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let source = FeedFolder(path: arguments.operands[0].path)
        let action = try FeedAction(arguments, console, folder: arguments.operands[1].path)
        let origin = try source.ownRepository()
        let entry = try origin.entry(arguments.operands[2].text, version: arguments.number(of: .patchVersion))
        guard let path = entry.path, let digest = origin.digest(of: path)
        else {
            throw PatchError(.feedMalformed, "the release keys have not signed its envelope").about(source.path)
        }
        let file = source.path.appending(Path(FeedLayout.target(path, sha256: digest)))
        // Only the online key has signed the list, so the patch is identified by the manifest in its envelope.
        try publish([file], in: action, arguments, console, as: "promoted") { manifest in
            manifest.id == entry.id && manifest.version == entry.version
        }
        return 0
    }

    /// Verifies envelopes, and publishes them.
    ///
    /// - Parameter isExpected: Whether a manifest belongs to the requested patch.
    private static func publish(
        _ paths: [Path], in action: FeedAction, _ arguments: ParsedArguments, _ console: Console, as word: String,
        _ isExpected: (Manifest) -> Bool
    ) throws(PatchError) {
        let verification = try Verification(arguments)
        let audience = try PatchAudience(arguments)
        let counted = try PreviewIDs(arguments, console)
        var differing: PatchError?
        try action.run { (feed, details) throws(PatchError) in
            let before = feed
            var publications: [FeedRepository.Publication] = []
            var names: [String] = []
            let jobs = Resources.processorCount
            try deliverInOrder(paths, jobs: jobs, work: { Verified($0, by: verification) }) {
                (verified) throws(PatchError) in
                let (manifest, envelope) = try verified.result.get()
                try verified.path.naming { () throws(PatchError) in try feed.checkApp(of: manifest) }
                guard isExpected(manifest) else {
                    throw PatchError(
                        .feedMismatch,
                        "the envelope is \(manifest.id) \(manifest.version), but the list has another one"
                    ).about(verified.path)
                }
                names.append("\(manifest.id) \(manifest.version)")
                publications.append(
                    try FeedRepository.Publication(envelope, manifest) { (entry) throws(PatchError) in
                        try audience.apply(to: &entry)
                    })
                console.progress(publications.count, of: paths.count)
            }
            let listings = try feed.publish(
                publications, files: action.folder.published(for: feed.app), allowsLower: arguments.has(.allowLower),
                in: details)
            var lines: [String] = []
            for (name, (publication, listing)) in zip(names, zip(publications, listings)) {
                switch listing {
                case .added: lines.append("\(word)  \(name)  \(audience.text)")
                case .unchanged: lines.append("unchanged  \(name)")
                case .differs(let entry):
                    lines.append("left as it is  \(name)  \(entry.words)")
                    differing =
                        differing
                        ?? PatchError(
                            .feedListed,
                            "\(name) is listed already: \(entry.words), and not \(publication.entry.words)",
                            hint: "patchpack feed rollout, resume or pause changes it")
                }
            }
            return lines + (try counted?.difference(from: before, to: feed) ?? [])
        }
        if let differing { throw differing.about(action.folder.path) }
    }

    @Sendable static func prune(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = try FeedAction(arguments, console)
        let keep = try arguments.number(of: .keep) ?? 1
        let ids = arguments.operands.dropFirst().map(\.text)
        try action.run { (feed, details) throws(PatchError) in
            let gone = try feed.prune(ids, keeping: keep, in: details)
            for path in feed.unlistedTargets {
                console.warning("\(path) is signed, but in no entry: `feed remove` takes it away")
            }
            return gone.isEmpty ? ["nothing to remove"] : gone.map { "removed  \($0.id) \($0.version)" }
        }
        return 0
    }

    @Sendable static func remove(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let action = try FeedAction(arguments, console)
        let ids = arguments.operands.dropFirst().map(\.text)
        let given = try arguments.number(of: .patchVersion)
        guard Set(ids).count == ids.count else {
            throw PatchError(.usage, "the same id is given twice", hint: "a second removal would remove its withdrawal")
        }
        try action.run { (feed, details) throws(PatchError) in
            var lines: [String] = []
            for id in ids {
                let versions = feed.entries(of: id).map(\.version)
                // Without a version, the only listed one is meant.
                guard let version = given ?? (versions.count == 1 ? versions.first : nil) else {
                    guard !versions.isEmpty else { throw .unlisted(id, in: feed) }
                    throw PatchError(.usage, "\(id): no version", hint: "give --patch-version N")
                }
                guard try feed.remove(id, version: version, in: details) else {
                    console.warning(
                        "a device that has \(id) \(version) keeps it, because no entry withdraws it any more")
                    lines.append("removed the withdrawal of  \(id) \(version)")
                    continue
                }
                lines += ["removed  \(id) \(version)", "withdrawn  \(id) \(version)"]
            }
            return lines
        }
        return 0
    }
}

/// A verified envelope.
private struct Verified: Sendable {
    let path: Path
    let result: Result<(Manifest, FeedRepository.Contents), PatchError>

    init(_ path: Path, by verification: Verification) {
        self.path = path
        let file = verification.result(of: path, keepingScripts: false, keepingEnvelope: true)
        do throws(PatchError) {
            if let error = file.error { throw error }
            guard let manifest = file.report.manifest else { throw PatchError(.internal, "no manifest") }
            // A regular file can be read again, so its bytes are not kept. A pipe cannot.
            let isFile = FileInfo(path, following: true)?.isRegular == true
            let envelope =
                isFile
                ? try FeedRepository.Contents(file.envelope) { () throws(PatchError) in
                    try InputFile.contents(of: path, limit: FeedFolder.fileLimit)
                } : try FeedRepository.Contents(file.envelope)
            result = .success((manifest, envelope))
        } catch {
            result = .failure(error.about(path))
        }
    }
}
