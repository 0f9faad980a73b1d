import PatchReport
import PatchText

/// The charts of a report, as SVG inside HTML. Each has a title for readers who cannot see it.
struct HTMLChart {
    let patches: [FleetReport.Patch]
    /// How many patches the report has.
    private let count: Int
    /// The bounds of gates on a share of the devices, which are drawn as lines.
    let bounds: [Double]

    /// The width of each picture, in the units of its `viewBox`, in which all lengths are.
    static let width = 520.0
    private static let colors = 6

    /// - Parameter patches: Only the first six are drawn, because there are no more colours.
    init(_ patches: [FleetReport.Patch], _ gates: [ReportGate]) {
        self.patches = Array(patches.prefix(Self.colors))
        count = patches.count
        let drawn = gates.filter {
            !$0.isRelative && !$0.isExact && ($0.measure == .failing || $0.measure == .rolledBack)
        }
        bounds = Set(drawn.map(\.bound.value)).sorted()
    }

    /// The class of the colour of a patch. Those that are not drawn have none of their own.
    static func color(_ index: Int) -> String { index < colors ? "c\(index)" : "rest" }

    var figures: [String] { [adoption, failures, stages, trouble, faults].compactMap(\.self) }

    /// A chart with its caption.
    ///
    /// - Parameters:
    ///   - summary: What the chart shows, for readers who cannot see it.
    ///   - body: The elements of the chart.
    func figure(_ caption: String, _ summary: [String], height: Double, _ body: [String]) -> String {
        let caption = caption + (count > patches.count ? " (\(patches.count) of \(count.grouped) patches)" : "")
        let label = "\(caption): \(summary.joined(separator: "; "))"
        return """
            <figure>
            <figcaption>\(caption.html)</figcaption>
            <svg viewBox="0 0 \(Self.width.svg) \(height.svg)" role="img" aria-label="\(label.html)">
            \(body.joined(separator: "\n"))
            </svg>
            </figure>
            """
    }
}

// Elements of SVG.
extension HTMLChart {
    enum Anchor { case start, end }

    /// - Parameters:
    ///   - x: Where the text starts, or ends.
    ///   - y: Its base line.
    ///   - isName: Whether it names what is drawn, rather than a value.
    static func text(
        _ text: some StringProtocol, _ x: Double, _ y: Double, isName: Bool = false, anchor: Anchor = .start
    ) -> String {
        let style = isName ? " class=\"name\"" : ""
        let place = anchor == .end ? " text-anchor=\"end\"" : ""
        return "<text\(style) x=\"\(x.svg)\" y=\"\(y.svg)\"\(place)>\(text.html)</text>"
    }

    /// - Parameter title: What is shown when the pointer is on the bar.
    static func bar(
        _ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double, title: String? = nil
    ) -> String {
        let end = title.map { "><title>\($0.html)</title></rect>" } ?? "/>"
        let size = "width=\"\(width.svg)\" height=\"\(height.svg)\""
        return "<rect class=\"fill \(style)\" x=\"\(x.svg)\" y=\"\(y.svg)\" \(size)\(end)"
    }

    static func path(_ style: String, _ steps: String) -> String { "<path class=\"\(style)\" d=\"\(steps)\"/>" }
}

extension Double {
    /// A length or a coordinate.
    var svg: String { decimal(self, digits: 1) }
}
