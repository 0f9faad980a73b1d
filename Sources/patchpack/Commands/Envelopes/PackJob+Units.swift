import PatchCrypto
import PatchFiles

// The envelopes of a command line, with their names and outputs.
extension PackJob {
    /// The envelopes to make: one from each script, or one from all of them.
    ///
    /// - Throws: `usage` if an option does not fit the scripts, if two envelopes would have one output, or if an output
    ///   is an input. What `name` and `output` throw is the fault of a unit, and is thrown only for a bundle.
    func units() throws(PatchError) -> [Unit] {
        var units = try isBundle ? [bundleUnit()] : scriptUnits()
        let outputs = units.filter { $0.fault == nil && !$0.output.isStandardStream }.map(\.output)
        var distinct: Set<Path> = []
        for output in outputs where !distinct.insert(output).inserted {
            throw .usage("two scripts would be packed into \(output)", hint: "give --root DIR, to name them by folder")
        }
        try InputIdentities(of: keys.inputs).refuse(outputs)
        if units.count > 1 { refuseDuplicates(in: &units) }
        return units
    }

    private func bundleUnit() throws(PatchError) -> Unit {
        guard let entry = files.first else {
            throw .usage("--bundle without a script", hint: "the first script is the entry")
        }
        guard entry.folder == nil else {
            throw .usage(
                "--bundle with a folder first", hint: "the first script is the entry: name it before the folders")
        }
        let scripts = try files.map { (path, folder) throws(PatchError) in (path, try name(of: path, in: folder)) }
        return Unit(scripts: scripts, output: try output(for: scripts[0].1, isOnly: true))
    }

    private func scriptUnits() throws(PatchError) -> [Unit] {
        if files.count > 1, let destination, Self.isFile(destination) {
            throw .severalEnvelopes(in: destination)
        }
        guard hasOneEnvelope || fields.id == nil else {
            throw .usage("--id with several scripts", hint: "give each script a tag `-- @patch NAME`, or --bundle them")
        }
        return files.map { (path, folder) in
            do throws(PatchError) {
                let name = try name(of: path, in: folder)
                return Unit(scripts: [(path, name)], output: try output(for: name, isOnly: files.count == 1))
            } catch {
                return Unit(scripts: [(path, "")], output: path, fault: error)
            }
        }
    }

    /// Refuses a second script with the same id and version, because an app would accept either.
    private func refuseDuplicates(in units: inout [Unit]) {
        var seen: [String: Path] = [:]
        for index in units.indices where units[index].fault == nil {
            let path = units[index].scripts[0].path
            guard path.canBeReadAgain,
                let bytes = try? InputFile.contents(of: path, limit: packer.limits.scriptSize)
            else { continue }
            let head = try? ScriptHead(of: bytes)
            let patch = head.flatMap(fields.patch) ?? ""
            units[index].patch = patch
            guard !patch.isEmpty else { continue }
            if let other = seen[patch] { units[index].fault = PatchError.twice(patch, other).about(path) }
            seen[patch] = seen[patch] ?? path
        }
    }

    /// The path of a script; for standard input, the name that `--stdin-filename` gives it.
    private func named(_ path: Path) -> Path { path.isStandardStream ? standardInputName ?? path : path }

    /// The name of a script in its envelope.
    ///
    /// - Throws: `usage` if it has none, or one that a script cannot have, `no-input` if it is a folder.
    private func name(of operand: Path, in folder: Path?) throws(PatchError) -> String {
        let path = named(operand)
        guard !path.isStandardStream else {
            throw .usage("the script on standard input has no name", hint: "give it one: --stdin-filename NAME.lua")
        }
        guard !path.isFolder else {
            throw PatchError(.noInput, "is a folder", hint: "give --recursive to take each .lua file in it").about(path)
        }
        let name: String
        if isBundle, root == nil {
            // In a bundle, scripts are named as in `lint` and `test`: by their paths below the entry's folder.
            name = LintedPatch.name(of: path, beside: named(files[0].path))
        } else {
            name = try InputFiles.name(of: path, in: folder, root: root).description
        }
        guard Manifest.Script.isName(name) else {
            throw .usage(
                "\(name) cannot be a script's name",
                hint: path.ends(in: ".js")
                    ? "an envelope is packed already: name its script" : Manifest.Script.nameRule
            ).about(path)
        }
        return name
    }

    /// The path of an entry script's envelope: in the output folder, unless the name of the output ends in `.js`.
    ///
    /// A pattern such as `*.lua` that matches a single script today must not turn `-o dist` into a file.
    ///
    /// - Throws: `usage` if the output cannot be this envelope's, `io` if the folder of a named file is missing.
    private func output(for entry: String, isOnly: Bool) throws(PatchError) -> Path {
        let name = Path(entry.dropLast(".lua".count) + ".js")
        guard let output = destination else { return name }
        if output.isStandardStream {
            guard isOnly, !printsJSON else {
                throw .usage("-o - works only with one envelope and text output", hint: "name a folder")
            }
            return output
        }
        guard !output.ends(in: ".lua") || output.isFolder else {
            throw .usage("-o \(output) ends in .lua", hint: "an envelope is NAME.js; any other name is a folder")
        }
        guard Self.isFile(output) else { return output.appending(name) }
        try output.checkParent()
        return output
    }

    private static func isFile(_ output: Path) -> Bool { output.ends(in: ".js") && !output.isFolder }
}

extension PatchError {
    static func severalEnvelopes(in output: Path) -> PatchError {
        .usage("\(output) is one file, but there are several envelopes", hint: "name a folder")
    }
}
