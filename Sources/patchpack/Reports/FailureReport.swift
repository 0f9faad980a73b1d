import PatchCrypto

/// The report of a run that ended before its first file, in the requested format, so that its reader sees the reason.
enum FailureReport {
    /// - Parameter verb: The verb, such as `verify`.
    /// - Returns: nil for a format for people.
    static func text(_ error: PatchError, format: String, verb: String) -> String? {
        let name = "patchpack \(verb)"
        let message = "\(error.text)\(error.shownHint.map { "\n\($0)" } ?? "")"
        let failed = ReportCase(group: name, name: name, outcome: .broken, message: message)
        switch format {
        case "json": return JSONValue.failure(error).text(escaping: isUnprintable) + "\n"
        case "sarif": return Sarif.text([], [], failure: error)
        case "junit": return JUnit.text([failed])
        case "tap": return TAP.text([failed])
        case "github": return "::error title=\(Escape.annotationProperty(name))::\(Escape.annotation(message))\n"
        default: return nil
        }
    }
}
