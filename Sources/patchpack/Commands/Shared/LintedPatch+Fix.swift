import PatchCrypto
import PatchFiles
import PatchRunner
import PatchWorkbench

/// A patch after `lint --fix`.
struct FixedPatch: Sendable {
    /// A change that was made.
    struct Change: Sendable {
        let finding: Finding
        let fix: Fix
        let file: Path
    }

    /// The patch with the changes, and what is left to find in it.
    let patch: LintedPatch
    private(set) var changes: [Change] = []
    /// The files that changed, with what they were.
    let files: [(file: Path, old: [UInt8], new: [UInt8])]

    /// With each round, fixes may show what they have hidden.
    private static let mostRounds = 20

    /// Makes the changes of findings that have only one answer, as long as the patch then lints better.
    init(_ original: LintedPatch, _ fields: ManifestFields, _ interface: PatchInterface?) {
        var patch = original
        for _ in 0..<Self.mostRounds {
            let fixable = patch.findings.filter { $0.finding.fix != nil }
            guard !fixable.isEmpty else { break }
            func attempt(_ findings: [(finding: Finding, file: Path)], on patch: LintedPatch) -> (
                LintedPatch, [Change]
            )? {
                let (scripts, changes) = Self.apply(findings, to: patch.scripts)
                let fixed = LintedPatch(scripts, fields, interface)
                return !changes.isEmpty && fixed.grade < patch.grade ? (fixed, changes) : nil
            }
            if let (fixed, made) = attempt(fixable, on: patch) {
                (patch, changes) = (fixed, changes + made)
                continue
            }
            // One of them may be wrong.
            guard let (fixed, made) = fixable.lazy.compactMap({ attempt([$0], on: patch) }).first else { break }
            (patch, changes) = (fixed, changes + made)
        }
        self.patch = patch
        files = zip(original.scripts, patch.scripts).compactMap { old, new in
            old.script.bytes == new.script.bytes ? nil : (old.file, old.script.bytes, new.script.bytes)
        }
    }

    private static func apply(
        _ findings: [(finding: Finding, file: Path)], to scripts: [(script: PatchScript, file: Path)]
    ) -> ([(script: PatchScript, file: Path)], [Change]) {
        var changes: [Change] = []
        let fixed = scripts.map { script, file in
            let mine = findings.filter { $0.finding.script == script.name }
            let (bytes, applied) = Fix.apply(mine.compactMap(\.finding.fix), to: script.bytes)
            changes += applied.compactMap { fix in
                mine.first { $0.finding.fix == fix }.map { Change(finding: $0.finding, fix: fix, file: file) }
            }
            return (PatchScript(name: script.name, bytes: bytes), file)
        }
        return (fixed, changes)
    }
}

extension LintedPatch {
    /// How bad the findings are. Behind an error of syntax nothing is checked, so one that comes later is better.
    struct Grade: Comparable {
        private let parts: [Int]

        fileprivate init(_ findings: [Finding]) {
            let syntax = findings.first { $0.code == .syntax }
            parts = [
                findings.count { $0.code == .syntax }, syntax.map { -$0.line } ?? 0, syntax.map { -$0.column } ?? 0,
                findings.count { $0.severity == .error }, findings.count,
            ]
        }

        static func < (left: Grade, right: Grade) -> Bool { left.parts.lexicographicallyPrecedes(right.parts) }
    }

    var grade: Grade { Grade(findings.map(\.finding)) }
}
