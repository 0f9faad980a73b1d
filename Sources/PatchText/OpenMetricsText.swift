/// Metrics in the text format of OpenMetrics 1.0. Output that has only gauges is also valid in Prometheus' older
/// format.
package struct OpenMetricsText: Sendable {
    private var lines = ""

    package init() {}

    /// Begins a family of metrics. Its samples follow.
    ///
    /// - Parameter name: The name, without the suffixes that samples of the type have.
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
        lines += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
    }

    package var text: String { lines + "# EOF\n" }
}
