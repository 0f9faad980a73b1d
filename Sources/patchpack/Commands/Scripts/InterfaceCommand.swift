import PatchCrypto
import PatchFiles
import PatchLint
import PatchRunner

enum InterfaceCommand {
    static let verb = Verb(
        name: "interface", summary: "compare two versions of an app's interface, or write its types for editors",
        actions: [
            Verb(
                name: "interface diff", summary: "compare the functions and types that two versions of an app offer",
                operands: "OLD.json NEW.json", operandValue: .file("FILE.json"), operandCount: 2...2, options: [],
                example: "patchpack interface diff interface-2.3.json interface-2.4.json", run: diff),
            Verb(
                name: "interface stubs", summary: "write types for lua-language-server and names for luacheck",
                operands: "INTERFACE.json", operandValue: .file("FILE.json"), operandCount: 1...1,
                options: [.outputFolder, .force], example: "patchpack interface stubs interface.json --output .",
                run: stubs),
        ])

    /// Writes `types/patchpack.lua` and the missing configurations. Existing configurations are kept, because people
    /// change them.
    private static func stubs(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let interface = try InterfaceFile.interface(at: arguments.operands[0].path)
        let folder = try arguments.outputFolder() ?? Path(".")
        func file(_ name: String, _ text: String) -> OutputFile { OutputFile(folder.appending(Path(name)), text) }
        let types = file("types/patchpack.lua", interface.stubs)
        let configurations = [
            file(".luarc.json", PatchInterface.languageServerConfiguration),
            file(".luacheckrc", PatchInterface.luacheckConfiguration),
        ]
        let files = [types] + configurations.filter { FileInfo($0.path, following: false) == nil }
        try OutputFile.write(files, force: arguments.has(.force))
        try console.made(files, schema: "patchpack.interface-stubs/1")
    }

    /// Prints the changes from one interface to another. One that breaks patches is a failure of the run.
    private static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let older = try InterfaceFile.interface(at: arguments.operands[0].path)
        let newer = try InterfaceFile.interface(at: arguments.operands[1].path)
        let changes = older.changes(to: newer)
        for change in changes {
            let isBreaking = change.isBreaking
            try console.result(
                .object("patchpack.interface-change/1", [("breaking", isBreaking), ("change", change.description)]),
                always: isBreaking, isBreaking ? .bad : .good, isBreaking ? "breaks" : "new", "  \(change.description)")
            if isBreaking { console.fail(.script) }
        }
    }
}
