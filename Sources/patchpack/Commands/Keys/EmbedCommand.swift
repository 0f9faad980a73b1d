import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchLint
import PatchRunner
import PatchText

extension Option {
    fileprivate static let embeddedKey = Option(
        "trusted-key", "public key, in PEM, to embed as trustedKey", .file("FILE"))
    fileprivate static let embeddedStore = Option(
        "trust-store", "file from `patchpack trust` to embed as trustStore", .file("FILE"))
    fileprivate static let embeddedRoot = Option("root", "a feed's 1.root.json to embed as root", .file("FILE"))
}

/// `embed`: checks the files that an app needs to trust patches, and writes them as Swift source. The build plug-in
/// runs it.
enum EmbedCommand {
    static let verb = Verb(
        name: "embed", summary: "check keys, a feed's root and scripts, and write keys and root as Swift source",
        operands: "[SCRIPT.lua...] --output FILE.swift", operandValue: .file("SCRIPT.lua"), operandCount: 0...Int.max,
        options: [.outputFile, .force, .embeddedKey, .embeddedStore, .trustStorePin, .embeddedRoot, .interface],
        example:
            "patchpack embed --trusted-key keys/trusted.pem --root feed/metadata/1.root.json "
            + "--output PatchResources.swift",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let output = try arguments.newFile(.outputFile).needed("no output", hint: "give --output FILE.swift")
        let embeds = [Option.embeddedKey, .embeddedStore, .embeddedRoot].contains(where: arguments.has)
        guard embeds || !arguments.operands.isEmpty else {
            throw .usage(
                "nothing to embed, and no script to check",
                hint: "give --trusted-key FILE, --trust-store FILE, --root FILE or SCRIPT.lua")
        }
        guard arguments.has(.embeddedStore) || !arguments.has(.trustStorePin) else { throw .pinWithoutStore }
        let members = try members(arguments)
        try lint(arguments, console)
        // An app is not built with a script that is wrong.
        guard console.exitStatus == 0 else { return }
        let source = """
            // Written by patchpack embed.

            /// The keys that this app trusts, and the root of its feed.
            enum PatchResources {
            \(members.joined(separator: "\n"))
            }

            """
        let files = [OutputFile(output, source)]
        try OutputFile.write(files, force: arguments.has(.force))
        if console.format == .json { try console.made(files, schema: "patchpack.embed/1") }
    }

    /// The members of the source: the files that the options name, checked as an app would read them.
    private static func members(_ arguments: ParsedArguments) throws(PatchError) -> [String] {
        var members: [String] = []
        if let file = arguments.path(of: .embeddedKey) {
            let bytes = try InputFile.small(file)
            let key = try file.naming { () throws(PatchError) in
                try VerifyingKey(pem: bytes, algorithm: nil, rsaDefault: .rsaSHA1)
            }
            members.append(try member("trustedKey", KeyDescription.trusted(key).text, bytes, file))
        }
        if let file = arguments.path(of: .embeddedStore) {
            let bytes = try TrustFiles.file(at: file)
            let pin = try arguments.text(of: .trustStorePin)
            let store = try file.naming { () throws(PatchError) in
                try TrustStore(decoding: bytes, pinnedTo: pin, rsaDefault: .rsaSHA1)
            }
            members.append(try member("trustStore", store.keys.count.counting("key"), bytes, file))
        }
        if let file = arguments.path(of: .embeddedRoot) {
            let bytes = try InputFile.small(file)
            try file.naming { () throws(PatchError) in
                _ = try FeedClient(
                    root: bytes, source: FolderSource("."), storage: NoStorage(), at: try SystemClock.now())
            }
            members.append(try member("root", "the root of a feed, which its own keys have signed", bytes, file))
        }
        return members
    }

    /// Lints the scripts, and shows what it finds. An error is a failure of the run.
    private static func lint(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let interface = try InterfaceFile.fromOptions(arguments)
        for script in arguments.operands.map(\.path) {
            let patch = try LintedPatch([script], try ManifestFields(arguments), interface, onStandardInput: nil)
            for (finding, file) in patch.findings {
                try LintCommand.show(finding, in: file, patch.line(of: finding), console)
                if finding.severity == .error { console.fail(.script) }
            }
        }
    }

    /// A constant with the text of a file, and what it means in a comment.
    ///
    /// - Throws: `config` if the file is not UTF-8.
    private static func member(
        _ name: String, _ meaning: String, _ bytes: [UInt8], _ file: Path
    ) throws(PatchError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PatchError(.config, "not UTF-8 text").about(file)
        }
        return "    /// \(Escape.comment(meaning))\n    static let \(name) = Array(\"\(Escape.swift(text))\".utf8)"
    }
}
