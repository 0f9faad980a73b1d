internal import Libc
public import PatchCrypto

extension Timestamp {
    /// The time of the system's clock; the nearest moment of the years 1970 to 9999 if the clock shows another one.
    public static var now: Timestamp { Timestamp(nearestTo: WallClock.milliseconds / 1000) }

    /// The time of the system's clock; nil if it is before 1970 or after the year 9999.
    package static var system: Timestamp? { Timestamp(secondsSince1970: WallClock.milliseconds / 1000) }
}
