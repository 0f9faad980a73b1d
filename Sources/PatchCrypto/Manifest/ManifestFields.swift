/// The unchecked values that a manifest is made from. They come from a script's head or from the caller that packs it.
package struct ManifestFields: Sendable {
    package var id: String?
    package var version: String?
    package var app: String?
    package var appVersions: String?
    package var engine: String?
    /// A number, or `any`.
    package var instances: String?
    package var replaces: [String]?
    package var created: Timestamp?
    package var expires: String?
    package var notes: String?
    package var extra: [String: String]?

    package init() {}

    /// Takes the values from a script's head.
    package init(_ head: ScriptHead) {
        id = head.value(of: .patch)
        version = head.value(of: .version)
        let words = (head.value(of: .app) ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        app = words.first
        appVersions = words.dropFirst().first
        engine = head.value(of: .engine)
        instances = head.value(of: .instances)
        replaces = head.replaces
        expires = head.value(of: .expires)
    }

    /// These fields, with missing values taken from others.
    package func completed(by others: ManifestFields) -> ManifestFields {
        var fields = self
        fields.id = id ?? others.id
        fields.version = version ?? others.version
        fields.app = app ?? others.app
        fields.appVersions = appVersions ?? others.appVersions
        fields.engine = engine ?? others.engine
        fields.instances = instances ?? others.instances
        fields.replaces = replaces ?? others.replaces
        fields.created = created ?? others.created
        fields.expires = expires ?? others.expires
        fields.notes = notes ?? others.notes
        fields.extra = extra ?? others.extra
        return fields
    }

    /// Makes the manifest for scripts, of which there must be at least one, the entry first.
    ///
    /// - Throws: `malformed` if a value is missing or breaks a rule of the format; `limit` if there are too many
    ///   scripts, or one is too large.
    package func manifest(of scripts: [PatchScript]) throws(PatchError) -> Manifest {
        func required(_ value: String?, _ name: String, _ tag: String) throws(PatchError) -> String {
            if let value { return value }
            throw PatchError(
                .malformed, "missing patch \(name)",
                hint: ScriptHead.headProblem(scripts[0].bytes)
                    ?? "add a line `-- @\(tag)` to the comments at the start of the script",
                at: .init(field: name))
        }
        let ranges = (appVersions ?? "*").split(separator: " ").joined(separator: " ")
        guard let range = VersionRange(ranges) else {
            let wrong = VersionRange.fault(in: ranges)
            throw PatchError(
                .malformed,
                ranges.isEmpty
                    ? "the range of versions is empty"
                    : "\(ranges) is not a range of versions: \(wrong?.fault ?? "")",
                hint: wrong?.hint, at: .init(field: "appVersions"))
        }
        guard !range.isEmpty else {
            throw PatchError(
                .malformed, "no version is in the range \(ranges)", hint: "each version must fit all of its parts",
                at: .init(field: "appVersions"))
        }
        let id = try required(id, "id", "patch com.example.fix")
        let app = try required(app, "app", "app com.example.shop >=2.3.0")
        for (name, value) in [("id", id), ("app", app)] where !NameForm.isReverseDNS(value) {
            throw PatchError(
                .malformed, "the \(name) \(value) is not a reverse-DNS name such as com.example.shop",
                at: .init(field: name))
        }
        return try Manifest(
            id: id,
            version: try Self.number(try required(version, "version", "version 1"), "version"),
            app: app, appVersions: range,
            engineLevel: try Self.number(engine ?? "1", "engine"), instances: try Self.instances(instances),
            replaces: replaces ?? [],
            scripts: scripts.map { .init(name: $0.name, byteCount: $0.bytes.count) }, created: created,
            expires: try Self.time(expires), notes: notes, extra: extra)
    }

    private static func number(_ text: String, _ name: String) throws(PatchError) -> Int {
        // In one form only, so that two patches with one version have the same text.
        guard let number = Int(text), (1...Int(Int32.max)).contains(number), text == "\(number)" else {
            throw PatchError(
                .malformed, "the \(name) \(text) is not a whole number from 1 to 2147483647",
                hint: name == "version" ? "a patch's version is one number, which rises: 7, and then 8" : nil,
                at: .init(field: name))
        }
        return number
    }

    private static func instances(_ text: String?) throws(PatchError) -> Int? {
        guard let text, text != "any" else { return nil }
        guard let number = Int(text), Manifest.instanceCounts.contains(number), text == "\(number)" else {
            throw PatchError(
                .malformed, "`\(text)` is not a number of instances",
                hint: "write `@instances 1` if the script keeps something from call to call, else `@instances any`",
                at: .init(field: "instances"))
        }
        return number
    }

    private static func time(_ text: String?) throws(PatchError) -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(text) else {
            throw PatchError(
                .malformed, "the expiry \(text) \(Timestamp.fault(in: text) ?? "is wrong")",
                hint: "write a time in UTC such as 2027-01-01T00:00:00Z", at: .init(field: "expires"))
        }
        return time
    }
}
