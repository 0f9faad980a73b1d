import PatchCrypto
import PatchFiles
import PatchPublishing
import PatchReport

extension Option {
    static let refresh = Option(
        name: "refresh", value: .text("TIME"),
        help: "how often a browser loads the page again, such as 5m (default: never)")
}

extension FeedCommand {
    static let pageOptions =
        [.outputFile, .force, .events, .gate, .since, .fresh, .last, .refresh, .signers] + readingOptions

    /// Writes a page about the published patches.
    @Sendable static func page(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let force = arguments.has(.force)
        guard let file = try arguments.newFile(.outputFile, force: force) else {
            throw PatchError(.usage, "no output file", hint: "give -o FILE.html")
        }
        let gates = try ReportGate.all(arguments)
        let fresh = try arguments.seconds(of: .fresh) ?? 3600
        let refresh = try arguments.seconds(of: .refresh)
        guard refresh != 0 else { throw PatchError(.usage, "--refresh 0: expected a length of time such as 5m") }
        let most = try arguments.number(of: .last) ?? 20
        let places = arguments.values(of: .events).map(\.path)
        guard !places.isEmpty || gates.isEmpty else {
            throw PatchError(.usage, "--gate without --events", hint: "give --events DIR, the devices' event logs")
        }
        let now = try SystemClock.now()
        let since = try arguments.moment(of: .since, before: now)
        let names = try KeyNames(arguments)
        let root = try PinnedRoot.fromOptions(arguments)
        var feeds: [FeedPage.Feed] = []
        for operand in arguments.operands {
            let place = FeedAddress(operand.text)
            let feed = try place.feed(root, arguments)
            let changes = try place.history(root, arguments, console).changes(
                until: feed, of: nil, most: most
            ) {
                console.warning("\(place.name): the changes before that cannot be read: \($0.message)")
            }
            feeds.append(FeedPage.Feed(name: place.name, feed: feed, changes: changes))
        }
        var report: FleetReport?
        var failure: PatchError?
        if !places.isEmpty {
            let listed = feeds.flatMap { $0.feed.listed }
            (report, failure) = try EventFiles.report(on: places, since: since, listed: listed, console)
        }
        let results = report.map { ReportGateResult.all(gates, $0, id: nil, version: nil) } ?? []
        let page = FeedPage(
            feeds: feeds, report: report, results: results, now: now, names: names, fresh: fresh,
            refresh: refresh)
        try OutputFile.write([OutputFile(path: file, content: .bytes(Array(page.text.utf8)))], force: force)
        if console.format == .json {
            try console.json(
                .report(
                    "patchpack.feed-page/1", about: [("file", .string(file.description))], failure,
                    [("feeds", .strings(feeds.map(\.name)))]))
        } else if !console.isQuiet {
            try console.line(.good, "wrote", "  \(file)")
        }
        return failure?.code.exitStatus ?? 0
    }
}
