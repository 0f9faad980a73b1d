internal import PatchCrypto
internal import PatchFeed

extension PatchListDraft {
    /// Whether another list is the same for devices.
    package func isEquivalent(to other: PatchListDraft) -> Bool { visibleChanges(since: other).isEmpty }

    /// The entries that are the same for devices as in another list, but have another reason.
    func reasonChanges(since old: PatchListDraft) -> [String] {
        let earlier = old.entries(by: \.name)
        return entries.compactMap { entry in
            let name = entry.name
            guard let before = earlier[name], before.reason != entry.reason, before.isEquivalent(to: entry) else {
                return nil
            }
            return "reason of \(name): \(before.reason ?? "none") -> \(entry.reason ?? "none")"
        }
    }

    /// The changes that devices see, a line each.
    func visibleChanges(since old: PatchListDraft) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ before: String?, _ after: String?) {
            if before != after { lines.append("\(name): \(before ?? "none") -> \(after ?? "none")") }
        }
        add("all patches", old.isEnabled ? "on" : "off", isEnabled ? "on" : "off")
        add("minimum app version", old.minimumAppVersion?.description, minimumAppVersion?.description)
        add("notice", old.notice, notice)
        add("switches", old.switches?.text(), switches?.text())
        let earlier = old.entries(by: \.name)
        for entry in entries {
            let name = entry.name
            guard let before = earlier[name] else {
                lines.append("listed \(name): \(entry.words)")
                continue
            }
            guard !entry.isEquivalent(to: before) else { continue }
            lines.append(
                "changed \(name): "
                    + (before.words == entry.words ? "\(entry.json.text())" : "\(before.words) -> \(entry.words)"))
        }
        let listed = Set(entries.map(\.name))
        for entry in old.entries where !listed.contains(entry.name) {
            lines.append("no longer listed \(entry.name): it was \(entry.words)")
        }
        return lines
    }
}
