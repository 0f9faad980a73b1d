import PatchCrypto
import PatchFiles

enum InitCommand {
    static let verb = Verb(
        name: "init", summary: "create a folder for patches, with a spec, a release script and a CI workflow",
        operands: "DIR", operandValue: .directory("DIR"), operandCount: 1...1, options: [.app],
        example: "patchpack init my-patches --app com.example.shop",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let folder = arguments.operands[0].path
        guard !folder.bytes.isEmpty, !folder.isStandardStream else {
            throw .usage("init needs a folder", hint: "patchpack init DIR")
        }
        let app = try arguments.text(of: .app) ?? "com.example.shop"
        // The rules for the form of an app's name are in the manifest.
        do {
            _ = try Manifest(id: "\(app).hello", version: 1, app: app, scripts: [.init(name: "main.lua", byteCount: 0)])
        } catch {
            throw .usage("--app \(app) is not a reverse-DNS name such as com.example.shop")
        }
        let outputs = ProjectTemplate.files(app: app).map { OutputFile(folder.appending(Path($0.name)), $0.text) }
        do {
            try OutputFile.write(outputs, force: false)
        } catch let error where error.code == .exists {
            throw error.hinting("init does not replace files; name another folder")
        }
        try console.made(outputs, schema: "patchpack.init/1")
        console.note("next: cd '\(folder)' && patchpack \(ProjectTemplate.keygen) && sh release.sh")
    }
}

extension OutputFile {
    /// A file with a text.
    init(_ path: Path, _ text: String) { self.init(path: path, content: .bytes(Array(text.utf8))) }
}

extension Console {
    /// Prints the files that were made, a result for each.
    func made(_ files: [OutputFile], schema: String) throws(PatchError) {
        for file in files {
            try result(.object(schema, [("file", file.path)]), .good, "made", "  \(file.path)")
        }
    }
}
