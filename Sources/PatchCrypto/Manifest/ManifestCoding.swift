extension Manifest {
    /// The manifest in canonical form: JSON without white space, with sorted keys and with escapes as in RFC 8785.
    package func encoded() -> [UInt8] { json.encoded() }

    /// The manifest as a JSON value, its keys in canonical order.
    package var json: JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("app", .string(app)), ("appVersions", .string(appVersions.description)),
        ]
        if let created { members.append(("created", .string(created.description))) }
        members.append(("engine", .integer(engineLevel)))
        if let expires { members.append(("expires", .string(expires.description))) }
        if let extra {
            let sorted = extra.sorted { $0.key.hasBytes(before: $1.key) }
            members.append(("extra", .object(sorted.map { ($0.key, .string($0.value)) })))
        }
        members.append(("id", .string(id)))
        if let instances { members.append(("instances", .integer(instances))) }
        if let notes { members.append(("notes", .string(notes))) }
        members.append(("replaces", .array(replaces.map { .string($0) })))
        members.append(("schema", .integer(Self.schema)))
        let entries = scripts.map { JSONValue.object([("name", .string($0.name)), ("size", .integer($0.byteCount))]) }
        members.append(("scripts", .array(entries)))
        members.append(("version", .integer(version)))
        return .object(members)
    }

    /// Reads a manifest, which must be in canonical form.
    ///
    /// - Throws: `malformed` if the bytes are not a manifest in canonical form, `limit` if a limit is exceeded.
    package init(decoding bytes: [UInt8], limits: EnvelopeLimits = EnvelopeLimits()) throws(PatchError) {
        guard bytes.count <= limits.manifestSize else { throw .manifest(of: bytes.count, above: limits) }
        let document: JSONValue
        var isPlain = false
        do throws(PatchError) {
            document = try JSONValue(parsing: bytes, isPlain: &isPlain)
        } catch {
            throw .manifest(error.code, error.message)
        }
        try self.init(document, limits: limits)
        // Every value has only one spelling, so plain JSON is canonical. In other JSON, this finds keys in another
        // order, white space, or another spelling of a string.
        if isPlain { return }
        let canonical = encoded()
        guard canonical == bytes else {
            let place = canonical.indices.first { $0 == bytes.count || canonical[$0] != bytes[$0] } ?? canonical.count
            throw .manifest(.malformed, "not in canonical form at byte \(place)")
        }
    }

    private init(_ document: JSONValue, limits: EnvelopeLimits) throws(PatchError) {
        let fields = try JSONObject(document, "") { place, key, what in
            let parts = [place.isEmpty ? nil : place, key, what]
            return .manifest(.malformed, parts.compactMap(\.self).joined(separator: ": "), field: key)
        }
        let schema = try fields.number("schema")
        guard schema == Self.schema else {
            throw .manifest(
                .malformed, "schema \(schema); this version of patchpack reads schema \(Self.schema)",
                hint: "use a newer version", field: "schema")
        }
        try fields.allow([
            "schema", "id", "version", "app", "appVersions", "engine", "instances", "replaces", "scripts", "created",
            "expires", "notes", "extra",
        ])
        guard let appVersions = VersionRange(try fields.text("appVersions")) else {
            throw fields.fault("appVersions", "expected a range such as >=2.3.0 <2.5.0")
        }
        var scripts: [Script] = []
        for script in try fields.objects("scripts") {
            try script.allow(["name", "size"])
            scripts.append(Script(name: try script.text("name"), byteCount: try script.number("size")))
        }
        try self.init(
            id: fields.text("id"), version: fields.number("version"), app: fields.text("app"),
            appVersions: appVersions, engineLevel: fields.number("engine"),
            instances: fields.optional("instances") { (key) throws(PatchError) in try fields.number(key) },
            replaces: fields.texts("replaces"),
            scripts: scripts, created: fields.optional("created", fields.moment),
            expires: fields.optional("expires", fields.moment), notes: fields.optional("notes", fields.text),
            extra: fields.optional("extra", fields.table), limits: limits)
    }
}

extension PatchError {
    /// An error for a manifest of too many bytes.
    static func manifest(of size: Int, above limits: EnvelopeLimits) -> PatchError {
        PatchError(.limit, "a manifest of \(size) bytes; at most \(limits.manifestSize) are allowed")
    }
}
