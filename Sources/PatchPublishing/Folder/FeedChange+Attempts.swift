internal import PatchCrypto
internal import PatchFeed
internal import PatchFiles

// A change is made of what was read, and is made again if another process has changed the folder before it is written.
extension FeedChange {
    /// The feed with the change that waits for signatures; nil if none waits, and an error if it cannot be read.
    typealias Staged = Swift.Result<FeedRepository?, PatchError>

    /// The folder at one moment.
    private struct Reading {
        let state: FeedFolder.State
        let feed: FeedRepository
        let staged: Staged
    }

    /// The feed when the work began.
    private struct Beginning {
        let feed: FeedRepository
        /// The bytes of its timestamp.
        let timestamp: [UInt8]?
    }

    /// Reads the feed, makes a change of it, and writes it, again and again until no other process has changed the
    /// feed in between.
    func untilWritten(
        _ body: (FeedRepository, Staged) throws(PatchError) -> Draft
    ) throws(PatchError) -> Result {
        var first: Beginning?
        while true {
            let reading = try read()
            let beginning = if let first { first } else { try self.beginning(reading) }
            first = beginning
            let doubt = try checkServed(reading.feed)
            try checkClock(reading.feed, by: Timestamp.signerTolerance)
            let draft = try draft(of: reading, since: beginning, body)
            if let doubt, draft.result.outcome != .unchanged {
                guard draft.feed.list.isStop(of: reading.feed.list) else { throw doubt }
                warn(.clockDiffers(doubt))
            }
            guard !settings.isTrial else { return draft.result }
            guard try write(draft, over: reading.state) else { continue }
            try warnOfWritten(draft)
            return draft.result
        }
    }

    private func read() throws(PatchError) -> Reading {
        try whileLocked { () throws(PatchError) in
            let feed = try repository()
            let staged = Staged { () throws(PatchError) in
                try folder.staged(on: feed, above: settings.details.versionFloor)
            }
            return Reading(state: try folder.state(), feed: feed, staged: staged)
        }
    }

    /// The feed when the work began: what was read first, unless the work began before that.
    private func beginning(_ reading: Reading) throws(PatchError) -> Beginning {
        guard let began = settings.began, began != reading.state.timestamp else {
            return Beginning(feed: reading.feed, timestamp: reading.state.timestamp)
        }
        let timestamp = try? TimestampMetadata(
            SignedMetadata(began, name: FeedLayout.timestamp, type: TimestampMetadata.type))
        guard let snapshot = timestamp?.snapshot.version else {
            return Beginning(feed: reading.feed, timestamp: began)
        }
        // What was there and cannot be read is no state of the feed.
        let root = try pin.root()
        let feed = (try? folder.repository(root: root, snapshot: snapshot)) ?? reading.feed
        return Beginning(feed: feed, timestamp: began)
    }

    /// Makes the change, unless it undoes a stop that another process has made meanwhile.
    ///
    /// - Throws: `config` if it does.
    private func draft(
        of reading: Reading, since beginning: Beginning,
        _ body: (FeedRepository, Staged) throws(PatchError) -> Draft
    ) throws(PatchError) -> Draft {
        // In the state of the beginning, nobody has stopped anything meanwhile.
        guard beginning.timestamp != reading.state.timestamp else { return try body(reading.feed, reading.staged) }
        let before = beginning.feed
        let draft: Draft
        do throws(PatchError) {
            draft = try body(reading.feed, reading.staged)
        } catch {
            // What the request is about may have been stopped.
            guard error.code == .usage, let stop = reading.feed.list.stops(since: before.list).first else {
                throw error
            }
            throw PatchError.stopped(stop.text).about(folder.path)
        }
        if !draft.isConfirmed, let error = draft.feed.undoneStop(of: reading.feed, since: before) {
            throw error.about(folder.path)
        }
        return draft
    }

    /// The most files that are all written while the folder is locked. Of more, those that have a hash in their names
    /// are written before.
    private static let fewFiles = 100

    /// Writes a draft, unless another process has changed the folder since it was in a state.
    ///
    /// - Returns: Whether it was written.
    private func write(_ draft: Draft, over state: FeedFolder.State) throws(PatchError) -> Bool {
        var files = draft.files
        // Thousands of envelopes take seconds, for which no kill switch should wait.
        for index in files.indices where files[index].count > Self.fewFiles {
            try folder.write(files[index].filter(\.isTarget))
            files[index].removeAll(where: \.isTarget)
        }
        return try whileLocked { () throws(PatchError) in
            guard try folder.state() == state else { return false }
            try write(files, of: draft)
            return true
        }
    }

    /// Runs with the lock of the feed's folder, which another process has while it reads or writes it.
    ///
    /// - Throws: `feed-unavailable` if it is not a feed's folder.
    func whileLocked<Value>(_ body: () throws(PatchError) -> Value) throws(PatchError) -> Value {
        // The error of the lock would name a file that no user knows.
        guard folder.hasFeed() else {
            let error = PatchError.noFeed(FeedLayout.timestamp).about(folder.path)
            if URLPath.isServed(folder.path.description) {
                throw error.hinting("a change is made in the folder of the feed, and then deployed")
            }
            guard folder.path.isFolder else { throw error.hinting("the folder of the feed comes first") }
            let above = folder.path.parent
            throw FeedFolder(path: above).hasFeed() ? error.hinting("did you mean \(above)?") : error
        }
        return try Folder.whileLocked(around: [folder.path.appending(Path("."))], body)
    }
}
