import PatchCrypto
import PatchFiles

// Reports in formats that change a string, so keys are removed first.
extension Console {
    /// Prints a SARIF log.
    func sarif(_ rules: [Sarif.Rule], _ results: [Sarif.Result], failure: PatchError? = nil) throws(PatchError) {
        let results = results.map { result in
            var result = result
            result.file = secrets.removed(from: result.file)
            return result
        }
        try json(Sarif.log(rules, results, failure: failure))
    }

    /// Prints a report of cases.
    func report(_ cases: [ReportCase], as text: ([ReportCase]) -> String) throws(PatchError) {
        let cases = cases.map { test in
            ReportCase(
                group: secrets.removed(from: test.group), name: secrets.removed(from: test.name), outcome: test.outcome,
                message: secrets.removed(from: test.message), place: test.place.map(secrets.removed),
                nanoseconds: test.nanoseconds)
        }
        try raw(text(cases))
    }

    /// Prints an annotation for GitHub.
    func annotation(_ annotation: Annotation) throws(PatchError) {
        var shown = annotation
        shown.file = annotation.file.map(secrets.removed)
        (shown.title, shown.message) = (secrets.removed(from: shown.title), secrets.removed(from: shown.message))
        try line(shown.text)
    }
}
