package import PatchCrypto
package import PatchFeed

private typealias Key = PatchList.Key

/// A list of patches that is being changed. Members that this version of the library does not know are kept.
package struct PatchListDraft: Sendable {
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    init(app: String, environment: String, at now: Timestamp) {
        json = .object([
            (Key.schema, .integer(PatchList.schema)), (Key.enabled, .bool(true)), (Key.app, .string(app)),
            (Key.environment, .string(environment)), (Key.published, .string(now.description)),
            (Key.patches, .array([])),
        ])
    }

    package var app: String { json[Key.app]?.text ?? "" }
    package var environment: String { json[Key.environment]?.text ?? "" }

    package var published: Timestamp? {
        get { json[Key.published]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.published, newValue.map { .string($0.description) }) }
    }

    /// Whether patches run at all: the kill switch.
    package var isEnabled: Bool {
        get { json[Key.enabled]?.flag ?? true }
        set { json.set(Key.enabled, .bool(newValue)) }
    }

    /// The last change.
    package var change: ChangeStamp {
        get { ChangeStamp(json, time: Key.published) }
        set { newValue.write(to: &json, time: Key.published) }
    }

    /// The change that switched all patches off; nil if they are on, or if an older version of this library switched
    /// them off.
    package var stop: ChangeStamp? {
        get { json[Key.stop].map { ChangeStamp($0, time: Key.since) } }
        set {
            var stop = JSONValue.object([])
            newValue?.write(to: &stop, time: Key.since)
            json.set(Key.stop, newValue == nil ? nil : stop)
        }
    }

    package var minimumAppVersion: AppVersion? {
        get { json[Key.minimumAppVersion]?.text.flatMap { AppVersion($0) } }
        set { json.set(Key.minimumAppVersion, newValue.map { .string($0.description) }) }
    }

    /// Whether versions of the app below another one get patches.
    func reachesVersions(below lowest: AppVersion) -> Bool {
        guard let minimumAppVersion else { return true }
        return minimumAppVersion < lowest
    }

    package var notice: String? {
        get { json[Key.notice]?.text }
        set { json.set(Key.notice, newValue.map(JSONValue.string)) }
    }

    package var switches: JSONValue? {
        get { json[Key.switches] }
        set { json.set(Key.switches, newValue) }
    }

    package var entries: [PatchEntryDraft] {
        get { (json[Key.patches]?.elements ?? []).map(PatchEntryDraft.init) }
        set { json.set(Key.patches, .array(newValue.map(\.json))) }
    }

    /// The entries by their names or paths; of several, the first.
    func entries<Name: Hashable>(by key: KeyPath<PatchEntryDraft, Name>) -> [Name: PatchEntryDraft] {
        Dictionary(entries.map { ($0[keyPath: key], $0) }) { first, _ in first }
    }

    /// Sets a value that the app reads; nil removes it.
    package mutating func setSwitch(_ name: String, to value: String?) {
        json.change(Key.switches) { $0.set(name, value.map(JSONValue.string)) }
    }

    /// Sets a value that the app reads, under a name that people can type and read.
    ///
    /// Devices accept any name, and a name that the list has already stays usable.
    ///
    /// - Throws: `usage` if the name is new, and not `[A-Za-z0-9._-]{1,64}`.
    package mutating func nameSwitch(_ name: String, value: String) throws(PatchError) {
        guard NameForm.isWord(name.utf8) || switches?[name] != nil else {
            throw PatchError(
                .usage, name.isEmpty ? "a switch without a name" : "\(name): not a name of a switch",
                hint: "a name has at most 64 letters, digits, dots, underscores and hyphens, as in checkout=old")
        }
        setSwitch(name, to: value)
    }

    /// Removes a value that the app reads.
    ///
    /// - Throws: `usage` if there is none.
    package mutating func removeSwitch(_ name: String) throws(PatchError) {
        guard switches?[name] != nil else {
            throw PatchError(.usage, "\(name): no such switch to remove", remedy: .giveValue)
        }
        setSwitch(name, to: nil)
    }

    // MARK: comparing

    /// Whether another list is the same for devices.
    package func isEquivalent(to other: PatchListDraft) -> Bool { visibleChanges(since: other).isEmpty }

    /// The entries that are the same for devices as in another list, but have another reason, a line each.
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
            guard before.map(ExactString.init) != after.map(ExactString.init) else { return }
            lines.append("\(name): \(before ?? "none") -> \(after ?? "none")")
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
            // What the words do not say may have changed.
            let change = before.words == entry.words ? entry.json.text() : "\(before.words) -> \(entry.words)"
            lines.append("changed \(name): \(change)")
        }
        let listed = Set(entries.map(\.name))
        for entry in old.entries where !listed.contains(entry.name) {
            lines.append("no longer listed \(entry.name): it was \(entry.words)")
        }
        return lines
    }
}
