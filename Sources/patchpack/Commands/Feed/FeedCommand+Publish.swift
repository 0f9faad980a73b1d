import PatchCrypto
import PatchFeed
import PatchFiles

extension FeedCommand {
    @Sendable static func make(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        guard let app = try arguments.text(of: .runningApp), NameForm.isReverseDNS(app) else {
            throw PatchError(.usage, "no app", hint: "give --app NAME, such as com.example.shop")
        }
        let change = try FeedChange(arguments, console, keys: [.rootKey, .releaseKey, .onlineKey])
        var keys: [[FeedKey]] = []
        for option in [Option.rootKey, .releaseKey, .onlineKey] {
            let found = try change.publicKeys(option)
            guard !found.isEmpty else {
                throw PatchError(
                    .usage, "no key for --\(option.name)",
                    hint: "make one: patchpack keygen --algorithm ed25519 -o DIR")
            }
            keys.append(found)
        }
        guard FileInfo(change.folder.path.appending(Path("metadata")), following: true) == nil else {
            throw PatchError(.exists, "is a feed already", hint: "name another folder").about(change.folder.path)
        }
        var feed = try FeedRepository(
            app: app, environment: arguments.text(of: .environment) ?? "release", root: keys[0],
            rootThreshold: arguments.number(of: .rootThreshold) ?? 1, release: keys[1],
            releaseThreshold: arguments.number(of: .releaseThreshold) ?? 1, online: keys[2], at: change.now)
        try Folder.make(change.folder.path)
        try change.finish(&feed, ["made a feed for \(app)"])
        console.note("the app gets \(change.folder.path.appending(Path("metadata/1.root.json")))")
        return 0
    }

    @Sendable static func publish(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let verification = try Verification(arguments)
        let change = try FeedChange(arguments, console)
        let audience = try Audience(arguments)
        try change.run { (feed) throws(PatchError) in
            let before = try Preview(of: feed, arguments)
            var publications: [FeedRepository.Publication] = []
            var names: [String] = []
            for path in arguments.operands.dropFirst().map(\.path) {
                let result = verification.result(of: path, keepingScripts: false)
                if let error = result.error { throw error.about(path) }
                guard let manifest = result.report.manifest else {
                    throw PatchError(.internal, "no manifest").about(path)
                }
                guard manifest.app == feed.app else {
                    throw PatchError(
                        .policy, "the patch is for the app \(manifest.app), but the feed is for \(feed.app)"
                    ).about(path)
                }
                let bytes = try InputFile.contents(of: path, limit: verification.verifier.limits.envelopeSize)
                let name = "\(manifest.id)-\(manifest.version)"
                names.append("\(manifest.id) \(manifest.version)")
                let members = try audience.members(for: manifest.id)
                publications.append(
                    FeedRepository.Publication(
                        bytes, name: "\(name).js",
                        entry: .object(
                            [
                                ("id", .string(manifest.id)), ("version", .integer(manifest.version)),
                                ("appVersions", .string(manifest.appVersions.description)),
                                ("engine", .integer(manifest.engine)), ("state", .string("active")),
                            ] + members)))
            }
            let isNew = try feed.publish(publications, at: change.now)
            let lines = zip(names, isNew).map { name, isNew in
                isNew ? "published  \(name)  \(audience.text)" : "unchanged  \(name)"
            }
            return lines + (try before.difference(to: feed))
        }
        return 0
    }

    @Sendable static func promote(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let source = FeedFolder(path: arguments.operands[0].path)
        let change = try FeedChange(arguments, console, folder: arguments.operands[1].path)
        let audience = try Audience(arguments)
        let origin = try source.repository()
        let entry = try origin.entry(arguments.operands[2].text, version: arguments.number(of: .patchVersion))
        guard let path = entry["path"]?.text, let digest = origin.targets.first(where: { $0.path == path })?.sha256,
            let name = path.split(separator: "/").last
        else { throw PatchError(.feedMalformed, "the patch has no envelope").about(source.path) }
        let folders = path.split(separator: "/").dropLast().joined(separator: "/")
        let place = "targets/\(folders)/\(digest).\(name)"
        guard let bytes = try source.read(place) else {
            throw PatchError(.feedUnavailable, "\(place): missing").about(source.path)
        }
        guard try MessageDigest.sha256.hexadecimal(of: bytes).elementsEqual(digest.utf8) else {
            throw PatchError(.feedMismatch, "\(place): not the bytes that were published").about(source.path)
        }
        try change.run { (feed) throws(PatchError) in
            guard feed.app == origin.app else {
                throw PatchError(.policy, "the feed is for \(feed.app), not \(origin.app)").about(change.folder.path)
            }
            var copy = JSONValue.object(
                entry.members.filter { ["id", "version", "appVersions", "engine"].contains($0.key) })
            let members = try audience.members(for: entry["id"]?.text ?? "")
            copy = .object(copy.members + [("state", .string("active"))] + members)
            let isNew = try feed.publish(
                [FeedRepository.Publication(bytes, name: String(name), entry: copy)], at: change.now)
            return ["\(isNew[0] ? "promoted" : "unchanged")  \(name)  \(audience.text)"]
        }
        return 0
    }

    @Sendable static func prune(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) -> Int32 {
        let change = try FeedChange(arguments, console)
        let keep = try arguments.number(of: .keep) ?? 1
        let ids = arguments.operands.dropFirst().map(\.text)
        try change.run { (feed) throws(PatchError) in
            var lines: [String] = []
            var gone: Set<String> = []
            for id in ids {
                let versions = feed.entries(of: id).compactMap(\.version).sorted(by: >)
                guard !versions.isEmpty else { throw .unlisted(id, feed) }
                for version in versions.dropFirst(keep) {
                    gone.insert("\(id) \(version)")
                    lines.append("removed  \(id) \(version)")
                }
            }
            _ = feed.prune(at: change.now) { gone.contains("\($0["id"]?.text ?? "") \($0.version ?? 0)") }
            return lines.isEmpty ? ["nothing to remove"] : lines
        }
        return 0
    }
}

/// Whom a patch is offered to, as the options say.
struct Audience {
    private let permyriad: Int?
    private let unit: String?
    private let seed: String?
    private let groups: [String]
    private let users: [String]
    private let moment: String?

    /// - Parameters:
    ///   - percent: The percentage; nil for that of `--rollout`.
    ///   - old: The rollout before. What is not said again stays as it is there.
    init(_ arguments: ParsedArguments, percent: String? = nil, after old: JSONValue? = nil) throws(PatchError) {
        let given = try arguments.text(of: .percentage)
        let text = percent ?? given
        permyriad = text.flatMap(Self.permyriad)
        if let text, permyriad == nil {
            throw PatchError(.usage, "\(text): expected a percentage from 0% to 100%, such as 5% or 0.5%")
        }
        unit = try arguments.text(of: .rolloutUnit) ?? old?["by"]?.text
        seed = try arguments.text(of: .seed) ?? old?["seed"]?.text
        groups = try arguments.texts(of: .group)
        users = try arguments.texts(of: .user)
        moment = try arguments.text(of: .activation)
        guard permyriad != nil || unit == nil && seed == nil else {
            throw PatchError(.usage, "--by and --seed are for a percentage", hint: "give --rollout PERCENT")
        }
    }

    /// A percentage with at most two places after the point, as parts of 10,000.
    static func permyriad(_ text: String) -> Int? {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) && !$0.isEmpty }),
            parts[0].count <= 3, parts.count == 1 || parts[1].count <= 2, let whole = Int(parts[0])
        else { return nil }
        let places = parts.count == 2 ? String(parts[1]) + (parts[1].count == 1 ? "0" : "") : "0"
        guard let hundredths = Int(places), case let permyriad = whole * 100 + hundredths, permyriad <= 10_000 else {
            return nil
        }
        return permyriad
    }

    /// The members of the list's entry.
    func members(for id: String) throws(PatchError) -> [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = []
        // All of them are written as a percentage too, so that a later, smaller one counts the same units.
        if let permyriad {
            let seed = seed.map { [(key: "seed", value: JSONValue.string($0))] } ?? []
            members.append(
                (
                    "rollout",
                    .object(
                        [("permyriad", .integer(permyriad)), ("by", .string(unit ?? "installation"))] + seed)
                ))
        }
        if !groups.isEmpty { members.append(("groups", .array(groups.map(JSONValue.string)))) }
        if !users.isEmpty {
            var names: [JSONValue] = []
            for user in users { names.append(.string(try Rollout.name(of: user, seed: seed ?? id))) }
            members.append(("users", .array(names)))
        }
        if let moment { members.append(("when", .string(moment))) }
        return members
    }

    /// In words.
    var text: String {
        let groups = groups.isEmpty ? [] : ["groups \(groups.joined(separator: ", "))"]
        let users = users.isEmpty ? [] : ["\(users.count) users"]
        let part = permyriad.map { Self.percent($0) + " by \(unit ?? "installation")" }
        let all = (part.map { [$0] } ?? []) + groups + users
        return all.isEmpty ? "to all" : "to " + all.joined(separator: ", and ")
    }

    static func percent(_ permyriad: Int) -> String {
        let (whole, rest) = permyriad.quotientAndRemainder(dividingBy: 100)
        let places = rest.isMultiple(of: 10) ? "\(rest / 10)" : "\(rest < 10 ? "0" : "")\(rest)"
        return rest == 0 ? "\(whole)%" : "\(whole).\(places)%"
    }
}

extension FeedRepository {
    /// The list's entries of a patch.
    func entries(of id: String) -> [JSONValue] {
        (list["patches"]?.elements ?? []).filter { $0["id"]?.text == id }
    }

    /// One entry: of a version, or of the highest one.
    func entry(_ id: String, version: Int?) throws(PatchError) -> JSONValue {
        let all = entries(of: id).filter { version == nil || $0.version == version }
        guard let entry = all.max(by: { ($0.version ?? 0) < ($1.version ?? 0) }) else { throw .unlisted(id, self) }
        return entry
    }
}

extension JSONValue {
    /// The version of a list's entry.
    var version: Int? {
        guard case .integer(let version) = self["version"] else { return nil }
        return version
    }
}

extension PatchError {
    static func unlisted(_ id: String, _ feed: FeedRepository) -> PatchError {
        let known = (feed.list["patches"]?.elements ?? []).compactMap { $0["id"]?.text }
        let guess = nearest(id, among: Set(known)).map { "did you mean \($0)?" }
        return PatchError(
            .usage, "\(id): no such patch in this feed", hint: guess ?? "patchpack feed preview DIR lists them")
    }
}
