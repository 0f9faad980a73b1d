package import PatchCrypto
internal import PatchFeed

extension FeedRepository {
    /// The signatures that a role still needs.
    package struct Missing: Sendable {
        package let role: FeedRole
        /// The number of signatures that are still needed, at least.
        package let count: Int
        /// The ids of the keys that have not signed yet.
        package let keyIDs: [String]
    }

    /// Signs each changed role with the keys that may sign it. The snapshot and the timestamp are left out, because
    /// they are made last.
    package mutating func sign(with signers: [FeedSigner]) throws(PatchError) {
        if changed.contains(.rollout), signatures[.rollout, default: []].isEmpty { try describeList() }
        for role in FeedRole.drafted where changed.contains(role) { try sign(role, with: signers) }
    }

    /// Signs a role with the keys that may sign it, and asks the signers whose keys are not known until it needs no
    /// more signatures.
    ///
    /// - Throws: `feed-signature` if an answer is no signature by a key of this feed.
    mutating func sign(_ role: FeedRole, with signers: [FeedSigner]) throws(PatchError) {
        let payload = bodies[role].json.canonical
        let ids = signingIDs(of: role)
        for signer in signers {
            guard let id = signer.keyID, ids.contains(id), !hasSigned(id, role) else { continue }
            add(try signer.sign(payload), by: id, to: role)
        }
        for signer in signers where signer.keyID == nil {
            guard try missing(of: role) != nil else { return }
            let signature = try signer.sign(payload)
            for holder in try holders(of: role) {
                if let id = try holder.signer(of: signature, over: payload) { add(signature, by: id, to: role) }
            }
            // A signer with the key of another role is not at fault.
            guard try isByKeyOfFeed(signature, over: payload) else {
                throw PatchError(
                    .feedSignature,
                    "a signature of \(signature.count) bytes is not by a key of this feed over the role \(role)",
                    hint: "sign the bytes as they are, with Ed25519 and a key of the role")
            }
        }
    }

    /// Whether a key of any role has signed, also one that the change removes.
    private func isByKeyOfFeed(_ signature: [UInt8], over payload: [UInt8]) throws(PatchError) -> Bool {
        var holders = [oldRoot, bodies.root].flatMap { root in
            FeedRole.allCases.compactMap(\.rootKeys).map { root[keyPath: $0] }
        }
        if let delegatedKeys { holders.append(delegatedKeys) }
        for holder in holders where try holder.signer(of: signature, over: payload) != nil { return true }
        return false
    }

    /// Adds a signature, replacing an older one of the same key.
    private mutating func add(_ signature: [UInt8], by keyID: String, to role: FeedRole) {
        var all = signatures[role, default: []].filter { !$0.keyID.isByteEqual(to: keyID) }
        all.append(MetadataSignature(keyID: keyID, bytes: signature))
        signatures[role] = all
    }

    private func hasSigned(_ id: String, _ role: FeedRole) -> Bool {
        signatures[role, default: []].contains { $0.keyID.isByteEqual(to: id) }
    }

    /// The metadata file of a role, with the signatures so far.
    func file(of role: FeedRole) -> [UInt8] {
        MetadataSignature.file(bodies[role].json, signatures[role, default: []])
    }

    /// The bytes that are signed elsewhere for a role.
    ///
    /// - Throws: `config` if the role has not changed.
    package func payload(of role: FeedRole) throws(PatchError) -> [UInt8] {
        guard changed.contains(role) else { throw PatchError(.config, "the role \(role) has nothing to sign") }
        return bodies[role].json.canonical
    }

    /// Adds a signature that was made elsewhere, with any key that may sign the role.
    ///
    /// - Parameter role: The role; nil for the one whose payload was signed.
    /// - Returns: The id of the key.
    /// - Throws: `feed-signature` if none of these keys has made it, `config` if the role has not changed.
    package mutating func attach(_ signature: [UInt8], to role: FeedRole?) throws(PatchError) -> String {
        let roles: [FeedRole] = if let role { [role] } else { FeedRole.drafted.filter(changed.contains) }
        for role in roles {
            let payload = try payload(of: role)
            for holder in try holders(of: role) {
                if let id = try holder.signer(of: signature, over: payload) {
                    add(signature, by: id, to: role)
                    return id
                }
            }
        }
        let place = role.map { "the role \($0)" } ?? "a role that has changed"
        throw PatchError(
            .feedSignature, "not a signature over the payload of \(place), by one of its keys", remedy: .signPayload)
    }

    /// The roles whose changes need more signatures, without the snapshot and the timestamp, which are made last.
    package func missing() throws(PatchError) -> [Missing] {
        var all: [Missing] = []
        for role in FeedRole.drafted where changed.contains(role) {
            if let missing = try missing(of: role) { all.append(missing) }
        }
        return all
    }

    /// The only role that waits for signatures.
    ///
    /// - Throws: `usage` if none or several do.
    package func waitingRole() throws(PatchError) -> FeedRole {
        let waiting = Set(try missing().map(\.role))
        guard waiting.count == 1, let role = waiting.first else {
            throw PatchError(
                .usage, "\(waiting.count) roles wait for signatures",
                remedy: .giveRole(waiting.map(\.rawValue).sorted()))
        }
        return role
    }

    /// What a role still needs; nil if enough of its keys have signed it.
    func missing(of role: FeedRole) throws(PatchError) -> Missing? {
        let payload = bodies[role].json.canonical
        var most = 0
        var ids: [String] = []
        // A new root needs the old keys and the new ones. A key that is in both counts for both.
        for holder in try holders(of: role) {
            let count = try holder.count(signatures[role, default: []], over: payload)
            guard count < holder.threshold else { continue }
            most = max(most, holder.threshold - count)
            ids += holder.ids.filter { id in !hasSigned(id, role) && !ids.contains(id) }
        }
        return most == 0 ? nil : Missing(role: role, count: most, keyIDs: ids)
    }

    /// The keys that must sign a change of a role. A new root must be signed with the keys of the old root too.
    ///
    /// - Throws: `feed-malformed` if the targets metadata do not delegate to the role.
    func holders(of role: FeedRole) throws(PatchError) -> [RoleKeys] {
        guard let keys = role.rootKeys else {
            guard let delegatedKeys else {
                throw PatchError(.feedMalformed, "the targets metadata delegate nothing to the role \(role)")
            }
            return [delegatedKeys]
        }
        return (role == .root ? [oldRoot.root] : []) + [bodies.root[keyPath: keys]]
    }

    /// The ids of the keys that sign a role, including its keys from before the change.
    ///
    /// A client that reads while the root changes then finds files that both roots allow.
    private func signingIDs(of role: FeedRole) -> Set<String> {
        Set(keys(of: role).ids).union(role.rootKeys.map { oldRoot[keyPath: $0].ids } ?? [])
    }
}
