import PatchCrypto
import PatchDevice
import PatchFeed
import PatchFiles
import PatchPublishing
import PatchRunner
import PatchText

enum SyncCommand {
    static let verb = Verb(
        name: "sync", summary: "act as a device at launch: evaluate the last launch, then sync with a feed",
        operands: "URL|DIR --store DIR --app NAME --app-version V", operandValue: .directory("DIR"),
        operandCount: 1...1,
        options: [
            .store, .runningApp, .appVersion, .environment, .previewUser, .installation, .deviceGroup, .noLaunch,
        ] + FeedCommand.readingOptions + [
            .trustedKey, .trustStore, .trustStorePin, .scriptKey, .passphraseEnv, .passphraseFile, .threshold,
        ],
        example: "patchpack sync feed --store device --app com.example.shop --app-version 2.3.1", run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let reading = try FeedReading(arguments)
        let verification = try Verification(arguments)
        guard let scriptKeys = verification.scriptKeys else { throw PatchError(.internal, "no script key") }
        let folder = try arguments.path(of: .store).needed(
            "no store", hint: "give --store DIR, which is made if it is missing")
        guard let app = try arguments.text(of: .runningApp), let version = try arguments.text(of: .appVersion) else {
            throw .usage("no app", hint: "give --app NAME and --app-version V")
        }
        guard !FeedFolder(path: folder).hasFeed() else {
            throw .usage("--store \(folder): is the folder of a feed", hint: "name another folder")
        }
        let hosts = try? PatchStore.hosts(of: folder)
        // Opening the store for another app would clear it, including its bans.
        if let host = hosts?.first, host.app != app {
            throw .usage("--app \(app): the store is of \(host.app)", hint: "give that app, or another --store")
        }
        try needThreads()
        if hosts == nil { try check(reading, isFor: app) }
        let isNew = FileInfo(folder, following: true) == nil
        let feed = PatchDevice.Feed(
            root: reading.root, source: reading.source, environment: try arguments.text(of: .environment) ?? "release")
        let trust = PatchTrust(
            verification.verifier.trustStore, scriptKeys: scriptKeys, threshold: verification.verifier.threshold)
        let settings = SyncSettings(
            user: try arguments.text(of: .previewUser), groups: Set(try arguments.groups(of: .deviceGroup)),
            installation: try arguments.text(of: .installation))
        let host = try HostInfo(app: app, version: version)
        try StoreLog.showing(on: console) { (log) throws(PatchError) in
            let device = try log.openDevice(folder, host, feed: feed, trust: trust, settings: settings)
            let report = try runBlocking { await device.sync(launching: !arguments.has(.noLaunch)) }
            for result in report.results { try show(result, console) }
            if let error = report.error {
                // A mistyped environment leaves no store.
                if isNew, error.code == .feedMismatch { try? Folder.removeAll(folder) }
                throw error.about(reading.place)
            }
            let failure = report.results.lazy.compactMap(\.error).first
            if failure == nil, console.format == .text, !console.isQuiet {
                try console.line(.good, "ok", "  \(folder)  \(report.bytes) bytes, \(report.duration.milliseconds) ms")
            }
            console.fail(failure?.code)
        }
    }

    /// Checks that a feed is for an app before a new store is bound to the app, which may be mistyped.
    ///
    /// - Throws: `feed-mismatch` if it is for another one, or the error of a feed that cannot be read.
    private static func check(_ reading: FeedReading, isFor app: String) throws(PatchError) {
        let now = try SystemClock.now()
        let other = try reading.place.naming { () throws(PatchError) in
            try runBlocking { () async throws(PatchError) -> String? in
                var client = try reading.client(at: now)
                try await client.update()
                guard try await client.target(PatchList.path(for: app)) == nil else { return nil }
                return try await client.list(in: reading.place).list.app
            }
        }
        guard let other else { return }
        throw PatchError(
            .feedMismatch, "--app \(app): the feed is for \(other)", hint: "give that app, or another feed"
        ).about(reading.place)
    }

    private static func show(_ result: SyncReport.Result, _ console: Console) throws(PatchError) {
        let style: Console.Style =
            if result.outcome == .offered || result.outcome == .kept {
                .good
            } else if result.error == nil {
                .faint
            } else {
                .bad
            }
        // The error of a failure is printed below.
        let reason = result.error == nil ? "  \(result.reason)" : ""
        try console.result(
            .report(
                "patchpack.sync/1", result.error,
                [
                    ("id", result.patch.id), ("version", result.patch.version), ("code", result.outcome.rawValue),
                    ("detail", result.detail),
                ]),
            style, result.outcome.rawValue, "  \(result.patch)\(reason)")
        if let error = result.error, console.format == .text { console.error(error.at(file: "\(result.patch)")) }
    }
}
