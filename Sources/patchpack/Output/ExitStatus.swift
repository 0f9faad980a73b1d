import PatchCrypto
import PatchDevice
import PatchPublishing

extension PatchError.Code {
    /// The command line is wrong, or tags that take the place of its options are.
    static let usage = Self("usage")
    /// The same version of a patch twice in one run.
    static let duplicate = Self("duplicate")

    /// The exit statuses and their meanings, as in docs/cli.md.
    static let exitStatuses = table.split(separator: "\n").map { line in
        let words = line.split(separator: " ", maxSplits: 2)
        return (code: Self(String(words[1])), status: Int32(words[0]) ?? 70, meaning: String(words[2]))
    }

    private static let table = """
        10 malformed not an envelope, cut short, or data after its end; a zip or a manifest that the format does not allow; files for a report without one event
        11 bad-signature signed under a trusted key's id, but the file was changed
        12 unknown-signer no signature of a trusted key, or fewer than the threshold
        13 decrypt-failed the signature is valid, but the envelope needs another script key
        14 digest-mismatch a script does not match its digest
        15 policy intact, but not for this app, version, engine or time; or the key that signed it, or is to sign it, is revoked or has expired
        16 limit larger than a limit allows
        20 script a script that does not parse, fails, or does not fit; a failed spec; a breaking change of an interface; a gate of a report that is not passed
        21 script-limit a script ran past its fuel (the number of Lua instructions), memory or time
        30 feed-malformed a feed file is not of the type that its path implies
        31 feed-signature metadata of a feed have too few signatures by the keys of their role
        32 feed-rollback a feed is older than it was before
        33 feed-expired metadata of a feed have expired, or expire sooner than `--days` allows
        34 feed-mismatch a file of a feed does not have the length, the hash or the version that is signed; a list for another app
        35 feed-limit a file of a feed is larger than allowed, or there are too many
        36 feed-unavailable a file of a feed cannot be fetched: the network failed, or it is missing
        37 clock a clock is wrong: this machine's, compared with the server's clock or the feed's; or the clock of the machine that signed the feed
        38 feed-published this version of a patch was published before, with other bytes
        39 feed-listed the version is already listed: offered to other devices, paused or withdrawn; or a higher version is offered
        40 feed-conflict the deployed feed has a change from another copy, or a file that differs from this copy's
        41 cancelled a sync was cancelled, in a program that syncs
        64 usage wrong arguments, or tags that are wrong or missing
        65 duplicate the same version of a patch was given twice
        66 no-input a file is missing or cannot be read; no event is of the `--installation` of a report
        69 unavailable OpenSSL refuses MD5, SHA-1 or AES (FIPS); libzip, libcurl, Zstandard or memory is missing; no thread can start; another Lua replaces 5.4
        70 internal a defect in patchpack; please report it
        73 exists the output already exists, and neither `--force` nor `--upgrade` permits replacing it
        74 io writing failed, or `--purge-command` failed or did not end
        77 passphrase a key's passphrase is missing or wrong
        78 config a key file or a setting is unusable or unsafe; or a change of a feed would undo what somebody has stopped
        78 modified-trust the trust store does not match its pin
        """

    /// The status of the code; that of a defect if the table lacks the code.
    var exitStatus: Int32 { Self.exitStatuses.first { $0.code == self }?.status ?? 70 }
}

extension PatchError {
    static func usage(_ message: String, hint: String? = nil) -> PatchError { PatchError(.usage, message, hint: hint) }

    /// The hint to show: the error's own, otherwise one in terms of the command line.
    var shownHint: String? {
        hint ?? (remedy as? PublishingRemedy)?.hint ?? (remedy as? StoreRemedy)?.hint
            ?? (code == .exists ? "name another output, or give --force to replace it" : nil)
    }
}

extension Optional {
    /// The value, which the command line must give.
    ///
    /// - Throws: `usage` if it does not.
    func needed(_ message: String, hint: String) throws(PatchError) -> Wrapped {
        guard let self else { throw .usage(message, hint: hint) }
        return self
    }
}

extension StoreRemedy {
    fileprivate var hint: String {
        switch self {
        case .sync: "patchpack sync makes one"
        }
    }
}
