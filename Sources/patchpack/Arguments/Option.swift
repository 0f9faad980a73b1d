/// An option of the command line: the one place for its name, its value and its help.
struct Option: Sendable {
    /// What a value stands for; help shows it, and shells complete by it.
    enum Value: Sendable {
        case file(String)
        case directory(String)
        /// A file with an algorithm before it, as in `rsa-sha256:FILE`.
        case key(String)
        case text(String)
        case choice(String, [String])

        var placeholder: String {
            switch self {
            case .file(let name), .directory(let name), .key(let name), .text(let name), .choice(let name, _): name
            }
        }
    }

    /// The long name, without its hyphens.
    let name: String
    /// The one-letter name.
    var short: Character?
    /// What follows it; nil for a switch.
    var value: Value?
    /// Whether it may be given several times.
    var repeats = false
    /// Whether all words up to the next option are its values.
    var takesAll = false
    /// The environment variable that names a file where the option is not given.
    var variable: String?
    /// One line for help, lower case, no full stop.
    let help: String

    /// What the variable names; nil where there is none, or it is not set.
    var fromEnvironment: Argument? { variable.flatMap { Environment[bytes: $0] }.map(Argument.init) }

    /// Name and value as help shows them.
    var usage: String {
        let names = [short.map { "-\($0)" }, "--\(name)"].compactMap(\.self).joined(separator: ", ")
        return value.map { "\(names) \($0.placeholder)" } ?? names
    }
}

// Every option, in the order of use. A verb lists those that it takes.
extension Option {
    static let output = Option(
        name: "output", short: "o", value: .file("PATH"), help: "folder to write into, one file called .js, or -")
    static let outputFolder = Option(name: "output", short: "o", value: .directory("DIR"), help: "folder to write into")
    static let outputFile = Option(name: "output", short: "o", value: .file("FILE"), help: "file to write")
    static let force = Option(name: "force", help: "replace outputs that are there already")
    static let allOrNothing = Option(
        name: "all-or-nothing", help: "write no envelope unless all of them are good")
    static let dryRun = Option(name: "dry-run", help: "do everything but write")
    static let jobs = Option(
        name: "jobs", value: .text("N"),
        help: "work on N files at a time (default: one for each core; 1 with --signature-command)")

    static let signingKey = Option(
        name: "signing-key", value: .key("KEY"), repeats: true, variable: "PATCHPACK_SIGNING_KEY",
        help: "private key that signs: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_SIGNING_KEY)")
    static let scriptKey = Option(
        name: "script-key", value: .file("FILE"), repeats: true, variable: "PATCHPACK_SCRIPT_KEY",
        help: "key that seals scripts, a key store, env:NAME, or - (or PATCHPACK_SCRIPT_KEY)")
    static let scriptKeyName = Option(
        name: "script-key-name", value: .text("NAME"), help: "which key of a key store to pack with")
    static let storePassphraseEnv = Option(
        name: "keystore-passphrase-env", value: .text("VAR"), help: "read the key store's passphrase from this variable"
    )
    static let storePassphraseFile = Option(
        name: "keystore-passphrase-file", value: .file("FILE"),
        help: "read the key store's passphrase from a file's first line")
    static let trustedKey = Option(
        name: "trusted-key", value: .key("KEY"), repeats: true, variable: "PATCHPACK_TRUSTED_KEY",
        help: "public key that is trusted: [ALGORITHM:]FILE, env:NAME, or - (or PATCHPACK_TRUSTED_KEY)")
    static let trustStore = Option(
        name: "trust-store", value: .file("PATH"), variable: "PATCHPACK_TRUST_STORE",
        help: "trusted keys: a file of `patchpack trust`, or a folder of PEM files (or PATCHPACK_TRUST_STORE)")
    static let trustStorePin = Option(
        name: "trust-store-pin", value: .text("DIGEST"), help: "refuse a trust store with another SHA-256")
    static let passphraseEnv = Option(
        name: "passphrase-env", value: .text("VAR"), repeats: true,
        help: "read the private key's passphrase from this variable; once for each key that has its own")
    static let passphraseFile = Option(
        name: "passphrase-file", value: .file("FILE"), repeats: true,
        help: "read the passphrase from a file's first line; once for each key that has its own")
    static let allowUnsafePermissions = Option(
        name: "allow-unsafe-permissions", help: "use a private key file that others can read")

    static let algorithm = Option(
        name: "algorithm", value: .choice("NAME", ["rsa", "ed25519"]),
        help: "kind of key pair to make: rsa, or ed25519 (default: rsa)")
    static let bits = Option(
        name: "bits", value: .text("N"), help: "length of an RSA key, 2048 to 8192 (default: 3072)")
    static let suite = Option(
        name: "suite", value: .choice("NAME", ["aes-128-cbc+md5", "aes-256-gcm+sha256"]),
        help: "suite to make the script key for: aes-128-cbc+md5, or aes-256-gcm+sha256 (default: the first)")

    static let bundle = Option(name: "bundle", help: "put all scripts into one envelope, the first as its entry")
    static let root = Option(
        name: "root", value: .directory("DIR"), help: "name scripts by their paths below DIR, not by file name alone")
    static let id = Option(name: "id", value: .text("NAME"), help: "the patch's reverse-DNS name (tag: @patch)")
    static let version = Option(name: "version", value: .text("N"), help: "the patch's number (tag: @version)")
    static let app = Option(name: "app", value: .text("NAME"), help: "the app's reverse-DNS name (tag: @app)")
    static let appVersions = Option(
        name: "app-versions", value: .text("RANGE"), help: "app versions it fits, such as '>=2.3.0 <2.5.0' (tag: @app)")
    static let engine = Option(
        name: "engine", value: .text("N"), help: "engine level it needs (tag: @engine; default: 1)")
    static let replaces = Option(
        name: "replaces", value: .text("NAMES"), repeats: true,
        help: "names it replaces, with commas or spaces between them (tag: @replaces)")
    static let created = Option(
        name: "created", value: .text("TIME"),
        help: "when it was made, in UTC (or SOURCE_DATE_EPOCH; default: not said)")
    static let expires = Option(name: "expires", value: .text("TIME"), help: "when it ends, in UTC (tag: @expires)")
    static let notes = Option(name: "notes", value: .text("TEXT"), help: "a note for people")
    static let extra = Option(
        name: "extra", value: .text("KEY=VALUE"), repeats: true, help: "a value for the team's own tools")

    static let append = Option(name: "append", help: "keep the signatures that are there")
    static let signatureCommand = Option(
        name: "signature-command", value: .text("COMMAND"), repeats: true,
        help: "sign with a shell command: payload on its input, signature on its output")
    static let detach = Option(name: "detach", help: "write the payload, to be signed somewhere else")
    static let attach = Option(
        name: "attach", value: .file("FILE"), repeats: true, help: "add a signature that was made somewhere else")
    static let name = Option(
        name: "name", value: .text("NAME"),
        help: "what to call the key (default: its file's name, or a script key's id)")
    static let notAfter = Option(
        name: "not-after", value: .text("TIME"), help: "trust the key until this time, in UTC")

    static let signatureOnly = Option(name: "signature-only", help: "check the signatures alone, without a script key")
    static let threshold = Option(
        name: "threshold", value: .text("N"), help: "how many trusted keys must have signed (default: 1)")
    static let require = Option(
        name: "require", value: .text("NAME"), repeats: true,
        help: "who must have signed, by the names of the trust store: NAME, or A|B for either")
    static let runningApp = Option(name: "app", value: .text("NAME"), help: "the app that would run it")
    static let appVersion = Option(name: "app-version", value: .text("V"), help: "that app's version")
    static let runningEngine = Option(
        name: "engine", value: .text("N"), help: "that app's engine level (default: 1)")
    static let floor = Option(name: "floor", value: .text("N"), help: "lowest patch version to accept")
    static let time = Option(
        name: "at", value: .text("TIME"), help: "judge expiry at this time, in UTC (default: now)")

    static let interface = Option(
        name: "interface", value: .file("FILE"), variable: "PATCHPACK_INTERFACE",
        help: "what the app offers, as it wrote it (or PATCHPACK_INTERFACE)")
    static let spec = Option(
        name: "spec", value: .file("SPEC.lua..."), repeats: true, takesAll: true,
        help: "specs, or folders of them; after the patches")
    static let filter = Option(
        name: "filter", value: .text("PATTERN"), help: "run only tests whose names match a Lua pattern")
    static let filterOut = Option(
        name: "filter-out", value: .text("PATTERN"), help: "leave out tests whose names match a Lua pattern")
    static let tags = Option(
        name: "tags", value: .text("TAGS"), repeats: true,
        help: "run only tests with one of these #words in their names")
    static let excludeTags = Option(
        name: "exclude-tags", value: .text("TAGS"), repeats: true,
        help: "leave out tests with one of these #words in their names")
    static let timeLimit = Option(
        name: "time-limit", value: .text("SECONDS"),
        help: "how long the code of a spec may run at a time (default: 10)")
    static let testFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "tap", "junit"]),
        help: "text, json (one object a line), tap (TAP 13), or junit (XML)")
    static let coverage = Option(
        name: "coverage", value: .file("FILE"), help: "write which lines of the patches ran, as lcov has it")
    static let watch = Option(name: "watch", help: "run again whenever a patch or a spec is written")
    static let noLint = Option(name: "no-lint", help: "pack without looking at the scripts first")
    static let lintFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "sarif", "github"]),
        help: "text, json (one object a line), sarif (SARIF 2.1.0), or github (annotations)")
    static let verifyFormat = Option(
        name: "format", value: .choice("FORMAT", ["text", "json", "sarif", "github", "junit", "tap"]),
        help: "text, json (one object a line), sarif (SARIF 2.1.0), github (annotations), junit (XML), or tap (TAP 13)")
    static let strict = Option(name: "strict", help: "let warnings fail it too")
    static let stdinFilename = Option(
        name: "stdin-filename", value: .file("NAME.lua"), help: "what the script on standard input, -, is called")

    static let format = Option(
        name: "format", value: .choice("FORMAT", ["text", "json"]), help: "text, or json (one object a line)")
    static let quiet = Option(name: "quiet", short: "q", help: "print failures only")
    static let color = Option(
        name: "color", value: .choice("WHEN", ["auto", "always", "never"]), help: "colour the text (default: auto)")
    static let toolVersion = Option(name: "version", help: "print the version")
    static let help = Option(name: "help", short: "h", help: "print this help")

    /// What every verb takes.
    static let common = [format, quiet, color, help]
}
