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
        "html", "also write the report as a page with charts, and the state of the feed", .output("FILE"))
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

    /// What a command line asks for.
    private struct Request {
        let gates: [ReportGate]
        let places: [Path]
        /// The id of the only patches that are reported, and their only version; nil for all.
        let id: String?, version: Int?
        /// The only device that is reported; nil for all.
        let installation: String?
        let page: Path?
        let now: Timestamp
        let since: Timestamp?
        let feed: FeedRepository?
        /// The patches that the feed lists.
        let listed: [FleetReport.Listed]?

        init(_ arguments: ParsedArguments) throws(PatchError) {
            gates = try ReportGate.all(arguments)
            places = try InputFiles.named(arguments)
            version = try arguments.number(of: .reportedVersion)
            id = try arguments.text(of: .reportedPatch)
            installation = try arguments.text(of: .reportedInstallation)
            if installation != nil {
                var ofFleets = [Option.gate, .html].filter(arguments.has).map { "--\($0.name)" }
                if arguments.format == "openmetrics" { ofFleets.append("--format openmetrics") }
                if let option = ofFleets.first {
                    throw .usage("\(option) is for all devices, and --installation for one")
                }
            }
            page = try arguments.newFile(.html)
            now = try SystemClock.now()
            since = try arguments.moment(of: .since, before: now)
            feed = try arguments.text(of: .reportedFeed).map { (place) throws(PatchError) in
                try FeedAddress(place, arguments).feed(PinnedRoot.fromOptions(arguments))
            }
            listed = feed?.listed
        }

        /// The labels of metrics.
        var labels: [(String, String)] { feed.map { [("app", $0.app), ("environment", $0.environment)] } ?? [] }

        /// The report on the events, and why it is not on all of them, which is printed already; nil if it is.
        func report(_ console: Console) throws(PatchError) -> (FleetReport, PatchError?) {
            // A bound may be relative to the version before.
            let counted = gates.contains(where: \.isRelative) ? nil : version
            let filter = ReportFilter(
                patch: id, version: counted, since: since, installation: installation, origin: feed?.origin)
            return try EventFiles.report(on: places, filter, listed: listed ?? [], console)
        }

        /// Why there is nothing to report on the only device; nil if there is.
        func missingDevice(in report: FleetReport) -> PatchError? {
            guard let installation, report.device == nil else { return nil }
            let input = report.input
            // Of the device's events, only the earlier ones are counted as left out.
            if let since, input.earlier > 0 {
                return PatchError(
                    .noInput, "no event of the installation \(installation) is from \(since) or later",
                    hint:
                        "\(input.earlier.grouped) of its events are from before, or have no time; give an earlier --since"
                )
            }
            let elsewhere = input.elsewhere > 0 ? ", and \(input.elsewhereText)" : ""
            let place = "an event has it as `app.installation.id`"
            return PatchError(
                .noInput, "no event is of the installation \(installation)",
                hint:
                    "\(input.others.counting("event")) of other installations were read\(elsewhere); \(place), and `patchpack store status --format json` prints a device's own"
            )
        }

        /// Why the report has no patch; nil if it has one, or if it is not the patch that is missing.
        func missingPatch(in report: FleetReport) -> String? {
            guard let id, report.patches.isEmpty, installation == nil || report.device != nil else { return nil }
            let earlier = report.input.earlier
            return "no event is about \(id)\(version.map { " \($0)" } ?? "")"
                + (earlier > 0 ? "; \(earlier.counting("earlier event")) left out" : "")
        }

        /// Decides the gates, and leaves the patches in the report that are asked for.
        func decide(_ report: inout FleetReport) -> [ReportGateResult] {
            let all = report.patches
            if let id { report.patches.removeAll { $0.id != id } }
            if let version { report.patches.removeAll { $0.version != version } }
            var judged = report
            if let listed {
                let names = Set(listed.map { "\($0.id) \($0.version)" })
                judged.patches.removeAll { !names.contains($0.label) }
            }
            return ReportGateResult.all(
                gates, judged, id: id, version: version, all, listed: listed, unread: report.input.unreadText)
        }
    }

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let request = try Request(arguments)
        var (report, failure) = try request.report(console)
        if let failure, console.format == .text, report.input.bytes == 0 { return console.fail(failure.code) }
        if let missing = request.missingDevice(in: report) {
            if console.format == .text { console.error(missing) }
            failure = failure ?? missing
        }
        let results = request.decide(&report)
        failure = failure ?? results.failure
        if let missing = request.missingPatch(in: report) { console.warning(missing) }
        if arguments.format == "openmetrics" {
            try console.raw(report.metrics(results, request.labels, at: request.now))
        } else if console.format == .json {
            try console.json(report.json(results, failure, at: request.now))
        } else if !console.isQuiet {
            let ofFleet = request.installation == nil ? report.lines(results) : []
            for line in report.deviceLines ?? ofFleet { try line.print(console) }
        }
        if let page = request.page {
            try OutputFile.write(
                Array(report.page(results, of: request.feed, at: request.now).utf8), to: page,
                force: arguments.has(.force))
        }
        console.fail(failure?.code)
    }
}
