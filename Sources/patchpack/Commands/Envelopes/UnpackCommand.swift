import PatchCrypto
import PatchFiles

enum UnpackCommand {
    static let verb = Verb(
        name: "unpack", summary: "verify an envelope and write its scripts into a folder",
        operands: "FILE... -o DIR --trusted-key KEY --script-key FILE",
        operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [.outputFolder, .force] + Verification.options,
        example: "patchpack unpack dist/cart.js -o cart --trusted-key keys/trusted.pem --script-key keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let folder = try arguments.outputFolder().needed("no output folder", hint: "give -o DIR")
        let verification = try Verification(arguments)
        let inputs = try InputIdentities(of: verification.keys.inputs)
        let paths = arguments.operands.map(\.path)
        let folders = paths.map { paths.count == 1 ? folder : folder.appending($0.stem) }
        var seen: Set<Path> = []
        if let twice = folders.first(where: { !seen.insert($0).inserted }) {
            throw .usage("two envelopes would be unpacked into \(twice)", hint: "unpack them one by one")
        }
        try inOrder(Array(zip(paths, folders)), jobs: 1, on: console, words: ("unpacked", "refused")) {
            $0.map { verification.unpack($0, into: $1, keeping: inputs, force: arguments.has(.force)) }
        } show: { (result, outputs) throws(PatchError) in
            if console.format == .json {
                let written = result.error == nil ? outputs : []
                try console.json(result.json(schema: "patchpack.unpack/1", [("outputs", written)]))
            } else if let error = result.error {
                console.error(error.about(result.path))
            } else if !console.isQuiet {
                for output in outputs { try console.line(.good, "unpacked", "  \(output)") }
            }
            return result.error
        }
    }
}

extension Path {
    /// The name without its last extension. If dots alone would be left, which lead out of a folder, it is the whole
    /// name.
    var stem: Path {
        let bytes = name.bytes
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return name }
        let stem = bytes[..<dot]
        return stem.allSatisfy { $0 == UInt8(ascii: ".") } ? name : Path(bytes: Array(stem))
    }
}

extension Verification {
    /// Verifies an envelope, and writes its scripts into a folder: all of them or none.
    ///
    /// - Parameter inputs: The files that no script may replace.
    /// - Returns: The result, and the paths of the scripts. They are written if the result has no error.
    fileprivate func unpack(
        _ path: Path, into folder: Path, keeping inputs: InputIdentities, force: Bool
    ) -> (FileResult, [Path]) {
        var result = result(of: path, keepingScripts: true)
        let outputs = result.scripts.map { script in
            // Links below the folder are not followed, so no script is written outside it.
            OutputFile(path: folder.appending(Path(script.name)), content: .bytes(script.bytes), below: folder)
        }
        if result.error == nil {
            do {
                try inputs.refuse(outputs.map(\.path))
                try OutputFile.write(outputs, force: force)
            } catch {
                result.error = error
            }
        }
        return (result, outputs.map(\.path))
    }
}
