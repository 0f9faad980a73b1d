internal import Foundation
@testable internal import PatchText
@testable internal import PatchCrypto
@testable internal import patchpack

#if canImport(FoundationXML)
    internal import FoundationXML
#endif

/// The requirements for each output, even if it has untrusted strings.
enum Written {
    static func check(json: JSONValue) {
        let text = json.encoded(escaping: isUnprintable)
        guard let again = try? JSONValue(parsing: text) else {
            fatalError("not JSON: \(String(decoding: text, as: UTF8.self))")
        }
        require(again.encoded() == json.encoded(), "JSON that reads as another value")
    }

    /// Prometheus' text format, which is also valid OpenMetrics: each series once, then the end.
    static func check(metrics: String) {
        var series: Set<[UInt8]> = []
        let lines = metrics.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        require(lines.suffix(2).map(Array.init) == [Array("# EOF".utf8), []], "metrics without an end")
        for line in lines.dropLast(2) {
            let text = String(decoding: line, as: UTF8.self)
            require(matches(Self.metric, text), "not a line of metrics: \(text)")
            guard line.first != UInt8(ascii: "#"), let end = line.lastIndex(of: UInt8(ascii: " ")) else { continue }
            require(series.insert(Array(line[..<end])).inserted, "a series that is there twice: \(text)")
        }
    }

    private static let label = #"[a-z]+="(?:[^"\\\x00-\x1f]|\\[\\"n])*""#
    private static let metric = pattern(
        #"# HELP patchpack_[a-z_0-9]+ [ -~]+|# TYPE patchpack_[a-z_0-9]+ gauge"#
            + #"|patchpack_[a-z_0-9]+(?:\{\#(label)(?:,\#(label))*\})? [0-9]+"#)
    private static let tapText = #"(?:[^#\\]|\\[#\\])*"#
    private static let tapLine = pattern(
        #"(?:not )?ok [0-9]+ - \#(tapText)(?: # SKIP \#(tapText))?|  (?:---|\.\.\.|(?:message|at): ".*")"#)

    private static func pattern(_ text: String) -> NSRegularExpression {
        FuzzKeys.must { try NSRegularExpression(pattern: "\\A(?:\(text))\\z") }
    }

    private static func matches(_ pattern: NSRegularExpression, _ text: String) -> Bool {
        pattern.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }

    static func check(tap: String, count: Int) {
        let lines = tap.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        require(lines.prefix(2) == ["TAP version 13", "1..\(count)"], "TAP without its plan")
        for line in lines.dropFirst(2) { require(matches(Self.tapLine, line), "not a line of TAP: \(line)") }
        require(lines.count { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") } == count, "another number of tests")
    }

    static func check(junit: String) {
        read(Array(junit.utf8), elements: ["testsuites", "testsuite", "testcase", "skipped", "failure", "error"])
    }

    /// A page without elements or attributes from untrusted strings. Its body is XML except for line breaks.
    static func check(page: String) {
        require(!page.unicodeScalars.contains { $0 != "\n" && isUnprintable($0) }, "an unprintable page")
        guard let body = Array(page.utf8).split(at: "<header>")?.after.split(at: "</main>")?.before else {
            fatalError("a page without a body")
        }
        let xml = Array("<header>".utf8) + body + Array("</main>".utf8)
        let text = String(decoding: xml, as: UTF8.self).replacingOccurrences(
            of: "<br>", with: "<br/>", options: .literal)
        read(Array("<body>\(text)</body>".utf8), elements: pageElements)
    }

    private static let pageElements: Set<String> = [
        "body", "header", "main", "h1", "h2", "p", "ul", "li", "b", "br", "code", "div", "section", "table", "tr", "th",
        "td",
        "details", "summary", "figure", "figcaption", "svg", "title", "g", "text", "path", "rect", "circle",
    ]
    private static let attributes: Set<String> = [
        "class", "role", "scope", "aria-label", "viewBox", "x", "y", "cx", "cy", "r", "d", "width", "height",
        "stroke-width",
        "text-anchor", "name", "tests", "failures", "errors", "skipped", "time", "classname", "message",
    ]

    private static func read(_ xml: [UInt8], elements: Set<String>) {
        let reader = Reader(elements)
        let parser = XMLParser(data: Data(xml))
        parser.delegate = reader
        require(parser.parse(), "not XML: \(String(decoding: xml, as: UTF8.self))")
    }

    private final class Reader: NSObject, XMLParserDelegate {
        private let elements: Set<String>

        init(_ elements: Set<String>) { self.elements = elements }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String] = [:]
        ) {
            require(elements.contains(name), "an element \(name)")
            for attribute in attributes.keys {
                require(Written.attributes.contains(attribute), "an attribute \(attribute)")
            }
        }
    }
}

extension [UInt8] {
    /// The bytes before and after the first occurrence of a string.
    func split(at separator: String) -> (before: [UInt8], after: [UInt8])? {
        let separator = Array(separator.utf8)
        guard let place = indices.dropLast(separator.count - 1).first(where: { self[$0...].starts(with: separator) })
        else { return nil }
        return (Array(self[..<place]), Array(self[(place + separator.count)...]))
    }
}
