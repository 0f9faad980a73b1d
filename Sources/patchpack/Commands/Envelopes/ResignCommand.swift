import PatchCrypto
import PatchFiles

enum ResignCommand {
    static let verb = Verb(
        name: "resign", summary: "replace or add signatures; the payload does not change, and no script key is needed",
        operands:
            "FILE... -o FILE|DIR --trusted-key KEY... (--signing-key KEY... | --detach | --attach FILE|DIR...) [--append]",
        operandValue: .file("FILE"), operandCount: 0...Int.max,
        options: [
            .output, .recursive, .filesFrom, .root, .force, .jobs, .append, .signingKey, .signatureCommand,
            .detach, .attach, .trustedKey, .trustStore,
            .trustStorePin, .threshold, .passphraseEnv, .passphraseFile, .allowUnsafePermissions,
        ],
        example:
            "patchpack resign dist/cart.js -o both.js --append --trusted-key keys/trusted.pem "
            + "--signing-key keys/second/signing.pem",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let resigning = try Resigning(arguments)
        let units = try resigning.units()
        let jobs = try arguments.jobs(defaultsToOne: arguments.has(.signatureCommand))
        try inOrder(
            units, jobs: jobs, on: console,
            words: (arguments.has(.detach) ? "detached" : "signed", "refused")
        ) {
            $0.map(resigning.resign)
        } show: { (result) throws(PatchError) in
            let (file, output) = (result.unit.path, result.unit.output)
            if console.format == .json {
                try console.report(
                    "patchpack.resign/1", about: [("file", file), ("output", output)], result.error,
                    [("size", result.error == nil ? result.size.json : .null), ("unchanged", result.isUnchanged)])
            } else if let error = result.error {
                console.error(error.about(file))
            } else if !console.isQuiet, !output.isStandardStream {
                let word = result.isUnchanged ? "unchanged" : "wrote"
                try console.line(.good, word, "  \(output)  \(result.size) bytes")
            }
            return result.error
        }
    }
}

private struct Resigning: Sendable {
    struct Unit: Sendable {
        let path: Path
        /// Its path below the folder in which it was found, or below `--root`.
        let name: Path
        let output: Path
    }

    struct Result: Sendable {
        let unit: Unit
        var size = 0
        var isUnchanged = false
        var error: PatchError?
    }

    private let arguments: ParsedArguments
    private let files: [InputFiles.Placed]
    private let keys: KeyFiles
    private let signingKeys: [SigningKey]
    private let commands: [SignatureCommand]
    /// The files of signatures that were made elsewhere, or folders of them.
    private let attached: [Path]
    private let trustStore: TrustStore
    private let verifier: EnvelopeVerifier
    private let now: Timestamp
    /// Whether payloads are written, to sign them elsewhere, instead of envelopes.
    private let isDetached: Bool

    init(_ arguments: ParsedArguments) throws(PatchError) {
        self.arguments = arguments
        files = try InputFiles.placed(arguments, called: ".js")
        keys = try KeyFiles(arguments, operands: files.map(\.path))
        signingKeys = try keys.signingKeys()
        commands = SignatureCommand.all(arguments)
        attached = arguments.values(of: .attach).map(\.path)
        isDetached = arguments.has(.detach)
        let signs = !signingKeys.isEmpty || !commands.isEmpty || !attached.isEmpty
        guard signs != isDetached else {
            throw .usage(
                isDetached ? "--detach cannot be combined with signing" : "nothing to sign with",
                hint: "give --signing-key, --signature-command, --attach, or --detach alone")
        }
        guard !isDetached || !arguments.has(.append) else {
            throw .usage("--append with --detach", hint: "give it with the signature: --attach FILE --append")
        }
        let isOneFile = files.count <= 1 && files.first?.folder == nil
        guard isOneFile || attached.allSatisfy(\.isFolder) else {
            throw .usage(
                "--attach FILE with several envelopes", hint: "give a folder of signatures: a/b.js.sig for a/b.js")
        }
        let trustStore = try keys.trustStore().needed(
            "no trusted key", hint: "give --trusted-key FILE for the existing signatures")
        try KeyFiles.refuse(signingKeys, endedIn: trustStore)
        self.trustStore = trustStore
        now = try SystemClock.now()
        var policy = VerificationPolicy.unchecked
        policy.time = now
        verifier = try EnvelopeVerifier(
            trustStore: trustStore, threshold: arguments.number(of: .threshold) ?? 1, policy: policy)
    }

    /// The envelopes and their outputs: in the output folder, unless the output is a single `.js` file or a payload.
    ///
    /// - Throws: `usage` if the output is missing or does not fit the envelopes, if two of them would have one, or if
    ///   one is another input, `io` if the folder of a named file is missing.
    func units() throws(PatchError) -> [Unit] {
        let output = try arguments.path(of: .output).needed("no output", hint: "give -o FILE.js, or -o DIR")
        // The name of a single payload need not end in anything.
        let hasNameOfFile = output.ends(in: ".js") || (isDetached && files.count == 1)
        let isFile = hasNameOfFile && !output.isStandardStream && !output.isFolder && !output.endsInSlash
        let isOne = isFile || output.isStandardStream
        guard !isOne || files.count <= 1 else { throw .severalEnvelopes(in: output) }
        guard !output.isStandardStream || arguments.format != "json" else {
            throw .usage("-o - works only with text output", hint: "name a file")
        }
        if isFile { try output.checkParent() }
        var units: [Unit] = []
        var distinct: Set<Path> = []
        for (path, folder) in files {
            let name = try InputFiles.name(of: path, in: folder, root: arguments.path(of: .root))
            let unit = Unit(path: path, name: name, output: isOne ? output : output.appending(name))
            guard distinct.insert(unit.output).inserted else {
                throw .usage(
                    "two envelopes would be written to \(unit.output)",
                    hint: "give their folder with --recursive, or --root DIR, to name them by folder")
            }
            units.append(unit)
        }
        // An envelope may be replaced by an envelope with the same payload, but not by the bare payload.
        let written = units.filter { !$0.output.isStandardStream }
        let replaceable = isDetached ? [] : written.map { ($0.output, $0.path) }
        try InputIdentities(of: keys.inputs).refuse(
            written.map(\.output), unless: Dictionary(uniqueKeysWithValues: replaceable))
        return units
    }

    func resign(_ unit: Unit) -> Result {
        let output = unit.output
        var result = Result(unit: unit)
        do throws(PatchError) {
            let bytes = try made(of: unit)
            result.size = bytes.count
            if output.isStandardStream {
                try StandardOutput.write(bytes)
            } else if output.holds(bytes) {
                result.isUnchanged = true
            } else {
                try OutputFile.write(bytes, to: output, force: arguments.has(.force))
            }
        } catch {
            result.error = error
        }
        return result
    }

    /// The envelope with its new signatures, or its payload.
    private func made(of unit: Unit) throws(PatchError) -> [UInt8] {
        let file = try InputFile.contents(of: unit.path, limit: verifier.limits.envelopeSize)
        var envelope = SignableEnvelope(try verifier.verifySignatures(file))
        guard !isDetached else { return envelope.payload }
        if !arguments.has(.append) { envelope.removeSignatures() }
        for key in signingKeys { try envelope.sign(with: key) }
        for command in commands {
            try envelope.attach(try command.signature(of: envelope.payload), from: trustStore, at: now)
        }
        for place in attached {
            let file = place.isFolder ? place.appending(Path("\(unit.name).sig")) : place
            let signature = try InputFile.signature(file)
            try file.naming { () throws(PatchError) in try envelope.attach(signature, from: trustStore, at: now) }
        }
        return try envelope.encoded()
    }
}

extension InputFile {
    /// Reads a signature that was made elsewhere, for `--attach`.
    ///
    /// - Throws: `no-input` if it cannot be read, `config` if it is larger than any signature.
    static func signature(_ path: Path) throws(PatchError) -> [UInt8] { try small(path, limit: 4096) }
}
