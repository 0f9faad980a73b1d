internal import PatchCrypto
internal import PatchFeed

// What is compared before a feed is signed: with what is served, and with the clocks of others.
extension FeedChange {
    /// Checks that nothing newer is served, and nothing of another copy of the feed, unless this change passes it by.
    ///
    /// - Returns: The error `clock` if the server's clock differs from this machine's; nil if it does not, or if there
    ///   is nothing to compare.
    /// - Throws: `feed-rollback` or `feed-conflict` if something else is served, and the errors of reading it.
    func checkServed(_ feed: FeedRepository) throws(PatchError) -> PatchError? {
        guard let served = settings.served else { return nil }
        let reply = try served.timestamp()
        var doubt: PatchError?
        if let date = reply.date {
            doubt = try self.doubt(date, by: Timestamp.clockTolerance, "the server's clock shows \(date)")
        }
        guard case .bytes(let bytes) = reply.content else { return doubt }
        try feed.checkNotOlder(than: bytes)
        let position = try feed.position(of: bytes, called: "the served timestamp.json", root: pin.root(), folder.read)
        // A change with versions above a floor gives the other copy up.
        guard position.isOwn || settings.details.versionFloor > 0 else { throw .otherCopy(served.name, position) }
        return doubt
    }

    /// Refuses to sign at a time long before the feed was last signed, because one of the two clocks was wrong.
    ///
    /// - Parameter seconds: How much later the feed may have been signed.
    /// - Throws: `clock`.
    func checkClock(_ feed: FeedRepository, by seconds: Int) throws(PatchError) {
        guard let published = feed.published, try published > settings.clock() else { return }
        if let doubt = try doubt(published, by: seconds, "the feed was published at \(published)") { throw doubt }
    }

    /// The error if another clock differs by more than some seconds; nil if it does not, or if this machine's clock
    /// is trusted.
    private func doubt(_ other: Timestamp, by seconds: Int, _ reason: String) throws(PatchError) -> PatchError? {
        let now = try settings.clock()
        guard !settings.trustsClock, (other.secondsSince1970 - now.secondsSince1970).magnitude > seconds else {
            return nil
        }
        return PatchError(.clock, "\(reason), but this machine's clock shows \(now)", remedy: .setClock)
    }
}
