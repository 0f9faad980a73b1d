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
            (Key.appVersions, .string(manifest.appVersions.description)), (Key.engine, .integer(manifest.engineLevel)),
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

    /// The id of the patch; empty if the entry has none.
    package var id: String { json[Key.id]?.text ?? "" }
    /// The version of the patch; 0 if the entry has none.
    package var version: Int { json[Key.version]?.number ?? 0 }
    package var patch: PatchID { PatchID(id: id, version: version) }

    /// The envelope's path among the targets; nil if there is none.
    package var path: String? {
        get { json[Key.path]?.text }
        set { json.set(Key.path, newValue.map(JSONValue.string)) }
    }

    /// The state; nil if only a later version of the library knows it. An entry that is stopped remembers whether it
    /// was in shadow.
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

    /// Whether this version of the library can read whom the entry is for, and when. Its devices leave out an entry
    /// that they cannot read, unless that is a withdrawal; those of a later version may run it.
    package var hasKnownAudience: Bool {
        func isKnown(_ key: String, _ canBeRead: (JSONValue) -> Bool) -> Bool { json[key].map(canBeRead) ?? true }
        func areNames(_ value: JSONValue) -> Bool {
            if case .array(let names) = value { names.allSatisfy { $0.text != nil } } else { false }
        }
        return isKnown(Key.rollout) { _ in rollout != nil } && isKnown(Key.groups, areNames)
            && isKnown(Key.users, areNames) && isKnown(Key.when) { $0.text != nil }
    }

    /// Whether it is offered, to run or to run in shadow. Devices that have a paused one still run it.
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

    /// Why it was last changed; nil if no reason was given.
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

    /// The part of all devices that it is for; nil for all or, if there are groups or users, for only those. Also nil
    /// if it cannot be read.
    package var rollout: Rollout? {
        get { try? Rollout(JSONObject(json[Key.rollout], Key.rollout)) }
        set { json.set(Key.rollout, newValue?.json) }
    }

    /// The part of all devices that it is for, of 10,000. Without a percentage, it is for all, or if it has lists of
    /// groups or users, even empty ones, only for those. 0 if the percentage cannot be read.
    package var basisPoints: Int {
        if let rollout { return rollout.basisPoints }
        let isForAll = [Key.rollout, Key.groups, Key.users].allSatisfy { json[$0] == nil }
        return isForAll ? 10_000 : 0
    }

    /// Whether it is for each device. All users are not all devices: a device may have no user.
    var isForEachDevice: Bool { basisPoints == 10_000 && rollout?.unit != .user }

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
