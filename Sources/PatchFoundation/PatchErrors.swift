public import Foundation
public import PatchRunner

// What Foundation says about errors: `localizedDescription`, and the domain and the code by which a crash collector
// groups them.

extension PatchError: LocalizedError, CustomNSError {
    /// The place of the fault, and the message.
    public var errorDescription: String? { text }

    /// What to do about it.
    public var recoverySuggestion: String? { hint }

    /// `patchpack` for all errors of the libraries.
    public static var errorDomain: String { "patchpack" }

    /// A number for ``PatchError/code``, which stays the same: the exit status of the tool, but 79 for
    /// `modified-trust`. It is 0 for a code that an app has made.
    public var errorCode: Int { code.number }

    /// The name of the code, as `PatchErrorCode`, the description, and what to do about it.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = ["PatchErrorCode": code.description, NSLocalizedDescriptionKey: text]
        info[NSLocalizedRecoverySuggestionErrorKey] = hint
        return info
    }
}

extension ScriptError: LocalizedError, CustomNSError {
    /// The script's message.
    public var errorDescription: String? { message }

    /// `patchpack.script` for all errors that scripts throw.
    public static var errorDomain: String { "patchpack.script" }

    /// The code that the script gave with the message; 0 if it gave none.
    public var errorCode: Int { code ?? 0 }

    /// The patch that threw it, as `PatchID`, and the description.
    public var errorUserInfo: [String: Any] {
        ["PatchID": patch.description, NSLocalizedDescriptionKey: message]
    }
}

extension PatchError.Code {
    /// The code as Foundation has it; 0 for a code that an app has made.
    package var number: Int { Self.numbers[description] ?? 0 }

    package static let numbers = [
        "malformed": 10, "bad-signature": 11, "unknown-signer": 12, "decrypt-failed": 13, "digest-mismatch": 14,
        "policy": 15, "limit": 16, "script": 20, "script-limit": 21, "feed-malformed": 30, "feed-signature": 31,
        "feed-rollback": 32, "feed-expired": 33, "feed-mismatch": 34, "feed-limit": 35, "feed-unavailable": 36,
        "clock": 37, "feed-published": 38, "feed-listed": 39, "feed-conflict": 40, "cancelled": 41, "usage": 64,
        "duplicate": 65, "no-input": 66, "unavailable": 69, "internal": 70, "exists": 73, "io": 74, "passphrase": 77,
        "config": 78, "modified-trust": 79,
    ]
}
