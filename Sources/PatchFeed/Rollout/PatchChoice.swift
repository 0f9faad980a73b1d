package import PatchCrypto

/// The properties of a device that decide which patches are for it.
package struct FeedDevice: Sendable {
    package var app: String
    package var environment: String
    package var appVersion: AppVersion
    package var engine: Int
    package var installation: String
    /// The user's id; nil if no user is signed in.
    package var user: String?
    package var groups: Set<String>

    /// Describes a device.
    ///
    /// - Parameters:
    ///   - app: The app's reverse-DNS name.
    ///   - environment: The app's environment, such as `release`.
    ///   - appVersion: The app's version.
    ///   - engine: The engine level that would run patches.
    ///   - installation: A random name of this installation, which stays the same.
    ///   - user: The user's id.
    ///   - groups: The groups that the device is in.
    package init(
        app: String, environment: String, appVersion: AppVersion, engine: Int = 1, installation: String,
        user: String? = nil, groups: Set<String> = []
    ) {
        self.app = app
        self.environment = environment
        self.appVersion = appVersion
        self.engine = engine
        self.installation = installation
        self.user = user
        self.groups = groups
    }
}

/// What the list says of a version of a patch on a device, and why.
package enum PatchChoice: Sendable {
    /// It is for this device, which does not have it yet.
    case offered
    /// The device has it and keeps it.
    case kept
    /// The device runs it in shadow.
    case shadow
    /// A higher version is for this device.
    case superseded
    /// The list switches all patches off.
    case disabled
    /// It is for other versions of the app, or the app is older than the list's lowest version.
    case appVersion
    /// It needs a higher engine level.
    case engine
    /// It was withdrawn.
    case withdrawn
    /// It failed on this device, or was banned on it.
    case banned
    /// It is not offered to more devices.
    case paused
    /// It is for groups or users that do not include this device.
    case group
    /// The device's bucket is not below the percentage, or users have the buckets and no user is signed in.
    case rollout
    /// The list has a newer format, from which nothing new is taken.
    case feedTooNew
    /// The device has it, but the list does not.
    case unlisted
}

/// The choice for one version of a patch on a device.
package struct DeviceChoice: Sendable {
    /// The patch's reverse-DNS name.
    package let id: String
    /// The patch's version.
    package let version: Int
    /// The choice and the reason.
    package let code: PatchChoice
    /// The list's entry; nil for a patch that is not listed.
    package let entry: PatchList.Entry?

    /// Whether the device runs this version, once it has it.
    package var isChosen: Bool { code == .offered || code == .kept || code == .unlisted }
}

extension PatchList {
    /// Decides which patches a device gets. This is a pure function: the same arguments give the same answer anywhere.
    ///
    /// For each id, the device gets the highest version that is active, fits the app and is for the device. A version
    /// that the device already has stays, unless it is withdrawn or banned, no longer fits, is superseded, or is now in
    /// shadow. A smaller percentage removes nothing. The highest version in shadow that is for the device and above
    /// that one runs beside it.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - held: The versions that the device has, by id, without those in shadow.
    ///   - isBanned: Whether an entry failed on this device, or was banned on it.
    /// - Returns: One choice for each entry, and one for each held patch that is not listed, by id, the highest version
    ///   first.
    /// - Throws: `feed-mismatch` if the list is for another app or environment, `unavailable` if OpenSSL refuses
    ///   SHA-256.
    package func choices(
        for device: FeedDevice, held: [String: Set<Int>] = [:], isBanned: (Entry) -> Bool = { _ in false }
    ) throws(PatchError) -> [DeviceChoice] {
        guard app.isByteEqual(to: device.app), environment.isByteEqual(to: device.environment) else {
            throw PatchError(
                .feedMismatch,
                "the list is for \(app) (\(environment)), but this is \(device.app) (\(device.environment))")
        }
        var all: [DeviceChoice] = []
        let byID = Dictionary(grouping: entries, by: \.id)
        for id in (byID.keys + held.keys.filter { byID[$0] == nil }).sorted() {
            let held = held[id] ?? []
            let listed = byID[id] ?? []
            var hasChosen = false
            var hasShadow = false
            for version in held.union(listed.map(\.version)).sorted(by: >) {
                let entry = listed.first { $0.version == version }
                // A version in shadow supersedes only those that are in shadow, too.
                let hasHigher = hasChosen || (hasShadow && entry?.state == .shadow)
                let code: PatchChoice =
                    if let entry {
                        try code(
                            of: entry, for: device, isHeld: held.contains(version), isBanned: isBanned(entry),
                            hasHigher: hasHigher)
                    } else if !isEnabled {
                        .disabled
                    } else if hasHigher {
                        .superseded
                    } else {
                        .unlisted
                    }
                let choice = DeviceChoice(id: id, version: version, code: code, entry: entry)
                if choice.isChosen { hasChosen = true }
                if code == .shadow { hasShadow = true }
                all.append(choice)
            }
        }
        return all
    }

    private func code(
        of entry: Entry, for device: FeedDevice, isHeld: Bool, isBanned: Bool, hasHigher: Bool
    ) throws(PatchError) -> PatchChoice {
        // The kill switch and withdrawals come before everything else.
        if !isEnabled { return .disabled }
        if entry.state == .withdrawn { return .withdrawn }
        if isBanned { return .banned }
        if let minimumAppVersion, device.appVersion < minimumAppVersion { return .appVersion }
        if !entry.appVersions.contains(device.appVersion) { return .appVersion }
        if entry.engine > device.engine { return .engine }
        if hasHigher { return .superseded }
        if isHeld, entry.state != .shadow { return .kept }
        if schema > Self.schema { return .feedTooNew }
        if entry.state == .paused { return .paused }
        if let exclusion = try entry.exclusion(of: device) { return exclusion }
        return entry.state == .shadow ? .shadow : .offered
    }
}

extension PatchList.Entry {
    /// Whether the entry names a group that the device is in, or its user.
    private func isNamed(_ device: FeedDevice) throws(PatchError) -> Bool {
        // By bytes, as users are.
        let isInGroup = groups?.contains { name in device.groups.contains { $0.isByteEqual(to: name) } }
        if isInGroup == true { return true }
        guard let users, let user = device.user else { return false }
        let name = try Rollout.name(of: user, patch: id)
        return users.contains { $0.isByteEqual(to: name) }
    }

    /// Why the entry is not for a device; nil if it is for the device.
    fileprivate func exclusion(of device: FeedDevice) throws(PatchError) -> PatchChoice? {
        if try isNamed(device) { return nil }
        let isForNamed = groups != nil || users != nil
        guard let rollout else { return isForNamed ? .group : nil }
        // No device is within 0 %, so only the names decide.
        guard rollout.basisPoints > 0 || !isForNamed else { return .group }
        guard let unit = rollout.unit == .user ? device.user : device.installation else { return .rollout }
        return try Rollout.bucket(of: unit, seed: seed) < rollout.basisPoints ? nil : .rollout
    }
}
