import PatchFiles

/// An annotation that GitHub Actions shows at a line or a file.
enum Annotation {
    static func text(_ level: String, _ file: Path, title: String, region: Sarif.Region? = nil, _ message: String)
        -> String
    {
        func escaped(_ text: String, _ characters: String) -> String {
            text.unicodeScalars.map { scalar in
                characters.unicodeScalars.contains(scalar)
                    ? "%" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16, uppercase: true)
                    : String(scalar)
            }.joined()
        }
        let place = region.map { "line=\($0.line),col=\($0.column)," } ?? ""
        return
            "::\(level) file=\(escaped(file.description, "%\r\n:,")),\(place)title=\(escaped(title, "%\r\n:,"))::\(escaped(message, "%\r\n"))"
    }
}
