import PatchCrypto

extension PackJob {
    init(_ arguments: ParsedArguments) throws(PatchError) {
        fields = try ManifestFields(arguments)
        interface = try InterfaceFile.fromOptions(arguments)
        files = try InputFiles.placed(arguments, called: ".lua")
        keys = try KeyFiles(arguments, operands: files.map(\.path))
        let signingKeys = try keys.signingKeys()
        commands = SignatureCommand.all(arguments)
        guard !signingKeys.isEmpty || !commands.isEmpty else {
            throw .usage("no signing key", hint: "give --signing-key FILE, or set PATCHPACK_SIGNING_KEY")
        }
        let scriptKey = try keys.scriptKey().needed(
            "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        // A command may make all signatures.
        packer = try EnvelopePacker(scriptKey: scriptKey, signingKeys: signingKeys, limits: EnvelopeLimits())
        trustStore = try keys.trustStore(orThatOf: signingKeys, needed: !commands.isEmpty)
        now = try SystemClock.now()
        standardInputName = try ScriptFiles.name(arguments)
        root = arguments.path(of: .root)
        destination = arguments.path(of: .output)
        isBundle = arguments.has(.bundle)
        lints = !arguments.has(.noLint)
        isDryRun = arguments.has(.dryRun)
        isAllOrNothing = arguments.has(.allOrNothing)
        upgrades = arguments.has(.upgrade)
        forces = arguments.has(.force)
        printsJSON = arguments.format == "json"
    }
}
