internal import PatchCrypto
internal import PatchFeed
internal import PatchStore

/// The trust store that came through the feed, signed by the release key, beside the keys that are pinned in the app.
///
/// It can add keys, so that keys rotate without a new app, and it can revoke keys or end them, the pinned ones too.
struct DeliveredTrust {
    let pinned: PatchTrust
    let app: String
    let storage: MetadataFolder
    private static let name = "trust.store"

    /// Keeps what the feed has now.
    func update(from client: inout FeedClient) async throws(PatchError) {
        guard let target = try await client.target(PatchList.trustPath(for: app)) else {
            return try storage.remove(Self.name)
        }
        if let kept = storage.read(Self.name, limit: PatchList.trustLimit), (try? target.check(kept)) != nil { return }
        let bytes = try await client.contents(of: target, limit: PatchList.trustLimit)
        storage.write(Self.name, bytes)
    }

    /// The keys that count now. What is kept is verified again, from the app's own root on.
    ///
    /// - Parameter root: The root file that came with the app.
    func current(root: [UInt8]) -> PatchTrust {
        guard let bytes = storage.read(Self.name, limit: PatchList.trustLimit) else { return pinned }
        // A sync that was interrupted may leave newer metadata beside it. Then it adds nothing, but what it revokes stays revoked.
        guard let store = try? TrustStore(contentsOf: bytes) else { return pinned }
        return (try? merged(with: store, adding: isSigned(bytes, root: root))) ?? pinned
    }

    /// Whether the release key has signed these bytes, by the kept metadata. Nothing is asked for, and nothing that expires is
    /// looked at.
    private func isSigned(_ bytes: [UInt8], root: [UInt8]) -> Bool {
        guard let start = Timestamp(secondsSince1970: 0),
            var client = try? FeedClient(root: root, from: NoSource(), keptIn: storage, at: start),
            let target = client.keptTarget(PatchList.trustPath(for: app))
        else { return false }
        return (try? target.check(bytes)) != nil
    }

    /// The pinned keys first, each as strictly as either says.
    private func merged(with delivered: TrustStore, adding: Bool) throws(PatchError) -> PatchTrust {
        var keys = pinned.store.keys
        for key in delivered.keys {
            guard let index = keys.firstIndex(where: { $0.key.id == key.key.id }) else {
                if adding { keys.append(key) }
                continue
            }
            if key.isRevoked { keys[index].isRevoked = true }
            if let end = key.notAfter { keys[index].notAfter = min(end, keys[index].notAfter ?? end) }
        }
        return PatchTrust(try TrustStore(keys: keys), scriptKeys: pinned.scriptKeys, threshold: pinned.threshold)
    }
}

/// A source without files.
private struct NoSource: FeedSource {
    func fetch(_ path: String, limit: Int, etag: String?) async throws(PatchError) -> FeedReply { FeedReply(.missing) }
}
