internal import PatchCrypto
package import PatchFeed

// Which of two lists offers more, and what was stopped between them.

extension PatchListDraft {
    /// The first thing that this list offers to more devices than another list, in words; nil if it offers nothing
    /// more.
    func offersMore(than other: PatchListDraft) -> String? {
        let listed = other.entries(by: \.name)
        let wider = entries.first { entry in
            guard let old = listed[entry.name] else { return entry.isOffered }
            return entry.reachesMore(than: old)
        }
        if let wider { return "\(wider.name) would be \(wider.words)" }
        if let lowest = other.minimumAppVersion, reachesVersions(below: lowest) {
            return "versions of the app below \(lowest) would get patches"
        }
        return isEnabled && !other.isEnabled ? "all patches would be switched on" : nil
    }

    /// Whether this list only stops what another one offers.
    func isStop(of other: PatchListDraft) -> Bool {
        guard offersMore(than: other) == nil else { return false }
        // The withdrawal of a version that is not listed adds an entry, which offers nothing.
        let hasNewEntry = entries.count > other.entries.count
        return hasNewEntry || other.offersMore(than: self) != nil
    }

    /// What was stopped since an earlier state of the list, also if it had been stopped before.
    func stops(since before: PatchListDraft) -> [ListStop] {
        var stops: [ListStop] = []
        if !isEnabled, before.isEnabled || before.stop != stop { stops.append(.all(stop ?? change)) }
        if let lowest = minimumAppVersion, before.reachesVersions(below: lowest) {
            stops.append(.versions(below: lowest, change))
        }
        let earlier = before.entries(by: \.name)
        for entry in entries {
            let old = earlier[entry.name]
            guard old?.json.encoded() != entry.json.encoded() else { continue }
            if !entry.isOffered || old?.reachesMore(than: entry) == true { stops.append(.entry(entry)) }
        }
        return stops
    }
}

extension ChangeStamp {
    /// By whom and why, as the end of a sentence.
    package var words: String { (author.map { ", by \($0)" } ?? "") + (reason.map { ": \($0)" } ?? "") }
}

/// Something that a change of the list has stopped.
enum ListStop {
    case all(ChangeStamp)
    case versions(below: AppVersion, ChangeStamp)
    /// A patch that is paused, withdrawn or in shadow, or is offered to fewer devices.
    case entry(PatchEntryDraft)

    /// Whether another list offers again what was stopped.
    func isUndone(by list: PatchListDraft) -> Bool {
        switch self {
        case .all: return list.isEnabled
        case .versions(let lowest, _): return list.reachesVersions(below: lowest)
        case .entry(let entry):
            // Without the withdrawal, a device keeps the patch.
            guard let other = list.entries.first(where: { $0.name == entry.name }) else {
                return entry.state == .withdrawn
            }
            return other.reachesMore(than: entry)
        }
    }

    /// What was stopped, and by whom.
    var text: String {
        switch self {
        case .all(let change): "all patches were switched off meanwhile\(change.words)"
        case .versions(let lowest, let change):
            "versions of the app below \(lowest) were left out meanwhile\(change.words)"
        case .entry(let entry): "\(entry.name) is \(entry.words), since a moment ago\(entry.change.words)"
        }
    }
}

extension FeedRepository {
    /// Why this change may not be made of a state that was reached after the change began; nil if it may.
    ///
    /// - Parameters:
    ///   - now: The state that the change is made of.
    ///   - before: The state when the change began.
    func undoneStop(of now: FeedRepository, since before: FeedRepository) -> PatchError? {
        let path = PatchList.trustPath(for: app)
        let current = now.digest(of: path)
        if digest(of: path) != current, current != before.digest(of: path) {
            return .stopped("another trust store was delivered meanwhile\(now.lastChange.words)")
        }
        return now.list.stops(since: before.list).first { $0.isUndone(by: list) }.map { .stopped($0.text) }
    }
}

extension PatchError {
    /// An error for a change that would undo what somebody has stopped since it began.
    static func stopped(_ text: String) -> PatchError { PatchError(.config, text, remedy: .lookAndRepeat) }
}
