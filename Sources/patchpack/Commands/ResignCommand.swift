import PatchCrypto

/// `resign`: gives an envelope other signatures, or more of them. The payload stays as it is, byte for byte.
enum ResignCommand {
    static let verb = Verb(
        name: "resign", summary: "replace or add signatures; the payload stays, and needs no script key",
        operands: "FILE -o FILE --trusted-key KEY... (--signing-key KEY... | --detach | --attach FILE...) [--append]",
        operandValue: .file("FILE"), operandCount: 1...1,
        options: [
            .outputFile, .force, .append, .signingKey, .signatureCommand, .detach, .attach, .trustedKey, .trustStore,
            .trustStorePin, .threshold, .passphraseEnv, .passphraseFile, .allowUnsafePermissions,
        ],
        example: "patchpack resign cart.js -o cart-2.js --append --trusted-key trusted.pem --signing-key second.pem",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard let output = arguments.value(of: .output)?.path, !output.isStandardStream else {
            throw PatchError(.usage, "no output file", hint: "give -o FILE")
        }
        let keys = try KeyFiles(arguments)
        let signingKeys = try keys.signingKeys()
        let commands = try SignatureCommand.all(arguments)
        let attached = arguments.values(of: .attach).map(\.path)
        guard arguments.has(.detach) == (signingKeys.isEmpty && commands.isEmpty && attached.isEmpty) else {
            throw PatchError(
                .usage, arguments.has(.detach) ? "--detach signs nothing" : "nothing to sign with",
                hint: "give --signing-key, --signature-command, --attach, or --detach alone")
        }
        guard let trustStore = try keys.trustStore() else {
            throw PatchError(
                .usage, "no trusted key", hint: "give --trusted-key FILE for the signatures that the file has")
        }
        let path = arguments.operands[0].path
        // The envelope may be replaced by what has its payload and signatures, and not by the bare payload.
        try keys.protectInputs(from: [output], but: arguments.has(.detach) ? nil : path)
        try KeyFiles.refuse(signingKeys, endedIn: trustStore)
        let now = try SystemClock.now()
        let verifier = try EnvelopeVerifier(
            trustStore: trustStore, threshold: arguments.number(of: .threshold) ?? 1, policy: Policy(time: now))
        let result: [UInt8]
        do throws(PatchError) {
            var envelope = try verifier.signable(InputFile.contents(of: path, limit: verifier.limits.envelopeSize))
                .get()
            if arguments.has(.detach) {
                result = envelope.payload
            } else {
                if !arguments.has(.append) { envelope.removeSignatures() }
                for key in signingKeys { try envelope.sign(with: key) }
                for command in commands {
                    try envelope.attach(try command.signature(of: envelope.payload), from: trustStore, at: now)
                }
                for file in attached {
                    let signature = try InputFile.small(file, limit: 4096)
                    try file.naming { () throws(PatchError) in
                        try envelope.attach(signature, from: trustStore, at: now)
                    }
                }
                result = try envelope.encoded()
            }
            try OutputFile.write([OutputFile(path: output, content: .bytes(result))], force: arguments.has(.force))
        } catch {
            try show(error, path, output, 0, console)
            return error.code.exitStatus
        }
        try show(nil, path, output, result.count, console)
        return 0
    }

    private static func show(
        _ error: PatchError?, _ path: Path, _ output: Path, _ size: Int, _ console: Console
    ) throws(PatchError) {
        if console.format == .json {
            try console.json(
                .object(
                    [
                        ("schema", .string("patchpack.resign/1")), ("file", .string(path.description)),
                        ("output", .string(output.description)),
                    ] + JSONValue.outcome(error) + [
                        ("size", error == nil ? .integer(size) : .null), ("error", .error(error)),
                    ]))
        } else if let error {
            console.error(error.about(path))
        } else if !console.isQuiet {
            try console.line(.good, "wrote", "  \(output)  \(size) bytes")
        }
    }
}
