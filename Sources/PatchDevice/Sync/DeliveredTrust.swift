internal import PatchCrypto
internal import PatchFeed
internal import PatchRunner

/// The trust store that came through the feed, signed by the release key, beside the keys that are pinned in the app.
///
/// It can revoke keys or set their ends, including pinned keys. It can add keys only if enough pinned keys have signed
/// it, so the feed's own keys cannot make a device accept an envelope.
struct DeliveredTrust {
    let pinned: PatchTrust
    let store: PatchStore
    let storage: MetadataFolder
    /// The root file that came with the app.
    let root: [UInt8]
    /// The app's environment. A store for another one adds no keys.
    let environment: String
    private var app: String { store.host.app }
    private static let name = "trust.store"

    /// Takes the feed's current trust store, and returns the keys that count.
    ///
    /// - Throws: `io` if it cannot be kept, because keys that it revokes must stay revoked; `feed-malformed` if it is
    ///   none; what the client throws if it cannot be fetched.
    func update(from client: inout FeedClient) async throws(PatchError) -> PatchTrust {
        guard let target = try await client.target(PatchList.trustPath(for: app)) else {
            try store.update { $0.deliveredTrust = nil }
            try storage.remove(Self.name)
            return try merged(with: nil, adding: false)
        }
        var bytes = storage.read(Self.name, limit: PatchList.trustLimit) ?? []
        let isKept = (try? target.check(bytes)) != nil
        if !isKept { bytes = try await client.contents(of: target, limit: PatchList.trustLimit) }
        let delivered: TrustStore
        do throws(PatchError) {
            delivered = try TrustStore(decoding: bytes, rsaDefault: .rsaSHA1)
        } catch {
            throw PatchError(.feedMalformed, "\(target.path): \(error.message)")
        }
        let number = try numberSignedByPinnedKeys(bytes, delivered)
        if !store.isReadOnly {
            try note(bytes, delivered, number)
            if !isKept { try storage.keep(Self.name, bytes) }
        }
        return try merged(with: delivered, adding: isNewest(number))
    }

    /// Notes what a trust store revokes, and its digest. The state keeps that even if the file is lost.
    private func note(_ bytes: [UInt8], _ delivered: TrustStore, _ number: Int?) throws(PatchError) {
        let digest = try MessageDigest.sha256.text(of: bytes)
        let revoked = Set(delivered.keys.filter(\.isRevoked).map(\.key.id))
        try store.update { state in
            state.revoke(revoked)
            state.deliveredTrust = digest
            if let number { state.raiseTrust(to: number) }
        }
    }

    /// Whether a trust store with this number adds keys. An older store does not bring back keys that a newer one has
    /// removed.
    private func isNewest(_ number: Int?) -> Bool { number.map { $0 >= store.state.trustNumber } ?? false }

    /// The keys that count at a launch. The kept trust store is verified again, starting from the app's own root.
    func kept() -> PatchTrust {
        // If the kept store cannot be used, the pinned keys count that are not revoked.
        (try? keptTrust()) ?? (try? merged(with: nil, adding: false)) ?? pinned
    }

    private func keptTrust() throws(PatchError) -> PatchTrust {
        let digest = store.state.deliveredTrust
        let bytes = storage.read(Self.name, limit: PatchList.trustLimit)
        let delivered = bytes.flatMap { try? TrustStore(decoding: $0, rsaDefault: .rsaSHA1) }
        let found = bytes.flatMap { try? MessageDigest.sha256.text(of: $0) }
        guard let bytes, let delivered, digest == nil || digest == found else {
            if digest != nil {
                // Whatever verifies a patch asks for the keys again, so this is told once a day, and not each time.
                store.emit(
                    PatchError(
                        .malformed, "feed/\(Self.name): missing or damaged; keys that it has revoked stay revoked",
                        hint: "the next sync fetches it again"))
            }
            return try merged(with: delivered, adding: false)
        }
        // An interrupted sync may leave newer metadata beside the store. The store then adds no keys, but keys that it
        // revokes are revoked.
        let number = try numberSignedByPinnedKeys(bytes, delivered)
        return try merged(with: delivered, adding: isNewest(number) && isListed(bytes))
    }

    /// Whether the release key has signed these bytes, according to the kept metadata. No source is asked, and expiry
    /// is ignored.
    private func isListed(_ bytes: [UInt8]) -> Bool {
        guard let start = Timestamp(secondsSince1970: 0),
            var client = try? FeedClient(root: root, source: NoSource(), storage: storage, at: start),
            let target = client.keptTarget(PatchList.trustPath(for: app))
        else { return false }
        return (try? target.check(bytes)) != nil
    }

    /// The number of a trust store that enough pinned keys have signed for this app and environment; nil if they have
    /// not. A key that this store or an earlier one has revoked does not count.
    private func numberSignedByPinnedKeys(_ bytes: [UInt8], _ delivered: TrustStore) throws(PatchError) -> Int? {
        guard pinned.takesDeliveredKeys, let signed = try? SignedTrustStore(bytes), let label = signed.label,
            label.app.utf8.elementsEqual(app.utf8), label.environment.utf8.elementsEqual(environment.utf8)
        else { return nil }
        let trust = try merged(with: delivered, adding: false).store
        let time = [store.clock(), store.state.floor].compactMap(\.self).max()
        return signed.signers(among: trust, at: time).count >= max(1, pinned.threshold) ? label.number : nil
    }

    /// The pinned keys, then the added ones. A key in both stores gets the stricter limits of the two.
    private func merged(with delivered: TrustStore?, adding: Bool) throws(PatchError) -> PatchTrust {
        var keys = pinned.store.keys
        for key in delivered?.keys ?? [] {
            guard let index = keys.firstIndex(where: { $0.key.id == key.key.id }) else {
                if adding { keys.append(key) }
                continue
            }
            let pinned = keys[index]
            if pinned.name == nil {
                // A key that the app has as a plain public key gets its name from the delivered store.
                keys[index] = try TrustedKey(
                    pinned.key, name: key.name, isRevoked: pinned.isRevoked, expires: pinned.expires)
            }
            if key.isRevoked { keys[index].isRevoked = true }
            if let end = key.expires { keys[index].expires = min(end, keys[index].expires ?? end) }
        }
        let revoked = store.state.revoked
        for index in keys.indices where revoked.contains(keys[index].key.id) { keys[index].isRevoked = true }
        var trust = pinned
        trust.store = try TrustStore(keys: keys)
        return trust
    }
}

private struct NoSource: FeedSource {
    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply { FeedReply(.missing) }
}
