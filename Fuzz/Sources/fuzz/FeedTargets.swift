@testable internal import PatchCrypto
@testable internal import PatchDevice
@testable internal import PatchFeed
@testable internal import PatchPublishing
@testable internal import PatchReport
@testable internal import PatchRunner

/// The signed part of a role's metadata: as received, and signed here, so that it passes the signature check.
func fuzzMetadata(_ bytes: [UInt8]) throws {
    for type in ["root", "timestamp", "snapshot", "targets"] {
        _ = try? SignedMetadata(bytes, name: "file", type: type)
        guard let signed = try? JSONValue(parsing: bytes) else { continue }
        let key = FuzzKeys.must { try FeedKey(FuzzKeys.signing.verifyingKey) }
        let made = MetadataSignature.file(
            signed, [.init(keyID: key.id, bytes: try FuzzKeys.signing.sign(signed.canonical[...]))])
        guard let file = try? SignedMetadata(made, name: "file", type: type) else { continue }
        let role = FuzzKeys.must {
            try RoleKeys(
                JSONObject(.object([("keyids", .array([.string(key.id)])), ("threshold", .integer(1))]), "role"),
                known: FeedKeys(JSONObject(.object([(key.id, key.json)]), "keys")))
        }
        require((try? file.verify(by: role)) != nil, "signed, and not valid")
        require(role.hasSameIDs(as: role), "not its own ids")
        let signature = try FuzzKeys.signing.sign(bytes[...])
        require(try role.signer(of: signature, over: bytes) == key.id, "signed by another key")
        let now = FuzzKeys.must { () throws -> Timestamp in
            guard let now = Timestamp(secondsSince1970: 0) else { throw PatchError(.internal, "") }
            return now
        }
        _ = try? TrustedMetadata(root: made, start: now)
        func isKept(_ body: (any MetadataBody)?) {
            guard let body else { return }
            require(body.json.encoded() == signed.encoded(), "other metadata once they are written")
        }
        switch type {
        case "root": isKept(try? RootMetadata(file))
        case "timestamp":
            guard let timestamp = try? TimestampMetadata(file) else { continue }
            isKept(timestamp)
            let described = timestamp.snapshot.file
            try? described.check(bytes, of: "file")
            // The right length, so that the hashes are checked.
            try? described.check([UInt8](repeating: 0, count: min(described.length ?? 0, 1000)), of: "file")
        case "snapshot":
            guard let snapshot = try? SnapshotMetadata(file) else { continue }
            isKept(snapshot)
            require((try? snapshot.checkSuccessor(snapshot)) != nil, "not its own successor")
            for role in ["targets", "rollout", "missing"] { _ = try? snapshot.entry(of: role) }
            if let last = unsafe lastSnapshot { try? last.checkSuccessor(snapshot) }
            unsafe lastSnapshot = snapshot
        default:
            guard let targets = try? TargetsMetadata(file) else { continue }
            isKept(targets)
            for target in targets.targets.values {
                if let path = try? URLPath.target(target, isConsistent: true) {
                    require(!path.contains("/../") && !path.hasSuffix("/.."), "a path that leads out: \(path)")
                }
                _ = try? target.check(bytes)
                for delegation in targets.delegations { _ = try? delegation.covers(target.path) }
            }
            for delegation in targets.delegations {
                require(!URLPath.storageName(of: delegation.role).contains("/"), "a role that leads out")
                require(!URLPath.encoded(delegation.role).contains("/"), "a role that leads out")
                _ = try? file.verify(by: delegation.keys)
            }
        }
    }
}

/// The snapshot of the previous input, so that one can be older than the other.
private nonisolated(unsafe) var lastSnapshot: SnapshotMetadata?

/// The list of patches, and the patches that a few devices get.
func fuzzList(_ bytes: [UInt8]) throws {
    let list = try PatchList(decoding: bytes)
    for version in ["2.3.1", "10"] {
        guard let version = AppVersion(version) else { continue }
        let device = FeedDevice(
            app: list.app, environment: list.environment, appVersion: version, installation: "i", user: "ada",
            groups: ["qa"])
        let held = list.entries.prefix(3).reduce(into: [String: Set<Int>]()) {
            $0[$1.id, default: []].insert($1.version)
        }
        for held in [[:], held] {
            let choices = try list.choices(for: device, held: held)
            for id in Set(choices.map(\.id)) {
                require(choices.count { $0.id == id && $0.isChosen } <= 1, "two versions of \(id) are chosen")
            }
            require(choices.allSatisfy { !SyncReport.Outcome($0.code).sentence.isEmpty }, "a code without words")
            require(list.isEnabled || !choices.contains(where: \.isChosen), "chosen, although all is switched off")
            require(!choices.contains { $0.isChosen && $0.entry?.state == .withdrawn }, "chosen, and withdrawn")
        }
    }
}

/// The state of a store: writing it again must not change it.
func fuzzState(_ bytes: [UInt8]) throws {
    guard let state = StoreState(try JSONValue(parsing: bytes)) else { return }
    require(StoreState(state.json) == state, "another state once it is written again")
    var next = state
    _ = next.begin(limits: CrashLimits(), at: nil)
    require(next.launch != nil, "no launch")
    require(Set(next.runnable.map(\.patch.id)).count == next.runnable.count, "two versions of a patch run")
}

/// Lines of event logs: a report must not depend on their order, nor on the number of parallel parsers.
func fuzzEvents(_ bytes: [UInt8]) throws {
    func report(_ lines: [ArraySlice<UInt8>]) throws -> FleetReport {
        var limits = ReportBuilder.Limits()
        limits.devices = 64
        var builder = ReportBuilder(now: 1_800_000_000_000, limits: limits)
        _ = try FuzzEvents.read(Array(lines.joined(separator: [UInt8(ascii: "\n")])), into: &builder)
        return builder.report()
    }
    // The first bytes of a compressed file are another target's.
    if bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let (one, other) = (try report(lines), try report(lines.reversed()))
    require(one.input == other.input, "another input in another order")
    for patch in one.patches {
        require(patch.counts.failures <= patch.counts.calls, "more failures than calls")
        for share in [
            patch.counts.failureRate, patch.failureShare, Share(patch.running, of: patch.devices),
            Share(patch.affected, of: patch.devices),
        ] {
            guard let value = share.value else { continue }
            require(share.interval.contains(value) && value <= 1, "a part outside of its interval")
        }
    }
    guard one.scale == 1, other.scale == 1 else { return }
    require(one.devices == other.devices, "other devices in another order")
    for (one, other) in zip(one.patches, other.patches) {
        let same = one.id == other.id && one.version == other.version && one.devices == other.devices
        require(
            same && one.running == other.running && one.affected == other.affected, "another report in another order")
        require(
            one.comparison == other.comparison && one.shadowed == other.shadowed, "other comparisons in another order")
        require(one.stages == other.stages, "other stages")
        require(one.counts == other.counts, "other calls")
    }
}

/// Canonical JSON: the same for every way of writing a value.
func fuzzCanonical(_ bytes: [UInt8]) throws {
    let value = try JSONValue(parsing: bytes)
    let again = try JSONValue(parsing: value.encoded())
    require(value.canonical == again.canonical, "another canonical form once it is written again")
}
