import PatchFiles
import PatchRunner
import PatchSpec
import PatchText

/// The coverage of the patches: which lines ran, and how often.
enum CoverageReport {
    private static func coverage(_ runs: [TestReport.Run]) -> [String: [Int: Int]] {
        var all: [String: [Int: Int]] = [:]
        for run in runs {
            for (name, lines) in run.report.coverage { all[name, default: [:]].merge(lines) { $0 + $1 } }
        }
        return all
    }

    /// The lcov tracefile. Its readers look for files from the working folder, or by their whole paths.
    static func lcov(_ runs: [TestReport.Run], files: [(key: String, path: Path)]) -> String {
        var text = ""
        for (name, lines) in coverage(runs).sorted(by: { $0.key < $1.key }) {
            guard let file = files.first(where: { $0.key == name }) else { continue }
            text += "TN:patchpack\nSF:\(Escape.lcov(file.path.fromWorkingFolder.description))\n"
            for (line, count) in lines.sorted(by: { $0.key < $1.key }) { text += "DA:\(line),\(count)\n" }
            text += "LF:\(lines.count)\nLH:\(lines.count { $0.value > 0 })\nend_of_record\n"
        }
        return text
    }

    /// Whether the file of `--coverage` is an older tracefile, or empty. No other file is replaced.
    static func isReplaced(_ arguments: ParsedArguments) -> Bool {
        guard let path = arguments.path(of: .coverage), FileInfo(path, following: true)?.isRegular == true,
            let bytes = try? InputFile.contents(of: path, limit: 3)
        else { return false }
        return bytes.isEmpty || bytes.starts(with: "TN:".utf8)
    }

    /// A line for each script: how many of its lines ran, and which did not.
    static func lines(_ runs: [TestReport.Run]) -> [String] {
        coverage(runs).sorted { $0.key < $1.key }.map { name, lines in
            let missed = lines.filter { $0.value == 0 }.keys.sorted()
            let ran = lines.count - missed.count
            let script = name.split(separator: " ").last ?? ""
            return "\(script): \(ran) of \(lines.count) lines ran"
                + (missed.isEmpty ? "" : ", not \(missed.map(String.init).joined(separator: ", "))")
        }
    }
}
