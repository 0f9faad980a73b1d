/// A command-line option. Options of two verbs may have the same name and different meanings, so each is its own object.
final class Option: Sendable, Identifiable {
    /// The kind of value that an option takes, for the help and the completions.
    enum Value: Sendable {
        case file(String)
        case directory(String)
        /// A file, which may have an algorithm before it, as in `rsa-sha256:FILE`.
        case key(String)
        case text(String)
        case choice(String, [String])

        var placeholder: String {
            switch self {
            case .file(let name), .directory(let name), .key(let name), .text(let name), .choice(let name, _): name
            }
        }
    }

    /// The long name, without hyphens.
    let name: String
    /// The one-letter name.
    let short: Character?
    /// The kind of its value; nil for a switch.
    let value: Value?
    /// Whether the option may be repeated.
    let repeats: Bool
    /// Whether all words up to the next option are its values.
    let takesAll: Bool
    /// The environment variable that names the file if the option is not given.
    let variable: String?
    /// One line of help, in lower case and without a full stop.
    let help: String

    init(
        name: String, short: Character? = nil, value: Value? = nil, repeats: Bool = false, takesAll: Bool = false,
        variable: String? = nil, help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.takesAll = takesAll
        self.variable = variable
        self.help = help
    }

    /// The variable's value; nil if there is no variable, or if it is unset or empty.
    var fromEnvironment: Argument? { variable.flatMap { Environment[bytes: $0] }.map(Argument.init) }

    /// The names and the value, as the help shows them.
    var usage: String {
        let names = [short.map { "-\($0)" }, "--\(name)"].compactMap(\.self).joined(separator: ", ")
        return value.map { "\(names) \($0.placeholder)" } ?? names
    }
}

// All options, in the order of use. Each verb lists the options that it takes.
extension Option {
    static let output = Option(
        name: "output", short: "o", value: .file("PATH"), help: "folder to write into, one file named *.js, or -")
    static let outputFolder = Option(name: "output", short: "o", value: .directory("DIR"), help: "folder to write into")
    static let outputFile = Option(name: "output", short: "o", value: .file("FILE"), help: "file to write")
    static let upgrade = Option(name: "upgrade", help: "replace outputs that hold a lower version of the same patch")
    static let force = Option(name: "force", help: "replace existing outputs")
    static let allOrNothing = Option(
        name: "all-or-nothing", help: "write no envelope unless all of them are good")
    static let dryRun = Option(name: "dry-run", help: "do everything except write")
    static let jobs = Option(
        name: "jobs", value: .text("N"),
        help: "process N files at a time (default: one per core; 1 with --signature-command)")

    static let signingKey = Option(
        name: "signing-key", value: .key("KEY"), repeats: true, variable: "PATCHPACK_SIGNING_KEY",
        help: "private key to sign with: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_SIGNING_KEY)")
    static let scriptKey = Option(
        name: "script-key", value: .file("FILE"), repeats: true, variable: "PATCHPACK_SCRIPT_KEY",
        help: "key that encrypts scripts, or a key store: FILE, env:NAME, or - (or PATCHPACK_SCRIPT_KEY)")
    static let scriptKeyName = Option(
        name: "script-key-name", value: .text("NAME"), help: "name of the key in the key store to pack with")
    static let newPassphraseEnv = Option(
        name: "new-passphrase-env", value: .text("VAR"), help: "read the new passphrase from this variable")
    static let newPassphraseFile = Option(
        name: "new-passphrase-file", value: .file("FILE"),
        help: "read the new passphrase from the first line of this file")
    static let trustedKey = Option(
        name: "trusted-key", value: .key("KEY"), repeats: true, variable: "PATCHPACK_TRUSTED_KEY",
        help: "public key to trust: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_TRUSTED_KEY)")
    static let trustStore = Option(
        name: "trust-store", value: .file("PATH"), variable: "PATCHPACK_TRUST_STORE",
        help: "trusted keys: a file from `patchpack trust`, or a folder of PEM files (or PATCHPACK_TRUST_STORE)")
    static let trustStorePin = Option(
        name: "trust-store-pin", value: .text("DIGEST"), help: "refuse a trust store whose SHA-256 is not DIGEST")
    static let passphraseEnv = Option(
        name: "passphrase-env", value: .text("VAR"), repeats: true,
        help: "read the passphrase of a private key or key store from this variable; repeat for other passphrases")
    static let passphraseFile = Option(
        name: "passphrase-file", value: .file("FILE"), repeats: true,
        help: "read the passphrase from the first line of this file; repeat for other passphrases")
    static let allowUnsafePermissions = Option(
        name: "allow-unsafe-permissions", help: "accept a private key file that other users can read")

    static let algorithm = Option(
        name: "algorithm", value: .choice("NAME", ["rsa", "ed25519"]),
        help: "kind of key pair: rsa or ed25519 (default: the profile's)")
    static let bits = Option(
        name: "bits", value: .text("N"), help: "length of an RSA key in bits, 2048 to 8192 (default: 3072)")

    static let bundle = Option(name: "bundle", help: "put all scripts into one envelope; the first is the entry")
    static let root = Option(
        name: "root", value: .directory("DIR"), help: "name by paths below DIR instead of by file names")
    static let id = Option(name: "id", value: .text("NAME"), help: "the patch's reverse-DNS name (tag: @patch)")
    static let version = Option(name: "version", value: .text("N"), help: "the patch's version number (tag: @version)")
    static let app = Option(name: "app", value: .text("NAME"), help: "the app's reverse-DNS name (tag: @app)")
    static let appVersions = Option(
        name: "app-versions", value: .text("RANGE"),
        help: "app versions it is for, such as '>=2.3.0 <2.5.0' (tag: @app)")
    static let engine = Option(
        name: "engine", value: .text("N"), help: "engine level it needs (tag: @engine; default: 1)")
    static let replaces = Option(
        name: "replaces", value: .text("NAMES"), repeats: true,
        help: "names it replaces, separated by commas or spaces (tag: @replaces)")
    static let expires = Option(name: "expires", value: .text("TIME"), help: "expiry time, in UTC (tag: @expires)")
    static let notes = Option(name: "notes", value: .text("TEXT"), help: "a note for readers")
    static let extra = Option(
        name: "extra", value: .text("KEY=VALUE"), repeats: true, help: "an extra value for your own tools")

    static let append = Option(name: "append", help: "keep the existing signatures")
    static let signatureCommand = Option(
        name: "signature-command", value: .text("COMMAND"), repeats: true,
        help: "sign with a shell command that reads the payload from stdin and writes the signature to stdout")
    static let detach = Option(name: "detach", help: "write the payload, to sign it elsewhere")
    static let attach = Option(
        name: "attach", value: .file("FILE"), repeats: true, help: "add a signature that was made elsewhere")
    static let name = Option(
        name: "name", value: .text("NAME"),
        help: "name of the key (default: its file name, or a script key's id)")
    static let notAfter = Option(
        name: "not-after", value: .text("TIME"), help: "trust the key until this time, in UTC")

    static let signatureOnly = Option(name: "signature-only", help: "check only the signatures, without a script key")
    static let threshold = Option(
        name: "threshold", value: .text("N"), help: "number of trusted keys that must have signed (default: 1)")
    static let roleThreshold = Option(
        name: "threshold", value: .text("N"), help: "number of the role's keys that must sign (default: as before)")
    static let require = Option(
        name: "require", value: .text("NAME"), repeats: true,
        help: "key that must have signed, by its name in the trust store: NAME, or A|B for either")
    static let runningApp = Option(
        name: "app", value: .text("NAME"), help: "the app that runs the patches, such as com.example.shop")
    static let appVersion = Option(name: "app-version", value: .text("V"), help: "the app's version")
    static let runningEngine = Option(
        name: "engine", value: .text("N"), help: "the app's engine level (default: 1)")
    static let minimumVersion = Option(
        name: "minimum-version", value: .text("N"), help: "minimum patch version to accept")
    static let time = Option(
        name: "at", value: .text("TIME"), help: "check expiry at this time, in UTC (default: now)")

    static let interface = Option(
        name: "interface", value: .file("FILE"), variable: "PATCHPACK_INTERFACE",
        help: "interface file that the app wrote (or PATCHPACK_INTERFACE)")
    static let spec = Option(
        name: "spec", value: .file("SPEC.lua..."), repeats: true, takesAll: true,
        help: "specs, or folders of specs; after the patches")
    static let filter = Option(
        name: "filter", value: .text("PATTERN"), help: "run only tests whose names match a Lua pattern")
    static let filterOut = Option(
        name: "filter-out", value: .text("PATTERN"), help: "leave out tests whose names match a Lua pattern")
    static let timeLimit = Option(
        name: "time-limit", value: .text("SECONDS"),
        help: "how long a spec's code may run at a time (default: 10)")
    static let testFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "github", "tap", "junit"]),
        help: "text, json (one object per line), github (annotations), tap (TAP 13), or junit (XML)")
    static let coverage = Option(
        name: "coverage", value: .file("FILE"), help: "write line coverage of the patches as an lcov tracefile")
    static let testShadow = Option(
        name: "shadow", help: "also run the specs with the patches in shadow, and print what they would change")
    static let noLint = Option(name: "no-lint", help: "pack without linting the scripts first")
    static let lintFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "sarif", "github"]),
        help: "text, json (one object per line), sarif (SARIF 2.1.0), or github (annotations)")
    static let verifyFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "sarif", "github", "junit"]),
        help: "text, json (one per line), sarif (SARIF 2.1.0), github (annotations), or junit (XML)")
    static let strict = Option(name: "strict", help: "fail on warnings too")
    static let stdinFilename = Option(
        name: "stdin-filename", value: .file("NAME.lua"), help: "name of the script on standard input (-)")

    static let feedKey = Option(
        name: "key", value: .key("KEY"), repeats: true, variable: "PATCHPACK_FEED_KEY",
        help: "private Ed25519 key of any role: FILE, env:NAME, or - (or PATCHPACK_FEED_KEY)")
    static let rootKey = Option(
        name: "root-key", value: .key("KEY"), repeats: true, help: "key of the root role, public or private")
    static let releaseKey = Option(
        name: "release-key", value: .key("KEY"), repeats: true,
        help: "key that adds envelopes, public or private")
    static let onlineKey = Option(
        name: "online-key", value: .key("KEY"), repeats: true,
        help: "key that offers, pauses, withdraws and refreshes, public or private")
    static let rootThreshold = Option(
        name: "root-threshold", value: .text("N"), help: "number of root keys that must sign (default: 1)")
    static let releaseThreshold = Option(
        name: "release-threshold", value: .text("N"), help: "number of release keys that must sign (default: 1)")
    static let trustNumber = Option(
        name: "number", value: .text("N"), help: "the store's number (default: one more than before)")
    static let environment = Option(
        name: "environment", value: .text("NAME"), help: "the app's environment (default: release)")
    static let stage = Option(
        name: "stage", help: "keep the change in DIR/staged if signatures are missing, for `feed sign`")
    static let checkServed = Option(
        name: "check-served", value: .text("URL"),
        help: "refuse if the feed at URL is newer than DIR, or has other changes")
    static let verifyServed = Option(
        name: "verify-served", value: .text("URL"),
        help: "look at URL afterwards, and warn if it still has an older state")
    static let deployTarget = Option(
        name: "to", value: .text("PLACE"),
        help: "a folder, s3://BUCKET/FOLDER, rsync://HOST/MODULE/FOLDER, or HOST:FOLDER for rsync over ssh")
    static let reportFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "openmetrics"]),
        help: "text, json (one object), or openmetrics (for Prometheus)")
    static let undoneTo = Option(
        name: "to", value: .text("SNAPSHOT"),
        help: "number of the snapshot to restore, from `feed log` (default: the one before the last change)")
    static let allowLower = Option(
        name: "allow-lower", help: "publish a version although a higher one is listed")
    static let repair = Option(
        name: "repair", help: "replace files there that are not the feed's, such as another copy's")
    static let discard = Option(name: "discard", help: "drop the staged change")
    static let role = Option(
        name: "role", value: .choice("ROLE", ["targets", "rollout", "root"]),
        help: "role to print the payload of, or to attach the signature to: targets, rollout or root")
    static let percentage = Option(
        name: "rollout", value: .text("PERCENT"),
        help: "share of devices to offer it to, for example 5%, or 100% for all"
    )
    static let rolloutUnit = Option(
        name: "rollout-unit", value: .choice("UNIT", ["installation", "user"]),
        help: "unit to choose by: installation or user (default: installation; rollout and shadow keep it)")
    static let seed = Option(
        name: "seed", value: .text("TEXT"),
        help: "salt for choosing devices (default: the patch's id; rollout and shadow keep it)")
    static let group = Option(
        name: "group", value: .text("NAME"), repeats: true, help: "group of devices that it is for")
    static let user = Option(
        name: "user", value: .text("ID"), repeats: true, help: "user that it is for")
    static let activation = Option(
        name: "activate", value: .choice("MOMENT", ["now", "next-launch"]),
        help: "when devices activate it: now or next-launch (default: now; rollout and shadow keep it)")
    static let patchVersion = Option(
        name: "patch-version", value: .text("N"), help: "version of the patch (default: the highest that is listed)")
    static let reason = Option(name: "reason", value: .text("TEXT"), help: "reason, shown in device events")
    static let changeReason = Option(
        name: "reason", value: .text("TEXT"), help: "reason, shown in `feed log` and in device events")
    static let author = Option(
        name: "author", value: .text("NAME"),
        help: "author, shown in `feed log`; devices can read it, too (or PATCHPACK_AUTHOR; default: USER)")
    static let last = Option(
        name: "last", value: .text("N"), help: "number of the newest changes to show (default: 20)")
    static let minimumAppVersion = Option(
        name: "minimum-app-version", value: .text("V"), help: "minimum version of the app that gets patches, or none")
    static let notice = Option(
        name: "notice", value: .text("TEXT"), help: "message for the app to show; empty to clear it")
    static let listed = Option(name: "list", help: "also list each file that is signed, and whether it is offered")
    static let addKey = Option(
        name: "add", value: .key("KEY"), repeats: true, help: "key to add, public or private")
    static let removeKey = Option(
        name: "remove", value: .text("ID"), repeats: true, help: "beginning of the id of a key to remove")
    static let keep = Option(
        name: "keep", value: .text("N"),
        help: "number of the highest versions to keep (default: 1); others stay if devices get only them")
    static let prunedVersion = Option(
        name: "patch-version", value: .text("N"), help: "remove this version, listed or not, and leave its withdrawal")
    static let days = Option(
        name: "days", value: .text("N"), help: "fail if a role's metadata expire in fewer than N days")
    static let allPatches = Option(name: "all", help: "show each patch, however many there are")
    static let pinnedRoot = Option(
        name: "root", value: .file("FILE"), variable: "PATCHPACK_FEED_ROOT",
        help: "root file to trust: the 1.root.json that the app has (or PATCHPACK_FEED_ROOT)")
    static let resumeRotation = Option(
        name: "resume-rotation", help: "accept files signed only with the keys in use before an interrupted `rotate`")
    static let ignoreClock = Option(
        name: "ignore-clock", help: "sign even if the feed's or server's time disagrees with this machine's clock")
    static let afterVersion = Option(
        name: "after-version", value: .text("N"), help: "give signed files versions higher than N")
    static let showChange = Option(name: "show", help: "only print the change that would be signed")
    static let yes = Option(name: "yes", help: "sign the printed change without asking")
    static let authorities = Option(
        name: "cacert", value: .file("FILE"), help: "certificates to trust for https (PEM; default: the system's)")
    static let insecure = Option(name: "allow-http", help: "allow a URL with http")
    static let previewUser = Option(name: "user", value: .text("ID"), help: "the user's id")
    static let installation = Option(name: "installation", value: .text("ID"), help: "the installation's name")
    static let deviceGroup = Option(
        name: "group", value: .text("NAME"), repeats: true, help: "group that the device is in")
    static let store = Option(name: "store", value: .directory("DIR"), help: "folder that the device keeps")
    static let noLaunch = Option(
        name: "no-launch", help: "only sync, as on return to the foreground: judge and begin no launch")

    static let format = Option(
        name: "format", value: .choice("FORMAT", ["text", "json"]), help: "text, or json (one object per line)")
    static let quiet = Option(name: "quiet", short: "q", help: "print failures only")
    static let color = Option(
        name: "color", value: .choice("WHEN", ["auto", "always", "never"]),
        help: "colour the text: auto, always or never (default: auto)")
    static let toolVersion = Option(name: "version", help: "print the version")
    static let help = Option(name: "help", short: "h", help: "print this help")

    /// The options that every verb takes.
    static let common = [format, quiet, color, help]
}
