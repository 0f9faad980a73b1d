import PatchCrypto
import PatchFiles
import PatchRunner

/// `interface`: compares what two versions of an app offer to patches.
enum InterfaceCommand {
    static let verb = Verb(
        name: "interface", summary: "say what a patch could break on between two versions of an app",
        operands: "diff OLD.json NEW.json", operandValue: .file("FILE.json"), actions: ["diff"], operandCount: 3...3,
        options: [],
        example: "patchpack interface diff interface-2.3.json interface-2.4.json",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let older = try interface(at: arguments.operands[1].path)
        let newer = try interface(at: arguments.operands[2].path)
        let changes = older.changes(to: newer)
        for change in changes {
            if console.format == .json {
                try console.json(
                    .object([
                        ("schema", .string("patchpack.interface-change/1")), ("breaking", .bool(change.isBreaking)),
                        ("change", .string(change.description)),
                    ]))
            } else if change.isBreaking || !console.isQuiet {
                try console.line(
                    change.isBreaking ? .bad : .good, change.isBreaking ? "breaks" : "new", "  \(change.description)")
            }
        }
        return changes.contains(where: \.isBreaking) ? PatchError.Code.script.exitStatus : 0
    }

    /// The interface that an option or a variable names; nil where neither does.
    static func given(_ arguments: ParsedArguments) throws(PatchError) -> PatchInterface? {
        guard let path = path(arguments) else { return nil }
        return try interface(at: path)
    }

    /// The file of that interface.
    static func path(_ arguments: ParsedArguments) -> Path? {
        (arguments.value(of: .interface) ?? Option.interface.fromEnvironment)?.path
    }

    /// Reads an interface file.
    private static func interface(at path: Path) throws(PatchError) -> PatchInterface {
        try path.naming { () throws(PatchError) in try PatchInterface(json: try InputFile.small(path)) }
    }
}
