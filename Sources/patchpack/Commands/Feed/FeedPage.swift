import PatchCrypto
import PatchFeed
import PatchPublishing
import PatchReport

/// A page about the published patches of one or several feeds, and the reports of devices.
struct FeedPage {
    /// A feed and its changes.
    struct Feed {
        let name: String
        let feed: FeedRepository
        let changes: [FeedHistory.Change]
    }

    let feeds: [Feed]
    /// The report from devices; nil if no events were given.
    let report: FleetReport?
    let results: [ReportGateResult]
    let now: Timestamp
    let names: KeyNames
    /// After how many seconds without an event the page warns, and after how many a browser reloads it; nil if it does not.
    let fresh: Int
    let refresh: Int?

    var text: String {
        HTMLPage(
            title: feeds.map { "\($0.feed.app) \($0.feed.environment)" }.joined(separator: ", "),
            lead: "Made \(Self.minute(now)).", refresh: refresh,
            body: ([silence] + feeds.map(section) + [charts]).joined(separator: "\n")
        ).text
    }

    /// The age of the newest event, with a warning if there was none for a long time.
    private var silence: String {
        guard let report else { return "" }
        guard let newest = report.newest else {
            return "<p class=\"off\" role=\"alert\">No device has reported anything.</p>"
        }
        let age = now.secondsSince1970 - newest.secondsSince1970
        guard age > fresh else { return "<p>The newest event is of \(Self.minute(newest)).</p>" }
        return
            "<p class=\"off\" role=\"alert\">The newest event is \(age.length) old, of \(Self.minute(newest)): are events still collected?</p>"
    }

    private var charts: String {
        guard let report else { return "" }
        let figures = HTMLChart(report.worstFirst(results), results.map(\.gate)).figures
        let gates = ReportGateResult.worstFirst(results).filter { $0.gate.measure.isOfFleet }.map(\.item)
        return
            "<h2>Reports of \(report.devices.grouped) devices</h2>\n\(ReportGateResult.list(gates + report.deviceItems))\n<div class=\"charts\">\n\(figures.joined(separator: "\n"))\n</div>"
    }

    private func section(_ item: Feed) -> String {
        let (feed, list) = (item.feed, item.feed.list)
        var head =
            list.isEnabled
            ? ""
            : "<p class=\"off\" role=\"alert\">All patches are switched off\((list.stop?.text(at: now) ?? "").html).</p>\n"
        let ended = FeedRole.allCases.filter { role in feed.state(of: role).expires < now
        }
        if !ended.isEmpty {
            let names = ended.map(\.rawValue).joined(separator: ", ")
            head +=
                "<p class=\"off\" role=\"alert\">The signatures of \(names) have ended: devices refuse this feed.</p>\n"
        }
        let facts =
            [("minimum app version", list.minimumAppVersion?.description), ("notice", list.notice)]
            + (list.switches?.members ?? []).map { ("switch \($0.key)", $0.value.text) }
        let rows = facts.compactMap { fact in
            fact.1.map { "<tr><th scope=\"row\">\(fact.0.html)</th><td>\($0.html)</td></tr>" }
        }
        if !rows.isEmpty { head += "<table>\(rows.joined())</table>\n" }
        let patches = list.entriesByUrgency.map { row($0) }.joined(separator: "\n")
        let ends = FeedRole.allCases.map { role in
            let end = feed.state(of: role).expires
            guard end < now else { return "\(role.rawValue) \(now.wholeDays(until: end).counting("day"))" }
            return "\(role.rawValue) ended \((now.secondsSince1970 - end.secondsSince1970).length) ago"
        }
        return """
            <section>
            <h2>\("\(feed.app) \(feed.environment)".html)</h2>
            <p>\(item.name.html), snapshot \(feed.state(of: .snapshot).version). Signatures last: \(ends.joined(separator: ", ")).</p>
            \(head)<ul class="patches">
            \(patches)
            </ul>
            <h2>History</h2>
            <ul class="log">
            \(item.changes.map(entry).joined(separator: "\n"))
            </ul>
            </section>
            """
    }

    private func row(_ entry: PatchEntryDraft) -> String {
        let style =
            switch entry.state {
            case .active?: "good"
            case .withdrawn?: "bad"
            case .shadow?, .paused?, nil: "rest"
            }
        let since = entry.since.map {
            "since \(Self.minute($0)) (\((now.secondsSince1970 - $0.secondsSince1970).length))"
        }
        let change = [since, entry.author.map { "by \($0)" }, entry.reason].compactMap(\.self).joined(separator: ", ")
        let lines = [change.html] + (report.map { health(of: entry, in: $0) } ?? [])
        return
            "<li><b>\(entry.id.html) \(entry.version)</b> <b class=\"\(style)\">\(entry.words.html)</b><br>\(lines.joined(separator: "<br>"))</li>"
    }

    /// A time to the minute, for people.
    private static func minute(_ time: Timestamp) -> String {
        "\(time.description.prefix(10)) \(time.description.dropFirst(11).prefix(5)) UTC"
    }

    /// The health of a patch: how many devices have it, on how many it fails, whether it passes the gates, and what it would change
    /// in shadow.
    private func health(of entry: PatchEntryDraft, in report: FleetReport) -> [String] {
        guard let patch = report.patches.first(where: { $0.id == entry.id && $0.version == entry.version }) else {
            return ["no device has reported it"]
        }
        let share = Share(patch.failing, of: patch.devices)
        let gates = results.filter { $0.id == entry.id && $0.version == entry.version }.map { result in
            let style = result.verdict == .passed ? "good" : result.verdict == .crossed ? "bad" : "rest"
            return ", <b class=\"\(style)\">\(result.verdict.rawValue)</b> \(result.gate.text.html)"
        }
        let back = [
            (patch.rolledBack, "rolled back on \(patch.rolledBack.grouped)"),
            (patch.suspected, "suspected on \(patch.suspected.grouped)"),
            (
                patch.heard,
                "since the stop \((patch.heard - patch.keeping).grouped) of \(patch.heard.grouped) no longer have it"
            ),
        ].filter { $0.0 > 0 }.map { ", \($0.1)" }
        let health =
            "\(patch.devices.grouped) have it, \(patch.running.grouped) run it, fails on \((share.value ?? 0).percent)\(back.joined())\(gates.joined())"
        return [health] + (patch.shadow.map { ["in shadow: \($0.html)"] } ?? [])
    }

    private func entry(_ change: FeedHistory.Change) -> String {
        let by = change.stamp.author.map { ", \($0)" } ?? ""
        let why = change.stamp.reason.map { ": \($0)" } ?? ""
        let head = "\(change.stamp.time.map(Self.minute) ?? "Keys or ends"), snapshot \(change.snapshot)\(by)\(why)"
        let lines = change.lines + (names.text(change.approvals).map { [$0] } ?? [])
        return "<li><b>\(head.html)</b><br>\(lines.map(\.html).joined(separator: "<br>"))</li>"
    }
}
