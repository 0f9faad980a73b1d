/// What a verification found, check by check.
public struct VerificationReport: Sendable {
    /// The stages of the reading order.
    public enum Stage: String, CaseIterable, Sendable {
        case read, split, signature, decrypt, zip, manifest, scripts, policy
    }

    /// How a stage ended.
    public enum Status: String, Sendable {
        case pass, fail, skipped
    }

    /// A stage and how it ended.
    public struct StageResult: Sendable {
        /// The stage.
        public let stage: Stage
        /// How it ended; a stage behind the first failure is skipped.
        public fileprivate(set) var status = Status.skipped
        /// The failure's message.
        public fileprivate(set) var detail: String?
    }

    /// A signature line and what is known of it.
    public struct Signature: Sendable {
        /// The algorithm that the line names.
        public let algorithm: SignatureAlgorithm
        /// The key that the line names.
        public let keyID: KeyID
        /// What the trust store calls that key; nil where it does not have it.
        public let keyName: String?
        /// Whether that key is trusted, for that algorithm: in the store, not revoked, and not past its date.
        public let isTrusted: Bool
        /// Why a key that is in the store is not trusted, such as `is revoked`.
        public let refusal: String?
        /// Whether the signature holds; false where there is no key to check it with.
        public let isValid: Bool
    }

    /// Every stage, in the reading order.
    public private(set) var stages = Stage.allCases.map { StageResult(stage: $0) }
    /// The signature lines, in the file's order; none where the file could not be split.
    public internal(set) var signatures: [Signature] = []
    /// The manifest, once its stage has passed. Where a later stage failed it is the signer's word, and no licence.
    public internal(set) var manifest: Manifest?
    /// Why the envelope was refused; nil where every stage that was asked for passed.
    public private(set) var error: PatchError?

    /// The stage that failed.
    public var failedStage: Stage? { stages.first { $0.status == .fail }?.stage }

    /// A report in which nothing has been looked at yet.
    public init() {}

    /// The report of a verification that ended at a stage, for a caller whose file could not even be read.
    ///
    /// - Parameters:
    ///   - stage: Where it ended; the stages behind it are skipped.
    ///   - error: Why.
    public static func failed(_ stage: Stage, _ error: PatchError) -> VerificationReport {
        var report = VerificationReport()
        report.end(stage, .fail, error.text)
        report.error = error
        return report
    }

    /// Runs a stage and writes down how it ended.
    mutating func run<Result>(
        _ stage: Stage, _ body: () throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        try run(stage, ()) { (_) throws(PatchError) in try body() }
    }

    /// Runs a stage that takes what the one before it made.
    mutating func run<Input, Result>(
        _ stage: Stage, _ input: consuming Input, _ body: (consuming Input) throws(PatchError) -> Result
    ) throws(PatchError) -> Result {
        do throws(PatchError) {
            let result = try body(input)
            end(stage, .pass)
            return result
        } catch {
            end(stage, .fail, error.text)
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
