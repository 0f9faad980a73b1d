/// A command-line option. Options of two verbs may have the same name and different meanings, so each is its own
/// object.
final class Option: Sendable, Identifiable {
    /// The kind of value that an option takes, for the help and the completions.
    enum Value: Sendable {
        case file(String)
        /// A file to write.
        case output(String)
        case directory(String)
        /// A file, which may have an algorithm before it, as in `rsa-sha256:FILE`.
        case key(String)
        case text(String)
        case choice(String, [String])

        static func format(_ formats: ResultFormat...) -> Value { .choice("FORMAT", formats.map(\.rawValue)) }

        /// The word that stands for the value in the help, such as `FILE`.
        var placeholder: String {
            switch self {
            case .file(let name), .output(let name), .directory(let name), .key(let name), .text(let name),
                .choice(let name, _):
                name
            }
        }
    }

    let name: String
    let short: Character?
    /// The kind of its value; nil for a switch.
    let value: Value?
    /// Whether the option may be repeated.
    let repeats: Bool
    /// Whether all words up to the next option are its values.
    let takesAll: Bool
    /// Whether an empty value has a meaning; for any other option it is an error.
    let mayBeEmpty: Bool
    /// The environment variable that names the file if the option is not given.
    let variable: String?
    /// The options without which it has no effect. A verb that takes some of them refuses it without one.
    let needs: [String]
    /// One line of help, in lower case and without a full stop.
    let help: String

    init(
        _ name: String, _ help: String, _ value: Value? = nil, short: Character? = nil, repeats: Bool = false,
        takesAll: Bool = false, mayBeEmpty: Bool = false, variable: String? = nil, needs: [String] = []
    ) {
        self.name = name
        self.help = help
        self.value = value
        self.short = short
        self.repeats = repeats
        self.takesAll = takesAll
        self.mayBeEmpty = mayBeEmpty
        self.variable = variable
        self.needs = needs
    }

    /// The variable's value; nil if there is no variable, or if it is unset or empty.
    var fromEnvironment: Argument? { variable.flatMap { Environment[bytes: $0] }.map(Argument.init) }

    /// The option as the help lists it, such as `-o, --output PATH`.
    var usage: String {
        let names = [short.map { "-\($0)" }, "--\(name)"].compactMap(\.self).joined(separator: ", ")
        return value.map { "\(names) \($0.placeholder)" } ?? names
    }
}

// The options, in the order of use, except those that are declared beside the code that reads them. Each verb lists the
// options that it takes.
extension Option {
    static let output = Option("output", "folder to write into, one file named *.js, or -", .output("PATH"), short: "o")
    static let outputFolder = Option("output", "folder to write into", .directory("DIR"), short: "o")
    static let outputFile = Option("output", "file to write", .output("FILE"), short: "o", needs: ["detach"])
    static let upgrade = Option("upgrade", "replace outputs that hold a lower version of the same patch")
    static let force = Option("force", "replace existing outputs", needs: ["html"])
    static let forceOutput = Option("force", "replace existing outputs", needs: ["output"])
    static let allOrNothing = Option("all-or-nothing", "write no envelope unless all of them are good")
    static let dryRun = Option("dry-run", "do everything except write")
    static let jobs = Option(
        "jobs", "process N files at a time (default: one per core; 1 if a command signs)", .text("N"))

    static let signingKey = Option(
        "signing-key", "private key to sign with: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_SIGNING_KEY)",
        .key("KEY"), repeats: true, variable: "PATCHPACK_SIGNING_KEY")
    static let scriptKey = Option(
        "script-key", "key that encrypts scripts, or a key store: FILE, env:NAME, or - (or PATCHPACK_SCRIPT_KEY)",
        .file("FILE"), repeats: true, variable: "PATCHPACK_SCRIPT_KEY")
    static let scriptKeyName = Option("script-key-name", "name of the key in the key store to pack with", .text("NAME"))
    static let newPassphraseEnv = Option(
        "new-passphrase-env", "read the new passphrase from this variable", .text("VAR"))
    static let newPassphraseFile = Option(
        "new-passphrase-file", "read the new passphrase from the first line of this file", .file("FILE"))
    static let trustedKey = Option(
        "trusted-key", "public key to trust: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_TRUSTED_KEY)", .key("KEY"),
        repeats: true, variable: "PATCHPACK_TRUSTED_KEY")
    static let trustStore = Option(
        "trust-store",
        "trusted keys: a file from `patchpack trust`, or a folder of PEM files (or PATCHPACK_TRUST_STORE)",
        .file("PATH"), variable: "PATCHPACK_TRUST_STORE")
    static let trustStorePin = Option(
        "trust-store-pin", "refuse a trust store whose SHA-256 is not DIGEST", .text("DIGEST"))
    static let passphraseEnv = Option(
        "passphrase-env",
        "variable with the passphrase of a private key or key store; repeat if they have different ones",
        .text("VAR"), repeats: true)
    static let passphraseFile = Option(
        "passphrase-file", "file with the passphrase in its first line; repeat if keys have different ones",
        .file("FILE"), repeats: true)
    static let allowUnsafePermissions = Option(
        "allow-unsafe-permissions", "accept a private key file that other users can read")

    static let bits = Option("bits", "length of an RSA key in bits, 2048 to 8192 (default: 3072)", .text("N"))

    static let bundle = Option("bundle", "take all scripts as one envelope; the first is the entry")
    static let root = Option("root", "name by paths below DIR instead of by file names", .directory("DIR"))
    static let id = Option("id", "the patch's reverse-DNS name (tag: @patch)", .text("NAME"))
    static let version = Option("version", "the patch's version number (tag: @version)", .text("N"))
    static let app = Option("app", "the app's reverse-DNS name (tag: @app)", .text("NAME"))
    static let appVersions = Option(
        "app-versions", "app versions it is for, such as '>=2.3.0 <2.5.0' (tag: @app)", .text("RANGE"))
    static let engine = Option("engine", "engine level it needs (tag: @engine; default: 1)", .text("N"))
    static let replaces = Option(
        "replaces", "names it replaces, separated by commas or spaces (tag: @replaces)", .text("NAMES"), repeats: true)
    static let expires = Option("expires", "expiry time, in UTC (tag: @expires)", .text("TIME"))
    static let notes = Option("notes", "a note for readers", .text("TEXT"))
    static let extra = Option("extra", "an extra value for your own tools", .text("KEY=VALUE"), repeats: true)

    static let append = Option("append", "keep the existing signatures")
    static let signatureCommand = Option(
        "signature-command",
        "sign with a shell command that reads the payload from stdin and writes the signature to stdout",
        .text("COMMAND"), repeats: true)
    static let detach = Option("detach", "write the payload, to sign it elsewhere")
    static let attach = Option("attach", "add a signature that was made elsewhere", .file("FILE"), repeats: true)
    static let name = Option("name", "name of the key (default: its file name, or a script key's id)", .text("NAME"))
    static let notAfter = Option("not-after", "trust the key until this time, in UTC", .text("TIME"))

    static let signatureOnly = Option("signature-only", "check only the signatures, without a script key")
    static let threshold = Option("threshold", "number of trusted keys that must have signed (default: 1)", .text("N"))
    static let roleThreshold = Option(
        "threshold", "number of the role's keys that must sign (default: as before)", .text("N"))
    static let require = Option(
        "require", "key that must have signed, by its name in the trust store: NAME, or A|B for either", .text("NAME"),
        repeats: true)
    static let runningApp = Option("app", "the app that runs the patches, such as com.example.shop", .text("NAME"))
    static let appVersion = Option("app-version", "the app's version", .text("V"))
    static let runningEngine = Option("engine", "the app's engine level (default: 1)", .text("N"))
    static let minimumVersion = Option("minimum-version", "minimum patch version to accept", .text("N"))
    static let time = Option("at", "check expiry at this time, in UTC (default: now)", .text("TIME"))

    static let interface = Option(
        "interface", "interface file that the app wrote (or PATCHPACK_INTERFACE)", .file("FILE"),
        variable: "PATCHPACK_INTERFACE")
    static let spec = Option(
        "spec", "specs, or folders of specs; after the patches", .file("SPEC.lua..."), repeats: true, takesAll: true)
    static let filter = Option("filter", "run only tests whose names match a Lua pattern", .text("PATTERN"))
    static let timeLimit = Option(
        "time-limit", "how long a spec's code may run at a time (default: 10)", .text("SECONDS"))
    static let testFormat = Option(
        "format", "text, json (one object per line), github (annotations), tap (TAP 13), or junit (XML)",
        .format(.text, .json, .github, .tap, .junit))
    static let coverage = Option("coverage", "write line coverage of the patches as an lcov tracefile", .output("FILE"))
    static let testShadow = Option(
        "shadow", "also run the specs with the patches in shadow, and print what they would change")
    static let noLint = Option("no-lint", "pack without linting the scripts first")
    static let lintFormat = Option(
        "format", "text, json (one object per line), sarif (SARIF 2.1.0), or github (annotations)",
        .format(.text, .json, .sarif, .github))
    static let verifyFormat = Option(
        "format", "text, json (one per line), sarif (SARIF 2.1.0), github (annotations), or junit (XML)",
        .format(.text, .json, .sarif, .github, .junit))
    static let strict = Option("strict", "fail on warnings too")
    static let stdinFilename = Option("stdin-filename", "name of the script on standard input (-)", .file("NAME.lua"))

    static let feedKey = Option(
        "key", "private Ed25519 key of any role: FILE, env:NAME, or - (or PATCHPACK_FEED_KEY)", .key("KEY"),
        repeats: true, variable: "PATCHPACK_FEED_KEY")
    static let rootKey = Option("root-key", "key of the root role, public or private", .key("KEY"), repeats: true)
    static let releaseKey = Option(
        "release-key", "key that adds envelopes, public or private", .key("KEY"), repeats: true)
    static let onlineKey = Option(
        "online-key", "key that offers, pauses, withdraws and refreshes, public or private", .key("KEY"), repeats: true)
    static let trustNumber = Option("number", "the store's number (default: one more than before)", .text("N"))
    static let environment = Option("environment", "the app's environment (default: release)", .text("NAME"))
    static let stage = Option("stage", "keep the change in DIR/staged if signatures are missing, for `feed sign`")
    static let checkServed = Option(
        "check-served", "refuse if the feed at URL is newer than DIR, or has other changes", .text("URL"))
    static let verifyServed = Option(
        "verify-served", "look at URL afterwards, and warn if it still has an older state", .text("URL"))
    static let deployTarget = Option(
        "to", "a folder, s3://BUCKET/FOLDER, rsync://HOST/MODULE/FOLDER, or HOST:FOLDER for rsync over ssh",
        .text("PLACE"))
    static let reportFormat = Option(
        "format", "text, json (one object), or openmetrics (for Prometheus)",
        .choice("FORMAT", ["text", "json", "openmetrics"]))
    static let undoneTo = Option(
        "to", "number of the snapshot to restore, from `feed log` (default: the one before the last change)",
        .text("SNAPSHOT"))
    static let allowLower = Option("allow-lower", "publish a version although a higher one is listed")
    static let repair = Option("repair", "replace files there that are not the feed's, such as another copy's")
    static let discard = Option("discard", "drop the staged change")
    static let role = Option(
        "role", "role to print the payload of, or to attach the signature to: targets, rollout or root",
        .choice("ROLE", ["targets", "rollout", "root"]), needs: ["detach", "attach"])
    static let percentage = Option(
        "rollout", "share of devices to offer it to, for example 5%, or 100% for all", .text("PERCENT"))
    static let rolloutUnit = Option(
        "rollout-unit", "unit to choose by: installation or user (default: installation; rollout and shadow keep it)",
        .choice("UNIT", ["installation", "user"]))
    static let seed = Option(
        "seed", "salt for choosing devices (default: the patch's id; rollout and shadow keep it)", .text("TEXT"))
    static let group = Option("group", "group of devices that it is for", .text("NAME"), repeats: true)
    static let user = Option("user", "user that it is for", .text("ID"), repeats: true)
    static let activation = Option(
        "activate", "when devices activate it: now or next-launch (default: now; rollout and shadow keep it)",
        .choice("MOMENT", ["now", "next-launch"]))
    static let patchVersion = Option(
        "patch-version", "version of the patch (default: the highest that is listed)", .text("N"))
    static let reason = Option("reason", "reason, shown in device events", .text("TEXT"))
    static let changeReason = Option("reason", "reason, shown in `feed log` and in device events", .text("TEXT"))
    static let author = Option(
        "author", "author, shown in `feed log`; devices can read it, too (or PATCHPACK_AUTHOR; default: USER)",
        .text("NAME"), mayBeEmpty: true)
    static let last = Option("last", "number of the newest changes to show (default: 20)", .text("N"))
    static let minimumAppVersion = Option(
        "minimum-app-version", "minimum version of the app that gets patches, or none", .text("V"))
    static let notice = Option(
        "notice", "message for the app to show; empty to clear it", .text("TEXT"), mayBeEmpty: true)
    static let addKey = Option("add", "key to add, public or private", .key("KEY"), repeats: true)
    static let removeKey = Option("remove", "beginning of the id of a key to remove", .text("ID"), repeats: true)
    static let keep = Option(
        "keep", "number of the highest versions to keep (default: 1); others stay if devices get only them", .text("N"))
    static let prunedVersion = Option(
        "patch-version", "remove this version, listed or not, and leave its withdrawal", .text("N"))
    static let days = Option("days", "fail if a role's metadata expire in fewer than N days", .text("N"))
    static let allPatches = Option("all", "show each patch, however many there are")
    static let allFiles = Option("all", "also list each file that is signed, and whether it is offered")
    static let pinnedRoot = Option(
        "root", "root file to trust: the 1.root.json that the app has (or PATCHPACK_FEED_ROOT)", .file("FILE"),
        variable: "PATCHPACK_FEED_ROOT", needs: ["feed"])
    static let resumeRotation = Option(
        "resume-rotation", "accept files signed only with the keys in use before an interrupted `rotate`")
    static let ignoreClock = Option(
        "ignore-clock", "sign even if the feed's or server's time disagrees with this machine's clock")
    static let afterVersion = Option("after-version", "give signed files versions higher than N", .text("N"))
    static let showChange = Option("show", "only print the change that would be signed")
    static let yes = Option("yes", "sign the printed change without asking", needs: ["to"])
    static let authorities = Option(
        "cacert", "certificates to trust for https (PEM; default: the system's)", .file("FILE"),
        needs: ["feed", "check-served"])
    static let insecure = Option("allow-http", "allow a URL with http", needs: ["feed", "check-served"])
    static let previewUser = Option("user", "the user's id", .text("ID"))
    static let installation = Option("installation", "the installation's name", .text("ID"))
    static let deviceGroup = Option("group", "group that the device is in", .text("NAME"), repeats: true)
    static let store = Option("store", "folder that the device keeps", .directory("DIR"))
    static let noLaunch = Option("no-launch", "only sync, as on return to the foreground: judge and begin no launch")

    static let format = Option("format", "text, or json (one object per line)", .choice("FORMAT", ["text", "json"]))
    static let quiet = Option("quiet", "print failures only", short: "q")
    static let color = Option(
        "color", "colour the text: auto, always or never (default: auto)", .choice("WHEN", ["auto", "always", "never"]))
    static let toolVersion = Option("version", "print the version")
    static let help = Option("help", "print this help", short: "h")

    static let common = [format, quiet, color, help]
}
