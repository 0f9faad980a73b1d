import PatchCrypto
internal import PatchRunner

// The checks that use an outline of the source, without running the script.

extension Linter {
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
                words.dropFirst("ignore".utf8.count).split { $0 == UInt8(ascii: ",") || isSpace($0) }.map {
                    String(decoding: $0, as: UTF8.self)
                })
        }
    }

    /// Whether a comment on the line, or alone on the line before, silences a warning.
    func isIgnored(_ finding: Finding) -> Bool {
        guard finding.severity == .warning, finding.code != .unknownTag, finding.code != .tooLarge else { return false }
        return silencers[finding.script]?.contains { silencer in
            (silencer.line == finding.line || (silencer.isAlone && silencer.line == finding.line - 1))
                && silencer.codes.contains(finding.code.rawValue)
        } ?? false
    }

    /// Finds comments that silence nothing because their code is misspelled or missing.
    mutating func checkSilencers() {
        // Errors cannot be silenced: a comment does not change how the app behaves.
        let known = Finding.Code.allCases.filter { $0.severity == .warning }.map(\.rawValue)
        let example = "for example may-be-nil"
        for text in texts {
            for silencer in silencers[text.name] ?? [] where hasRoom {
                if silencer.codes.isEmpty {
                    report(
                        .unknownTag, in: text, line: silencer.line, word: "patchpack",
                        "no code after `patchpack: ignore`", hint: example)
                } else if let code = silencer.codes.subtracting(known).min() {
                    report(
                        .unknownTag, in: text, line: silencer.line, word: code, "no warning is named \(code)",
                        hint: budget.advice(for: code, among: known) ?? example)
                }
            }
        }
    }

    /// Whether another finding may be added. With too many, it is probably the wrong file, and each takes time.
    var hasRoom: Bool { found.count < most }

    /// Allows the same number of findings of other checks, so that many warnings of one check hide no errors of
    /// another.
    mutating func allowOthers() { most = found.count + Self.mostFindings }

    /// Finds text that is not UTF-8, or has characters that turn its direction.
    mutating func checkEncoding(_ script: PatchScript, _ text: SourceText) {
        let bytes = script.bytes
        guard String(validating: bytes, as: UTF8.self) != nil else {
            var line = 1
            while let range = text.range(ofLine: line), String(validating: bytes[range], as: UTF8.self) != nil {
                line += 1
            }
            return report(
                .encoding, in: text, line: line, "not UTF-8 text",
                hint: "save it as UTF-8; the app refuses strings that are not UTF-8")
        }
        // U+202A to U+202E, and U+2066 to U+2069. The marks in Arabic and Hebrew text are others.
        let place = bytes.indices.first {
            guard bytes[$0] == 0xE2 else { return false }
            return switch bytes[$0 + 1] {
            case 0x80: (0xAA...0xAE).contains(bytes[$0 + 2])
            case 0x81: (0xA6...0xA9).contains(bytes[$0 + 2])
            default: false
            }
        }
        guard let place else { return }
        report(
            .encoding, in: text, at: place..<place + 3,
            "a character that turns the direction of text, so this can look different from what it does",
            hint: "remove it, or write it as an escape, such as \\u{202E}")
    }

    /// Parts of the words by which a comment, such as the line of the id, shows that the patch closes a hole.
    private static let holes = ["cve-", "vulnerab", "traversal", "injection", "exploit", "security"].map {
        Array($0.utf8)
    }

    /// The bytes with small letters in place of capitals.
    private static func small(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether a line may have one of these words after two hyphens. A long comment may have it in another line.
    private static func mayNameHole(_ script: [UInt8]) -> Bool {
        var rest = script[...]
        while let place = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[(place + 1)...]
            guard rest.first == UInt8(ascii: "-") else { continue }
            guard rest.dropFirst().first != UInt8(ascii: "[") else { return true }
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            let text = small(line)
            if holes.contains(where: { text.firstPlace(of: $0) != nil }) { return true }
            rest = rest[line.endIndex...]
        }
        return false
    }

    /// Finds the words of a hole in a comment, if no replacement has an `otherwise`.
    mutating func checkOtherwise(of state: ScriptState) {
        let layers = state.lua.layers
        guard hasRoom, !layers.isEmpty, !layers.contains(where: \.hasOtherwise) else { return }
        for (script, text) in zip(scripts, texts) where Self.mayNameHole(script.bytes) {
            for comment in LuaTokens.comments(in: script.bytes, with: "--") {
                let small = Self.small(comment.text)
                for word in Self.holes {
                    guard let place = small.firstPlace(of: word) else { continue }
                    let start = comment.text.startIndex + place
                    return report(
                        .noOtherwise, in: text, at: start..<start + word.count,
                        "the patch closes a hole, but no replacement has an `otherwise`",
                        hint:
                            "add `{otherwise = …}`: it answers if the script cannot, and while crashes keep it from running"
                    )
                }
            }
        }
    }

    /// Finds scripts that no `require` leads to, unless the name of one is known only when the script runs, or is
    /// nested too deeply to be read.
    mutating func checkRequired() {
        guard scripts.count > 1, knowsOutlines, !outlines.contains(where: { $0.required.contains(nil) }) else { return }
        var reached: Set<Int> = [0]
        var open = [0]
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
            report(
                .unusedScript, in: text, line: 1, "no script of the bundle requires \(text.name)",
                hint: "remove it, or pack it as its own patch")
        }
    }

    /// Checks the classes that a script takes with `waxClass`, and the methods that it calls of `self`.
    mutating func checkClasses() {
        guard let interface, knowsOutlines, outlines.contains(where: { !$0.waxClasses.isEmpty }) else { return }
        let known = interface.methodsOfClasses
        let own = Set(outlines.flatMap(\.assignedMembers).compactMap { $0.split(separator: ".").last.map(String.init) })
        for (outline, text) in zip(outlines, texts) where !outline.waxClasses.isEmpty {
            checkNames(of: outline, in: text, known)
            let methods = outline.classNames.reduce(into: Set<String>()) { $0.formUnion(known[$1] ?? []) }
            checkMethods(of: outline, in: text, methods, own)
        }
    }

    /// Reports the classes that the app does not have.
    private mutating func checkNames(
        of outline: SourceOutline, in text: SourceText, _ known: [String: Set<String>]
    ) {
        for place in outline.waxClasses where hasRoom {
            let name = outline.text(place)
            guard known[name] == nil else { continue }
            let names = known.keys.sorted()
            report(
                .unknownClass, in: text, line: place.line, word: name, "the app has no class \(name)",
                hint: budget.advice(for: name, among: names) ?? "it has \(names.listed)")
        }
    }

    /// Reports the calls of methods that neither the app's classes nor the script have, and those of originals that
    /// cannot work.
    ///
    /// - Parameters:
    ///   - methods: The methods of the app's classes.
    ///   - own: The functions that the scripts assign to members of tables.
    private mutating func checkMethods(
        of outline: SourceOutline, in text: SourceText, _ methods: Set<String>, _ own: Set<String>
    ) {
        let defined = outline.functionNames
        let (wanted, all) = (methods.sorted(), methods.union(defined).sorted())
        let ofSelf = outline.members.filter { $0.receiver == outline.itself }
        let asked = Set(ofSelf.filter { $0.methodCall == nil }.map(\.name.id))
        // The `self` of an anonymous function is another object.
        for member in ofSelf where hasRoom && member.isInMethod {
            let (name, word) = (member.name, outline.text(member.name))
            if word == "super" {
                report(
                    .notInSandbox, in: text, at: name.range, "the sandbox has no self.super",
                    hint: "self:ORIGname(…) calls the app's function")
                continue
            }
            let isOriginal = word.hasPrefix("ORIG")
            let method = isOriginal ? String(word.dropFirst(4)) : word
            if isOriginal, let arguments = member.arguments, !arguments.isOpen,
                let function = function(of: method, of: outline.classNames)
            {
                checkOriginal(
                    word, of: function, at: name.range, in: text, arguments: arguments.count,
                    isMethodCall: member.methodCall != nil)
                continue
            }
            let isOwn = !isOriginal && (own.contains(method) || defined.contains(method))
            guard member.methodCall != nil, !methods.isEmpty, !methods.contains(method), !isOwn,
                !asked.contains(name.id)
            else { continue }
            report(
                .unknownMethod, in: text, at: name.range,
                isOriginal
                    ? "the app's class has no \(method)" : "neither the app's class nor the script has \(method)",
                hint: budget.advice(for: word, among: isOriginal ? wanted.map { "ORIG\($0)" } : all))
        }
    }

    /// Reports a call of an original with a wrong number of arguments.
    private mutating func checkOriginal(
        _ word: String, of function: PatchInterface.Function, at range: Range<Int>, in text: SourceText,
        arguments count: Int, isMethodCall: Bool
    ) {
        let first = function.takesObject ? 1 : 0  // `self`, which is not written between the parentheses
        let needed = max(0, function.signature.neededArguments - first)
        let most = function.signature.argumentTypes.count - first
        if !isMethodCall, count <= needed {
            report(
                .argument, in: text, at: range, "\(word) is called without its object",
                hint: "a method is called with a colon: self:\(word)(…)")
        } else if isMethodCall, !(needed...most).contains(count) {
            let given = "\(count) argument\(count == 1 ? "" : "s")"
            let taken = "\(most)\(first == 0 ? "" : " after the object")"
            report(
                .originalArguments, in: text, at: range,
                "\(word) gets \(given), but \(function.name)\(function.signature.shown) takes \(taken)")
        }
    }

    /// The app's function that is a method of one of several classes; nil if there is none, or the budget is spent.
    private mutating func function(of method: String, of classes: [String]) -> PatchInterface.Function? {
        budget.pay(20 * classes.count)
        guard !budget.isSpent else { return nil }
        return classes.lazy.flatMap { ["\($0).\(method)", "\($0):\(method)"] }
            .compactMap { [known] in known?.function($0) }.first
    }
}

extension PatchInterface.Function {
    /// Whether its first argument is an object of the class that its name begins with.
    fileprivate var takesObject: Bool {
        guard let first = signature.argumentTypes.first else { return false }
        let object = name.prefix { $0 != "." && $0 != ":" }
        return ["\(object)", "\(object) or nil"].contains { first.isByteEqual(to: $0) }
    }
}

extension PatchInterface {
    /// The methods of each class, as its functions and its exposed methods name them.
    fileprivate var methodsOfClasses: [String: Set<String>] {
        var methods: [String: Set<String>] = [:]
        for name in functions.map(\.name) {
            let parts = name.split(maxSplits: 1) { $0 == "." || $0 == ":" }
            if parts.count == 2 { methods[String(parts[0]), default: []].insert(String(parts[1])) }
        }
        for exposed in classes { methods[exposed.name, default: []].formUnion(exposed.methods.map(\.name)) }
        return methods
    }
}
