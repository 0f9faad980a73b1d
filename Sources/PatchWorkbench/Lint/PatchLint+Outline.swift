import PatchCrypto
internal import PatchRunner

// The checks that use an outline of the source, without running the script.

extension PatchLint {
    /// A comment `-- patchpack: ignore CODE`.
    struct Silencer {
        let line: Int
        /// Whether it is alone on its line. Then it also applies to the next line.
        let isAlone: Bool
        let codes: Set<String>

        init?(_ comment: LuaTokens.Comment) {
            func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }
            let text = comment.text.drop(while: isSpace)
            guard text.starts(with: "patchpack:".utf8) else { return nil }
            let words = text.dropFirst("patchpack:".utf8.count).drop(while: isSpace)
            guard words.starts(with: "ignore".utf8) else { return nil }
            line = comment.line
            isAlone = comment.isAlone
            codes = Set(
                words.dropFirst(6).split { $0 == UInt8(ascii: ",") || isSpace($0) }.map {
                    String(decoding: $0, as: UTF8.self)
                })
        }
    }

    /// Whether a comment on the line, or alone on the line before, silences a warning.
    func isIgnored(_ finding: Finding) -> Bool {
        guard finding.severity == .warning, finding.code != .unknownTag, finding.code != .tooLarge else { return false }
        return silencers[finding.script]?.contains { silencer in
            (silencer.line == finding.line || silencer.isAlone && silencer.line == finding.line - 1)
                && silencer.codes.contains(finding.code.rawValue)
        } ?? false
    }

    /// Finds comments that silence nothing because their code is misspelled or missing.
    mutating func checkSilencers() {
        // Errors cannot be silenced: a comment does not change how the app behaves.
        let known = Finding.Code.allCases.filter { $0.severity == .warning }.map(\.rawValue)
        for text in texts {
            for silencer in silencers[text.name] ?? [] where hasRoom {
                let unknown = silencer.codes.subtracting(known).sorted()
                guard let code = unknown.first ?? (silencer.codes.isEmpty ? "" : nil) else { continue }
                found.append(
                    text.finding(
                        .unknownTag, line: silencer.line, word: code.isEmpty ? "patchpack" : code,
                        code.isEmpty ? "no code after `patchpack: ignore`" : "no warning is named \(code)",
                        hint: budget.meant(by: code, among: known)
                            ?? "for example unused-local"))
            }
        }
    }

    /// Whether another finding may be added.
    ///
    /// With too many findings, it is probably the wrong file, and each finding takes time.
    var hasRoom: Bool { found.count < most }

    /// Allows the same number of findings of other checks, so that many warnings of one check hide no errors of another.
    mutating func allowOthers() { most = found.count + Self.mostFindings }

    mutating func checkEncoding(_ script: PatchScript, _ text: SourceText) {
        guard String(validating: script.bytes, as: UTF8.self) == nil else { return }
        let line = script.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }
        found.append(
            text.finding(
                .encoding, line: (line ?? 0) + 1, "not UTF-8 text",
                hint: "save it as UTF-8; the app refuses strings that are not UTF-8"))
    }

    mutating func checkLocals(_ chunks: [Chunk]) {
        let setsMetatables = chunks.contains(where: \.setsMetatables)
        for (outline, text) in zip(outlines, texts) {
            for variable in outline.variables where hasRoom && !variable.isRead && variable.parameter == nil {
                let name = outline.text(variable.place)
                guard !name.hasPrefix("_") else { continue }
                found.append(
                    text.finding(
                        .unusedLocal, at: variable.place, "the local \(name) is never used",
                        hint: "remove it, or name it _"))
            }
            for (variable, hidden) in outline.shadows where hasRoom {
                let (place, other) = (outline.variables[variable].place, outline.variables[hidden].place)
                let name = outline.text(place)
                found.append(
                    text.finding(
                        .shadowedLocal, at: place, "\(name) hides the \(name) of line \(other.line)",
                        hint: "rename one of them"))
            }
            // A metamethod may return anything.
            for (place, constant) in outline.constants where hasRoom && !(setsMetatables && constant == .number) {
                found.append(
                    text.finding(
                        constant == .and ? .alwaysFalse : .alwaysTrue, at: place, constant.message, hint: constant.hint)
                )
            }
            for (operand, operation, place) in outline.operations where hasRoom {
                guard case .constant(let type) = operand, let what = operation.fault(on: type) else { continue }
                found.append(text.finding(.operand, at: place, "\(what) \(type == .nil ? "nil" : "a \(type)")"))
            }
        }
    }

    /// Finds scripts that no `require` leads to.
    ///
    /// If the name of a `require` is known only when the script runs, nothing is found.
    mutating func checkRequired() {
        guard scripts.count > 1, !outlines.contains(where: { $0.required.contains(nil) }) else { return }
        var reached: Set<Int> = [0]
        var open = [0]
        let places = Dictionary(
            scripts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        while let index = open.popLast() {
            for case let name? in Set(outlines[index].required) {
                let path = name.replacing(".", with: "/")
                for case let other? in [places["\(path).lua"], places["\(path)/init.lua"]]
                where reached.insert(other).inserted {
                    open.append(other)
                }
            }
        }
        for (index, text) in texts.enumerated() where !reached.contains(index) {
            found.append(
                text.finding(
                    .unusedScript, line: 1, "no script of the bundle requires \(text.name)",
                    hint: "remove it, or pack it as its own patch"))
        }
    }

    /// Checks the classes and methods that scripts for Wax use.
    mutating func checkClasses() {
        guard let interface, outlines.contains(where: { !$0.waxClasses.isEmpty }) else { return }
        var known: [String: Set<String>] = [:]
        for name in interface.functions.map(\.name) {
            let parts = name.split(maxSplits: 1) { $0 == "." || $0 == ":" }
            if parts.count == 2 { known[String(parts[0]), default: []].insert(String(parts[1])) }
        }
        for exposed in interface.classes { known[exposed.name, default: []].formUnion(exposed.methods.map(\.name)) }
        let names = known.keys.sorted()
        let own = Set(outlines.flatMap(\.assignedMembers).compactMap { $0.split(separator: ".").last.map(String.init) })
        for (outline, text) in zip(outlines, texts) where !outline.waxClasses.isEmpty {
            for place in outline.waxClasses where hasRoom {
                let name = outline.text(place)
                guard known[name] == nil else { continue }
                found.append(
                    text.finding(
                        .unknownClass, line: place.line, word: name, "the app has no class \(name)",
                        hint: budget.meant(by: name, among: names)
                            ?? "it has \(names.listed)"))
            }
            let classes = outline.classNames
            let methods = classes.reduce(into: Set<String>()) { $0.formUnion(known[$1] ?? []) }
            let defined = Set(outline.functions.map(\.name)).subtracting([""])
            let (wanted, all) = (methods.sorted(), methods.union(defined).sorted())
            let ofSelf = outline.members.filter { $0.receiver == outline.itself }
            let asked = Set(ofSelf.filter { $0.call == nil }.map(\.name.name))
            for member in ofSelf where hasRoom {
                // The `self` of an anonymous function is another object.
                guard let variable = member.variable, let parameter = outline.variables[variable].parameter,
                    !outline.functions[parameter.function].name.isEmpty
                else { continue }
                let (name, word) = (member.name, outline.text(member.name))
                if word == "super" {
                    found.append(
                        text.finding(
                            .notInSandbox, at: name, "the sandbox has no self.super",
                            hint: "self:ORIGname(…) calls the app's function"))
                    continue
                }
                let isOriginal = word.hasPrefix("ORIG")
                let method = isOriginal ? String(word.dropFirst(4)) : word
                if isOriginal, methods.contains(method), let call = member.dotCall,
                    lacksObject(call, method, of: classes)
                {
                    found.append(
                        text.finding(
                            .argument, at: name, "\(word) is called without its object",
                            hint: Advice(
                                "a method is called with a colon: self:\(word)(…)",
                                Advice.Change(old: ".\(word)", new: ":\(word)"))))
                    continue
                }
                guard let call = member.call, !methods.isEmpty else { continue }
                if isOriginal, methods.contains(method) {
                    checkOriginalCall(of: method, of: classes, call, word, at: name, text)
                } else if !methods.contains(method), isOriginal || !own.contains(method) && !defined.contains(method),
                    !asked.contains(name.name)
                {
                    found.append(
                        text.finding(
                            .unknownMethod, at: name,
                            isOriginal
                                ? "the app's class has no \(method)"
                                : "neither the app's class nor the script has \(method)",
                            hint: budget.meant(
                                by: word, among: isOriginal ? wanted.map { "ORIG\($0)" } : all)))
                }
            }
        }
    }

    /// Checks the number of arguments of a call of `self:ORIGname(…)`.
    private mutating func checkOriginalCall(
        of method: String, of classes: [String], _ call: (count: Int, isOpen: Bool), _ word: String,
        at place: SourceOutline.Place, _ text: SourceText
    ) {
        guard !call.isOpen, let function = function(of: method, of: classes) else { return }
        let (name, signature) = (function.name, function.signature)
        guard !accepts(call.count, name, signature) else { return }
        found.append(
            text.finding(
                .originalArguments, at: place,
                "\(word) gets \(call.count) argument\(call.count == 1 ? "" : "s"), but \(name)\(signature.shown) takes \(signature.arguments.count)"
            ))
    }

    /// Whether a call with a dot has no argument for the object, because it has no more arguments than the method needs.
    private mutating func lacksObject(
        _ call: (count: Int, isOpen: Bool), _ method: String, of classes: [String]
    ) -> Bool {
        guard !call.isOpen, let function = function(of: method, of: classes) else { return false }
        return call.count <= known?.neededArguments(of: function.name, function.signature) ?? 0
    }

    /// A method of one of some classes.
    private mutating func function(of method: String, of classes: [String]) -> PatchInterface.Function? {
        budget.pay(20 * classes.count)
        guard !budget.isSpent else { return nil }
        return classes.lazy.flatMap { ["\($0).\(method)", "\($0):\(method)"] }
            .compactMap { [known] in known?.function($0) }.first
    }

    /// Whether a call of a function can have this number of arguments.
    private func accepts(_ count: Int, _ name: String, _ signature: PatchSignature) -> Bool {
        let needed = known?.neededArguments(of: name, signature) ?? 0
        return (needed...signature.arguments.count).contains(count)
    }

    /// Checks how a replacement uses its original and the arguments whose types the interface has.
    ///
    /// - Parameter line: The line on which the function begins.
    mutating func checkOriginal(_ name: String, _ script: Int, line: Int) {
        guard let signature = known?.function(name)?.signature, outlines.indices.contains(script) else { return }
        let (outline, text) = (outlines[script], texts[script])
        guard let function = outline.onlyFunction(onLine: line) else { return }
        for number in outline.operations(onParametersOf: function) where hasRoom {
            let (operand, operation, place) = outline.operations[number]
            guard case .variable(let index) = operand, !outline.variables[index].isAssigned,
                let parameter = outline.variables[index].parameter
            else { continue }
            let written = outline.text(outline.variables[index].place)
            if parameter.index == 0 {
                guard written != "self", case .call(let count, let isOpen) = operation, !isOpen else { continue }
                guard !accepts(count, name, signature) else { continue }
                found.append(
                    text.finding(
                        .originalArguments, at: place,
                        "\(written) gets \(count) argument\(count == 1 ? "" : "s"), but \(name)\(signature.shown) takes \(signature.arguments.count)"
                    ))
            } else if signature.arguments.indices.contains(parameter.index - 1) {
                let type = signature.arguments[parameter.index - 1]
                guard let basic = SourceOutline.Basic(rawValue: type == "integer" ? "number" : type),
                    let what = operation.fault(on: basic)
                else { continue }
                found.append(
                    text.finding(
                        .operand, at: place, "\(what) \(written), which is \(type == "integer" ? "an" : "a") \(type)"))
            }
        }
    }
}

extension SourceText {
    /// A finding about a word whose place is known.
    ///
    /// - Parameter place: The word, and the offset of its first byte in the script.
    func finding(_ code: Finding.Code, at place: SourceOutline.Place, _ message: String, hint: Advice? = nil) -> Finding
    {
        finding(code, at: place.start..<place.end, message, hint: hint)
    }
}

extension SourceOutline.Constant {
    fileprivate var message: String {
        switch self {
        case .or: "the condition is always true: the operand after this `or` is a constant"
        case .number: "a condition gets a number, which is always true, even if it is 0"
        case .and: "the operand before this `or` is never true: it ends with `and nil` or `and false`"
        }
    }

    fileprivate var hint: Advice {
        switch self {
        case .or: "compare it too: x == 1 or x == 2"
        case .number: "compare it, such as #list > 0 or x % 2 == 1"
        case .and: "write if … then … else … end"
        }
    }
}

extension SourceOutline.Operation {
    /// The words of a message if the operation fails for a type; nil if it works, or if the type is another one.
    fileprivate func fault(on type: SourceOutline.Basic) -> String? {
        switch (self, type) {
        case (.call, .number), (.call, .string), (.call, .boolean), (.call, .nil), (.call, .table): "calls"
        case (.index, .number), (.index, .boolean), (.index, .nil): "indexes"
        case (.length, .number), (.length, .boolean), (.length, .nil), (.length, .function): "takes the length of"
        case (.arithmetic, .boolean), (.arithmetic, .nil), (.arithmetic, .table), (.arithmetic, .function):
            "calculates with"
        case (.concatenation, .boolean), (.concatenation, .nil), (.concatenation, .table),
            (.concatenation, .function):
            "joins"
        default: nil
        }
    }
}
