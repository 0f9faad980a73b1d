public import PatchCrypto

/// Why a version of a patch is running on this device, or not.
public struct PatchStatus: Sendable, CustomStringConvertible {
    /// A stable code. A version after 1.0 may add some.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Code: String, Sendable, CaseIterable {
        /// It runs and is good: a launch that began with it was confirmed, the app has confirmed since its activation,
        /// or its watch was over.
        case good
        /// It runs, or ran, and has not proved itself yet.
        case trial
        /// Launches failed while it was on trial. It is tried again alone.
        case suspect
        /// Launches failed with it, and it has an `otherwise`, which answers. Its functions do not run until they are
        /// tried again alone.
        case closed
        /// It is held, and runs from the next launch on.
        case downloaded
        /// It was good before, does not run in this launch, and runs from the next one on.
        case nextLaunch = "next-launch"
        /// The app has not yet registered all functions that it replaces.
        case waiting
        /// It never answers. While it runs, it is compared with the answers.
        case shadow
        /// Another version of it runs, or is for this device.
        case superseded
        /// It failed on this device, or was banned on it by hand or by the app. It never runs again.
        case banned
        /// Launches failed with it and other good patches, so the app runs without them.
        case safeMode = "safe-mode"
        /// No launch of this version of the app was ever confirmed.
        case neverConfirmed = "never-confirmed"
        /// This process only reads the device's folder, so only good patches run.
        case reader
        /// Another process writes the device's folder. It tries the patch; this one runs it once it is good.
        case follower
        /// The device's folder cannot be written, so only good patches run.
        case unwritable
        /// It was refused when it was downloaded, verified or loaded.
        case refused
        /// The machine lacked memory, processor time or descriptors to load it, or the thread lacked stack. It is tried
        /// again.
        case postponed
        /// It has expired.
        case expired
        /// The feed has switched all patches off.
        case disabled
        /// The feed has withdrawn it.
        case withdrawn
        /// It is not offered to more devices.
        case paused
        /// The device is not within the percentage.
        case rollout
        /// It is for groups or users that do not include this device.
        case group
        /// It is for other versions of the app, or the app is older than the feed's lowest version.
        case appVersion = "app-version"
        /// It needs a higher engine level.
        case engine
        /// The feed's list has a newer format.
        case feedTooNew = "feed-too-new"
        /// The list and the envelope differ.
        case listMismatch = "list-mismatch"
        /// The envelope cannot be fetched.
        case unavailable
        /// No feed has offered it to this device.
        case unknown
    }

    /// The patch's reverse-DNS name.
    public let id: String
    package let version: Int?
    /// The patch with its version; nil if no version is known.
    public var patch: PatchID? { version.map { PatchID(id: id, version: $0) } }
    /// The reason, for programs.
    public let code: Code
    /// Whether it is active in this process, so that it answers. A patch in shadow is not.
    public let isActive: Bool
    /// The reason, in a sentence.
    public let reason: String

    public var description: String {
        "\(id)\(version.map { " \($0)" } ?? ""): \(code.rawValue)\(isActive ? ", running" : ""): \(reason)"
    }
}

extension PatchStatus.Code: CustomStringConvertible {
    /// The code as `why`, events and the documents have it, such as `app-version`.
    public var description: String { rawValue }
}

extension PatchStatus {
    /// - Parameters:
    ///   - fault: Why the device's folder cannot be written; nil if it can.
    ///   - lastSync: When the process that this one follows has synced; nil if this one follows none.
    init(unknown id: String, _ fault: PatchError?, _ lastSync: String?) {
        let following = lastSync.map { "; \($0)" } ?? ""
        self.init(
            id: id, version: nil, code: fault == nil ? .unknown : .unwritable, isActive: false,
            reason: fault.map(Self.unwritable) ?? "no feed has offered it to this device\(following)")
    }

    static func unwritable(_ fault: PatchError) -> String {
        "the device's folder cannot be written, so only good patches run: \(fault)"
    }
}
