package import PatchCrypto
package import PatchFeed

private typealias Key = PatchList.Key

/// An entry of a list that is being changed. Members that this version of the library does not know are kept.
package struct PatchEntryDraft: Sendable {
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

    /// The file name of its envelope, such as `com.example.shop.cart-total-7.js`.
    package var fileName: String { "\(id)-\(version).js" }

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
        set {
            let isStop = newValue == .paused || newValue == .withdrawn
            if isStop, state == .shadow {
                json.set(Key.before, .string(PatchList.Entry.State.shadow.rawValue))
            } else if !isStop || state == .active {
                json.set(Key.before, nil)
            }
            json.set(Key.state, newValue.map { .string($0.rawValue) })
        }
    }

    /// Whether devices run it, or run it in shadow.
    package var isOffered: Bool { state == .active || state == .shadow }

    /// The state in which it is offered again: in shadow if it was in shadow when it was paused or withdrawn.
    package var resumedState: PatchList.Entry.State {
        if let state, isOffered { return state }
        return json[Key.before]?.text == PatchList.Entry.State.shadow.rawValue ? .shadow : .active
    }

    /// Makes it active, or lets it be active once it is resumed.
    package mutating func leaveShadow() {
        if state == .shadow { state = .active }
        json.set(Key.before, nil)
    }

    package var reason: String? {
        get { json[Key.reason]?.text }
        set { json.set(Key.reason, newValue.map(JSONValue.string)) }
    }

    /// When it was changed last; nil for an entry of an older version of this library.
    package var since: Timestamp? {
        get { json[Key.since]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.since, newValue.map { .string($0.description) }) }
    }

    /// The time since which it has been offered, or been in shadow, without a pause.
    package var offered: Timestamp? {
        get { json[Key.offered]?.text.flatMap { Timestamp($0) } }
        set { json.set(Key.offered, newValue.map { .string($0.description) }) }
    }

    /// The last change.
    package var change: ChangeStamp { ChangeStamp(json, time: Key.since) }

    /// Whether it is offered as another entry asks for: to the same part of all devices, groups and users, at the same
    /// moment.
    func isListed(as other: PatchEntryDraft) -> Bool {
        stateText == other.stateText && (when == .nextLaunch) == (other.when == .nextLaunch)
            && basisPoints == other.basisPoints && rollout?.unit == other.rollout?.unit
            && rollout?.seed == other.rollout?.seed
            && Set(groups) == Set(other.groups) && Set(users) == Set(other.users)
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
    func stamped(since old: PatchEntryDraft?, in details: ChangeDetails) -> PatchEntryDraft {
        guard old?.json.encoded() != json.encoded() else { return self }
        var entry = self
        entry.since = details.now
        if isOffered, old?.state != state { entry.offered = details.now }
        entry.json.set(Key.author, details.author.map(JSONValue.string))
        if entry.reason == old?.reason { entry.reason = details.reason }
        return entry
    }

    /// The part of all devices that it is for; nil for all or, if there are groups or users, for only those.
    package var rollout: Rollout? {
        get { try? Rollout(JSONObject(json[Key.rollout], Key.rollout)) }
        set { json.set(Key.rollout, newValue?.json) }
    }

    /// The part of all devices that it is for, of 10,000. Without a percentage, it is for all, or only for groups and
    /// users.
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

    /// Whether it is offered, and to whom.
    package var words: String {
        switch state {
        case .withdrawn?: stateText
        case .active?: "\(stateText) \(audience)"
        case .shadow?, .paused?, nil: "\(stateText), \(audience)"
        }
    }

    /// Whether it is offered, and whether it was in shadow when it was paused or withdrawn.
    package var stateText: String {
        switch state {
        case .withdrawn?: resumedState == .shadow ? "withdrawn from shadow" : "withdrawn"
        case .active?: "offered"
        case .shadow?: "in shadow"
        case .paused?: resumedState == .shadow ? "paused in shadow" : "paused"
        case nil: "of an unknown state"
        }
    }

    private var audience: String {
        let part = rollout.map { "\(Rollout.percent($0.basisPoints)) by \($0.unit.rawValue)" }
        let moment = when == .nextLaunch ? ", at the next launch" : ""
        return Self.audience(part, groups: groups, users: users.count) + moment
    }

    /// Whom a patch is for, in words: a part of all devices, and groups and users, or all if there are none of these.
    static func audience(_ part: String?, groups: [String], users: Int) -> String {
        let groups = groups.isEmpty ? nil : "group\(groups.count == 1 ? "" : "s") \(groups.joined(separator: ", "))"
        let users = users == 0 ? nil : "\(users) user\(users == 1 ? "" : "s")"
        let all = [part, groups, users].compactMap(\.self)
        return all.isEmpty ? "to all" : "to " + all.joined(separator: ", and ")
    }

    /// Changes the state at a user's request.
    ///
    /// - Throws: `usage` if a withdrawn patch is to be paused, or to be in shadow: a library that does not know shadow
    ///   takes it as paused.
    package mutating func setState(_ new: PatchList.Entry.State) throws(PatchError) {
        guard new != .paused || state != .withdrawn else {
            throw PatchError(
                .usage, "\(name) is withdrawn, and pausing would give it back to devices that still have it",
                remedy: resumedState == .shadow ? PublishingRemedy.packHigherInShadow : .resumeFirst)
        }
        guard new != .shadow || state != .withdrawn else {
            throw PatchError(
                .usage, "\(name) is withdrawn, and devices that still have it would keep it if they do not know shadow",
                remedy: .packHigherInShadow)
        }
        state = new
    }

    /// Whether it reaches devices to which another entry does not offer it. In shadow it reaches fewer than any that is
    /// active.
    func reachesMore(than other: PatchEntryDraft) -> Bool {
        func reach(_ entry: PatchEntryDraft) -> Int {
            switch entry.state {
            case .withdrawn?: 0
            case .paused?, nil: 1
            case .shadow?: 2
            case .active?: 3
            }
        }
        guard isOffered, state == other.state else { return reach(self) > reach(other) }
        // All users are not all devices: a device may have no user.
        if other.basisPoints == 10_000, other.rollout?.unit != .user { return false }
        let isElsewhere = rollout?.unit != other.rollout?.unit || rollout?.seed != other.rollout?.seed
        return basisPoints > other.basisPoints || basisPoints > 0 && isElsewhere
            || !(Set(groups).isSubset(of: other.groups) && Set(users).isSubset(of: other.users))
    }

    /// The version that devices have instead of this one if it is not offered; nil if there is none.
    package func fallback(of listed: [PatchEntryDraft]) -> PatchEntryDraft? {
        guard state != .active else { return nil }
        return listed.filter { $0.version != version && $0.state == .active }.max { $0.version < $1.version }
    }

    /// The entry after a change that a user asked for; nil if it is already the same, with the same reason.
    package func changed(to new: PatchEntryDraft, reason: String?) -> PatchEntryDraft? {
        guard !new.isEquivalent(to: self) || reason != nil && reason != self.reason else { return nil }
        var new = new
        new.reason = reason
        return new
    }

    /// Whether each device that another version is offered to is offered this one too. In shadow it reaches none that
    /// the other one is live on.
    func reachesAll(of other: PatchEntryDraft) -> Bool {
        func range(_ entry: PatchEntryDraft) -> VersionRange? {
            entry.json[Key.appVersions]?.text.flatMap(VersionRange.init)
        }
        guard let own = range(self), let others = range(other), own.covers(others) else { return false }
        guard json[Key.engine]?.number ?? 1 <= other.json[Key.engine]?.number ?? 1 else { return false }
        var other = other
        if state == .active, other.state == .shadow { other.state = .active }
        return !other.reachesMore(than: self)
    }
}
