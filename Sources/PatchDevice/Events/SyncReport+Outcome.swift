package import PatchFeed

extension SyncReport {
    /// What a sync has done with a version of a patch, and why: a stable code, for events, logs and people.
    ///
    /// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Outcome: String, Sendable, CaseIterable {
        /// It is for this device, which did not have it before. A sync that reports this has fetched and accepted it.
        case offered
        /// The device has it and keeps it.
        case kept
        /// The device runs it in shadow.
        case shadow
        /// A higher version is for this device.
        case superseded
        /// The list switches all patches off.
        case disabled
        /// It is for other versions of the app, or the app is older than the feed's lowest version.
        case appVersion = "app-version"
        /// It needs a higher engine level.
        case engine
        /// It was withdrawn.
        case withdrawn
        /// It failed on this device, or was banned on it by hand or by the app.
        case banned
        /// It is not offered to more devices.
        case paused
        /// It is for groups or users that do not include this device.
        case group
        /// The device's bucket is not below the percentage.
        case rollout
        /// The list has a newer format, from which nothing new is taken.
        case feedTooNew = "feed-too-new"
        /// The envelope has expired.
        case expired
        /// The list and the envelope's manifest differ.
        case listMismatch = "list-mismatch"
        /// The device has it, but the list does not.
        case unlisted
        /// The envelope was refused.
        case refused
        /// The envelope cannot be fetched.
        case unavailable
    }
}

extension SyncReport.Outcome {
    /// The code in words.
    package var sentence: String {
        switch self {
        case .offered: "it is for this device, which did not have it yet"
        case .kept: "the device has it and keeps it"
        case .shadow: "the device runs it in shadow, so that it does not answer"
        case .superseded: "a higher version is for this device"
        case .disabled: "the list switches all patches off"
        case .appVersion: "it is for other versions of the app, or the app is older than the feed's lowest version"
        case .engine: "it needs a higher engine level"
        case .withdrawn: "it was withdrawn"
        case .banned: "it failed on this device, or was banned on it"
        case .paused: "it is not offered to other devices"
        case .group: "it is for groups or users that this device is not of"
        case .rollout: "the device is not within the percentage"
        case .feedTooNew: "the list has a newer format, from which nothing new is taken"
        case .expired: "the envelope has expired"
        case .listMismatch: "the list and the envelope differ"
        case .unlisted: "the device has it, but the list no longer does"
        case .refused: "the envelope was refused"
        case .unavailable: "the envelope cannot be fetched"
        }
    }

    /// The code in words, and the particular reason, if there is one.
    func explanation(_ reason: String?) -> String { sentence + (reason.map { ": \($0)" } ?? "") }

    /// What the list says, as the outcome of a sync that had nothing more to find out.
    package init(_ choice: PatchChoice) {
        self =
            switch choice {
            case .offered: .offered
            case .kept: .kept
            case .shadow: .shadow
            case .superseded: .superseded
            case .disabled: .disabled
            case .appVersion: .appVersion
            case .engine: .engine
            case .withdrawn: .withdrawn
            case .banned: .banned
            case .paused: .paused
            case .group: .group
            case .rollout: .rollout
            case .feedTooNew: .feedTooNew
            case .unlisted: .unlisted
            }
    }
}

extension SyncReport.Outcome: CustomStringConvertible {
    /// The code as the tool and the documents have it, such as `app-version`.
    public var description: String { rawValue }
}
