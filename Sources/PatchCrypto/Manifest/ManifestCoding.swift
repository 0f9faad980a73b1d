extension Manifest {
    /// The manifest in canonical form: JSON without white space, with sorted keys and with escapes as in RFC 8785.
    public func encoded() -> [UInt8] { json.encoded() }

    /// The manifest as a JSON value, its keys in canonical order.
    package var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("app", .string(app)), ("appVersions", .string(appVersions.description)),
        ]
        if let created { members.append(("created", .string(created.description))) }
        members.append(("engine", .integer(engine)))
        if let expires { members.append(("expires", .string(expires.description))) }
        if let extra {
            let sorted = extra.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            members.append(("extra", .object(sorted.map { ($0.key, .string($0.value)) })))
        }
        members.append(("id", .string(id)))
        if let notes { members.append(("notes", .string(notes))) }
        members += [
            ("replaces", .array(replaces.map { .string($0) })), ("schema", .integer(Self.schema)),
            ("scripts", .array(scripts.map { .object([("name", .string($0.name)), ("size", .integer($0.size))]) })),
            ("version", .integer(version)),
        ]
        return .object(members)
    }

    /// Reads a manifest, which must be in canonical form.
    ///
    /// - Parameters:
    ///   - bytes: The member `manifest.json`.
    ///   - limits: How large it, its scripts and their number may be.
    /// - Throws: `malformed` if the bytes are not a manifest in canonical form, `limit` if a limit is exceeded.
    public init(decoding bytes: [UInt8], limits: EnvelopeLimits = EnvelopeLimits()) throws(PatchError) {
        guard bytes.count <= limits.manifestSize else {
            throw PatchError(.limit, "a manifest of \(bytes.count) bytes; at most \(limits.manifestSize) are allowed")
        }
        let document: JSONValue
        do throws(PatchError) {
            document = try JSONValue(parsing: bytes)
        } catch {
            throw .manifest(error.code, error.message)
        }
        try self.init(document, limits: limits)
        // This finds another order of the keys, white space, or another spelling of a string.
        let canonical = encoded()
        guard canonical == bytes else {
            let place = zip(canonical, bytes).prefix { $0 == $1 }.count
            throw .manifest(.malformed, "not in canonical form at byte \(place)")
        }
    }

    private init(_ document: JSONValue, limits: EnvelopeLimits) throws(PatchError) {
        let fields = Fields(document)
        let schema = try fields.integer("schema")
        guard schema == Self.schema else {
            throw .manifest(
                .malformed, "schema \(schema); this version of patchpack reads schema \(Self.schema)",
                hint: "use a newer version", field: "schema")
        }
        try fields.allow([
            "schema", "id", "version", "app", "appVersions", "engine", "replaces", "scripts", "created", "expires",
            "notes", "extra",
        ])
        guard let appVersions = VersionRange(try fields.string("appVersions")) else {
            throw .manifest(.malformed, "`appVersions` is not a range such as >=2.3.0 <2.5.0", field: "appVersions")
        }
        var scripts: [Script] = []
        for element in try fields.array("scripts") {
            let script = Fields(element)
            try script.allow(["name", "size"])
            scripts.append(Script(name: try script.string("name"), size: try script.integer("size")))
        }
        try self.init(
            id: fields.string("id"), version: fields.integer("version"), app: fields.string("app"),
            appVersions: appVersions, engine: fields.integer("engine"), replaces: fields.strings("replaces"),
            scripts: scripts, created: fields.timestamp("created"), expires: fields.timestamp("expires"),
            notes: fields.optional("notes", Fields.string), extra: fields.optional("extra", Fields.table),
            limits: limits)
    }
}

/// Reads the members of a manifest's objects as the types that the format defines.
private struct Fields {
    private let object: JSONValue

    init(_ object: JSONValue) { self.object = object }

    /// Refuses members that the format does not define.
    func allow(_ keys: [String]) throws(PatchError) {
        guard case .object(let members) = object else { throw .manifest(.malformed, "not a JSON object") }
        guard members.allSatisfy({ member in keys.contains { $0.hasBytes(of: member.key) } }) else {
            throw .manifest(.malformed, "unknown key in schema \(Manifest.schema)")
        }
    }

    func string(_ key: String) throws(PatchError) -> String { try required(key, Self.string) }
    func integer(_ key: String) throws(PatchError) -> Int {
        try required(key) { if case .integer(let integer) = $0 { integer } else { nil } }
    }
    func array(_ key: String) throws(PatchError) -> [JSONValue] {
        try required(key) { if case .array(let array) = $0 { array } else { nil } }
    }
    func strings(_ key: String) throws(PatchError) -> [String] {
        try required(key) { value in
            guard case .array(let elements) = value else { return nil }
            let strings = elements.compactMap(Self.string)
            return strings.count == elements.count ? strings : nil
        }
    }
    func timestamp(_ key: String) throws(PatchError) -> Timestamp? {
        guard let text = try optional(key, Self.string) else { return nil }
        guard let timestamp = Timestamp(text) else {
            throw .manifest(.malformed, "`\(key)` is not a time such as 2027-01-01T00:00:00Z", field: key)
        }
        return timestamp
    }

    static func string(_ value: JSONValue) -> String? { if case .string(let string) = value { string } else { nil } }

    static func table(_ value: JSONValue) -> [String: String]? {
        guard case .object(let members) = value else { return nil }
        let pairs = members.compactMap { member in string(member.value).map { (member.key, $0) } }
        return pairs.count == members.count ? Dictionary(pairs) { first, _ in first } : nil
    }

    /// A member that may be missing. If it is given, it must have the right type.
    func optional<Value>(_ key: String, _ convert: (JSONValue) -> Value?) throws(PatchError) -> Value? {
        guard let member = object[key] else { return nil }
        guard let value = convert(member) else {
            throw .manifest(.malformed, "`\(key)` has the wrong type", field: key)
        }
        return value
    }

    private func required<Value>(_ key: String, _ convert: (JSONValue) -> Value?) throws(PatchError) -> Value {
        guard let value = try optional(key, convert) else {
            throw .manifest(.malformed, "`\(key)` is missing", field: key)
        }
        return value
    }
}
