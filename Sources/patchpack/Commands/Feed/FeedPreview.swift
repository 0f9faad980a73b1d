import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

/// What becomes of each of many ids, before and after a change.
struct FeedPreview {
    private let units: [String]
    private let appVersion: AppVersion?
    private var counts: [Outcome: Int] = [:]

    /// What becomes of a version of a patch.
    struct Outcome: Hashable {
        let id: String
        let version: Int
        let code: PatchChoice.Code

        /// As a line says it. Outcomes are shown in the order of these lines.
        var text: String { "\(id) \(version)  \(code.rawValue)" }
    }

    /// Counts nothing if no units are given.
    init(of feed: FeedRepository, _ arguments: ParsedArguments) throws(PatchError) {
        guard let path = arguments.value(of: .units)?.path else {
            units = []
            appVersion = nil
            return
        }
        appVersion = try arguments.appVersion()
        guard appVersion != nil else {
            throw PatchError(.usage, "--units without an app version", hint: "give --app-version V")
        }
        units = try Self.lines(of: path)
        counts = try count(feed)
    }

    /// The lines of a file of ids.
    static func lines(of path: Path) throws(PatchError) -> [String] {
        let bytes = try InputFile.contents(of: path, limit: 1 << 30)
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
    }

    /// How many devices there are for each patch and code.
    private func count(_ feed: FeedRepository) throws(PatchError) -> [Outcome: Int] {
        guard let appVersion else { return [:] }
        return try Self.count(
            PatchList(decoding: feed.list.json.encoded()), units,
            FeedDevice(app: feed.app, environment: feed.environment, appVersion: appVersion, installation: ""))
    }

    static func count(_ list: PatchList, _ units: [String], _ device: FeedDevice) throws(PatchError) -> [Outcome: Int] {
        var counts: [Outcome: Int] = [:]
        var device = device
        for unit in units {
            // An id is that of an installation or of a user: whichever the patch counts.
            device.installation = unit
            device.user = unit
            for choice in try list.choices(for: device) {
                counts[Outcome(id: choice.id, version: choice.version, code: choice.code), default: 0] += 1
            }
        }
        return counts
    }

    /// A line for each count that the change makes another one.
    func difference(to feed: FeedRepository) throws(PatchError) -> [String] {
        let after = try count(feed)
        return Set(counts.keys).union(after.keys).sorted { $0.text < $1.text }.compactMap { outcome in
            let (old, new) = (counts[outcome] ?? 0, after[outcome] ?? 0)
            return old == new ? nil : "\(outcome.text)  \(old) -> \(new) of \(units.count)"
        }
    }
}
