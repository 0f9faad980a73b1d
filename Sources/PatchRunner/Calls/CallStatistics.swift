internal import CLuaBridge
internal import PatchText

/// How a patch was called: since it was activated, or in some time.
package struct CallStatistics: Sendable, Equatable {
    /// How often a function of the patch was called.
    package var count = 0
    /// How many of the calls failed.
    package var failures = 0
    /// How often something else answered: the script's `otherwise`, another patch or the original.
    package var fallbacks = 0
    /// How many of the calls were measured.
    package var measured = 0
    /// The total time of the measured calls, in nanoseconds.
    package var nanoseconds = 0
    /// The longest call since the patch was activated, in nanoseconds: of the measured ones, and of those that ran long
    /// enough for a check of the clock.
    package var longest = 0
    /// The measured calls by their time: below each of the bounds, and below none; empty if no call was measured.
    package var times: [Int] = []
    /// From 100 µs to 500 ms.
    package static var timeBounds: [Duration] { (0..<Int32(PP_BOUNDS)).map { .nanoseconds(pp_bound($0)) } }

    package init() {}

    var attributes: EventRecord.Members {
        var members: EventRecord.Members = [
            (.calls, .integer(count)), (.failures, .integer(failures)), (.fallbacks, .integer(fallbacks)),
        ]
        guard measured > 0 else { return members }
        let end = times.lastIndex { $0 > 0 }.map { $0 + 1 } ?? 0  // the zeros at the end are left out
        members += [
            (.measured, .integer(measured)), (.nanoseconds, .integer(nanoseconds)), (.longest, .integer(longest)),
            (.times, .array(times[..<end].map(JSONValue.integer))),
        ]
        return members
    }
}
