internal import PatchText

/// A bound on a number in a report: of a patch, such as `failures<0.1%` or `time-p95<5ms`, or of all devices:
/// `sync-failed<5%`.
package struct ReportGate: Sendable, Equatable {
    package enum Measure: String, Sendable, CaseIterable {
        /// Calls that failed: the mean of the devices' shares of their calls.
        case failures
        /// Calls that were answered by something other than the patch, likewise.
        case fallbacks
        /// Calls that would have been answered otherwise, of those that were compared in shadow, likewise, for the
        /// worst function.
        case differs
        /// Devices on which the patch failed, also in shadow, of all devices that reported it.
        case failing
        /// Devices that rolled the patch back, likewise.
        case rolledBack = "rolled-back"
        /// Devices that refused the patch, likewise.
        case refused
        /// Devices whose last sync failed, of all devices that reported anything.
        case syncFailed = "sync-failed"
        /// Devices whose store could not be used, of all devices that reported anything.
        case storeFailed = "store-failed"
        /// Measured calls that took longer than a time: the mean of the devices' shares of their measured calls.
        case time

        /// Whether devices give a share of their calls.
        package var isOfCalls: Bool { [.failures, .fallbacks, .differs, .time].contains(self) }
        /// Whether a patch in shadow, or one that is live, has it. Calls are compared only in shadow, and only a live
        /// patch answers.
        package func isDecided(inShadow: Bool) -> Bool {
            guard isOfCalls else { return true }
            return inShadow ? self == .differs : self != .differs
        }
        /// Whether a gate may bound it with `=0`: it is decided by each device.
        fileprivate var mayBeExact: Bool { [.failing, .rolledBack, .refused, .differs].contains(self) }
        /// Whether all devices are counted, and not those with a patch.
        package var isOfFleet: Bool { [.syncFailed, .storeFailed].contains(self) }
    }

    /// The times that a gate may name, as they are written: those of `EventRecord.timeBounds`, in its order.
    package static let times = ["100us", "1ms", "2ms", "5ms", "10ms", "20ms", "50ms", "100ms", "200ms", "500ms"]

    /// What a gate allows.
    package enum Bound: Sendable, Equatable {
        /// `failing=0`: the first device crosses the gate. It is passed as long as there is none, which is not evidence
        /// for other devices.
        case exact
        /// `failing<0.5%`: less than a part.
        case part(Double)
        /// `failing<previous+0.2%`: less than the part of the patch's previous version and this increase.
        case increase(Double)
        /// `time-p95<5ms`: less than a part takes longer than a time, which is an index in ``ReportGate/times`` and in
        /// `EventRecord.timeBounds`.
        case slower(Double, than: Int)

        /// The allowed part or increase, from 0 to 1.
        package var value: Double {
            switch self {
            case .exact: 0
            case .part(let part): part
            case .increase(let increase): increase
            case .slower(let part, _): part
            }
        }
    }

    package let measure: Measure
    package let bound: Bound
    /// The gate as it was written.
    package let text: String

    package var isExact: Bool { bound == .exact }
    /// Whether the bound is relative to the patch's previous version.
    package var isRelative: Bool {
        if case .increase = bound { true } else { false }
    }

    private init(_ text: String, _ measure: Measure, _ bound: Bound) {
        self.text = text
        self.measure = measure
        self.bound = bound
    }

    /// A gate is a measure, `<`, and a percentage, which `previous+` may precede; or it is `time-p95<5ms`, with any
    /// whole percentage from 1 to 99. Only a measure of a patch can have `previous+`. `=0` in place of the bound is an
    /// exact gate. A number without `%` is refused, because it could be a part or a percentage.
    ///
    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        guard let gate = Self.exact(text) ?? Self.ofTime(text) ?? Self.ofShare(text) else { return nil }
        self = gate
    }

    /// `failing=0`.
    private static func exact(_ text: String) -> ReportGate? {
        guard text.hasSuffix("=0"), let measure = Measure(rawValue: String(text.dropLast(2))), measure.mayBeExact
        else { return nil }
        return ReportGate(text, measure, .exact)
    }

    /// `time-p95<5ms`: the part that may be slower is 5 percent.
    private static func ofTime(_ text: String) -> ReportGate? {
        guard let (name, value) = sides(of: text), name.hasPrefix("time-p") else { return nil }
        let digits = name.dropFirst("time-p".count)
        guard let percent = Int(digits), "\(percent)" == digits, 1...99 ~= percent,
            let time = times.firstIndex(of: String(value))
        else { return nil }
        return ReportGate(text, .time, .slower(Double(100 - percent) / 100, than: time))
    }

    /// `failing<0.5%` and `failing<previous+0.2%`.
    private static func ofShare(_ text: String) -> ReportGate? {
        guard let (name, value) = sides(of: text), let measure = Measure(rawValue: String(name)), measure != .time
        else { return nil }
        let previous = "previous+"
        let isRelative = value.hasPrefix(previous)
        let number = isRelative ? value.dropFirst(previous.count) : value
        let digits = number.dropLast()
        guard number.hasSuffix("%"), !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let percent = Double(String(digits))
        else { return nil }
        let part = percent / 100
        guard part > 0, part <= 1, !(isRelative && measure.isOfFleet) else { return nil }
        return ReportGate(text, measure, isRelative ? .increase(part) : .part(part))
    }

    /// What is before and after the only `<`; nil if there is not exactly one.
    private static func sides(of text: String) -> (name: Substring, value: Substring)? {
        let parts = text.split(separator: "<", omittingEmptySubsequences: false)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
