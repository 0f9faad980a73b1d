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
        let audience = try FeedAudience(arguments)
        try change.run { (feed) throws(PatchError) in
            let before = try FeedPreview(of: feed, arguments)
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
        let audience = try FeedAudience(arguments)
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
