/// Verifies envelopes: the reading order of format 1, each stage only after the one before it has passed.
public struct EnvelopeVerifier: Sendable {
    /// The keys whose signatures count.
    public let trustStore: TrustStore
    /// How many distinct trusted keys must have signed.
    public let threshold: Int
    /// Who must have signed: from each set, the key of one of the names.
    public let requiredSigners: [Set<String>]
    /// What a sound patch must fit.
    public var policy: VerificationPolicy
    /// How large an envelope and its parts may be.
    public var limits: EnvelopeLimits

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - trustStore: The keys whose signatures count.
    ///   - threshold: How many distinct trusted keys must have signed, from 1. More than there are keys is allowed,
    ///     and refuses everything.
    ///   - requiredSigners: Who must have signed, by the names of the trust store: from each set, the key of one of the names.
    ///   - policy: What a sound patch must fit.
    ///   - limits: How large an envelope and its parts may be.
    /// - Throws: `config` for a threshold below 1, and for a set without a name of the trust store.
    public init(
        trustStore: TrustStore, threshold: Int = 1, requiredSigners: [Set<String>] = [], policy: VerificationPolicy,
        limits: EnvelopeLimits = EnvelopeLimits()
    ) throws(PatchError) {
        guard threshold >= 1 else { throw PatchError(.config, "a threshold of \(threshold)", hint: "use 1 or more") }
        let names = Set(trustStore.keys.map(\.name)).subtracting([""])
        for required in requiredSigners {
            guard let unknown = required.subtracting(names).min() ?? (required.isEmpty ? "" : nil) else { continue }
            throw PatchError(
                .config, unknown.isEmpty ? "an empty name of a trusted key" : "no trusted key is called \(unknown)",
                hint: names.isEmpty
                    ? "the trusted keys have no names; a trust store gives them some"
                    : "the trust store has \(names.sorted().joined(separator: ", "))")
        }
        self.requiredSigners = requiredSigners
        self.trustStore = trustStore
        self.threshold = threshold
        self.policy = policy
        self.limits = limits
    }

    /// Verifies an envelope.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; it is decrypted in place if the caller keeps no other copy.
    ///   - scriptKeys: One of them opens the payload and the scripts; a `ScriptKey` will do.
    /// - Throws: Why it was refused, with a code of docs/format.md.
    public func verify(
        _ bytes: consuming [UInt8], scriptKeys: some ScriptKeyProvider
    ) throws(PatchError) -> VerifiedPatch {
        var report = VerificationReport()
        return try verify(bytes, scriptKeys: scriptKeys, report: &report)
    }

    /// Verifies an envelope and says how each stage ended.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; it is decrypted in place if the caller keeps no other copy.
    ///   - scriptKeys: One of them opens the payload and the scripts; a `ScriptKey` will do.
    ///   - report: What each stage found; replaced.
    /// - Throws: Why it was refused, with a code of docs/format.md.
    public func verify(
        _ bytes: consuming [UInt8], scriptKeys: some ScriptKeyProvider, report: inout VerificationReport
    ) throws(PatchError) -> VerifiedPatch {
        let signed = try verifySignatures(bytes, report: &report)
        let signers = signed.signers
        let payload = try report.run(.decrypt, signed) { (signed) throws(PatchError) in
            try DecryptedPayload(of: signed.envelope, keys: scriptKeys)
        }
        let contents = try report.run(.zip, payload) { (payload) throws(PatchError) in
            try EnvelopeContents(of: payload, limits: limits)
        }
        let manifest = try report.run(.manifest) { () throws(PatchError) in try contents.manifest() }
        report.manifest = manifest
        let scripts = try report.run(.scripts, contents) { (contents) throws(PatchError) in
            try contents.scripts(of: manifest)
        }
        try report.run(.policy) { () throws(PatchError) in try policy.check(manifest) }
        return VerifiedPatch(manifest: manifest, scripts: scripts, signers: signers)
    }

    /// Checks an envelope's signatures alone; nothing is decrypted.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: Why the signatures are not enough, or the file is no envelope.
    public func verifySignatures(_ bytes: consuming [UInt8]) throws(PatchError) -> SignedEnvelope {
        var report = VerificationReport()
        return try verifySignatures(bytes, report: &report)
    }

    /// Checks an envelope's signatures alone; nothing is decrypted, and the later stages are skipped.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - report: What each stage found; replaced.
    /// - Throws: Why the signatures are not enough, or the file is no envelope.
    public func verifySignatures(
        _ bytes: consuming [UInt8], report: inout VerificationReport
    ) throws(PatchError) -> SignedEnvelope {
        report = VerificationReport()
        let file = bytes
        try report.run(.read) { () throws(PatchError) in
            try UnverifiedEnvelope.checkSize(of: file, limits: limits)
        }
        let envelope = try report.run(.split, file) { (file) throws(PatchError) in
            try UnverifiedEnvelope(splitting: file, limits: limits)
        }
        var signatures: [VerificationReport.Signature] = []
        defer { report.signatures = signatures }
        let signers = try report.run(.signature) { () throws(PatchError) in
            var unavailable: PatchError?
            for signature in envelope.signatures {
                let known = trustStore.key(withID: signature.keyID, algorithm: signature.algorithm)
                let refusal = known?.refusal(at: policy.time)
                var isValid = false
                do throws(PatchError) {
                    isValid = try known?.key.isValid(signature.signature, for: envelope.payload) ?? false
                } catch {
                    // No word on the signature; it is missed only where it would have counted, and the others are too few.
                    if refusal == nil { unavailable = error }
                }
                signatures.append(
                    .init(
                        algorithm: signature.algorithm, keyID: signature.keyID, keyName: known?.name,
                        isTrusted: known != nil && refusal == nil, refusal: refusal, isValid: isValid))
            }
            return try distinctSigners(of: signatures, unavailable: unavailable)
        }
        return SignedEnvelope(verified: envelope, signers: signers, limits: limits)
    }

    /// The distinct trusted keys whose signatures hold, where they are enough.
    private func distinctSigners(
        of signatures: [VerificationReport.Signature], unavailable: PatchError?
    ) throws(PatchError) -> [KeyID] {
        let valid = Set(signatures.filter { $0.isTrusted && $0.isValid }.map(\.keyID))
        let signers = trustStore.keys.map(\.key.id).filter(valid.contains)
        let signed = Set(trustStore.keys.filter { valid.contains($0.key.id) }.map(\.name))
        let missing = requiredSigners.first { $0.isDisjoint(with: signed) }
        if signers.count >= threshold, missing == nil { return signers }
        if let unavailable { throw unavailable }
        if let bad = signatures.first(where: { $0.isTrusted && !$0.isValid }) {
            throw PatchError(
                .badSignature, "the signature of the trusted key \(bad.keyID) does not hold: the file was changed",
                hint: "fetch it again, or pack it again")
        }
        if let refused = signatures.first(where: { $0.refusal != nil && $0.isValid }) {
            throw PatchError(
                .policy,
                "signed by the key \(refused.keyID) (\(refused.keyName ?? "")), which \(refused.refusal ?? "")",
                hint: "have it signed with a key that is trusted still")
        }
        if let missing, !signers.isEmpty {
            let by = signed.map { $0.isEmpty ? "a key without a name" : $0 }.sorted().joined(separator: ", ")
            throw PatchError(
                .unknownSigner, "signed by \(by), and not by \(missing.sorted().joined(separator: " or "))",
                hint: "have it signed with that key too")
        }
        guard signers.isEmpty else {
            let keys = signers.count == 1 ? "1 trusted key" : "\(signers.count) trusted keys"
            throw PatchError(
                .unknownSigner, "signed by \(keys), and \(threshold) are asked for",
                hint: "have it signed with more of the trusted keys")
        }
        let named = signatures.map { "\($0.keyID) (\($0.algorithm.rawValue))" }.joined(separator: ", ")
        let trusted = trustStore.names(at: policy.time)
        let other = signatures.first { signature in trustStore.keys.contains { $0.key.id == signature.keyID } }
        throw PatchError(
            .unknownSigner, "signed by \(named), and trusted is \(trusted)",
            hint: other.map { "the key is trusted for another algorithm: trust it as \($0.algorithm.rawValue):FILE" }
                ?? "refuse it, unless you know whose key that is: then trust its public key")
    }
}
