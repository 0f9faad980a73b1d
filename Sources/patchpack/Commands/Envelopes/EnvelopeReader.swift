import PatchCrypto
import PatchFiles

extension Option {
    static let unverified = Option(
        name: "unverified", help: "open envelopes without checking who signed them")
}

/// Opens envelopes to show their contents. Each one is verified first, unless `--unverified` is given.
struct EnvelopeReader {
    private let verification: Verification?
    private let scriptKeys: ScriptKeyRing?

    init(_ arguments: ParsedArguments) throws(PatchError) {
        guard arguments.has(.unverified) else {
            verification = try Verification(arguments)
            scriptKeys = nil
            return
        }
        verification = nil
        scriptKeys = try KeyFiles(arguments).scriptKeys()
        guard scriptKeys != nil else {
            throw PatchError(.usage, "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        }
    }

    func contents(of path: Path) throws(PatchError) -> (manifest: Manifest, scripts: [PatchScript]) {
        if let verification {
            let result = verification.result(of: path, keepingScripts: true)
            if let error = result.error { throw error.about(path) }
            guard let manifest = result.report.manifest else {
                throw PatchError(.internal, "no manifest", hint: "report this defect").about(path)
            }
            return (manifest, result.scripts)
        }
        return try path.naming { () throws(PatchError) in
            let envelope = try UnverifiedEnvelope(InputFile.contents(of: path, limit: EnvelopeLimits().envelopeSize))
            guard let scriptKeys else { throw PatchError(.internal, "no script key", hint: "report this defect") }
            let contents = try envelope.contents(scriptKeys: scriptKeys)
            return (contents.manifest, contents.scripts)
        }
    }
}
