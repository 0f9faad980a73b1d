public import PatchCrypto
internal import PatchText

// What the kinds of a device's events carry. They have no public initializers, so a version after 1.0 may add members.
extension PatchEvent {
    /// A launch.
    public struct Launch: Sendable, Hashable {
        /// The patches that it began with.
        public let patches: [PatchID]
        /// Whether the app runs without patches, because launches failed with good ones.
        public let isSafeMode: Bool

        package init(_ patches: [PatchID], isSafeMode: Bool) {
            self.patches = patches
            self.isSafeMode = isSafeMode
        }
    }

    /// A patch that is on trial.
    public struct Trial: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID

        package init(_ patch: PatchID) { self.patch = patch }
    }

    /// A patch that is good.
    public struct Confirmation: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID

        package init(_ patch: PatchID) { self.patch = patch }
    }

    /// A patch whose script does not run, because it was rolled back or closed. One that is only suspected is tried
    /// again later.
    public struct Halt: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The reason, in a sentence.
        public let reason: String
        /// The SHA-256 of its envelope, in hex digits.
        public let hash: String

        package init(_ patch: PatchID, reason: String, hash: String) {
            self.patch = patch
            self.reason = reason
            self.hash = hash
        }
    }

    /// The beginning of the safe mode.
    public struct SafeMode: Sendable, Hashable {
        /// How many launches in a row failed with good patches.
        public let failures: Int

        package init(failures: Int) { self.failures = failures }
    }

    /// A patch that waits for functions of the app.
    public struct Wait: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The functions that it replaces and that the app has not registered yet.
        public let functions: [String]

        package init(_ patch: PatchID, functions: [String]) {
            self.patch = patch
            self.functions = functions
        }
    }

    /// The launches of an app that never confirms them.
    public struct Unconfirmed: Sendable, Hashable {
        /// How many launches in a row were not confirmed.
        public let launches: Int

        package init(launches: Int) { self.launches = launches }
    }

    /// A patch that is held and does not run, without a fault of its own.
    public struct Exclusion: Sendable {
        /// The patch.
        public let patch: PatchID
        /// Why it does not run.
        public let error: PatchError

        package init(_ patch: PatchID, _ error: PatchError) {
            self.patch = patch
            self.error = error
        }
    }

    /// A patch that the feed has withdrawn.
    public struct Withdrawal: Sendable, Hashable {
        /// The patch.
        public let patch: PatchID
        /// The operator's reason; nil if none was given.
        public let reason: String?

        package init(_ patch: PatchID, reason: String?) {
            self.patch = patch
            self.reason = reason
        }
    }

    /// What a sync has done.
    public struct Sync: Sendable, Hashable {
        /// How many bytes were read from the feed.
        public let bytes: Int
        /// How long it took, to the millisecond.
        public let duration: Duration
        /// The number of patches for each outcome.
        public let counts: [SyncReport.Outcome: Int]

        package init(bytes: Int, duration: Duration, counts: [SyncReport.Outcome: Int]) {
            self.bytes = bytes
            self.duration = .milliseconds(duration.milliseconds)
            self.counts = counts
        }
    }

    /// A sync that failed.
    public struct SyncFailure: Sendable {
        /// Why it failed.
        public let error: PatchError

        package init(_ error: PatchError) { self.error = error }
    }

    /// The feed's values for the app.
    public struct Switches: Sendable, Hashable {
        /// All of them, as they are now, by their names.
        public let values: [String: String]

        package init(_ values: [String: String]) { self.values = values }
    }

    /// A process that follows the one that writes the device's folder.
    public struct Follower: Sendable, Hashable {
        /// Whether it is a fork of the process that opened the folder.
        public let isForked: Bool

        package init(isForked: Bool) { self.isForked = isForked }
    }
}
