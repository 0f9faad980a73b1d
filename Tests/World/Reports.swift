import FeedTestSupport
import PatchDevice
import PatchFiles
import PatchPublishing
import PatchReport

// What the hosts have logged, what others have made up, and the steps of rollouts that follow from it.
extension World {
    private static let soak = 4 * 3600
    private static let gates = ["failing=0", "rolled-back=0", "failing<20%", "refused<20%"].compactMap(ReportGate.init)

    /// A report on all patches, or on one as `feed advance` makes it, with the events of installations that lie.
    private func report(
        on entry: PatchEntryDraft? = nil, lies: [String] = [], newSince: Timestamp? = nil
    ) throws(PatchError) -> FleetReport {
        var limits = ReportBuilder.Limits()
        limits.devices = 1 << 10
        let filter = ReportFilter(
            patch: entry?.id, version: entry?.version, since: entry?.offered, newSince: newSince,
            origin: FleetReport.Origin(app: FeedFixture.app, environment: "release"))
        var builder = ReportBuilder(now: now * 1000, limits: limits, filter: filter)
        if let entry {
            builder.add(listed: [.init(id: entry.id, version: entry.version, isLive: entry.resumedState == .active)])
        }
        let input = EventInput()
        for host in hosts {
            for name in (try? Folder.names(in: Path(host.logs))) ?? [] {
                try input.read(Path(host.logs).appending(name), into: &builder)
            }
        }
        if let entry {
            let time = Timestamp(nearestTo: now - 60)
            let votes = (0..<liars).flatMap { liar in lies.map { (device: "liar\(liar)", name: $0, place: "release") } }
            // What happens to a patch of the same name elsewhere decides nothing.
            let elsewhere = [(device: "tester", name: lies.count > 4 ? "failed" : "activated", place: "test")]
            let lines = (votes + elsewhere).map { device, name, place in
                #"""
                {"schema":"patchpack.event/1","timestamp":"\#(time)","eventName":"\#(name)",\#
                "resource":{"app.installation.id":"\#(device)","service.name":"\#(FeedFixture.app)",\#
                "deployment.environment.name":"\#(place)"},"attributes":{"patch.id":"\#(entry.id)",\#
                "patch.version":\#(entry.version),"error.type":"script","error.message":"\#(device)"}}
                """#
            }
            let file = Path("\(folder)/lies.jsonl")
            try OutputFile.write(Array(lines.joined(separator: "\n").utf8), to: file, force: true)
            try input.read(file, into: &builder)
        }
        return builder.report()
    }

    /// Takes the next step of a rollout, as `feed advance` does.
    func advance(
        _ feed: inout FeedRepository, _ asked: PatchEntryDraft, _ copy: Copy, _ history: FeedHistory,
        in details: inout ChangeDetails
    ) throws(PatchError) -> Set<String> {
        let begin = history.begin(of: asked, until: feed)
        func verdicts(_ lies: [String]) throws(PatchError) -> (report: FleetReport, gates: [RolloutStep.Gate]) {
            let report = try self.report(on: asked, lies: lies, newSince: begin)
            let patch = report.patches.first ?? FleetReport.Patch(id: asked.id, version: asked.version)
            return (report, Self.gates.map { RolloutStep.Gate($0, on: patch, of: report) })
        }
        // Some say whatever they like.
        let (report, gates) = try verdicts(
            ["rolled-back", "failed", "failed", "launched", "activated", "refused", "failed", "rolled-back"])
        // Those who lie decide no more than if each of them voted for the patch, or against it.
        let votesFor = try verdicts(["activated"]).gates
        let votesAgainst = try verdicts(["activated", "failed", "rolled-back", "refused"]).gates
        for (gate, (one, other)) in zip(gates, zip(votesFor, votesAgainst)) {
            let ranks = [one, other, gate].map { [.passed: 0, .crossed: 2][$0.verdict] ?? 1 }
            let isPossible = ranks[0] <= ranks[2] && ranks[2] <= max(ranks[0], ranks[1])
            expect(isPossible, "who lies has one vote", "\(gate): \(liars) of them can make it \(one) to \(other)")
        }
        let rules = RolloutStep.Rules(
            steps: [.part(500), .part(3000), .part(10_000)], soak: Self.soak, fresh: 40 * 86_400, newDevices: 1)
        let evidence = RolloutStep.Evidence(report, begin: begin, gates: Array(gates.prefix(2)))
        let step = RolloutStep(of: asked, isEnabled: feed.list.isEnabled, by: rules, evidence, at: details.now)
        count("step \("\(step)".prefix { $0 != "(" })")
        if case .widen = step { checkWidening(of: asked, copy) }
        return feed.take(step, of: asked, passing: gates, in: &details).state == .active ? [asked.name] : []
    }

    /// A step lasts as long as it must, and a patch that has failed is not offered to more devices.
    private func checkWidening(of entry: PatchEntryDraft, _ copy: Copy) {
        guard !hasWrongClocks else { return }
        let same = history(of: copy.noted).prefix { $0.list.entry(entry.patch)?.json.encoded() == entry.json.encoded() }
        let age = now - (same.last?.time ?? now)
        expect(age >= Self.soak, "a step lasts as long as it must", "\(entry.name): \(age) s")
        let offered = entry.offered?.secondsSince1970 ?? 0
        let failures = truths[entry.patch]?.failures.filter { $0 > offered } ?? []
        expect(failures.isEmpty, "no patch that has failed is widened", "\(entry.name): \(failures)")
    }

    /// The figures of a report are those of the world.
    func checkReport() {
        guard !hasFaultyDisks else { return }
        guard let report = try? self.report() else { return expect(false, "logs can be read", "") }
        expect(report.input.damaged == 0, "no line of a log is damaged", "\(report.input)")
        expect(report.devices <= hosts.count, "each device counts once", "\(report.devices)")
        for patch in report.patches {
            let id = PatchID(id: patch.id, version: patch.version)
            guard let truth = truths[id] else { return expect(false, "what is reported was published", "\(id)") }
            let text = "\(id): \(patch.failing), \(patch.rolledBack), \(patch.counts.calls), and it had \(truth)"
            expect(patch.failing <= truth.failing.count, "what fails is reported", text)
            expect(patch.failing > 0 || truth.failures.isEmpty, "what fails is reported", text)
            expect(patch.rolledBack <= truth.rolledBack.count, "what was rolled back is reported", text)
            let isRight = truth.written <= patch.counts.calls && patch.counts.calls <= truth.calls
            expect(isRight || truth.isGuard || !truth.answers, "each call is reported once", text)
        }
    }
}
