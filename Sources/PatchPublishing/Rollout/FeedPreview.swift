package import PatchCrypto
package import PatchFeed

/// The outcomes of one or several lists for many ids, such as a list before and after a change.
package struct FeedPreview {
    private let lists: [PatchList]
    private var device: FeedDevice
    private var counts: [[Outcome: Int]]
    private var counted: Set<Digest> = []

    /// The maximum number of ids. Each takes memory, because it is counted only once.
    package static let mostUnits = 10_000_000
    /// The maximum length of an id in bytes.
    package static let longestUnit = 1024

    /// The outcome for a version of a patch.
    package struct Outcome: Hashable {
        package let id: String
        package let version: Int
        package let code: PatchChoice.Code

        /// The outcome as a line of text. Outcomes are shown in the order of these lines.
        package var text: String { "\(id) \(version)  \(code.rawValue)" }
    }

    /// The beginning of an id's SHA-256, which takes less memory than the id.
    private struct Digest: Hashable {
        private let high: UInt64
        private let low: UInt64

        init(of unit: String) throws(PatchError) {
            let bytes = try MessageDigest.sha256.hash(unit.utf8)
            func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            (high, low) = (number(bytes[..<8]), number(bytes[8..<16]))
        }
    }

    /// - Parameter device: The values that all devices have. Its installation and its user are replaced by each id.
    package init(of lists: [PatchList], for device: FeedDevice) {
        self.lists = lists
        self.device = device
        counts = lists.map { _ in [:] }
    }

    /// The number of different ids.
    package var units: Int { counted.count }

    /// Counts the outcomes for an id, of an installation or of a user.
    ///
    /// - Returns: False if it was counted before.
    /// - Throws: `limit` if there are too many ids.
    @discardableResult
    package mutating func count(_ unit: String) throws(PatchError) -> Bool {
        guard try counted.insert(Digest(of: unit)).inserted else { return false }
        guard counted.count <= Self.mostUnits else {
            throw PatchError(
                .limit, "more than \(Self.mostUnits) ids", hint: "count a part of them: the shares are the same")
        }
        // The unit that a patch counts decides whether the id is an installation's or a user's.
        device.installation = unit
        device.user = unit
        for (index, list) in lists.enumerated() {
            for choice in try list.choices(for: device) {
                let outcome = Outcome(id: choice.id, version: choice.version, code: choice.code)
                counts[index][outcome, default: 0] += 1
            }
        }
        return true
    }

    /// The outcomes, and the number of ids for each of them in each list.
    package var outcomes: [(outcome: Outcome, counts: [Int])] {
        Set(counts.flatMap(\.keys)).sorted { $0.text < $1.text }.map { outcome in
            (outcome, counts.map { $0[outcome] ?? 0 })
        }
    }
}

extension FeedRepository {
    /// The list as devices read it.
    package var publishedList: PatchList {
        get throws(PatchError) { try PatchList(decoding: list.json.encoded()) }
    }
}
