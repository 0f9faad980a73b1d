/// What a process does with a device's folder. A version after 1.0 may add roles.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum DeviceRole: Sendable {
    /// It writes the folder, syncs with the feed, and tries new patches.
    case writer
    /// It runs the patches that are good there. Another process of this version of the app writes the folder, or this
    /// one has called ``PatchDevice/end()``. It takes over at the first sync, or return to the foreground, after the
    /// other one has ended.
    case follower
    /// It runs the patches that are good there, and never writes (``PatchDevice/Configuration/isReader``).
    case reader
    /// It runs the patches that are good there, because the folder cannot be used. ``PatchDevice/why(_:)`` has the
    /// reason.
    case unwritable
}
