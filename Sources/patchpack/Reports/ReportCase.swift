/// A case in a report for CI servers: a test, or a file that was verified.
struct ReportCase {
    enum Outcome {
        case passed, failed, skipped
        /// The spec as a whole failed, not a test in it.
        case broken
    }

    /// The group that it belongs to: a spec, or the verb.
    let group: String
    let name: String
    let outcome: Outcome
    /// Why it did not pass. May have several lines.
    var message = ""
    /// The file, with a line if there is one.
    var place: String?
    var nanoseconds: UInt64 = 0
}
