internal import PatchCrypto
package import PatchFeed
internal import PatchRunner

// What a version of the app learns from the other ones that share its folder.
extension StoreState {
    /// What other versions of the app know.
    package struct News: Sendable {
        /// Their states, at least one, that of the version that has seen the newest state of the feed first.
        let states: [StoreState]
        /// The newest list that this version or another one has seen; nil if it is not known.
        let list: PatchList?
        /// Whether the first of the others has seen a newer state of the feed than this version, or this one has seen
        /// none.
        let isNewer: Bool
        var installation: String { states[0].installation }

        package init(states: [StoreState], list: PatchList?, isNewer: Bool = true) {
            self.states = states
            self.list = list
            self.isNewer = isNewer
        }
    }

    /// Takes what the newest list says, and the patches that the others hold, if they are for this version too. What
    /// has failed in other versions counts only if it is banned.
    package mutating func learn(_ news: News) {
        guard let latest = news.states.first else { return }
        givenName = givenName ?? latest.givenName
        if news.isNewer { takeFeed(from: latest) }
        // A state may not have been written since its list was read.
        if let list = news.list { takeFeed(from: list) }
        for other in news.states { merge(Exclusions(other)) }

        let entries = (news.list?.entries ?? []).reduce(into: [:]) { entries, entry in
            entries[entry.patch] = entry
        }
        endStored(by: entries)
        for (index, other) in news.states.enumerated() {
            // What only an older sync has seen may have been withdrawn since, unless it is listed.
            let mayAdoptUnlisted = index == 0 && news.isNewer
            for patch in other.held where !isBanned(patch.hash) {
                if let entry = entries[patch.patch] {
                    adopt(patch, by: entry)
                } else if mayAdoptUnlisted {
                    adopt(patch)
                }
            }
        }
    }

    /// Takes what a feed says to the whole app from the state of another version.
    private mutating func takeFeed(from latest: StoreState) {
        isEnabled = latest.isEnabled
        deliveredTrust = latest.deliveredTrust
        floor = [floor, latest.floor].compactMap(\.self).max()
        switches = latest.switches
        notice = latest.notice
        minimumAppVersion = latest.minimumAppVersion
    }

    /// Takes what a list says to the whole app.
    mutating func takeFeed(from list: PatchList) {
        isEnabled = list.isEnabled
        switches = list.switches
        notice = list.notice
        minimumAppVersion = list.minimumAppVersion
    }

    /// Whether the feed has patches only for later versions of the app.
    private var isBelowMinimum: Bool { minimumAppVersion.map { appVersion < $0 } ?? false }

    /// Ends the versions that a list withdraws, or has for later versions of the app alone, and puts those into shadow
    /// that it has there.
    private mutating func endStored(by entries: [PatchID: PatchList.Entry]) {
        for patch in stored {
            guard let entry = entries[patch.patch] else { continue }
            if entry.state == .withdrawn {
                remove(patch.hash)
                outcomes[patch.patch] = SyncOutcome(.withdrawn, reason: entry.reason)
            } else if isBelowMinimum {
                remove(patch.hash)
                outcomes[patch.patch] = SyncOutcome(.appVersion, reason: nil)
            } else if entry.state == .shadow {
                shadow([(patch.patch, patch.hash)])
            }
        }
    }

    /// Holds a listed patch of another version of the app if it is for this version too. If not, the reason is an
    /// outcome.
    private mutating func adopt(_ patch: Held, by entry: PatchList.Entry) {
        guard entry.state == .active || entry.state == .paused else { return }
        if isBelowMinimum || !entry.appVersions.contains(appVersion) {
            outcomes[patch.patch] = SyncOutcome(.appVersion, reason: nil)
        } else if entry.engine > PatchRunner.engineLevel {
            outcomes[patch.patch] = SyncOutcome(.engine, reason: nil)
        } else {
            adopt(patch)
        }
    }

    /// Takes bans and revocations that were written elsewhere.
    mutating func merge(_ other: Exclusions) {
        for ban in other.bans { add(ban) }
        revoke(other.revoked)
        raiseTrust(to: other.trustNumber)
    }
}
