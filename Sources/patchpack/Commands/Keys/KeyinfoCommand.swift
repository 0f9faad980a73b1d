import PatchCrypto
import PatchFiles
import PatchPublishing

enum KeyinfoCommand {
    static let verb = Verb(
        name: "keyinfo", summary: "show the kind, the algorithm and the id of keys",
        operands: "FILE...", operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [.passphraseEnv, .passphraseFile, .allowUnsafePermissions],
        example: "patchpack keyinfo keys/trusted.pem keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let files = try KeyFiles(arguments)
        for name in arguments.operands.map({ KeyName($0, from: "keyinfo") }) {
            do throws(PatchError) {
                let key = try files.describe(name)
                let feed = key.feedID.map { ", in a feed \(FeedKey.short([$0]))" } ?? ""
                try console.result(
                    key.json(schema: "patchpack.keyinfo/1", of: name.path), always: true,
                    "\(name.path)  \(key.text)\(feed)")
            } catch {
                // Standard output has failed, so the other keys cannot be shown either.
                guard error.code != .io else { throw error }
                console.fail(error.code)
                guard console.format == .json else {
                    console.error(error)
                    continue
                }
                try console.report("patchpack.keyinfo/1", about: [("file", name.path)], error)
            }
        }
    }
}
