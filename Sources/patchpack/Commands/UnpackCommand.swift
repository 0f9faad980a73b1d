import PatchCrypto

/// `unpack`: verifies an envelope and writes its scripts.
enum UnpackCommand {
    static let verb = Verb(
        name: "unpack", summary: "verify an envelope and write its scripts into a folder",
        operands: "FILE -o DIR --trusted-key KEY --script-key FILE",
        operandValue: .file("FILE"), operandCount: 1...1,
        options: [
            .outputFolder, .force, .trustedKey, .trustStore, .trustStorePin, .scriptKey, .storePassphraseEnv,
            .storePassphraseFile, .threshold, .runningApp, .appVersion, .runningEngine, .floor,
            .time,
        ],
        example: "patchpack unpack dist/cart.js -o cart --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: { (arguments, console) throws(PatchError) in try run(arguments, console) })

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard let folder = arguments.value(of: .output)?.path, !folder.isStandardStream else {
            throw PatchError(.usage, "no output folder", hint: "give -o DIR")
        }
        let verification = try Verification(arguments)
        var result = verification.result(of: arguments.operands[0].path, keepingScripts: true)
        let outputs = result.scripts.map { script in
            // No link below the folder leads the scripts somewhere else.
            OutputFile(path: folder.appending(Path(script.name)), content: .bytes(script.bytes), below: folder)
        }
        if result.error == nil {
            do {
                try verification.keys.protectInputs(from: outputs.map(\.path))
                try OutputFile.write(outputs, force: arguments.has(.force))
            } catch {
                result.error = error
            }
        }
        try show(result, outputs.map(\.path), console)
        return result.error?.code.exitStatus ?? 0
    }

    private static func show(
        _ result: Verification.FileResult, _ outputs: [Path], _ console: Console
    ) throws(PatchError) {
        guard console.format == .text else {
            let written = result.error == nil ? outputs.map { JSONValue.string($0.description) } : []
            return try console.json(.object(result.json(schema: "patchpack.unpack/1") + [("outputs", .array(written))]))
        }
        if let error = result.error {
            console.error(error.about(result.path))
        } else if !console.isQuiet {
            for output in outputs { try console.line(.good, "unpacked", "  \(output)") }
        }
    }
}
