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

    /// The patch with the changes and its remaining findings.
    let patch: LintedPatch
    private(set) var changes: [Change] = []
    /// The changed files with their old and new bytes.
    let files: [(file: Path, old: [UInt8], new: [UInt8])]

    /// Applies the fixes of findings, as long as the patch then has fewer problems.
    init(_ original: LintedPatch, _ fields: ManifestFields, _ interface: PatchInterface?) {
        var patch = original
        var trial = Trial(original, fields, interface)
        var refused: Set<LintedPatch.Problem> = []
        func fixable() -> [(finding: Finding, file: Path)] {
            patch.fixable.filter { !refused.contains(LintedPatch.Problem($0.finding)) }
        }
        while let next = fixable().first {
            // A single fix may be wrong.
            if let (fixed, made) = trial.apply(fixable(), to: patch) ?? trial.apply([next], to: patch) {
                (patch, changes) = (fixed, changes + made)
            } else {
                refused.insert(LintedPatch.Problem(next.finding))
            }
        }
        self.patch = patch
        files = zip(original.scripts, patch.scripts).compactMap { old, new in
            old.script.bytes == new.script.bytes ? nil : (old.file, old.script.bytes, new.script.bytes)
        }
    }
}

/// Tries fixes. A change is good if its problem is gone and there is no new one.
private struct Trial {
    let fields: ManifestFields
    let interface: PatchInterface?
    /// How many bytes of scripts may still be linted again. It is 0 if two scripts have the same name, so that neither gets the
    /// other's changes.
    private var room: Int

    init(_ patch: LintedPatch, _ fields: ManifestFields, _ interface: PatchInterface?) {
        (self.fields, self.interface) = (fields, interface)
        let names = patch.scripts.map(\.script.name)
        room = Set(names).count == names.count ? 8 << 20 : 0
    }

    /// A patch with some fixes and their changes; nil if they are not good.
    mutating func apply(
        _ findings: [(finding: Finding, file: Path)], to patch: LintedPatch
    ) -> (patch: LintedPatch, changes: [FixedPatch.Change])? {
        guard room > 0, !findings.isEmpty else { return nil }
        var changes: [FixedPatch.Change] = []
        let scripts = patch.scripts.map { script, file in
            let mine = findings.filter { $0.finding.script == script.name }
            let (bytes, applied) = Fix.apply(mine.compactMap(\.finding.fix), to: script.bytes)
            changes += applied.compactMap { fix in
                mine.first { $0.finding.fix == fix }.map {
                    FixedPatch.Change(finding: $0.finding, fix: fix, file: file)
                }
            }
            return (PatchScript(name: script.name, bytes: bytes), file)
        }
        room -= scripts.reduce(1000) { $0 + $1.0.bytes.count }
        let fixed = LintedPatch(scripts, fields, interface)
        return !changes.isEmpty && fixed.lacks(changes.map(\.finding), of: patch) ? (fixed, changes) : nil
    }
}

extension LintedPatch {
    /// A problem, regardless of its column.
    fileprivate struct Problem: Hashable {
        let script: String
        let code: Finding.Code
        let line: Int
        let message: String

        init(_ finding: Finding) {
            (script, code, line, message) = (finding.script, finding.code, finding.line, finding.message)
        }
    }

    /// Findings with a fix. Nothing is checked after a syntax error, so it comes first.
    fileprivate var fixable: [(finding: Finding, file: Path)] {
        let syntax = findings.filter { $0.finding.code == .syntax }
        return (syntax.isEmpty ? findings : syntax).filter { $0.finding.fix != nil }
    }

    /// Whether some problems of another patch are gone in this one, without new problems.
    fileprivate func lacks(_ gone: [Finding], of other: LintedPatch) -> Bool {
        func count(_ patch: LintedPatch) -> [Problem: Int] {
            Dictionary(patch.findings.map { (Problem($0.finding), 1) }, uniquingKeysWith: +)
        }
        func syntax(_ patch: LintedPatch) -> (Int, Int)? {
            patch.findings.first { $0.finding.code == .syntax }.map { ($0.finding.line, $0.finding.column) }
        }
        if let old = syntax(other) {
            // The code after the syntax error was not checked before.
            return syntax(self).map { $0 > old } ?? true
        }
        let (before, now, solved) = (
            count(other), count(self), Dictionary(gone.map { (Problem($0), 1) }, uniquingKeysWith: +)
        )
        guard syntax(self) == nil,
            solved.allSatisfy({ now[$0.key, default: 0] <= before[$0.key, default: 0] - $0.value })
        else { return false }
        // A long list of findings is not complete.
        if other.findings.count >= 100 { return findings.count <= other.findings.count }
        return now.allSatisfy { $0.value <= before[$0.key, default: 0] }
    }

    /// The findings, with the fixes that are good on their own.
    func findingsWithTriedFixes(
        _ fields: ManifestFields, _ interface: PatchInterface?
    ) -> [(finding: Finding, file: Path)] {
        var trial = Trial(self, fields, interface)
        return findings.map { finding, file in
            var finding = finding
            if finding.fix != nil, trial.apply([(finding, file)], to: self) == nil { finding.fix = nil }
            return (finding, file)
        }
    }
}
