internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

// A change that is made, signed as far as the keys are at hand, and not written yet.
extension FeedChange {
    /// A change with its signatures, and the files to write for it.
    struct Draft {
        var result: Result
        /// The files to write, in order. The last ones are the feed's own.
        var files: [[FeedFile]] = []
        var dropsStaged = false
        /// Whether a person has seen the change of the present state.
        var isConfirmed = false
        /// The new root, if the root has changed or the feed is new.
        var root: FeedFile?
    }

    /// Signs a new or changed feed.
    ///
    /// - Parameters:
    ///   - base: The feed before the change; nil for a new feed.
    ///   - waiting: The signatures that the change was waiting for; nil if it is new.
    ///   - other: Another change, which waits for signatures.
    func finish(
        _ feed: inout FeedRepository, in details: ChangeDetails, since base: FeedRepository? = nil,
        waiting: [FeedRepository.Missing]? = nil, beside other: OtherChange = .none
    ) throws(PatchError) -> Draft {
        feed.resignStaleRoles(in: details)
        var differing: [String] = []
        if settings.isTrial, let base { differing = try changes(of: feed, since: base) }
        guard !feed.changed.isEmpty else {
            return Draft(result: Result(outcome: .unchanged, feed: feed, changes: differing))
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
                throw PatchError(
                    .feedSignature,
                    "\(first.role.keyName) (role \(first.role)) must sign: \(first.count) more of \(FeedKey.short(first.keyIDs))",
                    remedy: (settings.stages ? inTheWay : nil) ?? .giveKeysOrStage)
            }
            return waitingDraft(of: feed, differing, missing)
        }
        let unfinished = feed
        if let online = try feed.complete(signedBy: signers, in: details) {
            // Who has the online key may sign last, also on another machine. What is signed is kept for them.
            let isNewlySigned = waiting.map { !$0.isEmpty } ?? settings.stages
            guard isNewlySigned, mayWait else { throw FeedRepository.unsigned(online.role, online.keyIDs) }
            return waitingDraft(of: unfinished, differing, [online])
        }
        let files = try feed.files()
        let size = feed.list.json.encoded().count
        if feed.changed.contains(.rollout), size > PatchList.largeBytes { warn(.largeList(size)) }
        var draft = Draft(result: Result(outcome: .written, feed: feed, changes: differing, files: files))
        if var staged = other.feed, let base {
            // The staged change is written first. If the process ends in between, it still fits the published feed.
            // It is not shown here, so nothing of it is signed here.
            try staged.rebase(from: base, onto: feed, in: details)
            try staged.sign(with: [])
            draft.files = [staged.staged, files]
        } else {
            draft.files = [(base == nil ? folder.attributes : []) + files]
            draft.dropsStaged = !other.isUnreadable
        }
        if base == nil || feed.changed.contains(.root) { draft.root = files.first { FeedLayout.isRoot($0.path) } }
        return draft
    }

    /// A draft whose signatures are not complete.
    private func waitingDraft(
        of feed: FeedRepository, _ changes: [String], _ missing: [FeedRepository.Missing]
    ) -> Draft {
        Draft(
            result: Result(outcome: .staged, feed: feed, changes: changes, missing: missing), files: [feed.staged])
    }

    func write(_ draft: Draft) throws(PatchError) {
        for files in draft.files { try folder.write(files) }
        if draft.dropsStaged { try folder.discardStaged() }
        if draft.result.outcome == .written { try pin.noteSigned(draft.result.feed.state(of: .timestamp).version) }
    }

    /// Warns of what devices refuse, and saves a new root beside the keys. Nothing is locked, because a pipe may be
    /// full.
    func warnOfWritten(_ draft: Draft) throws(PatchError) {
        guard draft.result.outcome == .written else { return }
        for fault in draft.result.feed.faults(at: now) { warn(.refused(fault)) }
        if let root = draft.root {
            for file in try pin.keep(root.bytes) { warn(.rootNotKept(file)) }
        }
    }
}
