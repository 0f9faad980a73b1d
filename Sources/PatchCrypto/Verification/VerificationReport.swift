/// The findings of a verification, stage by stage.
public struct VerificationReport: Sendable {
    /// The stages of the reading order. A version after 1.0 may add some.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Stage: String, CaseIterable, Sendable {
        case read, split, signature, decrypt, zip, manifest, scripts, policy
    }

    /// How a stage ended.
    public enum Status: Sendable {
        /// It found nothing wrong.
        case passed
        /// It refused the envelope.
        case failed
        /// It was not run: a stage before it failed, or it was not asked for.
        case skipped

        /// The word for it in JSON.
        package var word: String {
            switch self {
            case .passed: "pass"
            case .failed: "fail"
            case .skipped: "skipped"
            }
        }
    }

    /// A stage and how it ended.
    public struct StageResult: Sendable {
        /// The stage.
        public let stage: Stage
        /// How it ended; a stage after the first failure is skipped.
        public fileprivate(set) var status = Status.skipped
        /// The failure's message; nil if the stage did not fail.
        public fileprivate(set) var detail: String?
    }

    /// A signature line and the result of its check.
    public struct Signature: Sendable {
        /// The algorithm that the line names.
        public let algorithm: SignatureAlgorithm
        /// The key that the line names.
        public let keyID: KeyID
        /// The key's name in the trust store; nil if the store does not have the key, or no name for it.
        public let keyName: String?
        /// Whether the key is trusted for that algorithm: it is in the store, not revoked, and not past its date.
        public let isTrusted: Bool
        /// Why a key that is in the store is not trusted, such as `is revoked`.
        public let refusal: String?
        /// Whether the signature is valid; false if there is no key to check it with.
        public let isValid: Bool
    }

    /// Every stage, in the reading order.
    public private(set) var stages = Stage.allCases.map { StageResult(stage: $0) }
    /// The signature lines, in the file's order; none if the file could not be split.
    public internal(set) var signatures: [Signature] = []
    /// The manifest, once its stage has passed.
    ///
    /// If a later stage failed, it is only the signer's statement, not a permission to run the patch.
    public internal(set) var manifest: Manifest?
    /// The ids of the trusted keys whose signatures are valid, if they are enough.
    package internal(set) var signers: [KeyID] = []
    /// The patch, if every stage passed.
    package var patch: VerifiedPatch?
    /// Why the envelope was refused; nil if every requested stage passed.
    public private(set) var error: PatchError?

    /// The patch, or why the envelope was refused.
    public var result: Result<VerifiedPatch, PatchError> {
        if let patch { return .success(patch) }
        return .failure(error ?? PatchError(.policy, "the patch was not verified"))
    }

    /// The stage that failed; nil if none did.
    public var failedStage: Stage? { stages.first { $0.status == .failed }?.stage }

    /// Makes a report in which no stage has run yet.
    package init() {}

    /// Makes the report of a verification that ended at a stage, for a caller that could not even read the file.
    ///
    /// - Parameter stage: Where it ended; the stages after it are skipped.
    package static func failed(_ stage: Stage, _ error: PatchError) -> VerificationReport {
        var report = VerificationReport()
        report.end(stage, .failed, error.text)
        report.error = error
        return report
    }

    /// Runs a stage and records how it ended.
    mutating func run<Value>(
        _ stage: Stage, _ body: () throws(PatchError) -> Value
    ) throws(PatchError) -> Value {
        do throws(PatchError) {
            let result = try body()
            end(stage, .passed)
            return result
        } catch {
            end(stage, .failed, error.text)
            self.error = error
            throw error
        }
    }

    private mutating func end(_ stage: Stage, _ status: Status, _ detail: String? = nil) {
        guard let index = stages.firstIndex(where: { $0.stage == stage }) else { return }
        stages[index].status = status
        stages[index].detail = detail
    }
}
