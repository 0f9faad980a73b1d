package import PatchCrypto

/// The list of an app's patches, with their states and the devices that they are for.
///
/// It is a target of the feed, `rollout/APP.json`, which the online key signs. docs/feed.md describes the format.
package struct PatchList: Sendable {
    package static let schema = 1
    /// The maximum size of a list, in bytes. A device downloads the list whenever it changes. Someone who has stolen
    /// the online key can make other metadata as large as `FeedLimits.targets`.
    package static let byteLimit = 3_145_728
    /// The maximum number of patches in a list. Each patch costs a device time in each sync.
    package static let entryLimit = 10_000
    /// The size in bytes above which signers are warned about the cost of a list: usually a thousand patches.
    package static let largeBytes = 262_144

    /// The maximum size of a trust store, in bytes.
    package static let trustLimit = 65_536

    /// The path of an app's list among the feed's targets.
    package static func path(for app: String) -> String { "rollout/\(app).json" }

    /// Whether a target may be the list of an app.
    static func isPath(_ path: String) -> Bool {
        let end = ".json".utf8
        return path.utf8.starts(with: "rollout/".utf8) && path.utf8.suffix(end.count).elementsEqual(end)
    }

    /// The path of an app's trust store among the feed's targets. The release key signs it.
    package static func trustPath(for app: String) -> String { "trust/\(app).store" }

    package enum Key {
        package static let schema = "schema"
        package static let enabled = "enabled"
        package static let app = "app"
        package static let environment = "environment"
        package static let published = "published"
        package static let minimumAppVersion = "minimumAppVersion"
        package static let notice = "notice"
        package static let switches = "switches"
        package static let stop = "stop"
        package static let patches = "patches"
        package static let id = "id"
        package static let version = "version"
        package static let path = "path"
        package static let appVersions = "appVersions"
        package static let engine = "engine"
        package static let state = "state"
        package static let before = "before"
        package static let when = "when"
        package static let reason = "reason"
        package static let since = "since"
        package static let offered = "offered"
        package static let author = "author"
        package static let rollout = "rollout"
        package static let basisPoints = "permyriad"
        package static let unit = "by"
        package static let seed = "seed"
        package static let groups = "groups"
        package static let users = "users"
    }

    /// The version of the format. No new patches are taken from a list of a newer format, but `isEnabled` and
    /// withdrawals are obeyed.
    package let schema: Int
    /// Whether patches run at all: the kill switch. If it is false, no patch runs, but nothing is deleted.
    package let isEnabled: Bool
    /// The bundle identifier of the app that the list is for.
    package let app: String
    /// Which of the app's environments the feed is for, such as `release`.
    package let environment: String
    /// When the list was signed. It may be up to an hour earlier than in an older list, if the clocks of two signers
    /// differ.
    package let published: Timestamp
    /// The lowest version of the app that gets patches at all; nil for any, and if the member is malformed.
    package let minimumAppVersion: AppVersion?
    /// A string for the app to show.
    package let notice: String?
    /// Values for the app to read.
    package let switches: [String: String]
    /// The versions of patches that the list names, in its order.
    package let entries: [Entry]
    /// Why entries were left out. Each entry is refused on its own.
    package let errors: [PatchError]

    /// A version of a patch.
    package struct Entry: Sendable {
        /// How devices treat a version. A later version of the library may know more states.
        package enum State: String, Sendable, CaseIterable {
            /// It is offered.
            case active
            /// It is offered in shadow: devices run it beside the code that answers, and report what it would change. A
            /// library that does not know the state treats it as paused.
            case shadow
            /// It is not offered to more devices. A device that has it keeps it.
            case paused
            /// All devices remove it.
            case withdrawn
        }

        /// When a version is activated. A later version of the library may know more moments.
        package enum Moment: String, Sendable, CaseIterable {
            /// As soon as it was downloaded.
            case now
            /// At the next launch of the app.
            case nextLaunch = "next-launch"
        }

        /// The patch's reverse-DNS name and version.
        package let patch: PatchID
        /// The envelope's path among the feed's targets; empty if it is withdrawn.
        package let path: String
        /// The app versions that it is for, copied from the manifest so that a device can choose before it downloads
        /// anything.
        package let appVersions: VersionRange
        /// The lowest engine level that it needs, copied from the manifest.
        package let engine: Int
        /// Whether it is offered, in shadow, paused or withdrawn.
        package let state: State
        /// When a device activates it.
        package let when: Moment
        /// Why it was withdrawn.
        package let reason: String?
        /// The part of all devices that it is for. If it is nil, the patch is for all devices, or only for the groups
        /// and users if there are any.
        package let rollout: Rollout?
        /// Groups that it is for, whatever the percentage.
        package let groups: [String]?
        /// Users that it is for, whatever the percentage, by their `Rollout.name(of:patch:)`.
        package let users: [String]?

        package var id: String { patch.id }
        package var version: Int { patch.version }
        /// What the buckets are mixed with: the rollout's own seed, or else the patch's id.
        package var seed: String { rollout?.seed ?? id }
    }

    /// Reads a list.
    ///
    /// A member with an unknown name is ignored, and a malformed entry is left out: apps live for years, and a
    /// withdrawal must reach the oldest.
    ///
    /// - Parameter bytes: The target's bytes, which were verified.
    /// - Throws: `feed-malformed` if it is not a list, `feed-limit` if it has more than `byteLimit` bytes or
    ///   `entryLimit` patches.
    package init(decoding bytes: [UInt8]) throws(PatchError) { try self.init(Self.json(decoding: bytes)) }

    /// Parses the bytes of a list.
    ///
    /// - Throws: `feed-malformed` if they are not JSON, `feed-limit` if there are more than `byteLimit`.
    package static func json(decoding bytes: [UInt8]) throws(PatchError) -> JSONValue {
        guard bytes.count <= Self.byteLimit else {
            throw PatchError(.feedLimit, "the list: \(bytes.count) bytes; at most \(Self.byteLimit) are allowed")
        }
        return try JSONValue(of: "the list", parsing: bytes)
    }

    /// Reads a list from its JSON, as `init(decoding:)` does.
    ///
    /// - Throws: `feed-malformed` if it is not a list, `feed-limit` if it has more than `entryLimit` patches.
    package init(_ json: JSONValue) throws(PatchError) {
        let list = try JSONObject(json, "the list")
        schema = try list.number(Key.schema, in: 1...Int.max)
        isEnabled = try list.flag(Key.enabled)
        app = try list.text(Key.app)
        environment = try list.text(Key.environment)
        published = try list.moment(Key.published)
        minimumAppVersion = (try? list.optional(Key.minimumAppVersion, list.text)).flatMap(AppVersion.init)
        notice = try? list.optional(Key.notice, list.text)
        var switches: [String: String] = [:]
        if let object = try? list.object(Key.switches) {
            for case (let name, .string(let value)) in object.members { switches[name] = value }
        }
        self.switches = switches
        guard case .array(let values) = list[Key.patches] else { throw list.fault(Key.patches, "expected a list") }
        guard values.count <= Self.entryLimit else {
            throw PatchError(.feedLimit, "the list: more than \(Self.entryLimit) patches")
        }
        var entries: [Entry] = []
        var errors: [PatchError] = []
        var places: [PatchID: Int] = [:]
        entries.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(PatchError) {
                let entry = try Entry(JSONObject(value, "the list: patches[\(index)]"))
                if let first = places[entry.patch] {
                    errors.append(PatchError(.feedMalformed, "the list: \(entry.patch) twice"))
                    // A withdrawal counts, whichever entry comes first.
                    if entry.state == .withdrawn { entries[first] = entry }
                } else {
                    places[entry.patch] = entries.count
                    entries.append(entry)
                }
            } catch {
                errors.append(error)
            }
        }
        self.entries = entries
        self.errors = errors
    }
}

extension PatchList.Entry {
    private typealias Key = PatchList.Key

    init(_ object: JSONObject) throws(PatchError) {
        let id = try object.text(Key.id)
        guard NameForm.isReverseDNS(id) else { throw object.fault(Key.id, "expected a name such as com.example.fix") }
        patch = PatchID(id: id, version: try object.number(Key.version, in: 1...Int(Int32.max)))
        // A state from a later version must not start a patch that it may be meant to stop.
        state = State(rawValue: try object.text(Key.state)) ?? .paused
        reason = try? object.optional(Key.reason, object.text)
        guard state != .withdrawn else {
            // It is obeyed whatever the other members are.
            path = ""
            appVersions = .all
            engine = 1
            when = .now
            rollout = nil
            groups = nil
            users = nil
            return
        }
        path = try object.text(Key.path)
        // The online key signs the files below `rollout`, and must not be able to add code.
        guard path.utf8.starts(with: FeedLayout.envelopes.utf8) else {
            throw object.fault(Key.path, "expected \(FeedLayout.envelopes)…")
        }
        guard let range = VersionRange(try object.text(Key.appVersions)) else {
            throw object.fault(Key.appVersions, "expected a range such as >=2.3.0 <2.5.0")
        }
        appVersions = range
        engine = try object.number(Key.engine, in: 1...Int(Int32.max))
        let moment = try object.optional(Key.when, object.text)
        // A moment from a later version is not sooner than the next launch.
        when = if let moment { Moment(rawValue: moment) ?? .nextLaunch } else { .now }
        rollout = try object.optional(Key.rollout) { key throws(PatchError) in try Rollout(object.object(key)) }
        groups = try object.optional(Key.groups, object.texts)
        users = try object.optional(Key.users, object.texts)
    }
}

extension PatchList.Entry {
    /// Checks that an envelope is the one that the entry describes.
    ///
    /// - Parameter manifest: The envelope's own.
    /// - Throws: `feed-mismatch` if it is another patch or version, or if devices would choose it by other values.
    package func check(_ manifest: Manifest) throws(PatchError) {
        guard manifest.id == id, manifest.version == version, manifest.engineLevel == engine,
            manifest.appVersions.description == appVersions.description
        else {
            func words(_ patch: PatchID, _ versions: VersionRange, _ engine: Int) -> String {
                "\(patch) for \(versions), engine \(engine)"
            }
            throw PatchError(
                .feedMismatch,
                "the list has \(words(patch, appVersions, engine)), but the envelope is "
                    + words(manifest.patch, manifest.appVersions, manifest.engineLevel))
        }
    }
}

extension Rollout {
    private typealias Key = PatchList.Key

    package init(_ object: JSONObject) throws(PatchError) {
        let text = try object.text(Key.unit)
        guard let unit = Unit(rawValue: text) else { throw object.fault(Key.unit, "expected installation or user") }
        self.init(
            basisPoints: try object.number(Key.basisPoints, in: 0...10_000), unit: unit,
            seed: try object.optional(Key.seed, object.text))
    }

    package var json: JSONValue {
        var json = JSONValue.object([
            (Key.basisPoints, .integer(basisPoints)), (Key.unit, .string(unit.rawValue)),
        ])
        json.set(Key.seed, seed.map(JSONValue.string))
        return json
    }
}
