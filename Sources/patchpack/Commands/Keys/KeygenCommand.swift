import PatchCrypto
import PatchFiles

extension Option {
    static let profile = Option(
        "profile", "algorithms of the keys: modern, or mpaas for those of the mPaaS manual",
        .choice("NAME", KeyProfile.allCases.map(\.rawValue)))
    static let signingOnly = Option("signing-only", "make no script.key: the keys of a feed's roles have none")
}

extension Console {
    /// Warns of secret files that others can read, because their file system has no permissions.
    func warnOfReaders(_ files: [OutputFile]) {
        for file in files where FileInfo(file.path, following: false)?.isOpenToOthers == true {
            guard case .secret = file.content else { continue }
            warning("\(file.path): other users can read it on this file system, so keep it elsewhere")
        }
    }
}

private enum KeyProfile: String, CaseIterable {
    case modern, mpaas

    var text: String {
        switch self {
        case .modern: "Ed25519, AES-256-GCM, SHA-256"
        case .mpaas: "RSA with SHA-1, AES-128, MD5, as in the mPaaS manual"
        }
    }

    /// The profile that the options name, or the answer to a question.
    ///
    /// - Throws: `usage` if there is no terminal, or if the answer is something else.
    init(_ arguments: ParsedArguments) throws(PatchError) {
        var name = try arguments.text(of: .profile)
        if name == nil {
            let lines = Self.allCases.map { "\($0.rawValue): \($0.text)\n" }.joined()
            name = Terminal.ask("\(lines)What are the keys for? [modern/mpaas] ")
        }
        let profile = try name.flatMap(Self.init(rawValue:)).needed(
            "no --profile is given",
            hint: "give " + Self.allCases.map { "--profile \($0.rawValue) (\($0.text))" }.joined(separator: ", or "))
        self = profile
    }
}

enum KeygenCommand {
    static let verb = Verb(
        name: "keygen", summary: "make signing.pem, trusted.pem and script.key",
        operands: "--profile NAME", operandCount: 0...0,
        options: [.outputFolder, .force, .profile, .bits, .signingOnly, .passphraseEnv, .passphraseFile],
        example: "patchpack keygen -o keys --profile modern",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let profile = try KeyProfile(arguments)
        let bits = try arguments.number(of: .bits)
        if profile == .modern, bits != nil { throw .usage("--bits is only for RSA keys") }
        if let bits, !(2048...8192).contains(bits) {
            throw .usage("--bits \(bits): expected 2048 to 8192")
        }
        let keys = try KeyFiles(arguments)
        guard keys.passphrases.count <= 1 else {
            throw .usage("several passphrases for one key", hint: "give --passphrase-env or --passphrase-file once")
        }
        let passphrase = keys.passphrases.first
        let folder = try arguments.outputFolder() ?? Path(".")
        let makesScriptKey = !arguments.has(.signingOnly)
        let names = ["signing.pem", "trusted.pem"] + (makesScriptKey ? ["script.key"] : [])
        let paths = names.map { folder.appending(Path($0)) }
        try InputIdentities(of: keys.inputs).refuse(paths)
        // Checked first, because making a key takes a moment.
        for path in paths {
            do throws(PatchError) {
                try OutputFile(path: path, content: .bytes([])).checkPlace(force: arguments.has(.force))
            } catch let error where error.code == .exists {
                throw error.hinting("give another -o DIR; a key that --force replaces is gone, with all that needs it")
            }
        }
        let signingKey = try SigningKey.generate(profile == .modern ? .ed25519 : .rsaSHA1, bits: bits ?? 3072)
        var files = [
            OutputFile(path: paths[0], content: .secret(try signingKey.pem(passphrase: passphrase))),
            OutputFile(path: paths[1], content: .bytes(try signingKey.verifyingKey.pem())),
        ]
        var made: [KeyDescription] = [.signing(signingKey), .trusted(signingKey.verifyingKey)]
        if makesScriptKey {
            let scriptKey = try ScriptKey.generate(profile == .modern ? .aes256GCMSHA256 : .aes128CBCMD5)
            files.append(OutputFile(path: paths[2], content: .secret(scriptKey.encoded())))
            made.append(.script(scriptKey))
        }
        try OutputFile.write(files, force: arguments.has(.force))
        console.warnOfReaders(files)
        for (key, path) in zip(made, paths) {
            try console.result(
                key.json(schema: "patchpack.keygen/1", of: path), .good, "made", "  \(path)  \(key.text)")
        }
        console.note("keep \(paths[0]) secret\(makesScriptKey ? "; apps need the other two" : "")")
        if passphrase == nil {
            console.note("\(paths[0]) has no passphrase; give one with --passphrase-env or --passphrase-file")
        }
        if profile == .mpaas { console.noteOldClients() }
    }
}
