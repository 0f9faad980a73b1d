package import PatchCrypto

/// What of the event logs a report counts: all, unless a member says otherwise.
package struct ReportFilter: Sendable {
    /// The id of the only patch that is counted.
    package var patch: String?
    /// Its only version that is counted.
    package var version: Int?
    /// Events from before this time, or without a time, are left out.
    package var since: Timestamp?
    /// Events from this time on tell since when a device has a patch, even if they do not count; nil for those that do.
    package var heardSince: Timestamp?
    /// A device is new if its first event of a patch is at this time or later; nil for the beginning.
    package var newSince: Timestamp?
    /// A device is new if its first event of a patch is at this time or earlier; nil for no end.
    package var newUntil: Timestamp?
    /// The only device that is counted.
    package var installation: String?
    /// The app and the environment whose events count.
    package var origin: FleetReport.Origin?

    package init(
        patch: String? = nil, version: Int? = nil, since: Timestamp? = nil, heardSince: Timestamp? = nil,
        newSince: Timestamp? = nil, newUntil: Timestamp? = nil, installation: String? = nil,
        origin: FleetReport.Origin? = nil
    ) {
        self.patch = patch
        self.version = version
        self.since = since
        self.heardSince = heardSince
        self.newSince = newSince
        self.newUntil = newUntil
        self.installation = installation
        self.origin = origin
    }

    /// When the first event of a new device is, in seconds since 1970. If there is no end, it includes `UInt32.max`,
    /// which stands for a device whose events have no time.
    var newDevices: ClosedRange<UInt32> {
        let first = UInt32(clamping: newSince?.secondsSince1970 ?? 0)
        return first...max(first, UInt32(clamping: newUntil?.secondsSince1970 ?? .max))
    }
}
