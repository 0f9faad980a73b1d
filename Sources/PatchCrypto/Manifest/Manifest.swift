/// What a patch is and what it is for: the first member of an envelope's zip.
///
/// A value always keeps the format's rules; making one checks them.
public struct Manifest: Sendable {
    /// The manifest format's version that this library reads and writes.
    public static let schema = 1

    /// One of the patch's scripts.
    public struct Script: Sendable, Hashable {
        /// The name in the envelope, such as `main.lua` or `cart/total.lua`.
        public let name: String
        /// The script's length in bytes.
        public let size: Int

        /// Whether a script can have this name.
        ///
        /// - Parameter name: `[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.lua` below folders of `[A-Za-z0-9_-]+`, 128 bytes at most.
        public static func isName(_ name: String) -> Bool { NameForm.isScript(name) }

        /// What a script can be called, for an error's hint.
        package static let nameRule =
            "a name is letters, digits, - and _ with .lua after them, at most 128 characters with its folders"

        /// Names a script.
        ///
        /// - Parameters:
        ///   - name: File name and folders, of the format's alphabet.
        ///   - size: Bytes.
        public init(name: String, size: Int) {
            self.name = name
            self.size = size
        }
    }

    /// The patch's reverse-DNS name.
    public let id: String
    /// The patch's number, 1 to 2^31-1; a runner never goes below the highest it has accepted for an id.
    public let version: Int
    /// The app's reverse-DNS name.
    public let app: String
    /// Which versions of the app it fits.
    public let appVersions: VersionRange
    /// The lowest engine level it needs, from 1.
    public let engine: Int
    /// The names it replaces.
    public let replaces: [String]
    /// The scripts, the entry first.
    public let scripts: [Script]
    /// When it was made, where its maker says so.
    public let created: Timestamp?
    /// When it ends; at this very second it has passed.
    public let expires: Timestamp?
    /// A note for people.
    public let notes: String?
    /// What the team's own tools wrote.
    public let extra: [String: String]?

    /// Whether a patch can replace something of this name.
    ///
    /// - Parameter name: Words of `[A-Za-z_][A-Za-z0-9_]*` joined by `.` or `:`, 128 bytes at most.
    public static func isReplaceable(_ name: String) -> Bool { NameForm.isReplaceable(name) }

    /// Makes a manifest.
    ///
    /// - Parameters:
    ///   - id: Two or more labels of `[A-Za-z0-9_-]+` with dots between them, at most 128 bytes.
    ///   - version: 1 to 2^31-1.
    ///   - app: In the form of `id`.
    ///   - appVersions: Which versions of the app it fits.
    ///   - engine: 1 to 2^31-1.
    ///   - replaces: Names such as `Cart.total`, at most 128 bytes each, none twice.
    ///   - scripts: The entry first; at least one, no two whose names differ in case alone.
    ///   - created: When it was made.
    ///   - expires: When it ends.
    ///   - notes: Without control characters but for tab and line feed.
    ///   - extra: Keys of `[A-Za-z0-9._-]{1,64}`, values without control characters.
    ///   - limits: How many scripts, and of what size.
    /// - Throws: `malformed` for a value that the format does not allow, `limit` past a limit.
    public init(
        id: String, version: Int, app: String, appVersions: VersionRange = .all, engine: Int = 1,
        replaces: [String] = [], scripts: [Script], created: Timestamp? = nil, expires: Timestamp? = nil,
        notes: String? = nil, extra: [String: String]? = nil, limits: EnvelopeLimits = EnvelopeLimits()
    ) throws(PatchError) {
        try Rules.check(NameForm.isReverseDNS(id), "id", "is not a reverse-DNS name such as com.example.fix")
        try Rules.check(Rules.numbers.contains(version), "version", "is not a whole number from 1 to 2147483647")
        try Rules.check(NameForm.isReverseDNS(app), "app", "is not a reverse-DNS name such as com.example.shop")
        try Rules.check(Rules.numbers.contains(engine), "engine", "is not a whole number from 1 to 2147483647")
        for name in replaces {
            try Rules.check(NameForm.isReplaceable(name), "replaces", "holds a name that is not like Cart.total")
        }
        try Rules.check(
            replaces.count < 2 || Set(replaces.map { Array($0.utf8) }).count == replaces.count, "replaces",
            "names one twice")
        try Rules.check(scripts: scripts, limits: limits)
        try Rules.check(notes.map { Rules.isPlain($0, allowing: "\t\n") } ?? true, "notes", Rules.controlCharacters)
        for (key, value) in extra ?? [:] {
            try Rules.check(NameForm.isExtraKey(key), "extra", "has a key that is not [A-Za-z0-9._-]{1,64}")
            try Rules.check(Rules.isPlain(value), "extra", Rules.controlCharacters)
        }
        self.id = id
        self.version = version
        self.app = app
        self.appVersions = appVersions
        self.engine = engine
        self.replaces = replaces
        self.scripts = scripts
        self.created = created
        self.expires = expires
        self.notes = notes
        self.extra = extra
    }

    /// The rules that are more than a name's form.
    private enum Rules {
        static let numbers = 1...Int(Int32.max)
        static let controlCharacters = "holds a control character"

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
                    "holds a name that is not [A-Za-z0-9_-] with .lua behind it, below folders of the same alphabet")
                try check(script.size >= 0, "scripts", "has a negative size")
                guard script.size <= limits.scriptSize else {
                    throw .manifest(
                        .limit, "a script of \(script.size) bytes; \(limits.scriptSize) are allowed", field: "scripts")
                }
            }
            guard scripts.count > 1 else { return }
            let folded = Set(scripts.map { $0.name.lowercased() })  // the names are ASCII by now
            try check(
                folded.count == scripts.count, "scripts", "has two names that are the same or differ in case alone")
        }

        static func isPlain(_ text: String, allowing exceptions: String = "") -> Bool {
            text.unicodeScalars.allSatisfy { scalar in
                !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
                    || exceptions.unicodeScalars.contains(scalar)
            }
        }
    }
}

extension PatchError {
    /// A fault of a manifest.
    ///
    /// - Parameter field: The member that it is about.
    static func manifest(_ code: Code, _ message: String, hint: String? = nil, field: String? = nil) -> PatchError {
        PatchError(code, "manifest: \(message)", hint: hint, at: field.map { Place(field: $0) })
    }
}
