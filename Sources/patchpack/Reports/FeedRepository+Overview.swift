import PatchCrypto
import PatchFeed
import PatchPublishing

extension FeedRepository {
    /// The published patches on one screen, with those that need attention first.
    ///
    /// - Parameters:
    ///   - id: The only patch that is shown; nil for all.
    ///   - most: How many patches are shown. The rest are counted.
    func overview(at now: Timestamp, of id: String? = nil, most: Int) -> [ReportLine] {
        var lines = listLines(at: now, of: id, most: most)
        if !list.isEnabled {
            let stop = list.stop?.text(at: now) ?? ""
            lines.insert(ReportLine(.bad, "ALL PATCHES ARE SWITCHED OFF", stop), at: 0)
        }
        return lines
    }

    /// The lines of the overview, except the one that says that all patches are switched off.
    func listLines(at now: Timestamp, of id: String? = nil, most: Int) -> [ReportLine] {
        let snapshot = "snapshot \(state(of: .snapshot).version)\(lastChange.text(at: now))"
        var lines = [ReportLine("\(app) \(environment), \(snapshot)")]
        if let version = list.minimumAppVersion { lines.append(ReportLine("minimum app version \(version)")) }
        if let notice = list.notice { lines.append(ReportLine("notice: \(notice)")) }
        lines += (list.switches?.members ?? []).map { ReportLine("switch \($0)=\($1.text ?? "")") }
        // Those that need attention come first, and the newest first within each kind.
        let newest = list.entries.reversed().map { (entry: $0, kind: $0.kind) }
        let sorted = PatchEntryDraft.Kind.allCases.flatMap { kind in newest.filter { $0.kind == kind }.map(\.entry) }
        let entries = sorted.filter { id == nil || $0.id == id }
        for entry in entries.prefix(most) {
            let style: Console.Style =
                switch entry.state {
                case .active?: .good
                case .withdrawn?: .bad
                case .shadow?, .paused?, nil: .faint
                }
            lines.append(ReportLine(style, entry.name, "  \(entry.words)\(entry.change.text(at: now))"))
        }
        let rest = Dictionary(grouping: entries.dropFirst(most), by: \.kind).mapValues(\.count)
        if !rest.isEmpty {
            let counts = PatchEntryDraft.Kind.allCases.compactMap { kind in
                rest[kind].map { "\($0.grouped) \(kind.rawValue)" }
            }
            let more = "and \((entries.count - most).grouped) more"
            lines.append(ReportLine("\(more): \(counts.joined(separator: ", ")); --all shows them"))
        }
        return lines
    }
}

extension PatchEntryDraft {
    /// The words for a patch in the count of the patches that are not shown, with the most urgent kind first.
    enum Kind: String, CaseIterable {
        case unknown = "of an unknown state"
        case paused, withdrawn
        case shadow = "in shadow"
        case partial = "offered to a part"
        case offered = "offered to all"
    }

    var kind: Kind {
        switch state {
        case nil: .unknown
        case .paused?: .paused
        case .withdrawn?: .withdrawn
        case .shadow?: .shadow
        case .active?: basisPoints == 10_000 ? .offered : .partial
        }
    }
}

extension ChangeStamp {
    /// Since when it holds, and by whom and why, for the end of a text.
    func text(at now: Timestamp) -> String {
        let since = time.map { ", since \($0) (\((now.secondsSince1970 - $0.secondsSince1970).length))" } ?? ""
        return since + words
    }
}

extension FeedFault {
    func text(at now: Timestamp) -> String {
        switch self {
        case .ended(let role, let end): "\(role) ended at \(end): patchpack feed refresh DIR, with the key of that role"
        case .signedAhead(let published):
            "its list was signed at \(published), and this clock shows \(now)"
        }
    }
}
