import PatchCrypto

/// The report of a run that ended with an error, in the requested format, so that its reader sees the reason.
enum FailureReport {
    static func show(_ error: PatchError, format: ResultFormat?, verb: String, _ console: Console) throws(PatchError) {
        let name = "patchpack \(verb)"
        let message = "\(error.text)\(error.shownHint.map { "\n\($0)" } ?? "")"
        let failed = ReportCase(group: name, name: name, outcome: .broken, message: message)
        switch format {
        case .json: try console.json(.failure(error))
        case .sarif: try console.sarif([], [], failure: error)
        case .junit: try console.report([failed], as: JUnit.text)
        case .tap: try console.report([failed], as: TAP.text)
        case .github: try console.annotation(Annotation(level: "error", title: name, message: message))
        case .text, nil: break
        }
    }
}
