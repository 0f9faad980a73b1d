package import PatchCrypto
package import PatchFeed

/// The outcomes for many ids, before and after a change.
package struct FeedPreview {
    private let units: [String]
    private let appVersion: AppVersion?
    private var counts: [Outcome: Int] = [:]

    /// The outcome for a version of a patch.
    package struct Outcome: Hashable {
        package let id: String
        package let version: Int
        package let code: PatchChoice.Code

        /// The outcome as a line of text. Outcomes are shown in the order of these lines.
        package var text: String { "\(id) \(version)  \(code.rawValue)" }
    }

    /// Makes a preview. It counts nothing if there are no ids.
    ///
    /// - Parameters:
    ///   - units: The ids, of installations or of users.
    ///   - appVersion: The version of the app on their devices; if it is nil, nothing is counted.
    package init(of feed: FeedRepository, units: [String], appVersion: AppVersion?) throws(PatchError) {
        self.units = units
        self.appVersion = appVersion
        counts = try count(feed)
    }

    /// The ids in a file, one per line.
    package static func units(in bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }.filter { !$0.isEmpty }
    }

    /// The number of ids for each patch and code.
    private func count(_ feed: FeedRepository) throws(PatchError) -> [Outcome: Int] {
        guard let appVersion else { return [:] }
        return try Self.count(
            PatchList(decoding: feed.list.json.encoded()), units,
            FeedDevice(app: feed.app, environment: feed.environment, appVersion: appVersion, installation: ""))
    }

    /// Counts the outcomes for many ids.
    package static func count(_ list: PatchList, _ units: [String], _ device: FeedDevice) throws(PatchError)
        -> [Outcome: Int]
    {
        var counts: [Outcome: Int] = [:]
        var device = device
        for unit in units {
            // An id belongs to an installation or to a user, depending on the unit that the patch counts.
            device.installation = unit
            device.user = unit
            for choice in try list.choices(for: device) {
                counts[Outcome(id: choice.id, version: choice.version, code: choice.code), default: 0] += 1
            }
        }
        return counts
    }

    /// The counts that differ after the change, one line each.
    package func difference(to feed: FeedRepository) throws(PatchError) -> [String] {
        let after = try count(feed)
        return Set(counts.keys).union(after.keys).sorted { $0.text < $1.text }.compactMap { outcome in
            let (old, new) = (counts[outcome] ?? 0, after[outcome] ?? 0)
            return old == new ? nil : "\(outcome.text)  \(old) -> \(new) of \(units.count)"
        }
    }
}
