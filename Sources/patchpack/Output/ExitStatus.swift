import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchRunner

extension PatchError.Code {
    /// Wrong arguments.
    static let usage = Self("usage")
    /// The same version of a patch twice in one run.
    static let duplicate = Self("duplicate")

    /// The exit statuses and their meanings, as in docs/cli.md.
    static let exitStatuses: [(code: PatchError.Code, status: Int32, meaning: String)] = [
        (
            .malformed, 10,
            "not an envelope, cut short, or data after its end; a zip or a manifest that the format does not allow; lines for a report, none of which is an event"
        ),
        (.badSignature, 11, "signed under a trusted key's id, but the file was changed"),
        (.unknownSigner, 12, "no signature of a trusted key, or fewer than the threshold"),
        (.decryptFailed, 13, "the signature is valid, but the envelope needs another script key"),
        (.digestMismatch, 14, "a script does not match its digest"),
        (.policy, 15, "intact, but not for this app, version, engine or time"),
        (.limit, 16, "larger than a limit allows"),
        (
            .script, 20,
            "a script that does not parse, fails, or does not fit; a failed spec; a breaking change of an interface; a gate of a report that is not passed"
        ),
        (.scriptLimit, 21, "a script ran past its fuel (the number of Lua instructions), memory or time"),
        (.feedMalformed, 30, "a feed file is not of the type that its path implies"),
        (.feedSignature, 31, "metadata of a feed have too few signatures by the keys of their role"),
        (.feedRollback, 32, "a feed is older than it was before"),
        (.feedExpired, 33, "metadata of a feed have expired, or expire sooner than `--days` allows"),
        (
            .feedMismatch, 34,
            "a file of a feed does not have the length, the hash or the version that is signed; a list for another app"
        ),
        (.feedLimit, 35, "a file of a feed is larger than allowed, or there are too many"),
        (.feedUnavailable, 36, "a file of a feed cannot be fetched: the network failed, or it is missing"),
        (
            .clock, 37,
            "a clock is wrong: this machine's, compared with the server's clock or the feed's; or the clock of the machine that signed the feed"
        ),
        (.feedPublished, 38, "this version of a patch was published before, with other bytes"),
        (
            .feedListed, 39,
            "the version is already listed: offered to other devices, paused or withdrawn; or a higher version is offered"
        ),
        (
            .feedConflict, 40,
            "the deployed feed has a change from another copy, or a file that differs from this copy's"
        ),
        (.usage, 64, "wrong arguments, or tags that are wrong or missing"),
        (.duplicate, 65, "the same version of a patch was given twice"),
        (
            .noInput, 66,
            "a file is missing or cannot be read; no event is of the `--installation` of a report"
        ),
        (
            .unavailable, 69,
            "this machine's OpenSSL refuses MD5, SHA-1 or AES, as under a FIPS policy; libzip or the library that reads Zstandard is missing; no thread can be made; or another Lua is loaded in place of 5.4"
        ),
        (.internal, 70, "a defect in patchpack; please report it"),
        (.exists, 73, "the output already exists, and neither `--force` nor `--upgrade` permits replacing it"),
        (.io, 74, "writing failed, or `--purge-command` failed or did not end"),
        (.passphrase, 77, "a key's passphrase is missing or wrong"),
        (
            .config, 78,
            "a key file or a setting is unusable or unsafe, or `feed undo` would undo more than intended"
        ),
        (.modifiedTrust, 78, "the trust store does not match its pin"),
    ]

    /// The status that the tool exits with.
    var exitStatus: Int32 { Self.exitStatuses.first { $0.code == self }?.status ?? 70 }
}

extension PatchError {
    /// The hint to show: the error's own, otherwise one in terms of the command line.
    var shownHint: String? {
        hint ?? (remedy as? PublishingRemedy)?.hint ?? (remedy as? StoreRemedy)?.hint
            ?? (code == .exists ? "name another output, or give --force to replace it" : nil)
    }
}
