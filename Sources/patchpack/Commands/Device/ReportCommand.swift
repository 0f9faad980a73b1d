import PatchCrypto
import PatchFiles
import PatchPublishing
import PatchReport
import PatchRunner

extension Option {
    static let reportedPatch = Option("patch", "report only this patch", .text("ID"))
    static let reportedVersion = Option("patch-version", "report only this version", .text("N"))
    static let reportedInstallation = Option("installation", "report on this device only", .text("ID"))
    static let reportedFeed = Option(
        "feed", "decide gates of the patches that this feed lists, and of no other; metrics get its labels",
        .directory("DIR|URL"))
    static let html = Option(
        "html", "also write the report as a page with charts, and the state of the feed", .file("FILE"))
}

enum ReportCommand {
    static let verb = Verb(
        name: "report",
        summary: "add up the event logs of devices: which patches run, which fail, and whether it is safe to continue",
        operands: "FILE|DIR|-...", operandValue: .file("FILE"), operandCount: 0...Int.max,
        options: [
            .gate, .reportedPatch, .reportedVersion, .reportedInstallation, .reportedFeed, .pinnedRoot, .authorities,
            .insecure, .since, .reportFormat, .html, .force, .filesFrom,
        ],
        example: "patchpack report events/ --patch com.example.shop.cart-total --gate 'failing<0.5%'", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let gates = try ReportGate.all(arguments)
        let places = try InputFiles.named(arguments)
        let version = try arguments.number(of: .reportedVersion)
        let id = try arguments.text(of: .reportedPatch)
        let installation = try arguments.text(of: .reportedInstallation)
        if installation != nil {
            let ofFleets = [Option.gate, .html].first { arguments.has($0) }.map { "--\($0.name)" }
            if let option = ofFleets ?? (arguments.format == "openmetrics" ? "--format openmetrics" : nil) {
                throw .usage("\(option) is for all devices, and --installation for one")
            }
        }
        let page = try arguments.newFile(.html)
        let now = try SystemClock.now()
        let since = try arguments.moment(of: .since, before: now)
        let feed = try arguments.text(of: .reportedFeed).map { (place) throws(PatchError) in
            try FeedAddress(place, arguments).feed(PinnedRoot.fromOptions(arguments))
        }
        let listed = feed?.listed
        let labels = feed.map { [("app", $0.app), ("environment", $0.environment)] } ?? []
        // A bound may be relative to the version before.
        let counted = gates.contains(where: \.isRelative) ? nil : version
        var (report, failure) = try EventFiles.report(
            on: places, patch: id, version: counted, since: since, listed: listed ?? [],
            installation: installation, origin: feed?.origin, console)
        if let failure, console.format == .text, report.input.bytes == 0 { return console.fail(failure.code) }
        if let installation, report.device == nil {
            let others = (report.input.others + report.input.earlier).counting("event")
            let place = "an event has it as `app.installation.id`"
            let error = PatchError(
                .noInput, "no event is of the installation \(installation)",
                hint:
                    "\(others) of other installations were read; \(place), and `patchpack store status --format json` prints a device's own"
            )
            if console.format == .text { console.error(error) }
            failure = failure ?? error
        }
        let all = report.patches
        report.patches.removeAll { patch in
            id.map { $0 != patch.id } ?? false || version.map { $0 != patch.version } ?? false
        }
        var judged = report
        if let listed {
            let names = Set(listed.map { "\($0.id) \($0.version)" })
            judged.patches.removeAll { !names.contains("\($0.id) \($0.version)") }
        }
        let results = ReportGateResult.all(gates, judged, id: id, version: version, all, listed: listed)
        if failure == nil { failure = results.first { $0.verdict == .crossed }?.failure }
        if failure == nil, gates.contains(where: { !$0.measure.isOfFleet }), listed == nil,
            report.input.droppedPatches > 0
        {
            failure = PatchError(
                .limit, "\(report.input.droppedPatches) events of patches were not counted, so no gate can be decided",
                hint: "there are too many patches: give --feed DIR, or --patch ID and --patch-version N")
        }
        if failure == nil { failure = results.lazy.compactMap(\.failure).first }
        if let id, report.patches.isEmpty, installation == nil || report.device != nil {
            console.warning("no event is about \(id)\(version.map { " \($0)" } ?? "")")
        }
        if arguments.format == "openmetrics" {
            try console.raw(report.metrics(results, labels, at: now))
        } else if console.format == .json {
            try console.json(report.json(results, failure, at: now))
        } else if !console.isQuiet {
            let lines = report.device.map(report.lines(of:)) ?? (installation == nil ? report.lines(results) : [])
            for line in lines { try line.print(console) }
        }
        if let page {
            try OutputFile.write(
                Array(report.page(results, of: feed, at: now).utf8), to: page, force: arguments.has(.force))
        }
        console.fail(failure?.code)
    }
}
