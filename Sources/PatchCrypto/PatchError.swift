/// An error with the reason why a patch, a key or an input was refused.
///
/// Errors themselves cannot be compared. Compare the ``code``, as in `error.code == .badSignature`.
public struct PatchError: Error, Sendable {
    /// The error's stable code.
    public let code: Code
    /// The message: one line for people, in lower case, without a full stop.
    public let message: String
    /// Advice on how to fix it; nil if there is none.
    public let hint: String?
    /// Where the error is; nil if it has no place.
    public let place: Place?
    /// Advice that a tool words in terms of its own options, if there is no hint.
    package let remedy: (any Remedy)?
    /// Whether the cause is around the input and not in it: a thread with too little stack, a machine without memory or
    /// processor time, a process without descriptors. The same input may be accepted later.
    package private(set) var isCircumstance = false

    /// Makes an error. Its message is one line, without the place.
    public init(_ code: Code, _ message: String, hint: String? = nil, at place: Place? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.place = place
        remedy = nil
    }

    package init(_ code: Code, _ message: String, remedy: (any Remedy)?, at place: Place? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.place = place
        hint = nil
    }

    /// Advice on an error, with the values that a tool needs to word it in terms of its own options.
    package protocol Remedy: Sendable {}

    /// Where an error is.
    public struct Place: Sendable, Hashable {
        /// The file's path, or a script's name.
        public let file: String?
        /// The line, from 1.
        public let line: Int?
        /// The member of a manifest, or the tag of a script, such as `version`.
        public let field: String?

        /// Makes a place.
        public init(file: String? = nil, line: Int? = nil, field: String? = nil) {
            self.file = file
            self.line = line
            self.field = field
        }
    }

    /// A stable code that programs can test.
    ///
    /// The set is open: a tool that uses this library can add its own codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, such as `bad-signature`.
        public let description: String

        /// Makes a code.
        ///
        /// - Parameter name: Lower-case words joined by hyphens.
        public init(_ name: String) { description = name }
    }
}

extension PatchError.Code {
    /// Not an envelope, cut short, followed by other data, or with a zip or a manifest outside the profile.
    public static let malformed = Self("malformed")
    /// A signature line names a trusted key, but the payload or the signature was changed.
    public static let badSignature = Self("bad-signature")
    /// No signature by a trusted key, or fewer than the threshold.
    public static let unknownSigner = Self("unknown-signer")
    /// The script key is not the one that sealed the envelope.
    public static let decryptFailed = Self("decrypt-failed")
    /// A script does not match its digest, or its size in the manifest.
    public static let digestMismatch = Self("digest-mismatch")
    /// The patch is sound, but not meant for this app, version, engine or time, or its version is too low. Or the key
    /// that signed it, or is to sign it, is revoked or has expired.
    public static let policy = Self("policy")
    /// A size or a count exceeds a limit.
    public static let limit = Self("limit")
    /// This machine lacks something: its OpenSSL refuses an algorithm that the format needs, another Lua takes the
    /// place of the program's own, or a library or memory is missing.
    public static let unavailable = Self("unavailable")
    /// A defect in this software.
    public static let `internal` = Self("internal")
    /// A key's passphrase is missing or wrong.
    public static let passphrase = Self("passphrase")
    /// A key, a setting or a call is unusable or unsafe.
    public static let config = Self("config")
    /// A file is missing or cannot be read.
    public static let noInput = Self("no-input")
    /// The output already exists.
    package static let exists = Self("exists")
    /// Writing failed.
    public static let io = Self("io")
    /// The file of trusted keys does not have the digest that was built in.
    public static let modifiedTrust = Self("modified-trust")
}

extension PatchError: CustomStringConvertible {
    public var description: String { "\(code): \(text)" + (hint.map { " (\($0))" } ?? "") }

    /// The place and the message, such as `trusted.keys:3: not UTF-8 text`.
    public var text: String {
        switch (place?.file, place?.line) {
        case (let file?, let line?): "\(file):\(line): \(message)"
        case (let file?, nil): "\(file): \(message)"
        case (nil, let line?): "line \(line): \(message)"
        case (nil, nil): message
        }
    }
}

extension PatchError {
    /// The same error with a file and a line, if it does not have them yet.
    package func at(file: String? = nil, line: Int? = nil) -> PatchError {
        let place = Place(file: place?.file ?? file, line: place?.line ?? line, field: place?.field)
        return with(code, at: place)
    }

    /// The same error with another code.
    package func coded(_ code: Code) -> PatchError { with(code, at: place) }

    private func with(_ code: Code, at place: Place?) -> PatchError {
        var error =
            hint == nil
            ? PatchError(code, message, remedy: remedy, at: place) : PatchError(code, message, hint: hint, at: place)
        error.isCircumstance = isCircumstance
        return error
    }

    /// The same error with another hint, in place of its own and of its remedy.
    package func hinting(_ hint: String?) -> PatchError {
        var error = PatchError(code, message, hint: hint, at: place)
        error.isCircumstance = isCircumstance
        return error
    }

    /// The same error, as one whose cause is around the input and not in it.
    package var ofCircumstance: PatchError {
        var error = self
        error.isCircumstance = true
        return error
    }
}
