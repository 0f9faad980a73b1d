import PatchCrypto
import PatchFiles

/// The keys of envelopes that `test` opens. They are read once, because a pipe cannot be read again.
struct EnvelopeKeys {
    private let arguments: ParsedArguments
    private var keys: (verifier: EnvelopeVerifier, scriptKeys: ScriptKeyRing)?

    init(_ arguments: ParsedArguments) { self.arguments = arguments }

    mutating func verified(_ path: Path) throws(PatchError) -> VerifiedPatch {
        // A missing file is reported before missing keys.
        let envelope = try InputFile.contents(of: path, limit: EnvelopeLimits().envelopeSize)
        let (verifier, scriptKeys): (EnvelopeVerifier, ScriptKeyRing)
        if let keys { (verifier, scriptKeys) = keys } else { (verifier, scriptKeys) = try read(for: path) }
        keys = (verifier, scriptKeys)
        return try path.naming { () throws(PatchError) in
            try verifier.verify(envelope, scriptKeys: scriptKeys)
        }
    }

    private func read(for path: Path) throws(PatchError) -> (EnvelopeVerifier, ScriptKeyRing) {
        let files = try KeyFiles(arguments)
        guard let trust = try files.trustStore(), let scriptKeys = try files.scriptKeys() else {
            throw .usage(
                "\(path) is read as an envelope, but there is no key to verify it with",
                hint: "give --trusted-key and --script-key; the name of a script must end in .lua")
        }
        return (try EnvelopeVerifier(trustStore: trust, policy: .none), scriptKeys)
    }
}
