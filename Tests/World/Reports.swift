import FeedTestSupport
import Foundation
import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

// What the hosts have logged, what others have made up, and the steps of rollouts that follow from it.
extension World {
    static let soak = 4 * 3600
    private static let gates = ["failing=0", "rolled-back=0", "failing<20%", "refused<20%"]

    /// Of whom the lines of a report are.
    enum Lines { case all, honest, votesFor, votesAgainst }

    /// A report on a version of a patch, as `feed advance` makes it, or on all of them.
    private func report(
        on entry: PatchEntryDraft?, _ lines: Lines, since: Timestamp?, newSince: Timestamp?
    ) throws(PatchError) -> FleetReport {
        var limits = ReportBuilder.Limits()
        limits.devices = 1 << 10
        let filter = ReportFilter(
            patch: entry?.id, version: entry?.version, since: since, newSince: newSince,
            origin: FleetReport.Origin(app: FeedFixture.app, environment: "release"))
        var builder = ReportBuilder(now: now * 1000, limits: limits, filter: filter)
        if let entry {
            builder.add(listed: [.init(id: entry.id, version: entry.version, isLive: entry.resumedState == .active)])
        }
        let input = EventInput()
        for host in hosts {
            for name in ((try? Folder.names(in: Path(host.logs))) ?? []).map(\.description).sorted() {
                try input.read(Path("\(host.logs)/\(name)"), into: &builder)
            }
        }
        if let entry, lines != .honest, liars > 0 {
            let file = Path("\(folder)/lies.jsonl")
            try OutputFile.write(Array(lies(about: entry, lines).utf8), to: file, force: true)
            try input.read(file, into: &builder)
        }
        return builder.report()
    }

    /// What installations send that say whatever they like, or that are for or against a patch.
    private func lies(about entry: PatchEntryDraft, _ lines: Lines) -> String {
        let time = Timestamp(secondsSince1970: now - 60)?.description.dropLast() ?? ""
        let names =
            switch lines {
            case .votesFor, .honest: ["activated"]
            case .votesAgainst: ["activated", "failed", "rolled-back", "refused"]
            case .all: ["rolled-back", "failed", "failed", "launched", "activated", "refused", "failed", "rolled-back"]
            }
        return (0..<liars).flatMap { liar in
            names.map { name in
                #"""
                {"schema":"patchpack.event/1","timestamp":"\#(time).000Z","severityNumber":9,"eventName":"\#(name)",\#
                "resource":{"app.installation.id":"liar\#(liar)","service.name":"\#(FeedFixture.app)",\#
                "deployment.environment.name":"release"},"attributes":{"patch.id":"\#(entry.id)",\#
                "patch.version":\#(entry.version),"error.type":"script","error.message":"\#(liar)"}}

                """#
            }
        }.joined()
    }

    /// Takes the next step of a rollout, as `feed advance` does.
    func advance(
        _ feed: inout FeedRepository, _ asked: PatchEntryDraft, _ copy: Copy, _ history: FeedHistory,
        in details: inout ChangeDetails
    ) throws(PatchError) -> Set<String> {
        let begin = history.begin(of: asked, until: feed)
        func verdicts(_ lines: Lines) throws(PatchError) -> (report: FleetReport, gates: [RolloutStep.Gate]) {
            let report = try self.report(on: asked, lines, since: asked.offered, newSince: begin)
            let patch = report.patches.first { $0.id == asked.id && $0.version == asked.version }
            let gates = Self.gates.compactMap { text -> RolloutStep.Gate? in
                guard let gate = ReportGate(text) else { return nil }
                let verdict = gate.judge(
                    patch ?? FleetReport.Patch(id: asked.id, version: asked.version), scale: report.scale
                ).verdict
                return RolloutStep.Gate(
                    text, RolloutStep.Gate.Verdict(rawValue: verdict.rawValue) ?? .undecided, "", isExact: gate.isExact)
            }
            return (report, gates)
        }
        let (report, gates) = try verdicts(.all)
        try checkVotes(gates, Self.ranks(verdicts(.votesFor).gates), Self.ranks(verdicts(.votesAgainst).gates))
        let rules = RolloutStep.Rules(
            steps: [.part(500), .part(3000), .part(10_000)], soak: Self.soak, fresh: 40 * 86_400, newDevices: 1)
        let evidence = RolloutStep.Evidence(
            events: report.input.events + report.input.earlier, devices: report.knownDevices,
            damage: RolloutStep.Evidence.Damage(
                lines: report.input.damaged, linesWithoutDevice: report.input.damagedWithoutDevice,
                devices: report.input.damagedDevices),
            newest: report.newest, newDevices: report.patches.first?.newDevices ?? 0, begin: begin,
            gates: Array(gates.prefix(2)))
        let step = RolloutStep(of: asked, isEnabled: feed.list.isEnabled, by: rules, evidence, at: details.now)
        counts.add("step \("\(step)".prefix { $0 != "(" })")
        if case .widen = step { checkWidening(of: asked, copy) }
        return feed.take(step, of: asked, passing: gates, in: &details).state == .active ? [asked.name] : []
    }

    private static func ranks(_ gates: [RolloutStep.Gate]) -> [Int] {
        gates.map { [.passed: 0, .undecided: 1, .crossed: 2][$0.verdict] ?? 1 }
    }

    /// Those who lie decide no more than if each of them voted.
    private func checkVotes(_ gates: [RolloutStep.Gate], _ votesFor: [Int], _ votesAgainst: [Int]) {
        for (index, rank) in Self.ranks(gates).enumerated() {
            let (least, most) = (votesFor[index], max(votesFor[index], votesAgainst[index]))
            expect(
                least <= rank && rank <= most, "who lies has one vote",
                "\(gates[index]): \(liars) of them can make it \(least) to \(most)")
        }
    }

    /// A step lasts as long as it must, and a patch that has failed is not offered to more devices.
    private func checkWidening(of entry: PatchEntryDraft, _ copy: Copy) {
        guard !hasWrongClocks else { return }
        var (state, begin) = (copy.noted, now)
        while let record = records[state],
            record.list.entries.contains(where: { $0.name == entry.name && $0.json.encoded() == entry.json.encoded() })
        {
            begin = record.time
            state = record.parent
        }
        expect(now - begin >= Self.soak, "a step lasts as long as it must", "\(entry.name): \(now - begin) s")
        let offered = entry.offered?.secondsSince1970 ?? 0
        let failures = reportedFailures[PatchID(id: entry.id, version: entry.version)] ?? []
        expect(
            !failures.contains { $0 > offered }, "no patch that has failed is widened", "\(entry.name): \(failures)")
    }

    /// The figures of a report are those of the world.
    func checkReport() {
        guard !hasFaultyDisks else { return }
        guard let report = try? self.report(on: nil, .honest, since: nil, newSince: nil) else {
            return fail("logs can be read", "")
        }
        expect(report.input.damaged == 0, "no line of a log is damaged", "\(report.input)")
        expect(report.devices <= hosts.count, "each device counts once", "\(report.devices)")
        for patch in report.patches {
            let id = PatchID(id: patch.id, version: patch.version)
            let (failing, rolledBack) = (failing[id]?.count ?? 0, rolledBack[id]?.count ?? 0)
            expect(patch.failing <= failing, "what fails is reported", "\(id): \(patch.failing), not \(failing)")
            expect(
                reportedFailures[id] == nil || patch.failing > 0, "what fails is reported",
                "\(id): \(reportedFailures[id] ?? [])")
            expect(
                patch.rolledBack <= rolledBack, "what was rolled back is reported",
                "\(id): \(patch.rolledBack), not \(rolledBack)")
            guard let truth = truths[id], !truth.isGuard, ![.fails, .loops].contains(truth.fault) else { continue }
            let (written, all) = (calls[id]?.written ?? 0, calls[id]?.all ?? 0)
            expect(
                patch.counts.calls >= written && patch.counts.calls <= all, "each call is reported once",
                "\(id): \(patch.counts.calls), and it had \(written) to \(all)")
        }
    }
}
