import PatchCrypto
import PatchFiles

extension Option {
    static let signingOnly = Option(
        name: "signing-only", help: "make no script.key: the keys of a feed's roles have none")
}

/// `keygen`: makes a key pair and a script key.
enum KeygenCommand {
    static let verb = Verb(
        name: "keygen", summary: "make signing.pem, trusted.pem and script.key",
        operands: "[-o DIR]", operandCount: 0...0,
        options: [
            .outputFolder, .force, .algorithm, .bits, .signingOnly, .suite, .passphraseEnv, .passphraseFile,
        ],
        example: "patchpack keygen -o keys",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let isEd25519 = try arguments.text(of: .algorithm) == "ed25519"
        let bits = try arguments.number(of: .bits)
        if isEd25519, bits != nil { throw PatchError(.usage, "--bits is only for RSA keys") }
        if let bits, !(2048...8192).contains(bits) {
            throw PatchError(.usage, "--bits \(bits): expected 2048 to 8192")
        }
        if arguments.has(.signingOnly), try arguments.text(of: .suite) != nil {
            throw PatchError(.usage, "--suite is for the script key, which --signing-only leaves out")
        }
        let suite = try arguments.text(of: .suite).flatMap(EnvelopeSuite.init(rawValue:)) ?? .aes128CBCMD5
        let keys = try KeyFiles(arguments)
        guard keys.passphrases.count <= 1 else {
            throw PatchError(
                .usage, "several passphrases for one key", hint: "give --passphrase-env or --passphrase-file once")
        }
        let passphrase = keys.passphrases.first
        let folder = arguments.value(of: .outputFolder)?.path ?? Path(".")
        let names = ["signing.pem", "trusted.pem"] + (arguments.has(.signingOnly) ? [] : ["script.key"])
        let paths = names.map { folder.appending(Path($0)) }
        try keys.protectInputs(from: paths)
        // Checked first, because making a key takes a moment.
        for path in paths {
            try OutputFile(path: path, content: .bytes([])).checkPlace(force: arguments.has(.force))
        }
        let signingKey = try SigningKey.generate(isEd25519 ? .ed25519 : .rsaSHA1, bits: bits ?? 3072)
        var files = [
            OutputFile(path: paths[0], content: .secret(try signingKey.pem(passphrase: passphrase))),
            OutputFile(path: paths[1], content: .bytes(try signingKey.verifyingKey.pem())),
        ]
        var made: [KeyDescription] = [.signing(signingKey), .trusted(signingKey.verifyingKey)]
        if paths.count > 2 {
            let scriptKey = try ScriptKey.generate(for: suite)
            files.append(OutputFile(path: paths[2], content: .secret(scriptKey.file())))
            made.append(.script(scriptKey))
        }
        try OutputFile.write(files, force: arguments.has(.force))
        try show(made, paths, console)
        if passphrase == nil {
            console.note("\(paths[0]) has no passphrase; give one with --passphrase-env or --passphrase-file")
        }
        if !isEd25519 { console.noteOldClients() }
        return 0
    }

    private static func show(_ keys: [KeyDescription], _ paths: [Path], _ console: Console) throws(PatchError) {
        for (key, path) in zip(keys, paths) {
            if console.format == .json {
                try console.json(key.json(schema: "patchpack.keygen/1", of: path))
            } else if !console.isQuiet {
                try console.line(.good, "made", "  \(path)  \(key.text)")
            }
        }
        console.note("keep \(paths[0]) secret\(paths.count > 2 ? "; apps need the other two" : "")")
    }
}
