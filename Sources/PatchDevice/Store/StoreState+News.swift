internal import PatchCrypto
package import PatchFeed
internal import PatchRunner

// What a version of the app learns from the other ones that share its folder.
extension StoreState {
    /// What other versions of the app know.
    package struct News: Sendable {
        /// Their states, that of the version that has seen the newest state of the feed first.
        let states: [StoreState]
        /// The newest list that this version or another one has seen; nil if it is not known.
        let list: PatchList?
        /// Whether the first of the others has seen a newer state of the feed than this version, or this one has seen none.
        let isNewer: Bool
        var installation: String { states[0].installation }

        package init(states: [StoreState], list: PatchList?, isNewer: Bool = true) {
            self.states = states
            self.list = list
            self.isNewer = isNewer
        }
    }

    /// Takes what the newest list says, and the patches that the others hold, if they are for this version too. What has failed in
    /// other versions counts only if it is banned.
    package mutating func learn(_ news: News) {
        guard let latest = news.states.first else { return }
        givenName = givenName ?? latest.givenName
        if news.isNewer {
            isEnabled = latest.isEnabled
            deliveredTrust = latest.deliveredTrust
            floor = [floor, latest.floor].compactMap(\.self).max()
            switches = latest.switches
            notice = latest.notice
            minimumAppVersion = latest.minimumAppVersion
        }
        // A state may not have been written since its list was read.
        if let list = news.list {
            isEnabled = list.isEnabled
            switches = list.switches
            notice = list.notice
            minimumAppVersion = list.minimumAppVersion
        }
        for other in news.states { take(Bans(other)) }

        let entries = (news.list?.entries ?? []).reduce(into: [:]) { entries, entry in
            entries[entry.patch] = entry
        }
        for patch in stored {
            switch entries[patch.patch] {
            case let entry? where entry.state == .withdrawn:
                remove(patch.hash)
                note(.withdrawn, of: patch.patch, entry.reason)
            case let entry? where entry.state == .shadow: shadow([(patch.patch, patch.hash)])
            default: break
            }
        }
        for (place, other) in news.states.enumerated() {
            for patch in other.held where !isBanned(patch.hash) {
                // What only an older sync has seen may have been withdrawn since, unless it is listed.
                guard let entry = entries[patch.patch] else {
                    if place == 0, news.isNewer { adopt(patch) }
                    continue
                }
                guard entry.state == .active || entry.state == .paused else { continue }
                let isNewEnough = minimumAppVersion.map { $0 <= appVersion } ?? true
                if !isNewEnough || !entry.appVersions.contains(appVersion) {
                    note(.appVersion, of: patch.patch)
                } else if entry.engine > PatchRunner.engineLevel {
                    note(.engine, of: patch.patch)
                } else {
                    adopt(patch)
                }
            }
        }
    }

    /// Notes why a patch is not held, as a sync does.
    private mutating func note(_ outcome: SyncReport.Outcome, of patch: PatchID, _ reason: String? = nil) {
        let detail = outcome.sentence + (reason.map { ": \($0)" } ?? "")
        outcomes[patch] = SyncOutcome(code: outcome.rawValue, detail: String(detail.prefix(500)))
    }

    /// Takes bans and revocations that were written elsewhere.
    mutating func take(_ other: Bans) {
        for ban in other.bans { add(ban) }
        revoke(other.revoked)
        raiseTrust(to: other.trustNumber)
    }
}
