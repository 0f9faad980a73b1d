public import PatchCrypto

// What the app asks of its device, and what it does to it by hand.
extension PatchDevice {
    /// Why a patch is running or not, for each known version of it, the highest first.
    ///
    /// - Parameter id: The patch's reverse-DNS name.
    /// - Returns: At least one status. If no feed has offered the patch, its code is `unknown`, or `unwritable` if the
    ///   folder cannot be written.
    public func why(_ id: String) -> [PatchStatus] { store.why(id) }

    /// Every version of every patch that is stored, running or banned, or that the last sync left out, by id, the
    /// highest first.
    public var patches: [PatchStatus] { store.patches }

    /// The patches that are active in this process, in the order in which they were activated. A patch in shadow is
    /// not.
    public var active: [PatchID] { store.running }

    /// The installation's name: ``SyncSettings/installation``, or a random one that the folder keeps. Rollouts by
    /// percentage use it to count installations.
    public var installation: String { settings.installation(or: store.installation) }

    /// What this process does with the device's folder at the moment.
    public var role: DeviceRole { store.role }

    /// The feed's values for the app, such as a switch between two ways to pay. They are kept across launches.
    public var switches: [String: String] { store.state.switches }

    /// A string that the feed wants the app to show; nil if there is none.
    public var notice: String? { store.state.notice }

    /// The lowest version of the app that still gets patches; nil if all do.
    public var minimumAppVersion: AppVersion? { store.state.minimumAppVersion }

    /// The device's settings for the feed. A change takes effect at the next sync. Without a feed, none is kept.
    public var settings: SyncSettings {
        get { updates?.settings ?? SyncSettings() }
        set {
            guard let updates else { return }
            updates.settings = newValue
            let installation = newValue.installation(or: store.installation)
            log?.changeResource { resource in
                resource.groups = newValue.groups
                resource.installation = installation
            }
        }
    }

    // MARK: manually

    /// Rolls back a version of a patch, and never runs it on this device again.
    ///
    /// - Parameters:
    ///   - patch: The patch.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether it was stored, also in shadow, or running. Nothing is banned if it was not.
    /// - Throws: `io` if that cannot be written; the error of the device's folder if that cannot be used. In this
    ///   process, it does not run nevertheless.
    @discardableResult
    public func ban(_ patch: PatchID, reason: String) throws(PatchError) -> Bool {
        try store.ban(patch.id, version: patch.version, reason: reason)
    }

    /// Rolls back every version of a patch that is stored or running, and never runs them on this device again. A
    /// version that the device gets later is not banned.
    ///
    /// - Parameters:
    ///   - id: The patch's reverse-DNS name.
    ///   - reason: Why, for ``why(_:)``.
    /// - Returns: Whether a version of the patch was stored, also in shadow, or running.
    /// - Throws: `io` if that cannot be written; the error of the device's folder if that cannot be used. In this
    ///   process, they do not run nevertheless.
    @discardableResult
    public func ban(heldVersionsOf id: String, reason: String) throws(PatchError) -> Bool {
        try store.ban(id, reason: reason)
    }

    /// Forgets every patch, ban and note. What stays are the name of the installation, which keys a feed has
    /// revoked, and the number of the newest trust store. Running patches are not stopped. Other versions of the app
    /// forget them too, except those that run now.
    ///
    /// - Throws: `io` if that cannot be written, as in a process that only reads or follows; the error of the device's
    ///   folder if that cannot be used, such as `config` for a folder of another app.
    public func clear() throws(PatchError) { try store.clear() }
}
