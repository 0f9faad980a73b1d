/// Metrics in the text format of OpenMetrics 1.0. Output that has only gauges is also valid in Prometheus' older
/// format.
package struct OpenMetricsText: Sendable {
    private var lines = ""

    package init() {}

    /// Begins a family of metrics. Its samples follow.
    ///
    /// - Parameters:
    ///   - name: The name, without the suffixes that samples of the type have.
    ///   - type: The format's word for it, such as `gauge`.
    ///   - help: One line, which is written as it is.
    package mutating func begin(_ name: String, _ type: String, help: String) {
        lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Adds a sample.
    ///
    /// - Parameters:
    ///   - name: The family's name, with a suffix.
    ///   - labels: Names and values. Others may have written the values.
    package mutating func add(_ name: String, _ labels: [(String, String)], _ value: some CustomStringConvertible) {
        let pairs = labels.map { "\($0)=\"\(Escape.label($1))\"" }.joined(separator: ",")
        let set = pairs.isEmpty ? "" : "{\(pairs)}"
        lines += "\(name)\(set) \(value)\n"
    }

    /// Everything that was added, and the end.
    package var text: String { lines + "# EOF\n" }
}
