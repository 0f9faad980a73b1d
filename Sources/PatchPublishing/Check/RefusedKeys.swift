package import PatchCrypto
package import PatchFeed
internal import PatchFiles

/// The keys that the trust store of a feed has revoked, or whose time it has ended.
package struct RefusedKeys: Sendable {
    private let ids: Set<KeyID>
    /// The size of the trust store in bytes; 0 if the feed has none.
    let size: Int

    /// Reads the trust store of a feed.
    ///
    /// - Parameter now: The time at which keys must be valid.
    /// - Throws: The error of a trust store that cannot be fetched or read.
    package init(_ client: inout FeedClient, of app: String, at now: Timestamp) async throws(PatchError) {
        guard let target = try await client.target(PatchList.trustPath(for: app)) else {
            ids = []
            size = 0
            return
        }
        let store = try await client.contents(of: target, limit: PatchList.trustLimit)
        let keys = try Path(target.path).naming { () throws(PatchError) in
            try TrustStore(decoding: store, rsaDefault: .rsaSHA1).keys
        }
        ids = Set(keys.filter { $0.refusal(at: now) != nil }.map(\.key.id))
        size = store.count
    }

    /// Whether no other key has signed an envelope, so that devices refuse it; false for what is no envelope.
    func areAll(of envelope: [UInt8]) -> Bool {
        guard let signatures = try? UnverifiedEnvelope(envelope).signatures else { return false }
        return ids.isSuperset(of: signatures.map(\.keyID))
    }

    static let fault = "signed only by keys that the delivered trust store refuses"

    /// Why a device does not take a patch that the list offers to it.
    package enum Refusal: Sendable {
        /// The release keys have not signed what the list has.
        case unsigned
        /// Only keys that the delivered trust store refuses have signed the envelope.
        case refused

        /// The reason, in a sentence.
        package var sentence: String {
            switch self {
            case .unsigned: "it is listed, but the release keys have not signed it with a SHA-256"
            case .refused: "it is \(RefusedKeys.fault)"
            }
        }
    }

    /// Why a device does not take a patch that the list offers to it; nil if it takes it.
    ///
    /// - Throws: The error of metadata or of an envelope that cannot be fetched.
    package func refusal(
        of choice: DeviceChoice, from client: inout FeedClient
    ) async throws(PatchError) -> Refusal? {
        guard [.offered, .shadow].contains(choice.code), let entry = choice.entry else { return nil }
        guard let target = try await client.target(entry.path), target.sha256 != nil else { return .unsigned }
        // Without such keys, nothing is downloaded.
        guard !ids.isEmpty else { return nil }
        let envelope = try await client.contents(of: target, limit: FeedFolder.fileLimit)
        return areAll(of: envelope) ? .refused : nil
    }
}
