package import PatchCrypto
internal import PatchRunner

// The form in which a store's state is kept in its file. A member that is missing has its default, so that a file of an
// older version of this library can be read.
extension StoreState {
    static let schema = "patchpack.store/1"

    var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("schema", .string(Self.schema)), ("app", .string(app)), ("appVersion", .string(appVersion.description)),
            ("installation", .string(installation)), ("enabled", .bool(isEnabled)), ("revision", .integer(revision)),
            ("failures", .integer(failures)), ("return", .bool(mayReturn)), ("confirmed", .bool(hasConfirmed)),
            ("unconfirmed", .integer(unconfirmed)), ("held", .array(held.map(\.json))),
            ("bans", .array(bans.map(\.json))),
            (
                "switches",
                .object(switches.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ),
            (
                "verdicts",
                .array(
                    verdicts.sorted { ($0.key.id, $0.key.version) < ($1.key.id, $1.key.version) }.map {
                        patch, verdict in
                        .object(patch.fields + verdict.members)
                    })
            ),
        ]
        if let launch { members.append(("launch", launch.json)) }
        members.append(("revoked", revokedJSON))
        if let deliveredTrust { members.append(("trust", .string(deliveredTrust))) }
        if let floor { members.append(("floor", .string(floor.description))) }
        if let notice { members.append(("notice", .string(notice))) }
        if let minimumAppVersion { members.append(("minimumAppVersion", .string(minimumAppVersion.description))) }
        return .object(members)
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
            held: json["held"]?.elements.compactMap(Held.init) ?? [],
            bans: json["bans"]?.elements.compactMap(Ban.init) ?? [], launch: json["launch"].flatMap(Launch.init),
            failures: json["failures"]?.count ?? 0, mayReturn: json["return"]?.flag ?? false,
            hasConfirmed: json["confirmed"]?.flag ?? false, unconfirmed: json["unconfirmed"]?.count ?? 0)
        revision = json["revision"]?.count ?? 0
        isEnabled = json["enabled"]?.flag ?? true
        for case (let name, .string(let value)) in json["switches"]?.members ?? [] { switches[name] = value }
        for value in json["verdicts"]?.elements ?? [] {
            if let patch = PatchID(value), let verdict = Verdict(value) { verdicts[patch] = verdict }
        }
        revoke(Set((json["revoked"]?.elements ?? []).compactMap { $0.text.flatMap { KeyID($0) } }))
        deliveredTrust = json["trust"]?.text
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
            patch.fields + [
                ("hash", .string(hash)), ("stage", .string(stage.rawValue)), ("failures", .integer(failures)),
                ("off", .bool(isOff)), ("couldNotRun", .bool(couldNotRun)),
            ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let patch = PatchID(json), let hash = json["hash"]?.hash else { return nil }
        self.init(patch, hash: hash)
        // A stage of a later version of this library is not trusted.
        stage = json["stage"]?.text.flatMap(StoreState.Stage.init) ?? .downloaded
        failures = json["failures"]?.count ?? 0
        isOff = stage == .good && json["off"]?.flag ?? false
        couldNotRun = json["couldNotRun"]?.flag ?? false
    }
}

extension StoreState.Ban {
    var json: JSONValue {
        .object(
            patch.fields + [
                ("hash", .string(hash)), ("reason", .string(reason)),
                ("time", time.map { .string($0.description) } ?? .null),
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
        .object([
            ("patches", .array(patches.map(JSONValue.string))), ("late", .array(late.map(JSONValue.string))),
            ("broken", .array(broken.map(JSONValue.string))), ("safeMode", .bool(isSafe)), ("return", .bool(isReturn)),
            ("confirmed", .bool(isConfirmed)), ("open", .bool(isWatched)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        func hashes(_ key: String) -> [String] { json[key]?.elements.compactMap(\.hash) ?? [] }
        self.init(
            patches: hashes("patches"), late: hashes("late"), broken: hashes("broken"),
            isSafe: json["safeMode"]?.flag ?? false, isReturn: json["return"]?.flag ?? false,
            isConfirmed: json["confirmed"]?.flag ?? false, isWatched: json["open"]?.flag ?? true)
    }
}

extension StoreState.Verdict {
    fileprivate var members: [(key: String, value: JSONValue)] {
        [("code", .string(code)), ("detail", detail.map(JSONValue.string) ?? .null)]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let code = json["code"]?.text else { return nil }
        self.init(code: code, detail: json["detail"]?.text)
    }
}

extension JSONValue {
    /// A number of failures or launches, to which some more can be added.
    fileprivate var count: Int? { number.map { max(0, min($0, 1 << 40)) } }

    /// A SHA-256 in hex digits, which is part of a path.
    fileprivate var hash: String? {
        guard let text, text.utf8.count == 64, text.utf8.allSatisfy(Hex.isLowercaseDigit) else { return nil }
        return text
    }
}
