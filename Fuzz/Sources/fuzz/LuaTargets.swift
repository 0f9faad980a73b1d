@testable internal import PatchCrypto
@testable internal import PatchFiles
@testable internal import PatchLint
@testable internal import PatchRunner
@testable internal import PatchSpec
@testable internal import patchpack

/// An interface, a line of hyphens, and a script, as `lint` reads them from a pull request.
func fuzzTypes(_ bytes: [UInt8]) throws {
    guard let (json, lua) = bytes.split(at: "\n---\n") else { return }
    let interface = try PatchInterface(decoding: json)
    let again = try PatchInterface(decoding: Array(interface.json.utf8))
    require(again == interface, "an interface that reads as another one")
    require(interface.changes(to: again).isEmpty, "an interface that differs from itself")
    _ = interface.stubs
    let script = PatchScript(name: "main.lua", bytes: lua)
    let text = String(decoding: script.bytes, as: UTF8.self)
    let names = interface.functions.map(\.name).filter { text.contains($0) }
    let budget = LintBudget(steps: 2_000_000)
    let findings = Linter.findings(in: [script], replaces: names, interface: interface, budget: budget)
    let isSaid = findings.contains { $0.code == .tooLarge }
    // A script that is a spec, or does not compile, has only that finding.
    require(!isSaid || budget.isSpent, "too large, with steps left")
    for finding in findings {
        require(finding.line > 0 && finding.column > 0 && finding.length > 0, "a finding without a place")
    }
}

/// A patch, a line of hyphens, and a spec, as `test` runs them. An interface and another such line may come before
/// them. The spec has no access to files or processes.
func fuzzSpec(_ bytes: [UInt8]) throws {
    guard var (source, spec) = bytes.split(at: "\n---\n") else { return }
    var interface: PatchInterface?
    if let parts = spec.split(at: "\n---\n") {
        interface = try PatchInterface(decoding: source)
        (source, spec) = parts
    }
    let text = String(decoding: source, as: UTF8.self)
    let known = interface?.functions.map(\.name) ?? ["Cart.total", "Cart.name", "Cart.list"]
    let names = known.filter { Manifest.isReplaceable($0) && text.contains($0) }
    let script = PatchScript(name: "main.lua", bytes: source)
    let manifest = try Manifest(
        id: "com.example.fuzz", version: 1, app: "com.example.shop", replaces: names,
        scripts: [.init(name: script.name, byteCount: source.count)])
    var limits = PatchLimits()
    limits.loadFuel = 20_000
    limits.callFuel = 20_000
    limits.memoryBytes = 2 << 20
    limits.peakMemoryBytes = 4 << 20
    let shut = Array("os, io, package, require, debug, load, loadfile, dofile, print, warn = nil ".utf8)
    let patch = VerifiedPatch(unverifiedForTesting: manifest, scripts: [script])
    let report = SpecRunner.run(
        PatchScript(name: "spec.lua", bytes: shut + spec), on: [patch], interface: interface, limits: limits,
        timeLimit: .milliseconds(50), covers: true)
    let files = [(key: SpecReport.key(manifest.id, script.name), path: Path(script.name))]
    let given = TestReport.GivenPatch(path: Path(script.name), patch: patch, files: files)
    let run = TestReport.Run(spec: Path("spec.lua"), patches: [given], report: report)
    let cases = TestReport.cases(of: run)
    require(
        report.isGood != cases.contains { $0.outcome == .failed || $0.outcome == .broken },
        "good, with a case that is not")
    Written.check(junit: JUnit.text(cases))
    Written.check(tap: TAP.text(cases), count: cases.count)
    for value in TestReport.json([run]) { Written.check(json: value) }
    let annotations = TestReport.annotations([run])
    require(annotations.allSatisfy { !$0.text.utf8.contains(UInt8(ascii: "\n")) }, "an annotation of two lines")
    _ = (CoverageReport.lcov([run], files: files), CoverageReport.lines([run]))
}
