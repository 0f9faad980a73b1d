import PatchCrypto
import PatchFiles
import PatchRunner

extension PackJob {
    struct Settings: Sendable {
        let files: [InputFiles.Placed]
        let packer: EnvelopePacker
        /// The keys of all signers.
        let trustStore: TrustStore
        let now: Timestamp
        var commands: [SignatureCommand] = []
        var standardInputName: Path?
        var isBundle = false
        /// The folder below which scripts are named by their paths.
        var root: Path?
        /// An envelope, or the folder for envelopes; nil for the current folder.
        var output: Path?
        /// The fields that take the place of tags.
        var fields = ManifestFields()
        var interface: PatchInterface?
        /// Whether the code is checked, and not only the tags.
        var lints = true
        var isDryRun = false
        var isAllOrNothing = false
        /// Whether an envelope replaces a lower version of the same patch.
        var upgrades = false
        /// Whether an envelope replaces any file.
        var forces = false
        /// Whether the results are printed as JSON, with the SHA-256 of each payload.
        var printsJSON = false
        var protectInputs: @Sendable ([Path]) throws(PatchError) -> Void = { _ throws(PatchError) in }
    }
}

extension PackJob.Settings {
    init(_ arguments: ParsedArguments) throws(PatchError) {
        let fields = try ManifestFields(arguments)
        let interface = try InterfaceFile.fromOptions(arguments)
        let files = try InputFiles.placed(arguments, called: ".lua")
        let keys = try KeyFiles(arguments, operands: files.map(\.path))
        let signingKeys = try keys.signingKeys()
        let commands = SignatureCommand.all(arguments)
        guard !signingKeys.isEmpty || !commands.isEmpty else {
            throw .usage("no signing key", hint: "give --signing-key FILE, or set PATCHPACK_SIGNING_KEY")
        }
        let scriptKey = try keys.scriptKey().needed(
            "no script key", hint: "give --script-key FILE, or set PATCHPACK_SCRIPT_KEY")
        self.init(
            files: files, packer: try EnvelopePacker(scriptKey: scriptKey, signingKeys: signingKeys),
            trustStore: try keys.trustStore(orThatOf: signingKeys, needed: !commands.isEmpty),
            now: try SystemClock.now(), commands: commands)
        (self.fields, self.interface) = (fields, interface)
        standardInputName = try ScriptInput.name(arguments)
        (root, output) = (arguments.path(of: .root), arguments.path(of: .output))
        isBundle = arguments.has(.bundle)
        lints = !arguments.has(.noLint)
        isDryRun = arguments.has(.dryRun)
        isAllOrNothing = arguments.has(.allOrNothing)
        (upgrades, forces) = (arguments.has(.upgrade), arguments.has(.force))
        printsJSON = arguments.format == "json"
        protectInputs = { (outputs) throws(PatchError) in try keys.protectInputs(from: outputs) }
    }
}
