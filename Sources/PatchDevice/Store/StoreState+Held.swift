package import PatchCrypto

// A version of a patch in the folder, and how far it is trusted.
extension StoreState {
    /// Where a patch is on its way from download to trust.
    package enum Stage: String, Sendable {
        /// It has not run yet.
        case downloaded
        /// It runs, but has not proved itself yet.
        case trial
        /// It was among several patches on trial when launches failed. It is tried again alone.
        case suspect
        /// Launches failed with it, and it is protective: its `otherwise` answers, and its functions do not run. They
        /// are tried again alone, and it is a suspect meanwhile.
        case closed
        /// A launch that began with it was confirmed, or it ran in one until its watch was over.
        case good
        /// It never answers, and is compared with the answers. It is judged like a patch on trial, and never promoted.
        case shadow
    }

    package struct Held: Sendable, Hashable {
        package let patch: PatchID
        /// The SHA-256 of its envelope, in hex digits.
        package let hash: String
        package var stage = Stage.downloaded
        /// The number of failures that it is blamed for: failed launches, and failures of the patch itself. While it is
        /// closed, the number of failed launches in a row that have completed no sync.
        package var failures = 0
        /// Whether one of its replacements has an `otherwise`, as its script has shown.
        package internal(set) var isProtective = false
        /// How often it was closed since it proved itself last.
        package internal(set) var closings = 0
        /// When it was closed last.
        package internal(set) var closed: Timestamp?
        /// Whether it was good before launches failed with it, and was not set aside since. Processes that follow the
        /// one that tries it keep running it.
        package internal(set) var wasGood = false
        /// The number of launches in a row that ended while its script was loading.
        package internal(set) var loadFailures = 0
        /// Whether it is left out because launches failed with it and other good patches: safe mode.
        package var isSuspended = false
        /// Whether it could not run when it was last tried, because it was waiting or was refused.
        package var couldNotRun = false
        /// Whether it is good, but no launch that began with it has lasted until the end of its watch, or ended in an
        /// orderly way. A crash while it is watched can put it back on trial.
        package var isUnproven = false

        /// Whether it may still turn out to be bad.
        package var isOnTrial: Bool { stage != .good || isUnproven }

        /// Whether it may run where nothing can be noted of it: it is good, or was until it failed, and is not left
        /// out.
        var isKnownGood: Bool { (stage == .good || wasGood) && !isSuspended }

        /// What counts on if the feed offers it again after it was dropped; nil if nothing does. If it was closed, that
        /// is over.
        var remains: Held? {
            var held = Held(patch, hash: hash)
            held.loadFailures = loadFailures
            held.closings = closings
            if !isClosed {
                if stage == .suspect { held.stage = .suspect }
                held.failures = failures
            }
            // Followers ran it in spite of its failure, and do so again.
            held.wasGood = held.failures > 0 && (wasGood || stage == .good)
            return held == Held(patch, hash: hash) ? nil : held
        }

        /// Whether it is closed, or was until its functions were tried in this launch.
        var isClosed: Bool { stage == .closed || (stage == .suspect && isProtective) }

        /// Whether it is noted that its script is loading.
        var notesLoading: Bool { isProtective && stage != .good }

        package init(_ patch: PatchID, hash: String) {
            self.patch = patch
            self.hash = hash
        }

        static func precedes(_ one: Held, _ other: Held) -> Bool { PatchID.precedes(one.patch, other.patch) }
    }
}

extension PatchID {
    /// The order by id, the highest version first.
    static func precedes(_ one: PatchID, _ other: PatchID) -> Bool {
        (one.id, other.version) < (other.id, one.version)
    }
}
