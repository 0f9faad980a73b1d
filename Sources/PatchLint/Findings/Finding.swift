internal import PatchRunner

/// A problem that lint has found in a patch.
package struct Finding: Sendable {
    package enum Severity: String, Sendable {
        /// The patch would be refused, or fail when it is called.
        case error
        /// It may be intended.
        case warning
    }

    /// The kind of a finding. The codes are stable.
    package enum Code: String, CaseIterable, Sendable {
        case tags
        case unknownTag = "unknown-tag"
        case syntax
        case undefinedGlobal = "undefined-global"
        case notInSandbox = "not-in-sandbox"
        case loadError = "load-error"
        case loadLimit = "load-limit"
        case replacesNothing = "replaces-nothing"
        case replacesMissing = "replaces-missing"
        case replacesUnused = "replaces-unused"
        case unknownFunction = "unknown-function"
        case arity
        case resultType = "result-type"
        case fileName = "file-name"
        case duplicate
        case encoding
        case unusedScript = "unused-script"
        case operand
        case originalArguments = "original-arguments"
        case unknownClass = "unknown-class"
        case unknownMethod = "unknown-method"
        case unknownField = "unknown-field"
        case unknownCase = "unknown-case"
        case argument
        case missingReturn = "missing-return"
        case mayBeNil = "may-be-nil"
        case mayNotFit = "may-not-fit"
        case alwaysFalse = "always-false"
        case alwaysTrue = "always-true"
        case unreachable
        case endlessLoop = "endless-loop"
        case cannotThrow = "cannot-throw"
        case callsItself = "calls-itself"
        case calledTwice = "called-twice"
        case keepsState = "keeps-state"
        case noOtherwise = "no-otherwise"
        case tooLarge = "too-large"
        case spec
        case unreadable

        package var severity: Severity {
            switch self {
            case .unknownTag, .undefinedGlobal, .notInSandbox, .arity, .encoding, .unusedScript, .unknownMethod,
                .unknownClass, .missingReturn, .mayBeNil, .mayNotFit, .alwaysFalse, .alwaysTrue, .unreachable,
                .callsItself, .calledTwice, .noOtherwise, .tooLarge:
                .warning
            default: .error
            }
        }

        /// The meaning of the code in a sentence. docs/cli.md has it too.
        package var meaning: String {
            switch self {
            case .tags: "a required tag is missing, or a tag's value is malformed"
            case .unknownTag: "a tag looks like a misspelled known tag"
            case .syntax: "the script does not parse, or is too large or too deeply nested to be compiled"
            case .undefinedGlobal: "a global is used that nothing defines"
            case .notInSandbox: "a Lua function is used that the sandbox does not have"
            case .loadError: "the script fails while it loads"
            case .loadLimit: "the script runs past a limit while it loads"
            case .replacesNothing: "the script replaces nothing"
            case .replacesMissing: "the script replaces a function that its manifest does not list"
            case .replacesUnused: "the manifest lists a function that the script does not replace"
            case .unknownFunction: "the app has no such function"
            case .arity: "a replacement has more parameters than it can get"
            case .resultType:
                "a replacement returns a value of another type than the function's, or a table without the fields of its struct"
            case .fileName: "a script in an envelope cannot have this file's name"
            case .duplicate: "two scripts of one run are the same version of the same patch"
            case .encoding: "a script is not UTF-8 text, or turns the direction of text"
            case .unusedScript: "no other script of the bundle requires this script"
            case .operand:
                "an operation on a value whose type does not support it: `#quantity` of an integer, `nil .. \"x\"`, `original * 2`"
            case .originalArguments:
                "the original, or `self:ORIGname(…)`, is called with more or fewer arguments than it takes"
            case .unknownClass:
                "`waxClass` names a class that has no function in the app; this is fine for a helper class of the script itself"
            case .unknownMethod:
                "`self:name()` of a Wax class that neither the app nor the script has; a method that an object of the app, or a string, does not have"
            case .unknownField:
                "a field is read or returned that the struct does not have; a position that an array never has, such as 0; a field or a position of a string, such as `text.length`"
            case .unknownCase:
                "a string is given to the app, or is the key of a table, as a value of an enum that does not have it: `return \"lunsh\"`"
            case .argument:
                "an argument of the original, of `host.call`, of a method or of a Lua function has a type that it does not take, or there are too few or too many; a pattern or a format that Lua refuses; a method is called with a dot; or an asynchronous function is called where the script cannot wait"
            case .missingReturn: "one path through a replacement ends without a result"
            case .mayBeNil:
                "a result may be nil, and the function returns no optional; or a value may be nil that is used without a test, such as `tonumber(text)` of one of the app's strings"
            case .mayNotFit:
                "a quotient where an integer is needed: `original(a / b)`; a string of the app in a calculation"
            case .alwaysFalse:
                "two values are compared that are never equal: they have different types, as in `price == \"5\"` and `not x == 5`, an enum has no such value, or an earlier test excludes it, as in `x > 10 and x < 5`; a position or a length is too small, as in `text:find(\"x\") == -1`; `x and nil or y`; a loop from `10` to `1`"
            case .alwaysTrue: "a condition that is true whatever the values are: `x == \"a\" or \"b\"`, `#list`"
            case .unreachable:
                "code that is never run, such as a statement after `error(…)`; a loop that never has a second round"
            case .endlessLoop:
                "a loop that nothing ends: `while true` without a way out, a condition whose values the loop does not change"
            case .cannotThrow: "`host.throw` in a replacement of a function that cannot throw"
            case .callsItself: "a replacement calls the function that it replaces on each path, without an end"
            case .calledTwice: "the original is called with the same arguments again"
            case .keepsState:
                "a call changes state that another call may see, and the head does not declare how many instances there may be"
            case .noOtherwise:
                "the id or a comment suggests that the patch closes a security hole, and it has no `otherwise`: if it cannot answer, or crashes roll it back, the hole is open"
            case .tooLarge:
                "a script is too large to follow: from some place on, the types of its values are not checked; a comment does not silence this"
            case .spec: "the script is a spec, not a patch"
            case .unreadable: "a file cannot be read (in `sarif` and `github`; the exit status depends on the fault)"
            }
        }
    }

    package let code: Code
    /// The script's name in the envelope.
    package let script: String
    /// The line, from 1.
    package let line: Int
    /// The column in code points, from 1.
    package let column: Int
    /// The length in code points, at least 1.
    package let length: Int
    package let message: String
    package let hint: String?

    package var severity: Severity { code.severity }
}

/// A script's text, in which places can be found.
package struct SourceText: Sendable {
    package let name: String
    let bytes: [UInt8]
    /// The range of each line, without its line end.
    private let lines: [Range<Int>]

    package init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        // Lines are counted as Lua counts them: two different line ends in a row are one.
        var lines: [Range<Int>] = []
        var start = 0
        while let end = bytes[start...].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            lines.append(start..<end)
            start = end + 1
            if start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D, bytes[start] != bytes[end] {
                start += 1
            }
        }
        self.lines = lines + [start..<bytes.count]
    }

    func range(ofLine number: Int) -> Range<Int>? {
        lines.indices.contains(number - 1) ? lines[number - 1] : nil
    }

    /// A line, from 1; empty if there is no such line.
    package func line(_ number: Int) -> String {
        range(ofLine: number).map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }

    /// A finding about a word in a line, or about the line if the word is not in it.
    package func finding(
        _ code: Finding.Code, line: Int, word: String? = nil, _ message: String, hint: String? = nil
    ) -> Finding {
        let text = Array(self.line(line).utf8)
        var (start, length) = (text.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? 0, 1)
        if let word, !word.isEmpty, let place = Self.place(of: word, in: text) {
            (start, length) = (Self.count(text[..<place]), word.unicodeScalars.count)
        }
        return Finding(
            code: code, script: name, line: max(1, line), column: start + 1, length: length, message: message,
            hint: hint)
    }

    /// A finding about the bytes of a range, up to the end of its first line.
    func finding(_ code: Finding.Code, at range: Range<Int>, _ message: String, hint: String? = nil) -> Finding {
        let (line, columns) = place(of: range)
        return Finding(
            code: code, script: name, line: line, column: columns.lowerBound, length: max(1, columns.count),
            message: message, hint: hint)
    }

    /// The line of a range of bytes, and the columns of the part of the range in that line.
    func place(of range: Range<Int>) -> (line: Int, columns: Range<Int>) {
        let number = line(at: range.lowerBound)
        let line = lines[number - 1]
        func count(_ part: Range<Int>) -> Int {
            String(decoding: bytes[part.clamped(to: line)], as: UTF8.self).unicodeScalars.count
        }
        let column = 1 + count(line.lowerBound..<range.lowerBound)
        return (number, column..<column + count(range))
    }

    /// Where a word begins in UTF-8. A name is not found within a longer name.
    private static func place(of word: String, in text: [UInt8]) -> Int? {
        let bytes = Array(word.utf8)
        let isName = word.unicodeScalars.allSatisfy(isName)
        var rest = text[...]
        while let place = rest.firstPlace(of: bytes) {
            let (before, behind) = (text[..<place].suffix(4), text[(place + bytes.count)...].prefix(4))
            let neighbours = [
                String(decoding: before, as: UTF8.self).unicodeScalars.last,
                String(decoding: behind, as: UTF8.self).unicodeScalars.first,
            ]
            if !isName || !neighbours.compactMap(\.self).contains(where: Self.isName) { return place }
            rest = text[(place + 1)...]
        }
        return nil
    }

    /// The number of code points in UTF-8.
    static func count(_ text: ArraySlice<UInt8>) -> Int { text.count { $0 & 0xC0 != 0x80 } }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_"
    }

    /// The first line that contains a string.
    package func firstLine(with text: String) -> Int? {
        guard !text.isEmpty, let place = bytes.firstPlace(of: Array(text.utf8)) else { return nil }
        return line(at: place)
    }

    /// The line of an offset in bytes: the last line that begins there or before.
    private func line(at place: Int) -> Int {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].lowerBound <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Where other bytes begin within these ones.
    func firstPlace(of other: [UInt8]) -> Int? {
        guard let first = other.first, other.count <= count else { return nil }
        var start = startIndex
        let last = endIndex - other.count
        while start <= last {
            guard let place = self[start...last].firstIndex(of: first) else { return nil }
            if self[place..<place + other.count].elementsEqual(other) { return place }
            start = place + 1
        }
        return nil
    }
}
