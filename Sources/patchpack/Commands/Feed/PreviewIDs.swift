import PatchCrypto
import PatchFeed
import PatchFiles
import PatchPublishing

/// The ids of `--ids`, one per line, which are read in parts.
struct PreviewIDs {
    /// The version in `--app-version`.
    let appVersion: AppVersion
    private let path: Path
    private let file: Descriptor
    private let console: Console

    private static let partSize = 1 << 20
    private static let mostBytes = 1 << 30

    /// Opens the file. Without `--ids`, this is nil.
    init?(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        guard let path = arguments.value(of: .ids)?.path else { return nil }
        guard let appVersion = try arguments.appVersion() else {
            throw PatchError(.usage, "--ids without an app version", hint: "give --app-version V")
        }
        (self.path, self.appVersion, self.console) = (path, appVersion, console)
        file = try InputFile.open(path).file
    }

    /// Counts each id once.
    ///
    /// - Throws: `noInput` if the file cannot be read, `limit` if it is too large.
    func count(in preview: inout FeedPreview) throws(PatchError) {
        let progress = ReadingProgress(of: [path], in: "ids", console)
        defer { progress.end() }
        var (line, size, again, isAtEnd) = ([UInt8](), 0, 0, false)
        while !isAtEnd {
            let part: [UInt8]
            do throws(SystemError) {
                part = try file.bytes(atMost: Self.partSize)
            } catch {
                throw .system(.noInput, path, error)
            }
            isAtEnd = part.count < Self.partSize
            size += part.count
            guard size <= Self.mostBytes else { throw PatchError(.limit, "more than 1 GiB of ids").about(path) }
            var rest = part[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                try count(line + rest[..<end], in: &preview, &again)
                line = []
                rest = rest[(end + 1)...]
            }
            line += rest
            if isAtEnd || line.count > FeedPreview.longestUnit + 1 { try count(line, in: &preview, &again) }
            progress.show(preview.units, size)
        }
        if again > 0 { console.note("\(path): \(again.counting("repeated line")) not counted again") }
    }

    private func count(_ line: [UInt8], in preview: inout FeedPreview, _ again: inout Int) throws(PatchError) {
        let unit = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        guard !unit.isEmpty else { return }
        guard unit.count <= FeedPreview.longestUnit else {
            throw PatchError(
                .limit, "a line is longer than \(FeedPreview.longestUnit) bytes",
                hint: "name a file with an id in each line"
            ).about(path)
        }
        do throws(PatchError) {
            if try !preview.count(String(decoding: unit, as: UTF8.self)) { again += 1 }
        } catch {
            throw error.about(path)
        }
    }

    /// A line for each outcome that a change of a feed gives to more or to fewer ids.
    func difference(from old: FeedRepository, to new: FeedRepository) throws(PatchError) -> [String] {
        let device = FeedDevice(app: new.app, environment: new.environment, appVersion: appVersion, installation: "")
        var preview = FeedPreview(of: [try old.publishedList, try new.publishedList], for: device)
        try count(in: &preview)
        return preview.outcomes.compactMap { outcome, counts in
            counts[0] == counts[1] ? nil : "\(outcome.text)  \(counts[0]) -> \(counts[1]) of \(preview.units)"
        }
    }
}
