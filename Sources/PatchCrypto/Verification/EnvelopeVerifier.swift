/// Verifies envelopes in the reading order of format 1. Each stage runs only after the one before it has passed.
public struct EnvelopeVerifier: Sendable {
    /// The keys whose signatures count.
    package let trustStore: TrustStore
    /// How many distinct trusted keys must have signed.
    package let threshold: Int
    /// Who must have signed: for each set, the key with one of its names.
    private let requiredSigners: [Set<String>]
    /// The rules that a sound patch must fit.
    private let policy: VerificationPolicy
    /// How large an envelope and its parts may be.
    package let limits: EnvelopeLimits

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - trustStore: The keys whose signatures count.
    ///   - threshold: How many distinct trusted keys must have signed, at least 1. A threshold above the number of keys
    ///     is allowed, and refuses everything.
    ///   - policy: The rules that a sound patch must fit.
    /// - Throws: `config` if the threshold is below 1.
    public init(trustStore: TrustStore, threshold: Int = 1, policy: VerificationPolicy) throws(PatchError) {
        try self.init(
            trustStore: trustStore, threshold: threshold, policy: policy, limits: EnvelopeLimits())
    }

    /// Makes a verifier for envelopes that certain people must have signed, or of another size than the format's.
    ///
    /// - Parameter requiredSigners: Who must have signed, by the names in the trust store: for each set, the key with
    ///   one of its names.
    /// - Throws: `config`, also if a set is empty or has a name that is not in the trust store.
    package init(
        trustStore: TrustStore, threshold: Int = 1, requiredSigners: [Set<String>] = [], policy: VerificationPolicy,
        limits: EnvelopeLimits
    ) throws(PatchError) {
        guard threshold >= 1 else { throw PatchError(.config, "threshold must be at least 1, not \(threshold)") }
        let names = Set(trustStore.keys.compactMap(\.name))
        for required in requiredSigners {
            // A set without names is taken for one with an empty name.
            guard let unknown = required.isEmpty ? "" : required.subtracting(names).min() else { continue }
            throw PatchError(
                .config, unknown.isEmpty ? "a required signer has an empty name" : "no trusted key is named \(unknown)",
                hint: names.isEmpty
                    ? "the trusted keys have no names; use a trust store, where each key has one"
                    : "the names in the trust store are \(names.sorted().joined(separator: ", "))")
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
    ///   - scriptKeys: One of them decrypts the payload and the scripts. This can be a single `ScriptKey`.
    /// - Throws: Why the envelope was refused, with a code from docs/format.md. `unavailable` if OpenSSL refuses an
    ///   algorithm or memory is missing, `config` if `scriptKeys` returns another key, and what `scriptKeys` throws.
    public func verify(
        _ bytes: consuming [UInt8], scriptKeys: some ScriptKeyProvider
    ) throws(PatchError) -> VerifiedPatch {
        try report(on: bytes, scriptKeys: scriptKeys).result.get()
    }

    /// Verifies an envelope and reports how each stage ended.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; it is decrypted in place if the caller keeps no other copy.
    ///   - scriptKeys: One of them decrypts the payload and the scripts. This can be a single `ScriptKey`.
    public func report(on bytes: consuming [UInt8], scriptKeys: some ScriptKeyProvider) -> VerificationReport {
        var report = VerificationReport()
        report.patch = try? verify(bytes, scriptKeys: scriptKeys, noting: &report)
        return report
    }

    /// - Parameter report: Notes how each stage ended, and with it each error that is thrown.
    private func verify(
        _ bytes: consuming [UInt8], scriptKeys: some ScriptKeyProvider, noting report: inout VerificationReport
    ) throws(PatchError) -> VerifiedPatch {
        var signed = try verifySignatures(bytes, noting: &report)
        var payload = try report.run(.decrypt) { () throws(PatchError) in
            try DecryptedPayload(takenFrom: &signed.envelope, keys: scriptKeys)
        }
        var contents = try report.run(.zip) { () throws(PatchError) in
            try EnvelopeContents(takenFrom: &payload, limits: limits)
        }
        let manifest = try report.run(.manifest) { () throws(PatchError) in try contents.manifest() }
        report.manifest = manifest
        let scripts = try report.run(.scripts) { () throws(PatchError) in try contents.takeScripts(of: manifest) }
        try report.run(.policy) { () throws(PatchError) in try policy.check(manifest) }
        return VerifiedPatch(
            manifest: manifest, scripts: scripts, unsealed: contents.unsealed, signers: signed.signers)
    }

    /// Checks only an envelope's signatures. Nothing is decrypted.
    ///
    /// - Parameter bytes: The whole file.
    /// - Throws: Why the signatures are not enough, or why the file is not an envelope, with a code of the stages
    ///   `read` to `signature`. `unavailable` if OpenSSL refuses an algorithm.
    package func verifySignatures(_ bytes: consuming [UInt8]) throws(PatchError) -> SignedEnvelope {
        var report = VerificationReport()
        return try verifySignatures(bytes, noting: &report)
    }

    /// Checks only an envelope's signatures and reports how each stage ended. The later stages are skipped.
    package func reportSignatures(on bytes: consuming [UInt8]) -> VerificationReport {
        var report = VerificationReport()
        _ = try? verifySignatures(bytes, noting: &report)
        return report
    }

    private func verifySignatures(
        _ bytes: consuming [UInt8], noting report: inout VerificationReport
    ) throws(PatchError) -> SignedEnvelope {
        let file = bytes
        try report.run(.read) { () throws(PatchError) in
            try UnverifiedEnvelope.checkSize(of: file, limits: limits)
        }
        let envelope = try report.run(.split) { () throws(PatchError) in
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
                    // The signature may be valid or not. This matters only if the key is trusted and the others are too
                    // few.
                    if refusal == nil { unavailable = error }
                }
                signatures.append(
                    .init(
                        algorithm: signature.algorithm, keyID: signature.keyID, keyName: known?.name,
                        isTrusted: known != nil && refusal == nil, refusal: refusal, isValid: isValid))
            }
            return try distinctSigners(of: signatures, unavailable: unavailable)
        }
        report.signers = signers
        return SignedEnvelope(verified: envelope, signers: signers, limits: limits)
    }

    /// The distinct trusted keys whose signatures are valid; throws if they are not enough.
    private func distinctSigners(
        of signatures: [VerificationReport.Signature], unavailable: PatchError?
    ) throws(PatchError) -> [KeyID] {
        let valid = Set(signatures.filter { $0.isTrusted && $0.isValid }.map(\.keyID))
        let signers = trustStore.keys.map(\.key.id).filter(valid.contains)
        let signed = Set(trustStore.keys.filter { valid.contains($0.key.id) }.map(\.name))
        let missing = requiredSigners.first { $0.isDisjoint(with: signed.compactMap(\.self)) }
        if signers.count >= threshold, missing == nil { return signers }
        throw unavailable ?? refusal(of: signatures, signers: signers, named: signed, missing: missing)
    }

    /// Why signatures are not enough: a changed file comes before a key that is no longer trusted, and that before one
    /// that never was.
    ///
    /// - Parameters:
    ///   - signers: The trusted keys whose signatures are valid.
    ///   - names: Their names.
    ///   - missing: The names of a required key of which none is among them.
    private func refusal(
        of signatures: [VerificationReport.Signature], signers: [KeyID], named names: Set<String?>,
        missing: Set<String>?
    ) -> PatchError {
        if let bad = signatures.first(where: { $0.isTrusted && !$0.isValid }) {
            return PatchError(
                .badSignature, "the signature by the trusted key \(bad.keyID) is invalid: the file was changed",
                hint: "fetch the file again, or pack it again")
        }
        if let refused = signatures.first(where: { $0.refusal != nil && $0.isValid }) {
            let name = refused.keyName.map { " (\($0))" } ?? ""
            return PatchError(
                .policy,
                "signed by the key \(refused.keyID)\(name), which \(refused.refusal ?? "")",
                hint: "have it signed with a key that is still trusted")
        }
        if let missing, !signers.isEmpty {
            let by = names.map { $0 ?? "a key without a name" }.sorted().joined(separator: ", ")
            return PatchError(
                .unknownSigner, "signed by \(by), but not by \(missing.sorted().joined(separator: " or "))",
                hint: "have it signed with that key too")
        }
        guard signers.isEmpty else {
            let keys = signers.count == 1 ? "1 trusted key" : "\(signers.count) trusted keys"
            return PatchError(
                .unknownSigner, "signed by \(keys), but the threshold is \(threshold)",
                hint: "have it signed with more of the trusted keys")
        }
        let named = signatures.map { "\($0.keyID) (\($0.algorithm.rawValue))" }.joined(separator: ", ")
        let trusted = trustStore.summary(at: policy.time)
        let other = signatures.first { line in
            trustStore.keys.contains { $0.key.id == line.keyID && $0.key.algorithm != line.algorithm }
        }
        return PatchError(
            .unknownSigner, "signed by \(named), but \(trusted)",
            hint: other.map { line in
                "the key is trusted for another algorithm: "
                    + "if it signs with \(line.algorithm.rawValue) now, trust it for that instead"
            } ?? "refuse the file, or trust the public key if you know whose it is")
    }
}
