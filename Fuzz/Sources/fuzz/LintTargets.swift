@testable internal import PatchCrypto
@testable internal import PatchRunner
@testable internal import PatchWorkbench

/// An interface, a line of hyphens, and a script: what `lint` reads of a pull request.
func fuzzTypes(_ bytes: [UInt8]) throws {
    let separator = Array("\n---\n".utf8)
    let places = bytes.indices.dropLast(separator.count - 1)
    guard let place = places.first(where: { bytes[$0...].starts(with: separator) }) else { return }
    let interface = try PatchInterface(json: Array(bytes[..<place]))
    let again = try PatchInterface(json: Array(interface.json.utf8))
    require(again == interface, "an interface that reads as another one")
    require(interface.changes(to: again).isEmpty, "an interface that differs from itself")
    _ = interface.stubs
    let script = PatchScript(name: "main.lua", bytes: Array(bytes[(place + separator.count)...]))
    let text = String(decoding: script.bytes, as: UTF8.self)
    let names = interface.functions.map(\.name).filter { text.contains($0) }
    let budget = LintBudget(steps: 2_000_000)
    let findings = PatchLint.findings(in: [script], replaces: names, interface: interface, budget: budget)
    let isSaid = findings.contains { $0.code == .tooLarge }
    // A script that is a spec, or does not compile, has only that finding.
    require(!isSaid || budget.isSpent, "too large, with steps left")
    for finding in findings {
        require(finding.line > 0 && finding.column > 0 && finding.length > 0, "a finding without a place")
    }
}
