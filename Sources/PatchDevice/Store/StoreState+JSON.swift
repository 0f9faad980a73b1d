package import PatchCrypto
internal import PatchRunner

// The form in which a store's state is kept in its file. A member that is missing has its default, so that a file from an older
// version of this library can be read.
extension StoreState {
    static let schema = "patchpack.store/1"

    package var json: JSONValue {
        .object(sparse: [
            ("schema", .string(Self.schema)), ("app", .string(app)), ("appVersion", .string(appVersion.description)),
            ("installation", .string(installation)), ("name", givenName.map(JSONValue.string)),
            ("revision", .integer(revision)),
            ("enabled", isEnabled ? nil : .bool(false)), ("failures", failures == 0 ? nil : .integer(failures)),
            ("return", mayRetry ? .bool(true) : nil), ("confirmed", hasConfirmed ? .bool(true) : nil),
            ("unconfirmed", unconfirmed == 0 ? nil : .integer(unconfirmed)),
            ("held", held.isEmpty ? nil : .array(held.map(\.json))),
            // Not among the held ones: a library that does not know the stage would run them.
            ("shadows", shadows.isEmpty ? nil : .array(shadows.map(\.json))),
            ("bans", bans.isEmpty ? nil : .array(bans.map(\.json))),
            (
                "switches",
                switches.isEmpty
                    ? nil : .object(switches.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ),
            ("verdicts", outcomes.isEmpty ? nil : outcomesJSON), ("launch", launch?.json),
            ("revoked", revoked.isEmpty ? nil : revokedJSON), ("trust", deliveredTrust.map(JSONValue.string)),
            ("trustNumber", trustNumber > 0 ? .integer(trustNumber) : nil),
            ("floor", floor.map { .string($0.description) }), ("notice", notice.map(JSONValue.string)),
            ("minimumAppVersion", minimumAppVersion.map { .string($0.description) }),
        ])
    }

    private var outcomesJSON: JSONValue {
        .array(
            outcomes.sorted { ($0.key.id, $0.key.version) < ($1.key.id, $1.key.version) }.map { patch, outcome in
                .object(outcome.members + patch.fields)
            })
    }

    var revokedJSON: JSONValue { .array(revoked.map(\.description).sorted().map(JSONValue.string)) }

    /// - Returns: nil if the value is not of this schema.
    package init?(_ json: JSONValue) {
        guard json["schema"]?.text == Self.schema, let app = json["app"]?.text,
            let appVersion = json["appVersion"]?.text.flatMap(AppVersion.init),
            let installation = json["installation"]?.text
        else { return nil }
        self.init(
            app: app, appVersion: appVersion, installation: installation,
            held: json["held"]?.elements.compactMap(Held.init).filter { $0.stage != .shadow } ?? [],
            shadows: json["shadows"]?.elements.compactMap(Held.init) ?? [],
            bans: json["bans"]?.elements.compactMap(Ban.init) ?? [], launch: json["launch"].flatMap(Launch.init),
            failures: json["failures"]?.count ?? 0, mayRetry: json["return"]?.flag ?? false,
            hasConfirmed: json["confirmed"]?.flag ?? false, unconfirmed: json["unconfirmed"]?.count ?? 0)
        revision = json["revision"]?.count ?? 0
        isEnabled = json["enabled"]?.flag ?? true
        for case (let name, .string(let value)) in json["switches"]?.members ?? [] { switches[name] = value }
        for value in json["verdicts"]?.elements ?? [] {
            if let patch = PatchID(value), let outcome = SyncOutcome(value) { outcomes[patch] = outcome }
        }
        revoke(Set((json["revoked"]?.elements ?? []).compactMap { $0.text.flatMap { KeyID($0) } }))
        givenName = json["name"]?.text
        deliveredTrust = json["trust"]?.text
        raiseTrust(to: json["trustNumber"]?.number ?? 0)
        floor = json["floor"]?.text.flatMap { Timestamp($0) }
        notice = json["notice"]?.text
        minimumAppVersion = json["minimumAppVersion"]?.text.flatMap(AppVersion.init)
    }
}

extension PatchID {
    fileprivate var fields: [(key: String, value: JSONValue)] {
        [("id", .string(id)), ("version", .integer(version))]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let version = json["version"]?.number else { return nil }
        self.init(id: id, version: version)
    }
}

extension StoreState.Held {
    fileprivate var json: JSONValue {
        .object(
            // If the keys are in the order of their bytes, the reader needs no search to see that none occurs twice.
            sparse: [
                ("closed", closed.map { .string($0.description) }),
                ("closings", closings == 0 ? nil : .integer(closings)),
                ("couldNotRun", couldNotRun ? .bool(true) : nil),
                ("failures", failures == 0 ? nil : .integer(failures)),
                ("hash", .string(hash)), ("id", .string(patch.id)),
                ("loadFailures", loadFailures == 0 ? nil : .integer(loadFailures)),
                ("off", isSuspended ? .bool(true) : nil), ("protective", isProtective ? .bool(true) : nil),
                ("stage", .string(stage.rawValue)), ("unproven", isUnproven ? .bool(true) : nil),
                ("version", .integer(patch.version)), ("wasGood", wasGood ? .bool(true) : nil),
            ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let patch = PatchID(json), let hash = json["hash"]?.hash else { return nil }
        self.init(patch, hash: hash)
        // A stage from a later version of this library is not trusted.
        stage = json["stage"]?.text.flatMap(StoreState.Stage.init) ?? .downloaded
        failures = json["failures"]?.count ?? 0
        isSuspended = stage == .good && json["off"]?.flag ?? false
        couldNotRun = json["couldNotRun"]?.flag ?? false
        isUnproven = stage == .good && json["unproven"]?.flag ?? false
        wasGood = json["wasGood"]?.flag ?? false
        isProtective = json["protective"]?.flag ?? false
        closings = json["closings"]?.count ?? 0
        closed = json["closed"]?.text.flatMap { Timestamp($0) }
        loadFailures = json["loadFailures"]?.count ?? 0
    }
}

extension StoreState.Ban {
    var json: JSONValue {
        .object(
            [
                ("hash", .string(hash)), ("id", .string(patch.id)), ("reason", .string(reason)),
                ("time", time.map { .string($0.description) } ?? .null), ("version", .integer(patch.version)),
            ])
    }

    init?(_ json: JSONValue) {
        guard let patch = PatchID(json), let hash = json["hash"]?.hash else { return nil }
        self.init(
            patch: patch, hash: hash, reason: json["reason"]?.text ?? "",
            time: json["time"]?.text.flatMap { Timestamp($0) })
    }
}

extension StoreState.Launch {
    fileprivate var json: JSONValue {
        func hashes(_ hashes: [String]) -> JSONValue? { hashes.isEmpty ? nil : .array(hashes.map(JSONValue.string)) }
        return .object(sparse: [
            ("patches", hashes(patches)), ("late", hashes(late)), ("broken", hashes(broken)),
            ("loading", hashes(loading)), ("synced", hasSynced ? .bool(true) : nil),
            ("safeMode", isSafe ? .bool(true) : nil),
            ("return", isRetry ? .bool(true) : nil),
            ("confirmed", isConfirmed ? .bool(true) : nil), ("open", isWatched ? nil : .bool(false)),
            ("past", isPast && isWatched ? .bool(true) : nil),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        func hashes(_ key: String) -> [String] { json[key]?.elements.compactMap(\.hash) ?? [] }
        self.init(
            patches: hashes("patches"), late: hashes("late"), broken: hashes("broken"), loading: hashes("loading"),
            hasSynced: json["synced"]?.flag ?? false,
            isSafe: json["safeMode"]?.flag ?? false,
            isRetry: json["return"]?.flag ?? false,
            isConfirmed: json["confirmed"]?.flag ?? false, isWatched: json["open"]?.flag ?? true,
            isPast: json["past"]?.flag ?? false)
    }
}

extension StoreState.SyncOutcome {
    fileprivate var members: [(key: String, value: JSONValue)] {
        [("code", .string(code)), ("detail", detail.map(JSONValue.string) ?? .null)]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let code = json["code"]?.text else { return nil }
        self.init(code: code, detail: json["detail"]?.text)
    }
}

extension JSONValue {
    /// An object without the members that have their default values, so that each launch reads less.
    fileprivate static func object(sparse members: [(key: String, value: JSONValue?)]) -> JSONValue {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// A number of failures or launches, bounded so that adding to it does not overflow.
    fileprivate var count: Int? { number.map { max(0, min($0, 1 << 40)) } }

    /// A SHA-256 in hex digits, which is part of a path.
    fileprivate var hash: String? {
        guard var text, text.utf8.count == 64 else { return nil }
        return text.withUTF8 { unsafe $0.allSatisfy(Hex.isLowercaseDigit) } ? text : nil
    }
}
