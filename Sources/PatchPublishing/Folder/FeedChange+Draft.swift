internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

// A change that is made, signed as far as the keys are at hand, and not written yet.
extension FeedChange {
    /// A change with its signatures.
    struct Draft {
        let feed: FeedRepository
        /// In a trial, the members that differ.
        let changes: [String]
        let end: End
        /// Whether a person has seen the change of the present state.
        var isConfirmed = false

        /// How far a change has come.
        enum End {
            case unchanged
            /// These signatures are missing.
            case waiting([FeedRepository.Missing])
            case complete(Completion)
        }

        /// What a change with all signatures writes.
        struct Completion {
            /// The feed's files, in the order in which they must be written.
            let files: [FeedFile]
            /// The files of the folder itself, if the feed is new.
            let attributes: [FeedFile]
            let staged: StagedChange
            /// The new root, if the root has changed or the feed is new.
            let root: FeedFile?
        }

        /// What becomes of the change that waits for signatures.
        enum StagedChange {
            /// There is none, or it is the one that is complete now.
            case dropped
            /// It cannot be read.
            case kept
            /// It has these files, on top of the feed with the new change.
            case rebased([FeedFile])
        }

        var result: Result {
            switch end {
            case .unchanged: Result(outcome: .unchanged, feed: feed, changes: changes)
            case .waiting(let missing): Result(outcome: .staged, feed: feed, changes: changes, missing: missing)
            case .complete(let complete):
                Result(outcome: .written, feed: feed, changes: changes, files: complete.files)
            }
        }

        /// The files to write, in order. The last ones are the feed's own.
        var files: [[FeedFile]] {
            switch end {
            case .unchanged: return []
            case .waiting: return [feed.staged]
            case .complete(let complete):
                let files = complete.attributes + complete.files
                // The staged change is written first. If the process ends in between, it still fits the published feed.
                if case .rebased(let staged) = complete.staged { return [staged, files] }
                return [files]
            }
        }
    }

    /// Signs a new or changed feed.
    ///
    /// - Parameters:
    ///   - feed: The feed with the change. It gets the signatures.
    ///   - base: The feed before the change; nil for a new feed.
    ///   - waiting: The signatures that the change was waiting for; nil if it is new.
    ///   - other: Another change, which waits for signatures.
    /// - Throws: `feed-signature` if signatures are missing and the change may not wait for them, `feed-limit` if
    ///   devices could not read the files.
    func finish(
        _ feed: inout FeedRepository, in details: ChangeDetails, since base: FeedRepository? = nil,
        waiting: [FeedRepository.Missing]? = nil, beside other: OtherChange = .none
    ) throws(PatchError) -> Draft {
        feed.resignStaleRoles(in: details)
        var differing: [String] = []
        if settings.isTrial, let base { differing = try changes(of: feed, since: base) }
        guard !feed.changed.isEmpty else {
            return Draft(feed: feed, changes: differing, end: .unchanged)
        }
        try feed.sign(with: signers)
        let missing = try feed.missing()
        if !signers.isEmpty, let first = missing.first, missing.map(\.keyIDs) == waiting?.map(\.keyIDs) {
            throw PatchError(
                .feedSignature, "no key here signs the staged change",
                remedy: .giveKeys(of: first.role, ids: first.keyIDs)
            ).about(folder.path)
        }
        // Only one change at a time waits for signatures.
        let inTheWay = other.remedy(in: folder.path)
        let mayWait = inTheWay == nil && (waiting != nil || settings.stages)
        if let first = missing.first {
            guard mayWait else {
                let remedy = settings.stages ? inTheWay : nil
                throw PatchError(
                    .feedSignature,
                    "\(first.role.keyName) (role \(first.role)) must sign: \(first.count) more of \(FeedKey.short(first.keyIDs))",
                    remedy: remedy ?? .giveKeysOrStage)
            }
            return Draft(feed: feed, changes: differing, end: .waiting(missing))
        }
        let unfinished = feed
        if let online = try feed.complete(signedBy: signers, in: details) {
            // Who has the online key may sign last, also on another machine. What is signed is kept for them, unless
            // that key was all that the change was waiting for.
            guard mayWait, waiting?.isEmpty != true else { throw FeedRepository.unsigned(online.role, online.keyIDs) }
            return Draft(feed: unfinished, changes: differing, end: .waiting([online]))
        }
        let files = try feed.files()
        let size = feed.list.json.encoded().count
        if feed.changed.contains(.rollout), size > PatchList.largeBytes { warn(.largeList(size)) }
        let staged = try staged(other, from: base, onto: feed, in: details)
        let hasNewRoot = base == nil || feed.changed.contains(.root)
        let completion = Draft.Completion(
            files: files, attributes: base == nil ? folder.attributes : [], staged: staged,
            root: hasNewRoot ? files.first { FeedLayout.isRoot($0.path) } : nil)
        return Draft(feed: feed, changes: differing, end: .complete(completion))
    }

    /// What becomes of another change, which waits for signatures.
    private func staged(
        _ other: OtherChange, from base: FeedRepository?, onto feed: FeedRepository, in details: ChangeDetails
    ) throws(PatchError) -> Draft.StagedChange {
        guard var rebased = other.feed, let base else { return other.isUnreadable ? .kept : .dropped }
        // It is not shown here, so nothing of it is signed here.
        try rebased.rebase(from: base, onto: feed, in: details)
        try rebased.sign(with: [])
        return .rebased(rebased.staged)
    }

    /// Writes what is left of a draft's files, and ends the change.
    func write(_ files: [[FeedFile]], of draft: Draft) throws(PatchError) {
        for files in files { try folder.write(files) }
        guard case .complete(let complete) = draft.end else { return }
        if case .dropped = complete.staged { try folder.discardStaged() }
        try pin.noteSigned(draft.feed.state(of: .timestamp).version)
    }

    /// Warns of what devices refuse, and saves a new root beside the keys. Nothing is locked, because a pipe may be
    /// full.
    func warnOfWritten(_ draft: Draft) throws(PatchError) {
        guard case .complete(let complete) = draft.end else { return }
        for fault in draft.feed.faults(at: now) { warn(.refused(fault)) }
        if let root = complete.root {
            for file in try pin.keep(root.bytes) { warn(.rootNotKept(file)) }
        }
    }
}
