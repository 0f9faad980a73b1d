import Foundation
import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct ReportCommandTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let lines = (0..<2000).flatMap { device -> [String] in
            var lines = ["trial", "activated", "confirmed"].map { Self.line($0, device) }
            if device % 200 == 7 {
                lines.append(
                    Self.line(
                        "failed", device,
                        #","code.function.name":"Cart.<b>","error.type":"script","error.message":"no & no""#))
            }
            lines.append(Self.line("called", device, #","patch.calls":500,"patch.failures":0,"patch.fallbacks":0"#))
            return lines
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/a.jsonl")
    }

    private static func line(_ event: String, _ device: Int, _ more: String = "") -> String {
        #"{"schema":"patchpack.event/1","timestamp":"2026-11-22T10:0\#(device % 10):00.000Z","resource":{"app.installation.id":"\#(device)","service.name":"com.example.shop","service.version":"2.3.1"},"severityNumber":9,"eventName":"\#(event)","attributes":{"patch.id":"com.example.shop.fix","patch.version":3\#(more)}}"#
    }

    @Test func aReportIsTextOrJSON() throws {
        let text = try Tool.patchpack("report", "events", in: folder.path)
        #expect(text.status == 0, "\(text.error)")
        #expect(text.text.hasPrefix("8,010 events of 2,000 devices"))
        #expect(text.text.contains("  failing       10  0.50 % (0.27 % to 0.92 %)"))
        #expect(text.text.contains("  failed        10 x script in Cart.<b>: no & no"))
        let json = try Tool.patchpack("report", "events", "--format", "json", in: folder.path)
        let value = try JSONValue(parsing: json.output)
        #expect(value["devices"]?.number == 2000)
        #expect(value["patches"]?.elements.first?["calls"]?.number == 1_000_000)
    }

    /// The same report from a file, a pipe, and each compression.
    @Test(arguments: [
        "report events/a.jsonl", "report - < events/a.jsonl", "report < events/a.jsonl -",
        "report events/b.jsonl.gz", "report - < events/b.jsonl.gz", "report events/b.jsonl.zst",
        "report <(cat events/a.jsonl)",
    ])
    func inputMayBeCompressed(command: String) throws {
        let prepare =
            "head -n 4000 events/a.jsonl | gzip > b.gz; tail -n +4001 events/a.jsonl | gzip >> b.gz; zstd -q events/a.jsonl -o b.zst"
        let run = try Tool.shell(
            "\(prepare); mv b.gz events/b.jsonl.gz; mv b.zst events/b.jsonl.zst; patchpack \(command) --format json",
            in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        #expect(try JSONValue(parsing: run.output)["input"]?["events"]?.number == 8010)
    }

    @Test func aDamagedFileIsReadAsFarAsPossible() throws {
        let run = try Tool.shell(
            "gzip < events/a.jsonl | head -c 2000 > cut.jsonl.gz; zstd -q < events/a.jsonl | head -c 2000 > cut.jsonl.zst; patchpack report cut.jsonl.gz; echo $?; patchpack report cut.jsonl.zst; echo $?; patchpack report missing events; echo $?",
            in: folder.path)
        #expect(run.error.contains("cut.jsonl.gz: the compressed data is cut off"))
        #expect(run.error.contains("cut.jsonl.zst: the compressed data is cut off"))
        #expect(run.text.contains("\n10\n"))
        #expect(run.text.hasSuffix("\n66\n"))
        #expect(run.text.contains("8,010 events"))
        let json = try Tool.patchpack("report", "cut.jsonl.gz", "--format", "json", in: folder.path)
        let value = try JSONValue(parsing: json.output)
        #expect(json.status == 10)
        #expect(value["exitCode"]?.number == 10)
        #expect(value["error"]?["file"]?.text == "cut.jsonl.gz")
        let place = try Tool.patchpack("report", "events/..", "nowhere", in: folder.path)
        #expect(place.error.contains("nowhere: no such file"))
    }

    @Test func aGateHoldsARolloutBack() throws {
        let passed = try Tool.patchpack(
            "report", "events", "--gate", "failures<0.1%", "--gate", "failing<2%", in: folder.path)
        #expect(passed.status == 0)
        #expect(passed.text.contains("passed  failing<2%  com.example.shop.fix 3: 0.50 %, between 0.15 % and 1.17 %"))
        let crossed = try Tool.patchpack("report", "events", "--gate", "failing<0.1%", in: folder.path)
        #expect(crossed.status == 20)
        #expect(crossed.text.contains("crossed"))
        let unsure = try Tool.patchpack("report", "events", "--gate", "failing<0.6%", in: folder.path)
        #expect(unsure.status == 20)
        #expect(unsure.text.contains("too few to tell; about "))
        let none = try Tool.patchpack(
            "report", "events", "--patch", "com.example.other", "--gate", "failing<1%", in: folder.path)
        #expect(none.status == 20)
        #expect(none.text.contains("no device has reported enough to tell"))
        #expect(try Tool.patchpack("report", "events", "--gate", "nonsense", in: folder.path).status == 64)
    }

    @Test func thePageIsWellFormedAndQuotesEverything() throws {
        let run = try Tool.shell(
            """
            patchpack report events --html page.html --gate 'failing<2%' && patchpack report events --html page.html; echo $?
            /usr/bin/python3 -c '
            import html.parser, re
            text = open("page.html", encoding="utf-8").read()
            assert "<script" not in text and "http" not in text.replace("http-equiv", "")
            class Parser(html.parser.HTMLParser):
                open, charts = [], 0
                def handle_starttag(self, tag, attributes):
                    if tag != "meta": self.open.append(tag)
                    if tag == "svg": self.charts += 1; assert dict(attributes)["aria-label"]
                    assert tag != "b" or dict(attributes).get("class") or "li" in self.open, attributes
                def handle_endtag(self, tag):
                    assert self.open.pop() == tag, tag
            parser = Parser(); parser.feed(re.sub(r"<[a-z]+ [^<>]*/>", "", text)); parser.close()
            assert not parser.open and parser.charts == 5, (parser.open, parser.charts)
            '
            """, in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.text.hasSuffix("\n73\n"))
    }
}
