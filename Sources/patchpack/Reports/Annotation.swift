import PatchCrypto
import PatchFiles

/// An annotation that GitHub Actions shows on a line or a file.
enum Annotation {
    static func text(_ level: String, _ file: Path, title: String, region: Sarif.Region? = nil, _ message: String)
        -> String
    {
        let place = region.map { "line=\($0.line),col=\($0.column)," } ?? ""
        return
            "::\(level) file=\(Escape.annotationProperty(file.fromWorkingFolder.description)),\(place)title=\(Escape.annotationProperty(title.shortened(to: 250)))::\(Escape.annotation(message.shortened(to: 4000)))"
    }
}
