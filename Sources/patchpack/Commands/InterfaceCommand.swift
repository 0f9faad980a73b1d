import PatchCrypto
import PatchRunner
import PatchWorkbench

/// `interface`: compares what two versions of an app offer to patches.
enum InterfaceCommand {
    static let verb = Verb(
        name: "interface", summary: "show which changes between two versions of an app could break a patch",
        actions: [
            Verb(
                name: "interface diff", summary: "compare what two versions of an app offer to patches",
                operands: "OLD.json NEW.json", operandValue: .file("FILE.json"), operandCount: 2...2, options: [],
                example: "patchpack interface diff interface-2.3.json interface-2.4.json", run: diff)
        ])

    private static func diff(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let older = try InterfaceFile.interface(at: arguments.operands[0].path)
        let newer = try InterfaceFile.interface(at: arguments.operands[1].path)
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
}
