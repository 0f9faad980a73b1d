import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport
import PatchText

extension FleetReport {
    /// The report as one page of HTML, with the state of the feed that lists the patches.
    func page(_ gates: [ReportGateResult], of feed: FeedRepository?, at made: Timestamp) -> String {
        let patches = worstFirst(gates)
        let undecided = gates.with(.undecided)
        let passed = gates.with(.passed)
        let others = (undecided + passed).map(\.item)
        // Gates that need no action must not push the others out of sight.
        let isShort = others.count <= Self.mostItems
        let title = "\(undecided.count.grouped) gates undecided, \(passed.count.grouped) passed"
        // The troubles of devices as such are items of the list, too. They are not verdicts.
        let troubles = deviceRows.map {
            "<li class=\"undecided\"><b>\($0.name.html)</b> \($0.value.html)</li>"
        }
        let items = gates.with(.crossed).map(\.item) + troubles + (isShort ? others : [])
        return HTMLPage.text(
            title: "Patches on \(devices.grouped) devices",
            lead: "Made \(made.description). \(summary)\(overview(gates).map { "; \($0)" } ?? "")",
            body: """
                \(feed?.section(at: made) ?? "")
                \(ReportGateResult.list(items))
                <div class="charts">
                \(HTMLChart(patches, gates.map(\.gate)).figures.joined(separator: "\n"))
                </div>
                \(isShort ? "" : Self.folded(title, ReportGateResult.list(others)))
                \(sections(patches.prefix(Self.mostDetailed)))
                \(rest(patches.dropFirst(Self.mostDetailed)))
                """)
    }

    /// The most gates that are shown above the charts in addition to the crossed ones.
    private static let mostItems = 10

    /// A section with all figures of each patch.
    private func sections(_ patches: ArraySlice<Patch>) -> String {
        patches.enumerated().map { index, patch in
            """
            <section>
            <h2>\(patch.id.html) <b class="\(HTMLChart.color(index))">\(patch.version)</b></h2>
            \(Self.table(patch.rows(of: devices, chartsNewDevices: false)))
            </section>
            """
        }.joined(separator: "\n")
    }

    /// The patches that are not shown in full, with one line each; empty if there are none.
    private func rest(_ patches: ArraySlice<Patch>) -> String {
        guard !patches.isEmpty else { return "" }
        return Self.folded("\(patches.count.grouped) more", Self.table(patches.map { ($0.label, $0.brief) }))
    }

    private static func table(_ rows: [(name: String, value: String)]) -> String {
        let lines = rows.map { "<tr><th scope=\"row\">\($0.name.html)</th><td>\($0.value.html)</td></tr>" }
        return "<table>\n\(lines.joined(separator: "\n"))\n</table>"
    }

    /// A part of a page, in HTML, that the reader can open. Its title is plain text.
    private static func folded(_ summary: String, _ body: String) -> String {
        "<details>\n<summary>\(summary.html)</summary>\n\(body)\n</details>"
    }
}

extension FeedRepository {
    /// What `feed status` shows, as HTML.
    func section(at now: Timestamp) -> String {
        let stop = list.isEnabled ? [] : ["All patches are switched off\(list.stop?.text(at: now) ?? "")."]
        let faults = faults(at: now).map { "Devices refuse this feed: \($0.text(at: now))." }
        let lines = listLines(at: now, most: .max).map { line in
            "<li><b class=\"\(line.color)\">\(line.word.html)</b>\(line.text.html)</li>"
        }
        let ends = roles(at: now).map { "\($0.role) \(max(0, $0.days).counting("day"))" }.joined(separator: ", ")
        return """
            <section>
            \((stop + faults).map { "<p class=\"off\" role=\"alert\">\($0.html)</p>" }.joined(separator: "\n"))
            <ul class="feed">
            \(lines.joined(separator: "\n"))
            </ul>
            <p>Signatures last: \(ends).</p>
            </section>
            """
    }
}

extension ReportLine {
    /// The class of the colour of its word.
    fileprivate var color: String {
        switch style {
        case .good?: "good"
        case .bad?: "bad"
        case .faint?, nil: "rest"
        }
    }
}

extension ReportGateResult {
    fileprivate var item: String {
        "<li class=\"\(verdict.rawValue)\"><b>\(verdict.rawValue)</b> <code>\(gate.text.html)</code> \(name.html): \(reason.html)</li>"
    }

    /// A list of such items, and of other items of the same form; empty if there are none.
    fileprivate static func list(_ items: [String]) -> String {
        items.isEmpty ? "" : "<ul class=\"gates\">\n\(items.joined(separator: "\n"))\n</ul>"
    }
}
