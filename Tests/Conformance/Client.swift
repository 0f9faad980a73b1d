// A client over PatchFeed that the TUF project's conformance suite can run (its CLIENT-CLI.md is the protocol).
//
//     tuf-client --metadata-dir DIR init ROOT
//     tuf-client --metadata-dir DIR --metadata-url URL refresh
//     tuf-client --metadata-dir DIR --metadata-url URL --target-base-url URL --target-dir DIR --target-name PATH… \
//       download

import Foundation
import PatchCrypto
import PatchFeed
import PatchHTTP

@main
enum Client {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("tuf-client: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        var values: [String: [String]] = [:]
        var operands: [String] = []
        var rest = arguments[...]
        while let word = rest.popFirst() {
            if word.hasPrefix("--"), let value = rest.popFirst() {
                values[word, default: []].append(value)
            } else {
                operands.append(word)
            }
        }
        func value(_ name: String) throws -> String {
            guard let value = values[name]?.last else { throw PatchError(.config, "\(name) is missing") }
            return value
        }
        let storage = Storage(folder: URL(filePath: try value("--metadata-dir"), directoryHint: .isDirectory))
        switch operands.first {
        case "init" where operands.count == 2:
            let root = try Data(contentsOf: URL(filePath: operands[1]))
            try root.write(to: storage.pinnedRoot)
            try root.write(to: storage.newestRoot)
        case "refresh", "download":
            let metadata = try source(value("--metadata-url"))
            let isDownload = operands.first == "download"
            let targets = isDownload ? try source(value("--target-base-url")) : metadata
            guard let now = Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)) else {
                throw PatchError(.config, "the clock is before 1970 or after the year 9999")
            }
            var client = try FeedClient(
                root: Array(Data(contentsOf: storage.pinnedRoot)),
                source: TwoSources(metadata: metadata, targets: targets),
                storage: storage, at: now)
            try await client.update()
            guard isDownload else { return }
            let folder = URL(filePath: try value("--target-dir"), directoryHint: .isDirectory)
            for path in values["--target-name"] ?? [] {
                try await download(path, to: folder, with: &client)
            }
        default: throw PatchError(.config, "expected init ROOT, refresh or download")
        }
    }

    private static func source(_ url: String) throws -> HTTPSource {
        var settings = HTTPSettings()
        settings.allowsHTTP = true
        return try HTTPSource(url, settings: settings)
    }

    /// Writes a target to the folder, under its path in hexadecimal, unless that file has its contents already.
    private static func download(_ path: String, to folder: URL, with client: inout FeedClient) async throws {
        guard let target = try await client.target(path) else {
            throw PatchError(.feedUnavailable, "\(path): no such target")
        }
        let name = Array(path.utf8).map { String($0, radix: 16) }.joined()
        let file = folder.appending(path: name)
        if let held = try? Array(Data(contentsOf: file)), (try? target.check(held)) != nil { return }
        try await Data(client.contents(of: target, limit: 64 << 20)).write(to: file, options: .atomic)
    }
}

/// Fetches metadata and targets from the separate URLs of the protocol. The first name of a path says which it is.
private struct TwoSources: FeedSource {
    let metadata: HTTPSource
    let targets: HTTPSource

    func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        let parts = request.path.split(separator: "/", maxSplits: 1).map(String.init)
        var request = request
        request.path = parts[1]
        return try await (parts[0] == "metadata" ? metadata : targets).fetch(request)
    }
}

/// A folder of metadata. The suite reads every `*.json` in it, and takes `root.json` as the newest root.
private struct Storage: FeedStorage {
    let folder: URL
    var pinnedRoot: URL { folder.appending(path: "pinned-root") }
    var newestRoot: URL { folder.appending(path: "root.json") }

    private func isRoot(_ name: String) -> Bool { name.hasSuffix(".root.json") }

    /// Root files are stored under a name that does not end in `.json`.
    private func place(_ name: String) -> URL { folder.appending(path: isRoot(name) ? name + ".kept" : name) }

    func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let bytes = try? Data(contentsOf: place(name)), bytes.count <= limit else { return nil }
        return Array(bytes)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws(PatchError) {
        do {
            try Data(bytes).write(to: place(name), options: .atomic)
            if isRoot(name) { try Data(bytes).write(to: newestRoot, options: .atomic) }
        } catch {
            throw PatchError(.config, "\(name): \(error)")
        }
    }

    func remove(_ name: String) throws(PatchError) { try? FileManager.default.removeItem(at: place(name)) }
}
