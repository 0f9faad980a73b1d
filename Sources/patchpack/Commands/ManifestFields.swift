import PatchCrypto

/// What the options say of a patch; a script's tags say the rest.
struct ManifestFields: Sendable {
    private let id: String?
    private let version: String?
    private let app: String?
    private let appVersions: String?
    private let engine: String?
    private let replaces: [String]?
    private let created: Timestamp?
    private let expires: String?
    private let notes: String?
    private let extra: [String: String]?

    init(_ arguments: ParsedArguments) throws(PatchError) {
        id = try arguments.text(of: .id)
        version = try arguments.text(of: .version)
        app = try arguments.text(of: .app)
        appVersions = try arguments.text(of: .appVersions)
        engine = try arguments.text(of: .engine)
        replaces =
            arguments.has(.replaces)
            ? try arguments.texts(of: .replaces).flatMap { ScriptHead.names(in: $0) } : nil
        created = arguments.has(.created) ? try arguments.time(of: .created) : try Self.sourceDate()
        expires = try arguments.text(of: .expires)
        notes = try arguments.text(of: .notes)
        var pairs: [String: String] = [:]
        for pair in try arguments.texts(of: .extra) {
            let fields = pair.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard fields.count == 2 else {
                throw PatchError(.usage, "--extra \(pair): KEY=VALUE is expected")
            }
            guard pairs.updateValue(String(Substring(fields[1])), forKey: String(Substring(fields[0]))) == nil else {
                throw PatchError(.usage, "--extra \(pair): the key is given twice", hint: "give each key once")
            }
        }
        extra = pairs.isEmpty ? nil : pairs
    }

    /// The moment that reproducible builds agree on (reproducible-builds.org, `SOURCE_DATE_EPOCH`).
    private static func sourceDate() throws(PatchError) -> Timestamp? {
        guard let text = Environment["SOURCE_DATE_EPOCH"] else { return nil }
        guard text.utf8.first != UInt8(ascii: "+"), let seconds = Int(text),
            let time = Timestamp(secondsSince1970: seconds)
        else {
            throw PatchError(.usage, "SOURCE_DATE_EPOCH is not a number of seconds since 1970")
        }
        return time
    }

    /// What an entry script says of itself.
    ///
    /// - Throws: `usage` for tags that are wrong.
    func head(of script: Script, at path: Path) throws(PatchError) -> ScriptHead {
        do {
            return try ScriptHead(of: script.bytes)
        } catch {
            throw PatchError(.usage, "\(path): \(error.message)", hint: error.hint)
        }
    }

    /// The manifest of some scripts: what the options say, else what the entry's head says.
    ///
    /// - Throws: `usage` where neither says what must be said, or it breaks a rule of the format.
    func manifest(for scripts: [Script], head: ScriptHead, from entry: Path) throws(PatchError) -> Manifest {
        do throws(PatchError) {
            let taggedApp = (head.value(of: .app) ?? "").split(separator: " ", maxSplits: 1).map(String.init)
            let ranges = appVersions ?? (taggedApp.count == 2 ? taggedApp[1] : "*")
            guard let range = VersionRange(ranges.split(separator: " ").joined(separator: " ")) else {
                throw PatchError(
                    .usage, "\(ranges) is not a range of versions", hint: "such as '>=2.3.0 <2.5.0', or '*'")
            }
            return try Manifest(
                id: try Self.required(id ?? head.value(of: .patch), "id", "@patch com.example.fix", scripts[0].bytes),
                version: try Self.number(
                    try Self.required(version ?? head.value(of: .version), "version", "@version 1", scripts[0].bytes),
                    "version"),
                app: try Self.required(
                    app ?? taggedApp.first, "app", "@app com.example.shop >=2.3.0", scripts[0].bytes),
                appVersions: range,
                engine: try Self.number(engine ?? head.value(of: .engine) ?? "1", "engine"),
                replaces: replaces ?? head.replaces,
                scripts: scripts.map { .init(name: $0.name, size: $0.bytes.count) },
                created: created, expires: try Self.time(expires ?? head.value(of: .expires)), notes: notes,
                extra: extra)
        } catch  where error.code == .malformed {
            throw PatchError(.usage, "\(entry): \(error.message)", hint: error.hint)
        } catch {
            throw error.about(entry)
        }
    }

    private static func required(
        _ value: String?, _ option: String, _ tag: String, _ script: [UInt8]
    ) throws(PatchError) -> String {
        if let value { return value }
        let hint =
            script.starts(with: [0xEF, 0xBB, 0xBF])
            ? "remove the byte order mark that the file begins with, which hides its head"
            : "add a line `-- \(tag)` to the comments at its start, or give --\(option)"
        throw PatchError(.usage, "it has no \(option)", hint: hint)
    }

    private static func number(_ text: String, _ name: String) throws(PatchError) -> Int {
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(text) else {
            throw PatchError(.usage, "the \(name) \(text) is not a whole number from 1 to 2147483647")
        }
        return number
    }

    private static func time(_ text: String?) throws(PatchError) -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(text) else {
            throw PatchError(.usage, "the expiry \(text) is not a time such as 2027-01-01T00:00:00Z")
        }
        return time
    }
}

extension ScriptHead {
    /// Tags that are one slip away from a known one: a misspelt `@expires` would be no limit at all.
    var doubtfulTags: [(tag: String, meant: String)] {
        otherTags.compactMap { tag in
            Tag.allCases.first { editDistance($0.rawValue, tag.lowercased()) <= 1 }.map { (tag, $0.rawValue) }
        }
    }
}
