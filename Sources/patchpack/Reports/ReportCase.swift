/// One thing that went well or not, for the reports that CI servers read: a test, or a file that was verified.
struct ReportCase {
    enum Outcome {
        case passed, failed, skipped
        /// It could not even be looked at.
        case broken
    }

    /// What it belongs to: a spec, or the verb.
    let group: String
    let name: String
    let outcome: Outcome
    /// Why it did not pass; several lines at most.
    var message = ""
    /// A file and a line, for people.
    var place: String?
    var nanoseconds: UInt64 = 0
}
