import PatchCrypto
import PatchFeed
import PatchFiles
import PatchRunner
import PatchWorkbench

extension PatchError.Code {
    /// Wrong arguments.
    static let usage = Self("usage")
    /// The same version of a patch twice in one run.
    static let duplicate = Self("duplicate")

    /// The exit statuses, in the order of docs/cli.md.
    static let exitStatuses: [(code: PatchError.Code, status: Int32)] = [
        (.malformed, 10), (.badSignature, 11), (.unknownSigner, 12), (.decryptFailed, 13), (.digestMismatch, 14),
        (.policy, 15), (.limit, 16),
        (.script, 20), (.scriptLimit, 21),
        (.feedMalformed, 30), (.feedSignature, 31), (.feedRollback, 32), (.feedExpired, 33), (.feedMismatch, 34),
        (.feedLimit, 35), (.feedUnavailable, 36), (.clock, 37), (.feedPublished, 38),
        (.usage, 64), (.duplicate, 65), (.noInput, 66), (.unavailable, 69), (.internal, 70), (.exists, 73), (.io, 74),
        (.passphrase, 77), (.config, 78), (.modifiedTrust, 78),
    ]

    /// The status that the tool exits with.
    var exitStatus: Int32 { Self.exitStatuses.first { $0.code == self }?.status ?? 70 }
}

extension PatchError {
    /// The hint to show: the error's own, or else one in terms of the command line.
    var shownHint: String? { hint ?? (code == .exists ? "give --force to replace it" : nil) }
}
