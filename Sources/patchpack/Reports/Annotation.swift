import PatchFiles
import PatchText

/// An annotation that GitHub Actions shows on a line or a file, or on the run.
struct Annotation {
    let level: String
    var file: Path?
    var title: String
    var region: Sarif.Region?
    var message: String

    var text: String {
        let place = file.map { "file=\(Escape.annotationProperty($0.fromWorkingFolder.description))," } ?? ""
        let line = region.map { "line=\($0.line),col=\($0.column)," } ?? ""
        return
            "::\(level) \(place)\(line)title=\(Escape.annotationProperty(title.shortened(to: 250)))::\(Escape.annotation(message.shortened(to: 4000)))"
    }
}
