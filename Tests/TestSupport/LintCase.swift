import Foundation
import PatchCrypto

/// A patch in Tests/Lint, and the findings that lint must have in it.
///
/// Before each patch of a file there is a line for each of its findings, in the order of their lines, or `none`:
///
///     -- lint: none
///     -- lint: may-be-nil in line 2
///     -- lint: arity in line 2:16: the message; the hint
///     -- lint: undefined-global in tax.lua line 1
///
/// Column, message and hint may be left out. Lines are counted from the first one after these. docs/lint.md shows the
/// patch if there is a line `-- doc: SENTENCE` too. A line `-- file: NAME` begins a script of that name; the entry
/// needs none. After `-- lint: none in each line` or `-- lint: CODE in each line`, each line is a patch, and comments
/// are only for readers.
public struct LintCase: Sendable, CustomStringConvertible {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Lint")
    public static let files: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".lua") }
        .sorted()

    public static func interface() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: "interface.json")))
    }

    /// The file, and the line of the first verdict.
    public let description: String
    public private(set) var verdicts: [String]
    /// The scripts, the entry first.
    public private(set) var scripts: [(name: String, bytes: [UInt8])] = []

    public static func all(in file: String) throws -> [LintCase] {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
        var cases: [LintCase] = []
        var ofEachLine: String?
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            let place = "\(file):\(index + 1)"
            if text.hasPrefix("-- lint: ") {
                let verdict = String(text.dropFirst("-- lint: ".count))
                ofEachLine = verdict.hasSuffix(" in each line") ? String(verdict.dropLast(" in each line".count)) : nil
                if cases.last?.scripts.isEmpty == true {
                    cases[cases.count - 1].verdicts.append(verdict)
                } else if ofEachLine == nil {
                    cases.append(LintCase(description: place, verdicts: [verdict]))
                }
            } else if let code = ofEachLine, !line.isEmpty, !text.hasPrefix("--") {
                cases.append(
                    LintCase(
                        description: place, verdicts: [code == "none" ? code : "\(code) in line 1"],
                        scripts: [("main.lua", line + [0x0A])]))
            } else if ofEachLine == nil {
                cases[cases.count - 1].add(line, text)
            }
        }
        return cases
    }

    private mutating func add(_ line: ArraySlice<UInt8>, _ text: String) {
        if text.hasPrefix("-- file: ") { return scripts.append((String(text.dropFirst("-- file: ".count)), [])) }
        if scripts.isEmpty {
            guard !text.hasPrefix("-- doc: ") else { return }
            scripts.append(("main.lua", []))
        }
        scripts[scripts.count - 1].bytes += line + [0x0A]
    }
}
