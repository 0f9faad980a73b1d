/// A case in a report for CI servers: a test or a verified file.
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
    /// The reason that it did not pass. May have several lines.
    var message = ""
    /// The file, with a line number if there is one.
    var place: String?
    var nanoseconds: UInt64 = 0
}
