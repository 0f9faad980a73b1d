/// The description of a patch: the first member of an envelope's zip.
///
/// A value always obeys the format's rules, because the initializers check them.
public struct Manifest: Sendable {
    /// The version of the manifest format that this library reads and writes.
    static let schema = 1

    /// A script of the patch, as the manifest lists it.
    public struct Script: Sendable, Hashable {
        /// The name in the envelope, such as `main.lua` or `cart/total.lua`.
        public let name: String
        /// The script's length in bytes.
        public let byteCount: Int

        /// Whether a script can have this name.
        package static func isName(_ name: String) -> Bool { NameForm.isScript(name) }

        /// The form of a script's name, as the hint of an error.
        package static let nameRule =
            "use letters, digits, - and _, then .lua; at most 128 characters with the folders"

        /// Makes an entry for a script.
        public init(name: String, byteCount: Int) {
            self.name = name
            self.byteCount = byteCount
        }
    }

    /// The patch's reverse-DNS name and its version, 1 to 2^31-1. A runner accepts no lower version for a name, unless
    /// the higher one was taken back.
    public let patch: PatchID
    /// The app's reverse-DNS name.
    public let app: String
    /// Which versions of the app it fits.
    public let appVersions: VersionRange
    /// The lowest engine level it needs, from 1.
    public let engineLevel: Int
    /// How many instances of the patch a runner may have at once, from 1 to 16; nil if any number is allowed.
    ///
    /// A script that keeps state from call to call has 1.
    public let instances: Int?
    /// The names it replaces.
    public let replaces: [String]
    /// The scripts, the entry first.
    public let scripts: [Script]
    /// When it was made; nil if its author does not state it.
    public let created: Timestamp?
    /// When it expires. At exactly this second it has already expired.
    public let expires: Timestamp?
    /// A note for people.
    public let notes: String?
    /// Values for the team's own tools.
    public let extra: [String: String]?

    /// Whether a patch can replace something with this name.
    ///
    /// - Parameter name: Words of `[A-Za-z_][A-Za-z0-9_]*` joined by `.` or `:`, at most 128 bytes.
    package static func isReplaceable(_ name: String) -> Bool { NameForm.isReplaceable(name) }

    /// Makes a manifest.
    ///
    /// - Parameters:
    ///   - patch: The name is two or more labels of `[A-Za-z0-9_-]+` with dots between them, at most 128 bytes; the
    ///     version is 1 to 2^31-1.
    ///   - app: In the form of the patch's name.
    ///   - appVersions: The versions of the app that it is for.
    ///   - engineLevel: 1 to 2^31-1.
    ///   - instances: 1 to 16, or nil.
    ///   - replaces: The names that the scripts replace, such as `Cart.total`, at most 128 bytes each, none twice.
    ///   - scripts: The entry first; at least one, and no two whose names differ only in case.
    ///   - created: When it was made; nil if its author does not state it.
    ///   - expires: The first second at which it has expired; nil if it does not expire.
    ///   - notes: Text without control characters other than tab and line feed.
    ///   - extra: Keys of `[A-Za-z0-9._-]{1,64}`, values without control characters.
    /// - Throws: `malformed` if the format does not allow a value, `limit` if a limit is exceeded.
    public init(
        _ patch: PatchID, app: String, appVersions: VersionRange = .all, engineLevel: Int = 1,
        instances: Int? = nil, replaces: [String], scripts: [Script], created: Timestamp? = nil,
        expires: Timestamp? = nil, notes: String? = nil, extra: [String: String]? = nil
    ) throws(PatchError) {
        try self.init(
            id: patch.id, version: patch.version, app: app, appVersions: appVersions, engineLevel: engineLevel,
            instances: instances, replaces: replaces, scripts: scripts, created: created, expires: expires,
            notes: notes, extra: extra)
    }

    /// Makes a manifest of its members, as its JSON has them.
    ///
    /// - Parameters:
    ///   - id: The patch's name, in the form that the public initializer describes; so are the other members.
    ///   - version: The patch's version.
    ///   - limits: The most scripts, and the largest one. Tests and readers with limits of their own give other ones
    ///     than the format's.
    /// - Throws: `malformed` if the format does not allow a value, `limit` if a limit is exceeded.
    package init(
        id: String, version: Int, app: String, appVersions: VersionRange = .all, engineLevel: Int = 1,
        instances: Int? = nil, replaces: [String] = [], scripts: [Script], created: Timestamp? = nil,
        expires: Timestamp? = nil, notes: String? = nil, extra: [String: String]? = nil,
        limits: EnvelopeLimits = EnvelopeLimits()
    ) throws(PatchError) {
        try Rules.check(NameForm.isReverseDNS(id), "id", "is not a reverse-DNS name such as com.example.fix")
        try Rules.check(Rules.numbers.contains(version), "version", "is not a whole number from 1 to 2147483647")
        try Rules.check(NameForm.isReverseDNS(app), "app", "is not a reverse-DNS name such as com.example.shop")
        try Rules.check(Rules.numbers.contains(engineLevel), "engine", "is not a whole number from 1 to 2147483647")
        try Rules.check(
            instances.map(Self.instanceCounts.contains) ?? true, "instances", "is not a whole number from 1 to 16")
        for name in replaces {
            try Rules.check(NameForm.isReplaceable(name), "replaces", "has a name that is not like Cart.total")
        }
        try Rules.check(
            Set(replaces).count == replaces.count, "replaces", "has a duplicate name")  // of ASCII, as checked above
        try Rules.check(scripts: scripts, limits: limits)
        try Rules.check(notes.map { Rules.isPlain($0, allowing: "\t\n") } ?? true, "notes", Rules.controlCharacters)
        for (key, value) in extra ?? [:] {
            try Rules.check(NameForm.isExtraKey(key), "extra", "has a key that is not [A-Za-z0-9._-]{1,64}")
            try Rules.check(Rules.isPlain(value), "extra", Rules.controlCharacters)
        }
        patch = PatchID(id: id, version: version)
        self.app = app
        self.appVersions = appVersions
        self.engineLevel = engineLevel
        self.instances = instances
        self.replaces = replaces
        self.scripts = scripts
        self.created = created
        self.expires = expires
        self.notes = notes
        self.extra = extra
    }

    package var id: String { patch.id }
    package var version: Int { patch.version }

    /// Whether the patch has expired; false if it never expires, or if the time is not known.
    package func hasExpired(at time: Timestamp?) -> Bool {
        guard let expires, let time else { return false }
        return expires <= time
    }

    /// The numbers of instances that a manifest may state.
    package static let instanceCounts = 1...16

    /// The rules beyond the form of a name.
    private enum Rules {
        static let numbers = 1...Int(Int32.max)
        static let controlCharacters = "has a control character"

        static func check(_ holds: Bool, _ key: String, _ fault: String) throws(PatchError) {
            guard holds else { throw .manifest(.malformed, "`\(key)` \(fault)", field: key) }
        }

        static func check(scripts: [Script], limits: EnvelopeLimits) throws(PatchError) {
            try check(!scripts.isEmpty, "scripts", "is empty")
            guard scripts.count <= limits.scriptCount else {
                throw .manifest(.limit, "more than \(limits.scriptCount) scripts", field: "scripts")
            }
            for script in scripts {
                try check(
                    NameForm.isScript(script.name), "scripts",
                    "has a name that is not [A-Za-z0-9_-] followed by .lua, below folders of the same alphabet")
                try check(script.byteCount >= 0, "scripts", "has a negative size")
                guard script.byteCount <= limits.scriptSize else {
                    throw .manifest(
                        .limit, "a script of \(script.byteCount) bytes; at most \(limits.scriptSize) are allowed",
                        field: "scripts")
                }
            }
            guard scripts.count > 1 else { return }
            let folded = Set(scripts.map { $0.name.lowercased() })  // the check above allows only ASCII
            try check(
                folded.count == scripts.count, "scripts", "has two names that are the same or differ only in case")
        }

        static func isPlain(_ text: String, allowing exceptions: String = "") -> Bool {
            text.unicodeScalars.allSatisfy { scalar in
                let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                return !isControl || exceptions.unicodeScalars.contains(scalar)
            }
        }
    }
}

extension PatchError {
    static func manifest(_ code: Code, _ message: String, hint: String? = nil, field: String? = nil) -> PatchError {
        PatchError(code, "manifest: \(message)", hint: hint, at: field.map { Place(field: $0) })
    }
}
