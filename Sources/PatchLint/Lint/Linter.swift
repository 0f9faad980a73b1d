package import PatchCrypto
package import PatchRunner

/// Checks a patch before it ships: whether it parses, fits the app, and replaces the functions that it lists.
///
/// The functions that a script replaces are found by running it in the sandbox, as the app would.
package struct Linter {
    /// With more globals it is probably the wrong file, and it takes time to find the place and the likely meaning of
    /// each one.
    private static let mostGlobals = 100
    /// The names of nil in other languages.
    private static let nils: Set = ["null", "undefined", "None"]

    /// How many findings each group of checks may add.
    static let mostFindings = 200

    let scripts: [PatchScript]
    let texts: [SourceText]
    /// The place of each script among the scripts, by its name.
    let places: [String: Int]
    /// How many findings there may be for now.
    var most = mostFindings
    /// For each script, the comments that silence warnings.
    let silencers: [String: [Silencer]]
    private(set) var outlines: [SourceOutline] = []
    private let replaces: [String]
    let interface: PatchInterface?
    /// The entry's tags; nil if they have not been read.
    let head: ScriptHead?
    /// The interface, with its names in tables.
    let known: KnownInterface?
    let budget: LintBudget
    private let names = NameTable()
    var found: [Finding] = []

    /// Checks a patch.
    ///
    /// - Parameters:
    ///   - scripts: The scripts, the entry first.
    ///   - replaces: The names that the manifest lists.
    ///   - interface: Describes the app. Without it, the names in the manifest are taken as the functions of the app.
    ///   - head: The entry's tags; nil to read them from the entry.
    /// - Returns: The findings, sorted by script and line.
    package static func findings(
        in scripts: [PatchScript], replaces: [String], interface: PatchInterface?, head: ScriptHead? = nil,
        budget: LintBudget = LintBudget()
    ) -> [Finding] {
        var lint = Linter(scripts: scripts, replaces: replaces, interface: interface, head: head, budget: budget)
        do throws(PatchError) {
            try lint.run()
        } catch {
            lint.report(error)
        }
        let places = lint.places
        return lint.found.filter { !lint.isIgnored($0) }.sorted {
            (places[$0.script] ?? 0, $0.line, $0.column) < (places[$1.script] ?? 0, $1.line, $1.column)
        }
    }

    private init(
        scripts: [PatchScript], replaces: [String], interface: PatchInterface?, head: ScriptHead?, budget: LintBudget
    ) {
        self.head = head
        known = interface.map { KnownInterface($0, adding: LibraryFunction.scalars) }
        self.budget = budget
        self.scripts = scripts
        self.replaces = replaces
        self.interface = interface
        texts = scripts.map { SourceText($0.name, $0.bytes) }
        places = Dictionary(scripts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        silencers = Dictionary(
            scripts.map { ($0.name, LuaTokens.comments(in: $0.bytes, with: "patchpack:").compactMap(Silencer.init)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Offers the functions that a script may replace to the sandbox. None of them can be called.
    private func offerFunctions() throws(PatchError) {
        let offered =
            interface?.functions
            ?? replaces.map { .init(name: $0, signature: FunctionType([], result: "nothing", throws: true)) }
        let types = interface.map(InterfaceTypes.init)
        for function in offered {
            let result = interface == nil ? "value" : function.signature.resultType
            let slot = Slot(
                name: function.name, signature: function.signature,
                invoke: { slot, stack, _, _, _ in stack.refuseCall(of: slot) }, invokeAsync: nil,
                readResult: { ScriptValue.readResult(from: $0, as: result, in: types) })
            try names.add([slot])
        }
    }

    /// Runs all checks; only the first ones if a script does not compile, or is a spec.
    ///
    /// - Throws: Why the scripts do not load.
    private mutating func run() throws(PatchError) {
        try offerFunctions()
        let state = try ScriptState(
            scripts, limits: PatchLimits(),
            host: HostInfo(app: interface?.app ?? "com.example.app", version: interface?.appVersion ?? "1"),
            names: names, reports: .none, seed: 1)
        defer { state.close() }
        for (script, text) in zip(scripts, texts) { checkEncoding(script, text) }
        var functions: [Prototype] = []
        for (index, (script, text)) in zip(scripts, texts).enumerated() {
            do throws(PatchError) {
                // The entry's function stays, because it is the one that runs.
                let bytes = try state.loader.precompiled(script, stays: index == 0)
                if let function = Prototype(dumped: bytes) { functions.append(function) }
            } catch {
                found.append(Self.finding(for: error, in: script, text))
            }
        }
        guard functions.count == scripts.count else { return }
        let chunks = functions.map(GlobalUses.init)
        outlines = scripts.map { SourceOutline($0.bytes) }
        // A single script that replaces nothing and calls a `describe` that is not its own.
        let uses = chunks[0].globals.filter { $0.name == "describe" }
        if chunks.count == 1, replaces.isEmpty, let call = uses.first, !uses.contains(where: \.isAssigned) {
            found = [texts[0].finding(.spec, line: call.line, word: call.name, "this is a spec, not a patch")]
            return
        }
        checkGlobals(chunks)
        allowOthers()
        checkSilencers()
        checkRequired()
        checkClasses()
        checkState(functions)
        // Types also explain why a script does not load.
        defer { checkTypes(functions, chunks, of: state) }
        try state.load(isCompiled: true)
        checkReplacements(of: state)
        checkOtherwise(of: state)
    }

    private static func finding(for error: PatchError, in script: PatchScript, _ text: SourceText) -> Finding {
        if text.line(1).hasPrefix("#!") {
            return text.finding(.syntax, line: 1, "the app's Lua does not accept a #! line", hint: "remove it")
        }
        let line = error.place?.line ?? 1
        return text.finding(
            .syntax, line: line, error.message,
            hint: SyntaxHints.hint(for: error.message, line: line, in: script.bytes))
    }

    mutating func report(
        _ code: Finding.Code, in text: SourceText, line: Int, word: String? = nil, _ message: String,
        hint: String? = nil
    ) {
        found.append(text.finding(code, line: line, word: word, message, hint: hint))
    }

    mutating func report(
        _ code: Finding.Code, in text: SourceText, at range: Range<Int>, _ message: String, hint: String? = nil
    ) {
        found.append(text.finding(code, at: range, message, hint: hint))
    }

    /// Adds a finding for an error of the run, at the line where the error occurred.
    private mutating func report(_ error: PatchError) {
        let code: Finding.Code = error.code == .scriptLimit ? .loadLimit : .loadError
        let text = texts.first { $0.name == error.place?.file } ?? texts[0]
        report(code, in: text, line: error.place?.line ?? 1, error.message, hint: error.hint)
    }

    /// Whether no script is nested too deeply for its outline.
    var knowsOutlines: Bool { outlines.allSatisfy(\.isWhole) }

    /// Whether all globals are known that `waxClass` makes.
    func knowsClasses(_ chunks: [GlobalUses]) -> Bool {
        zip(chunks, outlines).allSatisfy { chunk, outline in
            outline.isWhole || !chunk.globals.contains { $0.name == "waxClass" }
        }
    }

    /// Checks the globals that nothing defines, and the members that the sandbox's tables do not have.
    private mutating func checkGlobals(_ chunks: [GlobalUses]) {
        var left = Self.mostGlobals
        let classes = outlines.flatMap { $0.classNames }
        let assigned = Set(chunks.flatMap { $0.globals.filter(\.isAssigned).map(\.name) } + classes)
        let added = Set(outlines.flatMap(\.assignedMembers))
        // A script that is nested too deeply for its outline may add its fields to any table.
        var addedUnseen: Set<String> = []
        for (chunk, outline) in zip(chunks, outlines) where !outline.isWhole {
            addedUnseen.formUnion(chunk.findFieldsAssigned())
        }
        let known = SandboxNames.globals.union(assigned).sorted()
        let knowsClasses = knowsClasses(chunks)
        // A script that runs in other Luas too asks for what they have.
        let tested = Set(
            chunks.flatMap { chunk in
                chunk.globals.filter(\.isTested).map(\.name)
                    + chunk.members.filter(\.isTested).map { $0.table == "_G" ? $0.name : "\($0.table).\($0.name)" }
                    + chunk.asked
            })
        for ((chunk, text), outline) in zip(zip(chunks, texts), outlines) {
            var seen: Set<String> = []
            for global in chunk.globals where !global.isAssigned {
                guard !SandboxNames.globals.contains(global.name), !assigned.contains(global.name),
                    seen.insert("\(global.line) \(global.name)").inserted
                else { continue }
                guard left > 0 else { return }
                left -= 1
                if SandboxNames.missing.contains(global.name) {
                    guard !tested.contains(global.name) else { continue }
                    report(
                        .notInSandbox, in: text, line: global.line, word: global.name,
                        "the sandbox has no \(global.name)",
                        hint: global.name == "unpack"
                            ? "use table.unpack" : "docs/writing-patches.md lists its functions")
                } else if knowsClasses {
                    report(
                        .undefinedGlobal, in: text, line: global.line, word: global.name,
                        "the global \(global.name) is used, but nothing defines it",
                        hint: hint(for: global, in: outline, among: known))
                }
            }
            for member in chunk.members {
                guard let known = SandboxNames.members[member.table], !known.contains(member.name),
                    !tested.contains("\(member.table).\(member.name)"), !assigned.contains(member.table),
                    !added.contains("\(member.table).\(member.name)"), !addedUnseen.contains(member.name)
                else { continue }
                guard left > 0 else { return }
                left -= 1
                report(
                    .notInSandbox, in: text, line: member.line, word: member.name,
                    "the sandbox has no \(member.table).\(member.name)",
                    hint: budget.advice(for: member.name, among: known.sorted()) { "\(member.table).\($0)" })
            }
        }
    }

    /// Advice on a global that nothing defines.
    ///
    /// - Parameter known: The globals that there are.
    private func hint(for global: GlobalUses.Global, in outline: SourceOutline, among known: [String]) -> String? {
        if Self.nils.contains(global.name) { return "Lua writes nil" }
        if let line = outline.line(ofLocal: global.name) {
            return "line \(line) has a local \(global.name), but it is not visible here"
        }
        return budget.advice(for: global.name, among: outline.locals(upTo: global.line) + known)
    }

    /// Checks the functions that the scripts replace against those that the manifest lists and the app has.
    private mutating func checkReplacements(of state: ScriptState) {
        allowOthers()
        let replaced = state.lua.layers.map(\.name)
        let listed = Set(replaces)
        for layer in state.lua.layers where hasRoom {
            let name = layer.name
            let place = layer.place(in: state.lua)
            let text = texts[place.flatMap { places[$0.script] } ?? 0]
            let line = place?.line ?? text.firstLine(with: name) ?? 1
            check(name, isListed: listed.contains(name), layer.parameters(in: state.lua), line: line, text: text)
        }
        let entry = texts[0]
        let made = Set(replaced)
        for name in replaces where hasRoom && !made.contains(name) {
            let line = entry.firstLine(with: name) ?? 1
            if let known, known.function(name) == nil {
                reportUnknown(name, line: line, text: entry)
            } else if !replaced.isEmpty {
                report(
                    .replacesUnused, in: entry, line: line, word: name,
                    "@replaces lists \(name), which the script does not replace",
                    hint: budget.nearest(name, among: replaced).map { "it replaces \($0)" }
                        ?? "replace it, or remove it")
            }
        }
        if replaced.isEmpty {
            report(
                .replacesNothing, in: entry, line: 1, "the script replaces nothing",
                hint: outlines.contains { !$0.waxClasses.isEmpty }
                    ? "the app has none of the functions that it defines after waxClass"
                    : "call patch.replace, or define functions after waxClass")
        }
    }

    private mutating func reportUnknown(_ name: String, line: Int, text: SourceText) {
        let names = known?.functionNames ?? []
        report(
            .unknownFunction, in: text, line: line, word: name, "the app has no function \(name)",
            hint: budget.advice(for: name, among: names) ?? "it has \(names.listed)")
    }

    /// Checks the replacement of a function at its line.
    ///
    /// - Parameter parameters: How many parameters the replacement has.
    private mutating func check(_ name: String, isListed: Bool, _ parameters: Int, line: Int, text: SourceText) {
        let word =
            Array(text.line(line).utf8).firstPlace(of: Array(name.utf8)) != nil
            ? name : String(name.split { $0 == "." || $0 == ":" }.last ?? "")
        let function = known?.function(name)
        guard known == nil || function != nil else { return reportUnknown(name, line: line, text: text) }
        guard isListed else {
            return report(
                .replacesMissing, in: text, line: line, word: word,
                "the script replaces \(name), which no @replaces lists",
                hint: "add `-- @replaces \(name)` to the head")
        }
        guard let function else { return }
        let most = function.signature.argumentTypes.count + 1
        if parameters > most {
            let given = "at most \(most): the original, and the arguments of \(name)\(function.signature)"
            report(
                .arity, in: text, line: line, word: word,
                "the replacement has \(parameters) parameters, but gets \(given)")
        }
    }
}
