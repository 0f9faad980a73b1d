import PatchCrypto
import PatchFiles
import PatchText

// Reports in formats that change a string, so keys are removed first.
extension Console {
    func sarif(_ rules: [Sarif.Rule], _ results: [Annotation], failure: PatchError? = nil) throws(PatchError) {
        try json(Sarif.log(rules, results.map(withoutSecrets), failure: failure))
    }

    func report(_ cases: [ReportCase], as text: ([ReportCase]) -> String) throws(PatchError) {
        let cases = cases.map { test in
            ReportCase(
                group: secrets.removed(from: test.group), name: secrets.removed(from: test.name), outcome: test.outcome,
                message: secrets.removed(from: test.message), place: test.place.map(secrets.removed),
                nanoseconds: test.nanoseconds)
        }
        try raw(text(cases))
    }

    func annotation(_ annotation: Annotation) throws(PatchError) {
        try line(withoutSecrets(annotation).text)
    }

    private func withoutSecrets(_ annotation: Annotation) -> Annotation {
        var shown = annotation
        shown.file = annotation.file.map(secrets.removed)
        shown.title = secrets.removed(from: shown.title)
        shown.message = secrets.removed(from: shown.message)
        return shown
    }
}

/// An annotation that GitHub Actions shows on a line or a file, or on the run, or a result in SARIF.
struct Annotation {
    /// `error` or `warning`.
    let level: String
    /// The file that it is about; nil for the run.
    var file: Path?
    /// What it is about, such as a rule's id.
    var title: String
    /// The place in the file; nil for the file as a whole.
    var region: Sarif.Region?
    var message: String

    /// The command for GitHub Actions. GitHub takes 255 characters of a title, and 4,096 of a message.
    var text: String {
        let place = file.map { "file=\(Escape.annotationProperty($0.fromWorkingFolder.description))," } ?? ""
        let line = region.map { "line=\($0.line),col=\($0.column)," } ?? ""
        let title = Escape.annotationProperty(title.shortened(to: 250))
        return "::\(level) \(place)\(line)title=\(title)::\(Escape.annotation(message.shortened(to: 4000)))"
    }
}

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
