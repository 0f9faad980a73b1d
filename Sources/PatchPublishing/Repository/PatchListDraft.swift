package import PatchCrypto
package import PatchFeed

private typealias Key = PatchList.Key

/// A list of patches that is being changed. Members that this version of the library does not know are kept.
package struct PatchListDraft: Sendable {
    /// The list as it is signed.
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    /// An empty list.
    init(app: String, environment: String, at now: Timestamp) {
        json = .object([
            (Key.schema, .integer(PatchList.schema)), (Key.enabled, .bool(true)), (Key.app, .string(app)),
            (Key.environment, .string(environment)), (Key.published, .string(now.description)),
            (Key.patches, .array([])),
        ])
    }

    package var app: String { json[Key.app]?.text ?? "" }
    package var environment: String { json[Key.environment]?.text ?? "" }

    /// When it was signed.
    package var published: Timestamp? {
        get { json[Key.published]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.published, newValue.map { .string($0.description) }) }
    }

    /// Whether patches run at all: the kill switch.
    package var isEnabled: Bool {
        get { json[Key.enabled]?.flag ?? true }
        set { json.set(Key.enabled, .bool(newValue)) }
    }

    /// Who made the last change.
    package var author: String? {
        get { json[Key.author]?.text }
        set { json.set(Key.author, newValue.map(JSONValue.string)) }
    }

    /// Why the last change was made.
    package var reason: String? {
        get { json[Key.reason]?.text }
        set { json.set(Key.reason, newValue.map(JSONValue.string)) }
    }

    /// The last change.
    package var change: FeedRepository.Change {
        FeedRepository.Change(time: published, author: author, reason: reason)
    }

    /// The change that switched all patches off; nil if they are on, or if an older version of this library switched them off.
    package var stop: FeedRepository.Change? {
        get {
            json[Key.stop].map {
                FeedRepository.Change(
                    time: $0[Key.since]?.text.flatMap { Timestamp($0) }, author: $0[Key.author]?.text,
                    reason: $0[Key.reason]?.text)
            }
        }
        set {
            let members: [(key: String, value: String?)] = [
                (Key.since, newValue?.time?.description), (Key.author, newValue?.author),
                (Key.reason, newValue?.reason),
            ]
            let object = JSONValue.object(members.compactMap { name, text in text.map { (name, .string($0)) } })
            json.set(Key.stop, newValue == nil ? nil : object)
        }
    }

    /// The lowest version of the app that gets patches at all.
    package var minimumAppVersion: AppVersion? {
        get { json[Key.minimumAppVersion]?.text.flatMap { AppVersion($0) } }
        set { json.set(Key.minimumAppVersion, newValue.map { .string($0.description) }) }
    }

    /// A string that the app shows.
    package var notice: String? {
        get { json[Key.notice]?.text }
        set { json.set(Key.notice, newValue.map(JSONValue.string)) }
    }

    /// Values that the app reads.
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

    /// Sets or removes a value that the app reads.
    package mutating func setSwitch(_ name: String, to value: String?) {
        json.change(Key.switches) { $0.set(name, value.map(JSONValue.string)) }
    }
}

/// An entry of a list that is being changed. Members that this version of the library does not know are kept.
package struct PatchEntryDraft: Sendable {
    /// The entry as it is signed.
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    /// Makes an entry with the values of a manifest by which devices choose. It is active, and offered to all devices.
    package init(_ manifest: Manifest) {
        json = .object([
            (Key.id, .string(manifest.id)), (Key.version, .integer(manifest.version)),
            (Key.appVersions, .string(manifest.appVersions.description)), (Key.engine, .integer(manifest.engine)),
            (Key.state, .string(PatchList.Entry.State.active.rawValue)),
        ])
    }

    /// An entry that only withdraws a version.
    package init(withdrawing id: String, version: Int) {
        json = .object([
            (Key.id, .string(id)), (Key.version, .integer(version)),
            (Key.state, .string(PatchList.Entry.State.withdrawn.rawValue)),
        ])
    }

    /// The id and the version, which no other entry has.
    package var name: String { "\(id) \(version)" }

    package var id: String { json[Key.id]?.text ?? "" }
    package var version: Int { json[Key.version]?.number ?? 0 }

    /// The envelope's path among the targets; nil if there is none.
    package var path: String? {
        get { json[Key.path]?.text }
        set { json.set(Key.path, newValue.map(JSONValue.string)) }
    }

    /// The state; nil if only a later version of the library knows it.
    package var state: PatchList.Entry.State? {
        get { json[Key.state]?.text.flatMap(PatchList.Entry.State.init) }
        set { json.set(Key.state, newValue.map { .string($0.rawValue) }) }
    }

    /// Why it was changed last.
    package var reason: String? {
        get { json[Key.reason]?.text }
        set { json.set(Key.reason, newValue.map(JSONValue.string)) }
    }

    /// When it was changed last; nil for an entry of an older version of this library.
    package var since: Timestamp? {
        get { json[Key.since]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.since, newValue.map { .string($0.description) }) }
    }

    /// The time since which it has been offered without a pause.
    package var offered: Timestamp? {
        get { json[Key.offered]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.offered, newValue.map { .string($0.description) }) }
    }

    /// Who changed it last.
    package var author: String? {
        get { json[Key.author]?.text }
        set { json.set(Key.author, newValue.map(JSONValue.string)) }
    }

    /// Whether another entry is the same for devices.
    package func isEquivalent(to other: PatchEntryDraft) -> Bool {
        func said(_ entry: PatchEntryDraft) -> [UInt8] {
            var json = entry.json
            for key in [Key.since, Key.offered, Key.author, Key.reason] { json.set(key, nil) }
            return json.encoded()
        }
        return said(self) == said(other)
    }

    /// The entry after a change, with the time, author and reason of the change.
    ///
    /// - Parameter old: The entry before the change; nil for a new one.
    func stamped(since old: PatchEntryDraft?, in details: ChangeDetails) -> PatchEntryDraft {
        guard old?.json.encoded() != json.encoded() else { return self }
        var entry = self
        entry.since = details.now
        if state == .active, old?.state != .active { entry.offered = details.now }
        entry.author = details.author
        if entry.reason == old?.reason { entry.reason = details.reason }
        return entry
    }

    /// The part of all devices that it is for; nil for all or, if there are groups or users, for only those.
    package var rollout: Rollout? {
        get { try? Rollout(JSONObject(json[Key.rollout], Key.rollout)) }
        set { json.set(Key.rollout, newValue?.json) }
    }

    /// The part of all devices that it is for, of 10,000. Without a percentage, it is for all, or only for groups and users.
    package var basisPoints: Int { rollout?.basisPoints ?? (groups.isEmpty && users.isEmpty ? 10_000 : 0) }

    /// Groups that it is for, regardless of the percentage.
    package var groups: [String] {
        get { json[Key.groups]?.elements.compactMap(\.text) ?? [] }
        set { json.set(Key.groups, newValue.isEmpty ? nil : .array(newValue.map(JSONValue.string))) }
    }

    /// Users that it is for, regardless of the percentage, by their `Rollout.name(of:patch:)`.
    package var users: [String] {
        get { json[Key.users]?.elements.compactMap(\.text) ?? [] }
        set { json.set(Key.users, newValue.isEmpty ? nil : .array(newValue.map(JSONValue.string))) }
    }

    /// When a device activates it; nil for the default, at once.
    package var when: PatchList.Entry.Moment? {
        get { json[Key.when]?.text.flatMap(PatchList.Entry.Moment.init) }
        set { json.set(Key.when, newValue.map { .string($0.rawValue) }) }
    }
}

extension PatchEntryDraft {
    /// Whether it is offered, and to whom.
    package var words: String {
        switch state {
        case .withdrawn?: "withdrawn"
        case .active?: "offered \(audience)"
        case .paused?: "paused, \(audience)"
        case nil: "of an unknown state, \(audience)"
        }
    }

    private var audience: String {
        let part = rollout.map { "to \(Rollout.percent($0.basisPoints)) by \($0.unit.rawValue)" }
        let others =
            (groups.isEmpty ? [] : ["groups \(groups.joined(separator: ", "))"])
            + (users.isEmpty ? [] : ["\(users.count) users"])
        let all = (part.map { [$0] } ?? []) + others
        let moment = when == .nextLaunch ? ", at the next launch" : ""
        return (all.isEmpty ? "to all" : all.joined(separator: ", and ")) + moment
    }
}
