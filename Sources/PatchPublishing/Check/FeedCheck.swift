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
    /// Whether script keys were given, and each envelope could be opened and compared with its entry.
    package private(set) var hasCompared: Bool
    /// The error of a feed that was signed with a clock that is ahead; nil if it was not.
    package let ahead: PatchError?

    /// Reads everything that a device may read.
    ///
    /// - Parameters:
    ///   - client: A client that was not updated yet.
    ///   - now: The time at which keys must be valid. Nothing should have been signed later.
    ///   - scriptKeys: The keys that open the envelopes, to compare each with its entry in the list; nil compares none.
    ///   - place: The feed, for messages.
    /// - Throws: The error with which a device refuses the feed; `feed-mismatch` if the list has a patch that the
    ///   release keys have not signed, or describes another one than it names.
    package init(
        _ client: inout FeedClient, at now: Timestamp, scriptKeys: (any ScriptKeyProvider)? = nil, in place: Path
    ) async throws(PatchError) {
        try await client.update()
        let read = try await client.list(in: place)
        list = read.list
        bytes = read.size
        faults = list.errors.map(\.message)
        hasCompared = scriptKeys != nil
        let ends = [(FeedRole.snapshot, client.ends.snapshot), (.timestamp, client.ends.timestamp)]
        ahead = PatchError.signedAhead(list.published, ends, of: now)
        let refused = try await RefusedKeys(&client, of: list.app, at: now)
        bytes += refused.size
        for entry in list.entries where entry.state != .withdrawn {
            guard let target = try await client.target(entry.path) else {
                throw PatchError(
                    .feedMismatch, "\(entry.path): listed, but the release keys have not signed it",
                    hint: Self.theft)
            }
            guard target.sha256 != nil else {
                throw PatchError(
                    .feedMismatch, "\(entry.path): signed without a SHA-256, so devices do not take it",
                    hint: "publish a higher version")
            }
            let envelope = try await client.contents(of: target, limit: FeedFolder.fileLimit)
            bytes += envelope.count
            if refused.areAll(of: envelope) {
                faults.append(
                    "\(entry.id) \(entry.version) is \(RefusedKeys.fault), so devices drop it: publish a higher version that a key which stays has signed"
                )
            }
            if let scriptKeys { try compare(entry, with: envelope, scriptKeys) }
        }
    }

    private static let theft = "the online key has listed it: is that key stolen?"

    /// Compares an entry with its envelope, as a device does once it has verified it. Whom a device trusts is not known
    /// here. An envelope that cannot be opened is a fault.
    ///
    /// - Throws: `feed-mismatch` if the envelope is not the one that the entry describes, or is of another app.
    private mutating func compare(
        _ entry: PatchList.Entry, with envelope: [UInt8], _ scriptKeys: any ScriptKeyProvider
    ) throws(PatchError) {
        let manifest: Manifest
        do throws(PatchError) {
            manifest = try UnverifiedEnvelope(envelope).contents(scriptKeys: scriptKeys).manifest
        } catch {
            faults.append("\(entry.id) \(entry.version) is not compared with the list: \(error.message)")
            hasCompared = false
            return
        }
        guard manifest.app.isByteEqual(to: list.app) else {
            throw PatchError(
                .feedMismatch, "\(entry.path): for the app \(manifest.app), but the list is for \(list.app)",
                hint: "publish a higher version")
        }
        do throws(PatchError) {
            try entry.check(manifest)
        } catch {
            throw PatchError(error.code, "\(entry.path): \(error.message)", hint: Self.theft)
        }
    }
}

extension FeedClient {
    /// Reads the list of a feed whose app is not known, after an update.
    ///
    /// - Parameter place: The feed, for messages.
    /// - Returns: The list, and its size in bytes.
    /// - Throws: `feed-malformed` if there is no list, `feed-mismatch` if devices of its app would not find it, and the
    ///   errors of `target(_:)` and `contents(of:limit:)`.
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
