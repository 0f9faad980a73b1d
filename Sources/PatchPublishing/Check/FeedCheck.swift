package import PatchCrypto
package import PatchFeed
package import PatchFiles

/// The contents of a feed, as devices see them.
package struct FeedCheck: Sendable {
    package let list: PatchList
    /// The total size of the list, the envelopes and the delivered trust store, in bytes.
    package private(set) var bytes: Int
    /// The faults that make devices ignore a part of the feed, one line each.
    package private(set) var faults: [String]
    /// The error of a feed that was signed with a clock that is ahead; nil if it was not.
    package let ahead: PatchError?

    /// Reads everything that a device may read.
    ///
    /// - Throws: The error with which a device refuses the feed; `feed-mismatch` if the list has a patch that the
    ///   release keys have not signed.
    package init(_ client: inout FeedClient, at now: Timestamp, in place: Path) async throws(PatchError) {
        try await client.update()
        (list, bytes) = try await client.list(in: place)
        faults = list.errors.map(\.message)
        let ends = [(FeedRole.snapshot, client.ends.snapshot), (.timestamp, client.ends.timestamp)]
        ahead = PatchError.signedAhead(list.published, ends, of: now)
        let refused = try await RefusedKeys(&client, of: list.app, at: now)
        bytes += refused.size
        for entry in list.entries where entry.state != .withdrawn {
            guard let target = try await client.target(entry.path) else {
                throw PatchError(
                    .feedMismatch, "\(entry.path): listed, but the release keys have not signed it",
                    hint: "the online key has listed it: is that key stolen?")
            }
            let envelope = try await client.contents(of: target, limit: FeedFolder.fileLimit)
            bytes += envelope.count
            if refused.areAll(of: envelope) {
                faults.append(
                    "\(entry.id) \(entry.version) is \(RefusedKeys.fault), so devices drop it: publish a higher version that a key which stays has signed"
                )
            }
        }
    }
}

extension FeedClient {
    /// Reads the list of a feed whose app is not known, after an update.
    ///
    /// - Throws: `feed-malformed` if there is no list, `feed-mismatch` if devices of its app would not find it.
    package mutating func list(in place: Path) async throws(PatchError) -> (list: PatchList, size: Int) {
        guard let target = try await listTarget() else {
            throw PatchError(.feedMalformed, "the feed has no list of patches").about(place)
        }
        let bytes = try await contents(of: target, limit: PatchList.byteLimit)
        let list = try PatchList(decoding: bytes)
        // A device looks for the list of its own app, beginning with the targets role.
        guard try await self.target(PatchList.path(for: list.app))?.path == target.path else {
            throw PatchError(.feedMismatch, "\(target.path): the list is of the app \(list.app)").about(place)
        }
        return (list, bytes.count)
    }
}
