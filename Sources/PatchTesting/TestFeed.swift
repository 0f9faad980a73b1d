public import PatchCrypto
public import PatchFeed
package import PatchPublishing
internal import PatchRunner
internal import Synchronization

/// A feed in memory, with keys of its own, for tests of devices.
public final class TestFeed: Sendable {
    private let app: String
    private let environment: String
    /// The feed's `1.root.json`, as the app has it.
    package let root: [UInt8]
    /// The trust store that verifies its envelopes.
    package let trust: TrustStore
    package let scriptKey: ScriptKey
    private let signers: [FeedSigner]
    /// A second pinned key, which signs trust stores.
    private let offlineKey: SigningKey
    private let clock: @Sendable () -> Timestamp?
    private let state: Mutex<State>

    private struct State {
        var files: [String: [UInt8]] = [:]
        var isOffline = false
        var signingKey: SigningKey
        var revokedKeys: [VerifyingKey] = []
    }

    /// One change at a time, because each is made of the files of the one before.
    private let changes = Mutex<Void>(())

    /// Makes an empty feed.
    package init(
        app: String, environment: String = "release", clock: @escaping @Sendable () -> Timestamp?
    ) throws(PatchError) {
        self.app = app
        self.environment = environment
        self.clock = clock
        let now = try Self.time(of: clock)
        let root = try SigningKey.generate(.ed25519)
        let release = try SigningKey.generate(.ed25519)
        let online = try SigningKey.generate(.ed25519)
        let signingKey = try SigningKey.generate(.ed25519)
        scriptKey = try ScriptKey.generate(.aes256GCMSHA256)
        offlineKey = try SigningKey.generate(.ed25519)
        trust = try TrustStore(trusting: [signingKey.verifyingKey, offlineKey.verifyingKey])
        signers = [try FeedSigner(release), try FeedSigner(online)]
        var feed = try FeedRepository(
            app: app, environment: environment, root: [FeedKey(root.verifyingKey)], rootThreshold: 1,
            release: [FeedKey(release.verifyingKey)], releaseThreshold: 1, online: [FeedKey(online.verifyingKey)],
            at: now)
        var files: [String: [UInt8]] = [:]
        for file in try feed.files(signedBy: [FeedSigner(root)] + signers, in: ChangeDetails(at: now)) {
            files[file.path] = try file.bytes
        }
        self.root = files[FeedLayout.firstRoot] ?? []
        state = Mutex(State(files: files, signingKey: signingKey))
    }

    /// Whether the feed cannot be reached.
    public var isOffline: Bool {
        get { state.locked { $0.isOffline } }
        set { state.locked { $0.isOffline = newValue } }
    }

    /// The feed's files by path, for tests of devices with wrong files.
    package var files: [String: [UInt8]] {
        get { state.locked { $0.files } }
        set { state.locked { $0.files = newValue } }
    }

    /// Packs a script, and publishes it.
    ///
    /// - Parameters:
    ///   - source: The Lua source, which begins with the tags.
    ///   - percent: The part of all installations that it is offered to, to a hundredth of a percent; nil for all.
    ///   - groups: Groups that it is offered to, regardless of the percentage.
    ///   - nextLaunch: Whether devices activate it only at the next launch.
    /// - Returns: The patch.
    /// - Throws: `malformed` if a tag is missing or wrong, `config` if the version was published with other bytes,
    ///   `feed-listed` if a higher version is listed.
    @discardableResult
    public func publish(
        source: String, percent: Double? = nil, groups: Set<String> = [], nextLaunch: Bool = false
    ) throws(PatchError) -> PatchID {
        let new = try publication(of: source) { (entry) throws(PatchError) in
            entry.rollout = percent.map { Rollout($0) }
            entry.groups = groups.sorted()
            entry.when = nextLaunch ? .nextLaunch : nil
        }
        try change { (feed, details) throws(PatchError) in _ = try feed.publish([new], in: details) }
        return new.entry.patch
    }

    /// Packs a script, to publish it in this feed or in another one.
    package func publication(
        of source: String, _ body: (inout PatchEntryDraft) throws(PatchError) -> Void
    ) throws(PatchError) -> Publication {
        let scripts = [PatchScript(name: "main.lua", bytes: Array(source.utf8))]
        let manifest = try ManifestFields(try ScriptHead(of: scripts[0].bytes)).manifest(of: scripts)
        let packer = try EnvelopePacker(scriptKey: scriptKey, signingKeys: [state.locked { $0.signingKey }])
        return try Publication(FeedFile.Contents(packer.pack(manifest, scripts)), manifest, body)
    }

    /// Offers a patch to another part of all installations. If it is in shadow, it goes live.
    ///
    /// This and the functions that follow do what `patchpack feed` does with the verbs of the same names. They throw
    /// `config` if the feed does not list the patch, or if it is withdrawn and is to be paused or put into shadow:
    /// that would give it back to devices that still have it.
    ///
    /// - Parameters:
    ///   - patch: The patch.
    ///   - percent: The part of all installations, to a hundredth of a percent.
    public func rollout(_ patch: PatchID, percent: Double) throws(PatchError) {
        try edit(patch) { entry in
            entry.rollout = Rollout(percent)
            entry.leaveShadow()
        }
    }

    /// Offers a patch in shadow.
    ///
    /// - Parameters:
    ///   - patch: The patch.
    ///   - percent: The part of all installations that it is offered to from now on; nil for the same as before.
    public func shadow(_ patch: PatchID, percent: Double? = nil) throws(PatchError) {
        try edit(patch) { (entry) throws(PatchError) in
            if let percent { entry.rollout = Rollout(percent) }
            try entry.setState(.shadow)
        }
    }

    /// Stops offering a patch to more devices.
    public func pause(_ patch: PatchID) throws(PatchError) {
        try edit(patch) { (entry) throws(PatchError) in try entry.setState(.paused) }
    }

    /// Offers a patch again that is paused or withdrawn, in shadow if it was in shadow.
    public func resume(_ patch: PatchID) throws(PatchError) {
        try edit(patch) { (entry) throws(PatchError) in try entry.setState(entry.resumedState) }
    }

    /// Removes a patch from every device.
    public func withdraw(_ patch: PatchID, reason: String? = nil) throws(PatchError) {
        try edit(patch, reason: reason) { (entry) throws(PatchError) in try entry.setState(.withdrawn) }
    }

    /// Switches all patches off.
    public func disable() throws(PatchError) { try changeList { $0.isEnabled = false } }

    /// Switches patches on again.
    public func enable() throws(PatchError) { try changeList { $0.isEnabled = true } }

    /// Sets a value that the app reads.
    ///
    /// - Throws: `config` if `patchpack feed switch` would refuse the name.
    public func setSwitch(_ name: String, to value: String) throws(PatchError) {
        try change { (feed, details) throws(PatchError) in
            _ = try feed.edit(in: details) { (list) throws(PatchError) in try list.nameSwitch(name, value: value) }
        }
    }

    /// Signs patches with a new key from now on. The feed delivers it, and revokes the ones before. The app trusts a
    /// second key, which signs the change.
    public func rotateSigningKey() throws(PatchError) {
        let key = try SigningKey.generate(.ed25519)
        let revoked = state.locked { state in
            state.revokedKeys.append(state.signingKey.verifyingKey)
            state.signingKey = key
            return state.revokedKeys
        }
        var store = TrustStoreFile()
        try store.add(TrustedKey(key.verifyingKey, name: "new"))
        for (number, old) in revoked.enumerated() {
            try store.add(TrustedKey(old, name: "old-\(number + 1)", isRevoked: true))
        }
        var signed = try SignedTrustStore(store.encoded())
        try signed.sign(with: offlineKey, as: .init(app: app, environment: environment, number: revoked.count))
        try deliver(signed.encoded)
    }

    /// Delivers a trust store; nil delivers none.
    package func deliver(_ store: [UInt8]?) throws(PatchError) {
        try change { (feed, details) throws(PatchError) in
            _ = try feed.setTarget(PatchList.trustPath(for: app), to: store, in: details)
        }
    }

    /// Signs the timestamp again, and the metadata that expire soon, as a daily job does.
    public func refresh() throws(PatchError) {
        try change { (feed, details) throws(PatchError) in
            feed.refresh([.targets, .rollout, .snapshot, .timestamp], in: details)
        }
    }

    /// Removes a patch from the feed, as `feed prune` does with old versions.
    package func prune(_ patch: PatchID) throws(PatchError) {
        try change { (feed, details) throws(PatchError) in
            feed.prune(in: details) { $0.patch == patch }
        }
    }

    private static func time(of clock: () -> Timestamp?) throws(PatchError) -> Timestamp {
        guard let now = clock() else { throw PatchError(.config, "the clock is past the year 9999") }
        return now
    }

    private func edit(
        _ patch: PatchID, reason: String? = nil, _ body: (inout PatchEntryDraft) throws(PatchError) -> Void
    ) throws(PatchError) {
        try change { (feed, details) throws(PatchError) in
            var details = details
            details.reason = reason
            let old = feed.list.entries.first { $0.patch == patch }
            guard let old else { throw PatchError(.config, "\(patch.id) \(patch.version): not in this feed") }
            var entry = old
            try body(&entry)
            guard let new = old.changed(to: entry, reason: reason) else { return }
            feed.replace(old, with: new, in: details)
        }
    }

    package func changeList(_ body: (inout PatchListDraft) -> Void) throws(PatchError) {
        try change { (feed, details) throws(PatchError) in feed.edit(in: details, body) }
    }

    private func change(_ body: (inout FeedRepository, ChangeDetails) throws(PatchError) -> Void) throws(PatchError) {
        let details = ChangeDetails(at: try Self.time(of: clock))
        try changes.locked { (_) throws(PatchError) in
            let files = files
            var feed = try FeedRepository(trustingItself: { (path) throws(PatchError) in files[path] })
            // The tool words these as faults of its arguments.
            do throws(PatchError) { try body(&feed, details) } catch {
                throw [PatchError.Code("usage"), .feedPublished].contains(error.code) ? error.coded(.config) : error
            }
            for file in try feed.files(signedBy: signers, in: details) {
                let bytes = try file.bytes
                state.locked { $0.files[file.path] = bytes }
            }
        }
    }
}

extension Rollout {
    /// A percentage to a hundredth. What is not between 0 and 100 counts as the nearer of the two.
    fileprivate init(_ percent: Double) {
        self.init(basisPoints: percent > 0 ? Int((min(percent, 100) * 100).rounded()) : 0)
    }
}

extension TestFeed: FeedSource {
    public func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        let (bytes, isOffline) = state.locked { ($0.files[request.path], $0.isOffline) }
        guard !isOffline else { throw PatchError(.feedUnavailable, "\(request.path): the device is offline") }
        guard let bytes else { return FeedReply(.missing, date: clock()) }
        let tag = try MessageDigest.sha256.text(of: bytes)
        guard tag != request.etag else { return FeedReply(.unchanged, date: clock()) }
        guard bytes.count <= request.byteLimit else {
            throw PatchError(.feedLimit, "\(request.path): more than \(request.byteLimit) bytes")
        }
        return FeedReply(.bytes(bytes), etag: tag, date: clock())
    }
}
