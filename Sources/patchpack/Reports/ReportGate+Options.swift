import PatchCrypto
import PatchReport

extension Option {
    static let gate = Option(
        "gate",
        "bound of failures, fallbacks, differs, failing, rolled-back, refused, sync-failed or store-failed, such as 'failing<0.5%' or 'failing=0'; or 'time-p95<5ms'",
        .text("BOUND"), repeats: true)
    static let withdrawIf = Option(
        "withdraw-if", "bound above which it is withdrawn from all devices, such as 'rolled-back<5%'", .text("BOUND"),
        repeats: true)
    static let since = Option(
        "since", "count only events from this time on: in UTC, or how long ago, such as 4h", .text("TIME"))
}

extension ReportGate {
    /// The gates that an option gives.
    ///
    /// - Throws: `usage` if one is not a bound.
    static func all(_ arguments: ParsedArguments, of option: Option = .gate) throws(PatchError) -> [ReportGate] {
        try arguments.texts(of: option).map { (text) throws(PatchError) in
            if let gate = ReportGate(text) { return gate }
            guard ReportGate("\(text)%") == nil else {
                throw .usage(
                    "--\(option.name) \(text): the bound is a percentage, and has no %",
                    hint: "did you mean '\(text)%'?")
            }
            let measures = ReportGate.Measure.allCases.filter { $0 != .time }.map(\.rawValue).joined(separator: ", ")
            let times = ReportGate.times.joined(separator: ", ")
            throw .usage(
                "--\(option.name) \(text): not a bound",
                hint:
                    "write one of \(measures), then < and a percentage, as in 'failing<0.5%' or 'failing<previous+0.2%'; or failing=0, rolled-back=0, refused=0 or differs=0; or time-p95<T, where T is one of \(times)"
            )
        }
    }
}
