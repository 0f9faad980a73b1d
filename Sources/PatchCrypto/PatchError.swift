/// Why a patch, a key or an input was refused.
///
/// Two errors are equal when their codes are, so a caller can test for `.badSignature` without caring for the words.
public struct PatchError: Error, Sendable {
    /// The fault's stable code.
    public let code: Code
    /// What is wrong, for people: one line, lower case, no full stop.
    public let message: String
    /// What to do about it, where there is something to do.
    public let hint: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The stable code.
    ///   - message: What is wrong, in one line.
    ///   - hint: What to do about it.
    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// A stable code: a name for machines, and the status that the command line exits with.
    ///
    /// The set is open: a tool above this library adds codes of its own.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, such as `bad-signature`.
        public let description: String
        /// The status that a command line tool exits with for this code.
        public let exitStatus: Int32

        /// Makes a code.
        ///
        /// - Parameters:
        ///   - name: Lower-case words joined by hyphens.
        ///   - exitStatus: The tool's exit status, 1 to 125.
        public init(_ name: String, exitStatus: Int32) {
            self.description = name
            self.exitStatus = exitStatus
        }
    }
}

extension PatchError.Code {
    /// Not an envelope, cut short, something behind its end, or a zip or a manifest outside the profile.
    public static let malformed = Self("malformed", exitStatus: 10)
    /// Signed under a trusted key's id, and the payload or the signature was changed.
    public static let badSignature = Self("bad-signature", exitStatus: 11)
    /// No signature of a trusted key, or fewer than the threshold.
    public static let unknownSigner = Self("unknown-signer", exitStatus: 12)
    /// The script key is not the one that sealed the envelope.
    public static let decryptFailed = Self("decrypt-failed", exitStatus: 13)
    /// A script is not what its digest, or its size in the manifest, says.
    public static let digestMismatch = Self("digest-mismatch", exitStatus: 14)
    /// The patch is sound, and not meant for this app, version, engine or time.
    public static let policy = Self("policy", exitStatus: 15)
    /// Larger, or more, than a limit allows.
    public static let limit = Self("limit", exitStatus: 16)
    /// This machine's cryptographic library refuses an algorithm that the format needs.
    public static let unavailable = Self("unavailable", exitStatus: 69)
    /// A defect in this software.
    public static let `internal` = Self("internal", exitStatus: 70)
    /// A key's passphrase is missing or wrong.
    public static let passphrase = Self("passphrase", exitStatus: 77)
    /// A key, or a set of keys, is unusable or unsafe.
    public static let config = Self("config", exitStatus: 78)
    /// The file of trusted keys is not the one whose digest was built in.
    public static let modifiedTrust = Self("modified-trust", exitStatus: 78)
}

extension PatchError: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension PatchError: CustomStringConvertible {
    public var description: String { "\(code): \(message)" + (hint.map { " (\($0))" } ?? "") }
}
