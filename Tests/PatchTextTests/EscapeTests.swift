import Foundation
import PatchText
import TestSupport
import Testing

/// An untrusted string, put into each format and read back by a real parser of that format.
@Suite(.ownThreads) struct EscapeTests {
    /// The string as the parser must return it: unprintable characters are written as escapes.
    private func shown(_ text: String, keeping kept: String = "") -> String {
        text.unicodeScalars.map { scalar in
            isUnprintable(scalar) && !kept.unicodeScalars.contains(scalar)
                ? scalar.escaped(asASCII: true) : String(scalar)
        }.joined()
    }

    /// Writes each string in a file of a format, and compares it with the string that a parser in Python reads.
    private func expect(
        _ parser: String, reads expected: [String], in files: [String], places: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = try TestFolder()
        for (index, file) in files.enumerated() { try folder.write(file, to: "\(index)") }
        let script = """
            import json, sys
            found = []
            for index in range(\(files.count)):
                data = open(str(index), "rb").read()
            \(parser.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
            print(json.dumps(found))
            """
        try folder.write(script, to: "read.py")
        let run = try Tool.shell("/usr/bin/python3 read.py", in: folder.path)
        try #require(run.status == 0, "\(run.error)", sourceLocation: sourceLocation)
        let found = try JSONSerialization.jsonObject(with: Data(run.output)) as? [[String]] ?? []
        try #require(found.count == files.count, sourceLocation: sourceLocation)
        for (text, found) in zip(expected, found) {
            #expect(
                found.map { Array($0.unicodeScalars) } == Array(repeating: Array(text.unicodeScalars), count: places),
                sourceLocation: sourceLocation)
        }
    }

    @Test(.needs("python3-html5lib", "/usr/lib/python3/dist-packages/html5lib")) func html5libReadsHTML() throws {
        try expect(
            """
            import html5lib
            page = html5lib.parse(data, transport_encoding="utf-8", namespaceHTMLElements=False)
            assert [e.tag for e in page.iter()] == ["html", "head", "body", "p"], [e.tag for e in page.iter()]
            p = page.find(".//p")
            assert list(p.attrib) == ["title"], p.attrib
            found.append([p.get("title"), p.text or ""])
            """, reads: HostileText.all.map { shown($0) },
            in: HostileText.all.map { "<!DOCTYPE html><p title=\"\(Escape.html($0))\">\(Escape.html($0))</p>" },
            places: 2)
    }

    @Test func elementTreeReadsXML() throws {
        let files = HostileText.all.map {
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"\(Escape.xml($0))\">\(Escape.xml($0))</a>"
        }
        try expect(
            """
            import xml.etree.ElementTree as tree
            root = tree.fromstring(data)
            found.append([root.get("b"), root.text or ""])
            """, reads: HostileText.all.map { shown($0, keeping: "\n\t") }, in: files, places: 2)
    }

    @Test(.needs("python3-prometheus-client", "/usr/lib/python3/dist-packages/prometheus_client"))
    func prometheusReadsLabels() throws {
        try expect(
            """
            from prometheus_client.parser import text_string_to_metric_families as old
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as new
            text = data.decode()
            found.append([sample.labels["x"] for parse in (old, new) for family in parse(text) for sample in family.samples])
            """, reads: HostileText.all.map { shown($0, keeping: "\n") },
            in: HostileText.all.map { "# TYPE m gauge\nm{x=\"\(Escape.label($0))\"} 1\n# EOF\n" }, places: 2)
    }

    @Test func aLabelIsBounded() {
        #expect(Escape.label(String(repeating: "é", count: 10_000)).utf8.count <= 515)
        for count in [511, 512, 513] {
            #expect(Escape.label(String(repeating: "a", count: count)).utf8.count == min(count, 512))
        }
    }

    /// Prometheus' own parser refuses a label with any other escape, and the whole file with it. The parsers above
    /// accept it.
    @Test(arguments: HostileText.all) func aBackslashIsWrittenTwice(text: String) throws {
        let label = try Regex(#"(?:[^\\"\n]|\\[\\"n])*"#)
        let tap = try Regex(#"(?:[^#\\]|\\[#\\])*"#)
        #expect(Escape.label(text).wholeMatch(of: label.matchingSemantics(.unicodeScalar)) != nil)
        #expect(Escape.tap(text).wholeMatch(of: tap.matchingSemantics(.unicodeScalar)) != nil)
    }

    @Test func perlReadsTAP() throws {
        let folder = try TestFolder()
        for (index, text) in HostileText.all.enumerated() {
            try folder.write("TAP version 13\n1..1\nok 1 - \(Escape.tap(text))\n", to: "\(index)")
        }
        let run = try Tool.shell(
            """
            perl -MTAP::Parser -e '
            for my $index (0..\(HostileText.all.count - 1)) {
              open my $file, "<", $index; my $parser = TAP::Parser->new({ tap => join "", <$file> });
              my ($tests, $other) = (0, 0);
              while (my $result = $parser->next) {
                if ($result->is_test) { $tests++; $other++ if $result->has_skip or $result->has_todo or !$result->is_actual_ok }
                elsif (!$result->is_plan and !$result->is_version) { $other++ }
              }
              print "$index $tests $other ", scalar($parser->parse_errors), "\\n";
            }'
            """, in: folder.path)
        #expect(run.lines == HostileText.all.indices.map { "\($0) 1 0 0" }, "\(run.text)\(run.error)")
    }

    @Test func luaReadsStrings() throws {
        let folder = try TestFolder()
        let lines = HostileText.all.map { "io.write(\(Escape.lua($0)), '\\0')  -- \(Escape.comment($0))\n" }
        try folder.write(lines.joined(), to: "texts.lua")
        let run = try Tool.shell("lua5.4 texts.lua", in: folder.path)
        // An escape of an unprintable character is also an escape in Lua, so Lua gets the original string.
        let expected: [UInt8] = HostileText.all.flatMap { (text: String) -> [UInt8] in Array(text.utf8) + [0] }
        #expect(run.output == expected, "\(run.error)")
    }

    @Test func swiftReadsStrings() throws {
        let folder = try TestFolder()
        let literals = HostileText.all.map { "    // \(Escape.comment($0))\n    \"\(Escape.swift($0))\",\n" }
        try folder.write("print([\n\(literals.joined())].map { Array($0.utf8) })\n", to: "main.swift")
        let run = try Tool.shell("swiftc -Onone main.swift -o texts 2>&1 && ./texts", in: folder.path)
        #expect(run.lines.last == "\(HostileText.all.map { Array($0.utf8) })", "\(run.text)")
    }

    @Test func pythonReadsURIs() throws {
        try expect(
            "from urllib.parse import unquote\nfound.append([unquote(data.decode(), errors='strict')])",
            reads: HostileText.all, in: HostileText.all.map { Escape.uri($0.utf8) })
    }

    /// The runner of GitHub Actions reads a command from a line. It splits at `::`, `,` and `=`, and replaces the codes
    /// that it knows (`ActionCommand`).
    @Test func annotationsAreOneLine() throws {
        func decoded(_ text: String) -> [UInt8] {
            let codes: [String: UInt8] = ["25": 0x25, "0D": 0x0D, "0A": 0x0A, "3A": 0x3A, "2C": 0x2C]
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), let code = codes[String(decoding: rest.prefix(2), as: UTF8.self)] {
                    bytes.append(code)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return bytes
        }
        for text in HostileText.all {
            let property = Escape.annotationProperty(text)
            let data = Escape.annotation(text)
            for part in [property, data] { #expect(!part.utf8.contains(0x0A) && !part.utf8.contains(0x0D)) }
            #expect(!property.utf8.contains(UInt8(ascii: ":")) && !property.utf8.contains(UInt8(ascii: ",")))
            #expect(decoded(property) == Array(text.utf8))
            #expect(decoded(data) == Array(text.utf8))
        }
    }

    @Test(.needs("lcov", "/usr/bin/lcov")) func lcovReadsTheNamesOfFiles() throws {
        let folder = try TestFolder()
        let names = HostileText.all.filter { !$0.isEmpty } + ["x\nDA:1,99\nend_of_record\nSF:y"]
        let records = names.map { "TN:t\nSF:/\(Escape.lcov($0))\nDA:1,0\nLF:1\nLH:0\nend_of_record\n" }
        try folder.write(records.joined(), to: "cover.info")
        let run = try Tool.shell("lcov --summary cover.info --ignore-errors empty 2>&1", in: folder.path)
        #expect(run.text.contains(/lines\.+: 0\.0% \(0 of \d+ lines\)/), "\(run.text)")
    }

    @Test(.needs("mandoc", "/usr/bin/mandoc")) func mandocReadsManuals() throws {
        let folder = try TestFolder()
        for text in HostileText.all {
            let page =
                ".Dd January 1, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd x\n.Bl -tag\n.It Ar \(Escape.roffArgument(Escape.comment(text)))\nx\n.El\n"
            try folder.write(page, to: "x.1")
            let run = try Tool.shell("mandoc -Tlint -Werror x.1; mandoc -Tutf8 x.1 >out", in: folder.path)
            #expect(run.status == 0 && !run.text.contains("ERROR"), "\(shown(text)): \(run.text)\(run.error)")
        }
    }
}
