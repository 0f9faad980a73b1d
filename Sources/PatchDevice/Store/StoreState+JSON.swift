package import PatchCrypto

// The form in which a store's state is kept in its file. A member that is missing has its default, so that a file from
// an older version of this library can be read.
extension StoreState {
    static let schema = "patchpack.store/1"

    package var json: JSONValue {
        .object(sparse: [
            ("schema", .string(Self.schema)), ("app", .string(app)), ("appVersion", .string(appVersion.description)),
            ("installation", .string(installation)), ("name", givenName.map(JSONValue.string)),
            ("revision", .integer(revision)), ("enabled", isEnabled ? nil : .bool(false)),
            ("failures", .count(failures)), ("return", .flag(mayRetry)), ("confirmed", .flag(hasConfirmed)),
            ("unconfirmed", .count(unconfirmed)), ("held", .list(held.map(\.json))),
            // Not among the held ones: a library that does not know the stage would run them.
            ("shadows", .list(shadows.map(\.json))), ("bans", .list(bans.map(\.json))),
            ("dropped", .list(dropped.map(\.json))),
            ("switches", switches.isEmpty ? nil : .object(sorted: switches, JSONValue.string)),
            ("verdicts", .list(outcomesJSON)), ("launch", launch?.json), ("revoked", .list(revoked.json)),
            ("trust", deliveredTrust.map(JSONValue.string)), ("trustNumber", .count(trustNumber)),
            ("floor", floor.map { .string($0.description) }), ("notice", notice.map(JSONValue.string)),
            ("minimumAppVersion", minimumAppVersion.map { .string($0.description) }),
        ])
    }

    private var outcomesJSON: [JSONValue] {
        outcomes.sorted { ($0.key.id, $0.key.version) < ($1.key.id, $1.key.version) }.map { patch, outcome in
            .object([
                ("code", .string(outcome.code)), ("id", .string(patch.id)),
                ("reason", outcome.reason.map(JSONValue.string) ?? .null), ("version", .integer(patch.version)),
            ])
        }
    }

    /// - Returns: nil if the value is not of this schema.
    package init?(_ json: JSONValue) {
        guard json["schema"]?.text == Self.schema, let app = json["app"]?.text,
            let appVersion = json["appVersion"]?.text.flatMap(AppVersion.init),
            let installation = json["installation"]?.text
        else { return nil }
        let lasting = Exclusions(json)
        self.init(
            app: app, appVersion: appVersion, installation: installation,
            held: json.list("held").compactMap(Held.init).filter { $0.stage != .shadow },
            shadows: json.list("shadows").compactMap(Held.init), bans: lasting.bans)
        dropped = json.list("dropped").compactMap(Held.init)
        launch = json["launch"].flatMap(Launch.init)
        failures = json.count("failures")
        mayRetry = json.flag("return")
        hasConfirmed = json.flag("confirmed")
        unconfirmed = json.count("unconfirmed")
        revision = json.count("revision")
        isEnabled = json["enabled"]?.flag ?? true
        for case (let name, .string(let value)) in json["switches"]?.members ?? [] { switches[name] = value }
        for value in json.list("verdicts") {
            guard let patch = PatchID(value), let code = value["code"]?.text else { continue }
            outcomes[patch] = SyncOutcome(code: code, reason: value["reason"]?.text)
        }
        revoke(lasting.revoked)
        givenName = json["name"]?.text
        deliveredTrust = json["trust"]?.text
        raiseTrust(to: lasting.trustNumber)
        floor = json.time("floor")
        notice = json["notice"]?.text
        minimumAppVersion = json["minimumAppVersion"]?.text.flatMap(AppVersion.init)
    }
}

extension PatchID {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.text, let version = json["version"]?.number else { return nil }
        self.init(id: id, version: version)
    }
}

extension StoreState.Held {
    fileprivate var json: JSONValue {
        // If the keys are in the order of their bytes, the reader needs no search to see that none occurs twice.
        .object(sparse: [
            ("closed", closed.map { .string($0.description) }), ("closings", .count(closings)),
            ("couldNotRun", .flag(couldNotRun)), ("failures", .count(failures)), ("hash", .string(hash)),
            ("id", .string(patch.id)), ("loadFailures", .count(loadFailures)), ("off", .flag(isSuspended)),
            ("protective", .flag(isProtective)), ("stage", .string(stage.rawValue)), ("unproven", .flag(isUnproven)),
            ("version", .integer(patch.version)), ("wasGood", .flag(wasGood)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let patch = PatchID(json), let hash = json["hash"]?.hash else { return nil }
        self.init(patch, hash: hash)
        // A stage from a later version of this library is not trusted.
        stage = json["stage"]?.text.flatMap(StoreState.Stage.init) ?? .downloaded
        failures = json.count("failures")
        isSuspended = stage == .good && json.flag("off")
        couldNotRun = json.flag("couldNotRun")
        isUnproven = stage == .good && json.flag("unproven")
        wasGood = json.flag("wasGood")
        isProtective = json.flag("protective")
        closings = json.count("closings")
        closed = json.time("closed")
        loadFailures = json.count("loadFailures")
    }
}

extension StoreState.Ban {
    fileprivate var json: JSONValue {
        .object([
            ("hash", .string(hash)), ("id", .string(patch.id)), ("reason", .string(reason)),
            ("time", time.map { .string($0.description) } ?? .null), ("version", .integer(patch.version)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let patch = PatchID(json), let hash = json["hash"]?.hash else { return nil }
        self.init(patch: patch, hash: hash, reason: json["reason"]?.text ?? "", time: json.time("time"))
    }
}

extension StoreState.Exclusions {
    init(_ state: StoreState) {
        self.init(bans: state.bans, revoked: state.revoked, trustNumber: state.trustNumber)
    }

    var json: JSONValue {
        .object([
            ("bans", .array(bans.map(\.json))), ("revoked", .array(revoked.json)),
            ("trustNumber", .integer(trustNumber)),
        ])
    }

    init(_ json: JSONValue) {
        self.init(
            bans: json.list("bans").compactMap(StoreState.Ban.init),
            revoked: Set(json.list("revoked").compactMap { $0.text.flatMap { KeyID($0) } }),
            trustNumber: json["trustNumber"]?.number ?? 0)
    }
}

extension Set<KeyID> {
    fileprivate var json: [JSONValue] { map(\.description).sorted().map(JSONValue.string) }
}

extension StoreState.Launch {
    fileprivate var json: JSONValue {
        func hashes(_ hashes: [String]) -> JSONValue? { .list(hashes.map(JSONValue.string)) }
        return .object(sparse: [
            ("patches", hashes(patches)), ("late", hashes(late)), ("broken", hashes(broken)),
            ("loading", hashes(loading)), ("synced", .flag(hasSynced)), ("safeMode", .flag(isSafe)),
            ("return", .flag(isRetry)), ("confirmed", .flag(isConfirmed)), ("open", isWatched ? nil : .bool(false)),
            ("past", .flag(isFirstWatchOver && isWatched)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        func hashes(_ key: String) -> [String] { json.list(key).compactMap(\.hash) }
        self.init(
            patches: hashes("patches"), late: hashes("late"), broken: hashes("broken"), loading: hashes("loading"),
            hasSynced: json.flag("synced"), isSafe: json.flag("safeMode"), isRetry: json.flag("return"),
            isConfirmed: json.flag("confirmed"), isWatched: json["open"]?.flag ?? true,
            isFirstWatchOver: json.flag("past"))
    }
}

extension JSONValue {
    // Values whose defaults are 0, false and an empty list.
    fileprivate static func count(_ count: Int) -> JSONValue? { count == 0 ? nil : .integer(count) }
    fileprivate static func flag(_ flag: Bool) -> JSONValue? { flag ? .bool(true) : nil }
    fileprivate static func list(_ list: [JSONValue]) -> JSONValue? { list.isEmpty ? nil : .array(list) }

    /// A number of failures or launches, bounded so that adding to it does not overflow.
    fileprivate func count(_ key: String) -> Int { self[key]?.number.map { max(0, min($0, 1 << 40)) } ?? 0 }
    fileprivate func flag(_ key: String) -> Bool { self[key]?.flag ?? false }
    fileprivate func list(_ key: String) -> [JSONValue] { self[key]?.elements ?? [] }
    fileprivate func time(_ key: String) -> Timestamp? { self[key]?.text.flatMap { Timestamp($0) } }

    /// A SHA-256 in hex digits, which is part of a path.
    fileprivate var hash: String? {
        guard var text, text.utf8.count == 64 else { return nil }
        return text.withUTF8 { unsafe $0.allSatisfy(Hex.isLowercaseDigit) } ? text : nil
    }
}
