import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// What is out, on one screen.
    func overview(at now: Timestamp) -> [ReportLine] {
        var lines: [ReportLine] = []
        if !list.isEnabled {
            let stop = list.stop?.text(at: now) ?? ""
            lines.append(ReportLine(style: .bad, word: "ALL PATCHES ARE SWITCHED OFF", text: stop))
        }
        lines.append(
            ReportLine(
                text: "\(app) \(environment), snapshot \(state(of: .snapshot).version)\(list.change.text(at: now))"))
        if let version = list.minimumAppVersion { lines.append(ReportLine(text: "minimum app version \(version)")) }
        if let notice = list.notice { lines.append(ReportLine(text: "notice: \(notice)")) }
        for (name, value) in list.switches?.members ?? [] {
            lines.append(ReportLine(text: "switch \(name)=\(value.text ?? "")"))
        }
        for entry in list.entries.reversed() {
            let style: Console.Style =
                switch entry.state {
                case .active?: .good
                case .withdrawn?: .bad
                case .paused?, nil: .faint
                }
            let change = Change(time: entry.since, author: entry.author, reason: entry.reason).text(at: now)
            lines.append(
                ReportLine(style: style, word: "\(entry.id) \(entry.version)", text: "  \(entry.words)\(change)"))
        }
        return lines
    }

}

extension FeedRepository.Change {
    func text(at now: Timestamp) -> String {
        let since = time.map { ", since \($0) (\((now.secondsSince1970 - $0.secondsSince1970).length))" } ?? ""
        return since + (author.map { ", by \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "")
    }
}
