import PatchFiles

/// Shows the progress of reading on a terminal.
final class ReadingProgress {
    private let total: Int
    private let unit: String
    private let console: Console
    private let start = ContinuousClock().now
    private var before = 0

    /// - Parameter unit: The noun for the counted parts, in the plural.
    init(of files: [Path], in unit: String, _ console: Console) {
        self.console = console
        self.unit = unit
        total = files.reduce(0) { $0 + (FileInfo($1, following: true)?.size ?? 0) }
    }

    /// - Parameters:
    ///   - count: How many parts were counted.
    ///   - bytes: How many bytes of the current file were read.
    func show(_ count: Int, _ bytes: Int) {
        let seconds = max(0.001, (ContinuousClock().now - start) / .seconds(1))
        let speed = Double(before + bytes) / seconds
        let left =
            speed > 0 && total > before + bytes ? ", \(Int(Double(total - before - bytes) / speed) + 1) s left" : ""
        console.status(
            "\((before + bytes).bytes) read, \(Int(speed).bytes) and \(Int(Double(count) / seconds)) \(unit) a second\(left)"
        )
    }

    func finish(_ file: Path) { before += FileInfo(file, following: true)?.size ?? 0 }

    func end() { console.status(nil) }
}
