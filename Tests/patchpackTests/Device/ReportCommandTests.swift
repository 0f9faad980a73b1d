import Foundation
import PatchCrypto
import PatchText
import RandomSupport
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
                        #","code.function.name":"Cart.bold","error.type":"script","error.message":"no & no","exception.stacktrace":"a.lua:2: in b\r\nc\na.lua:5""#
                    ))
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
        #expect(text.text.contains("  failed        10 x script in Cart.bold: no & no, called from c, a.lua:5"))
        let json = try Tool.patchpack("report", "events", "--format", "json", in: folder.path)
        let value = try JSONValue(parsing: json.output)
        #expect(value["devices"]?.number == 2000)
        #expect(value["patches"]?.elements.first?["calls"]?.number == 1_000_000)
    }

    /// One device whose clock is years behind has not failed first.
    @Test func reportFirstFailureIsBelievable() throws {
        let old = Self.line("failed", 9999).replacing("2026-11-22", with: "2020-11-22")
        try folder.write(old + "\n", to: "events/b.jsonl")
        let text = try Tool.patchpack("report", "events", in: folder.path)
        #expect(text.lines.contains("  first failure 2026-11-22T10:07:00Z"), "\(text.text)")
        let json = try Tool.patchpack("report", "events", "--format", "json", in: folder.path)
        let patch = try JSONValue(parsing: json.output)["patches"]?.elements.first
        #expect(patch?["firstFailure"]?.text == "2026-11-22T10:07:00Z")
    }

    /// Sums of counts that a device made up end at the largest number, in each format.
    @Test(arguments: ["json", "text", "openmetrics"]) func reportLargestCountsIsWritten(_ format: String) throws {
        let most = Int.max
        let counts = [
            #","patch.calls":\#(most),"patch.failures":\#(most),"patch.fallbacks":\#(most),"patch.measured":\#(most),"patch.nanoseconds":\#(most),"patch.longest":\#(most),"patch.times":[\#(most),\#(most)]"#,
            #","code.function.name":"Cart.total","shadow.agreed":\#(most),"shadow.differed":\#(most),"shadow.failed":\#(most),"shadow.incomparable":\#(most)"#,
            #","code.function.name":"Cart.bold","error.type":"script","event.count":\#(most)"#,
        ]
        let lines = zip(["called", "compared", "failed"], counts).flatMap { event, counts in
            (0..<2).map { Self.line(event, $0, counts) }
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "made-up.jsonl")
        let run = try Tool.patchpack(
            "report", "made-up.jsonl", "--gate", "failing<1%", "--gate", "differs<1%", "--format", format,
            in: folder.path)
        #expect(run.status == 20, "\(run.status) \(run.error)")
        if format == "json" {
            let patch = try JSONValue(parsing: run.output)["patches"]?.elements.first
            #expect(patch?["failureRate"]?["count"]?.number == most)
        }
    }

    /// Events with any counts, names and times, in each format and with each gate. Devices send what they like.
    @Test func reportAnyEventsIsWritten() throws {
        var random = SeededRandom(80)
        let counts = [0, 1, 2, 1000, 1 << 31, 1 << 53, Int.max - 1, Int.max]
        let names = EventRecord.Name.allCases.map(\.rawValue)
        let times = [
            "0000-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2026-11-22T10:00:00.5Z",
            "2026-11-29T20:00:00Z", "9999-12-31T23:59:60Z",
        ]
        func line() -> String {
            func one<Value>(_ values: [Value]) -> Value { random.one(of: values) }
            let numbers = [
                "patch.calls", "patch.failures", "patch.fallbacks", "patch.measured", "patch.nanoseconds",
                "patch.longest", "shadow.agreed", "shadow.differed", "shadow.failed", "shadow.incomparable",
                "event.count", "code.line.number",
            ]
            var members = numbers.filter { _ in random.next(below: 2) > 0 }.map { #""\#($0)":\#(one(counts))"# }
            members += [
                #""patch.id":"com.example.\#(one(["a", "b"]))","patch.version":\#(one([1, 2, Int(Int32.max)]))"#,
                #""patch.times":[\#((0..<random.next(below: 12)).map { _ in "\(one(counts))" }.joined(separator: ","))]"#,
                #""shadow.reasons":{"a":\#(one(counts)),"b":\#(one(counts))},"code.function.name":"\#(one(["A.a", "B.b"]))""#,
                #""shadow.answer":"\#(one(["1", ""]))","shadow.result":"<&>","error.type":"\#(one(["script", "clock"]))""#,
                #""patch.reason":"\#(one(["launches failed", EventRecord.suspicion]))""#,
                #""patch.running":[{"patch.id":"com.example.a","patch.version":\#(one([1, 2]))}]"#,
            ]
            return
                #"{"schema":"patchpack.event/1","timestamp":"\#(one(times))","resource":{"app.installation.id":"\#(one(["1", "2", "3"]))","service.name":"com.example","service.version":"\#(one(["1", "2.0.2147483647"]))","os.name":"x"},"severityNumber":9,"eventName":"\#(one(names))","attributes":{\#(members.joined(separator: ","))}}"#
        }
        let measures = [
            "failures", "fallbacks", "differs", "failing", "rolled-back", "refused", "sync-failed", "store-failed",
        ]
        let gates = measures.flatMap { ["\($0)<1%", "\($0)<100%"] }
        let options = (gates + ["time-p95<5ms", "failing<previous+1%"]).flatMap { ["--gate", $0] }
        for round in 0..<(testsMayBeLong ? 200 : 10) {
            let lines = (0..<(1 + random.next(below: 60))).map { _ in line() }
            try folder.write(lines.joined(separator: "\n") + "\n", to: "any.jsonl")
            for more in [
                options + ["--format", "json"],
                options + ["--format", "openmetrics", "--since", "2026-01-01T00:00:00Z"],
                options + ["--html", "any.html", "--force"], ["--installation", "1"],
                ["--installation", "2", "--format", "json"],
            ] {
                let run = try Tool.run(Tool.patchpack, ["report", "any.jsonl"] + more, in: folder.path)
                // No event may be of the named installation.
                let expected: [Int32] = more.contains("--installation") ? [0, 20, 66] : [0, 20]
                #expect(
                    expected.contains(run.status),
                    "\(round): \(run.status) \(more) \(run.error)\n\(lines.joined(separator: "\n"))")
            }
        }
    }

    /// What is added up without a feed may be of several apps.
    @Test func reportSeveralAppsSaysSo() throws {
        let lines = [Self.line("activated", 1), Self.line("activated", 2).replacing("com.example.shop\"", with: "b\"")]
        try folder.write(lines.joined(separator: "\n") + "\n", to: "two.jsonl")
        let run = try Tool.patchpack("report", "two.jsonl", in: folder.path)
        #expect(run.text.contains("of 2 apps or environments, which --feed tells apart"), "\(run.text)")
        let one = try Tool.patchpack("report", "events", "--format", "json", in: folder.path)
        #expect(try JSONValue(parsing: one.output)["input"]?["origins"]?.number == 1)
    }

    /// A share of no device is not there.
    @Test func reportNoDeviceSinceStopSaysSo() throws {
        let work = try FeedReleaseFixture()
        try #require(try work.run("withdraw", "feed", FeedReleaseFixture.id).status == 0)
        let line = Self.line("rolled-back", 1).replacing(
            "com.example.shop.fix\",\"patch.version\":3", with: "\(FeedReleaseFixture.id)\",\"patch.version\":7")
        try work.folder.write(line + "\n", to: "events.jsonl")
        let run = try Tool.run(Tool.patchpack, ["report", "events.jsonl", "--feed", "feed"], in: work.folder.path)
        #expect(run.text.contains(": no device heard of since\n"), "\(run.text) \(run.error)")
        #expect(run.text.contains("0 withdrawn, 1 rolled back"), "\(run.text)")
    }

    /// A file without an event is no report of a fleet, in which nothing fails.
    @Test func reportEmptyFileIsMalformed() throws {
        let shop = try ReleaseFixture()
        try shop.folder.write("", to: "empty.jsonl")
        let run = try shop.run("report", "empty.jsonl", "--gate", "failing<1%")
        #expect(run.status == 10 && run.error.contains("empty.jsonl: no event was read"), "\(run.text) \(run.error)")
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
        #expect(run.lines.filter { Int($0) != nil } == ["10", "10", "66"], "\(run.text)")
        #expect(run.text.contains("8,010 events"))
        let json = try Tool.patchpack("report", "cut.jsonl.gz", "--format", "json", in: folder.path)
        let value = try JSONValue(parsing: json.output)
        #expect(json.status == 10)
        #expect(try #require(value["input"]?["events"]?.number) > 100)
        #expect(value["exitCode"]?.number == 10)
        #expect(value["error"]?["file"]?.text == "cut.jsonl.gz")
        let place = try Tool.patchpack("report", "events/..", "nowhere", in: folder.path)
        #expect(place.error.contains("nowhere: no such file"))
    }

    @Test func oneDeviceIsReportedAsSuch() throws {
        let more = [
            Self.line("rolled-back", 7, #","patch.reason":"launches failed""#).replacing("fix\"", with: "home\""),
            Self.line("sync-failed", 7, #","error.type":"clock","error.message":"three <b>years</b>\u001b[1m ahead""#)
                .replacing(#""patch.id":"com.example.shop.fix","patch.version":3,"#, with: ""),
        ]
        try folder.write(more.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let text = try Tool.patchpack("report", "events", "--installation", "7", in: folder.path)
        #expect(text.status == 0, "\(text.error)")
        #expect(text.text.hasPrefix("7 events of 1 device") && text.text.contains("8,005 events of other devices"))
        for line in [
            "  last seen     2026-11-22T10:07:00Z, app 2.3.1", "  syncs         0; the last one failed",
            #"  sync-failed   1 x clock: three <b>years</b>\u{1B}[1m ahead, the last 2026-11-22T10:07:00Z"#,
            "com.example.shop.fix 3  runs, good since 2026-11-22T10:07:00Z",
            "  failed        1 x script in Cart.bold: no & no, called from c, a.lua:5, the last 2026-11-22T10:07:00Z",
            "com.example.shop.home 3  does not run, rolled back since 2026-11-22T10:07:00Z",
            "  rolled-back   1 x launches failed, the last 2026-11-22T10:07:00Z",
        ] { #expect(text.lines.contains(line), "\(line)\n\(text.text)") }
        let json = try Tool.patchpack(
            "report", "events", "--installation", "7", "--patch", "com.example.shop.home", "--format", "json",
            in: folder.path)
        let value = try JSONValue(parsing: json.output)
        #expect(value["device"]?["installation"]?.text == "7")
        let patches = try #require(value["device"]?["patches"]?.elements)
        #expect(patches.map { $0["id"]?.text } == ["com.example.shop.home"])
        #expect(patches.map { $0["stage"]?.text } == ["rolled-back"] && value["patches"]?.elements.count == 1)
    }

    @Test func faultsThatAreNotShownAreCounted() throws {
        let faults = (0..<12).map {
            Self.line("failed", 7, #","code.function.name":"Cart.p\#($0)","error.type":"script","error.message":"no""#)
        }
        try folder.write(faults.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let text = try Tool.patchpack("report", "events", "--installation", "7", in: folder.path)
        let shown = text.lines.filter { $0.hasPrefix("  failed ") }
        #expect(shown.count == 10, "\(text.text)")
        #expect(text.lines.contains { $0.hasSuffix(" 3 more faults") }, "\(text.text)")
    }

    @Test func aDeviceThatIsNotThereIsAnError() throws {
        let none = try Tool.patchpack("report", "events", "--installation", "70000", in: folder.path)
        #expect(none.status == 66 && none.text.isEmpty)
        #expect(none.error.contains("error: no event is of the installation 70000\n"), "\(none.error)")
        #expect(none.error.contains("8,010 events of other installations were read"))
        let json = try Tool.patchpack(
            "report", "events", "--installation", "70000", "--format", "json", in: folder.path)
        let error = try JSONValue(parsing: json.output)["error"]
        #expect(json.status == 66 && error?["code"]?.text == "no-input")
        for others in [["--gate", "failing<1%"], ["--html", "x.html"], ["--format", "openmetrics"]] {
            let run = try Tool.run(
                Tool.patchpack, ["report", "events", "--installation", "7"] + others, in: folder.path)
            #expect(run.status == 64 && run.error.contains("--installation for one"), "\(others)")
        }
    }

    /// What an option leaves out is not said to be missing.
    @Test func whatAnOptionLeavesOutIsSaid() throws {
        let since = "2026-11-22T10:07:01Z"
        let none = try Tool.patchpack("report", "events", "--installation", "7", "--since", since, in: folder.path)
        #expect(none.status == 66 && none.text.isEmpty)
        #expect(
            none.error.contains("error: no event of the installation 7 is from \(since) or later\n"), "\(none.error)")
        #expect(none.error.contains("hint: 5 of its events are from before, or have no time"), "\(none.error)")
        let other = try Tool.patchpack(
            "report", "events", "--installation", "70000", "--since", since, in: folder.path)
        #expect(other.error.contains("error: no event is of the installation 70000\n"), "\(other.error)")
        #expect(other.error.contains("8,010 events of other installations were read"), "\(other.error)")
        let patch = try Tool.patchpack(
            "report", "events", "--patch", "com.example.shop.fix", "--since", "2026-11-23T00:00:00Z", in: folder.path)
        #expect(
            patch.error.contains("no event is about com.example.shop.fix; 8,010 earlier events left out\n"),
            "\(patch.error)")
        let work = try FeedReleaseFixture()
        let event = Self.line("activated", 7).replacing("\"com.example.shop\"", with: "\"b\"")
        try work.folder.write(event + "\n", to: "b.jsonl")
        let elsewhere = try Tool.patchpack(
            "report", "b.jsonl", "--feed", "feed", "--installation", "7", in: work.folder.path)
        #expect(elsewhere.status == 66 && elsewhere.error.contains("no event is of the installation 7\n"))
        #expect(elsewhere.error.contains("1 event of other apps or environments"), "\(elsewhere.error)")
    }

    @Test func aGateThatIsGivenTwiceIsOne() throws {
        let twice = try Tool.patchpack(
            "report", "events", "--format", "openmetrics", "--gate", "failing<2%", "--gate", "failing<2%",
            in: folder.path)
        let series = twice.lines.filter { $0.hasPrefix("patchpack_gate_passed{") }
        #expect(!series.isEmpty && Set(series).count == series.count)
    }

    /// What was not counted may be of any patch, so no format says that a gate is passed.
    @Test func gateOfReportWithoutRoomIsPassedInNoFormat() throws {
        let gates = ["--gate", "failing<2%", "--gate", "failing<0.1%", "--gate", "sync-failed<5%"]
        func report(_ format: String) throws -> Tool {
            try Tool.run(Tool.patchpack, ["report", "events", "--format", format] + gates, in: folder.path)
        }
        func sample(_ name: String, _ gate: String) -> String {
            #"patchpack_gate_\#(name){gate="\#(gate)",patch="com.example.shop.fix",version="3"}"#
        }
        let whole = try report("openmetrics")
        #expect(whole.lines.contains("\(sample("passed", "failing<2%")) 1"), "\(whole.text)")
        let others = (0..<1001).map {
            Self.line("failed", $0 % 100).replacing("com.example.shop.fix", with: "made.up\($0)")
        }
        try folder.write(others.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let metrics = try report("openmetrics")
        #expect(metrics.lines.contains("\(sample("passed", "failing<2%")) 0"))
        #expect(metrics.lines.contains("\(sample("crossed", "failing<2%")) 0"))
        #expect(metrics.lines.contains("\(sample("crossed", "failing<0.1%")) 1"), "what is known is enough to stop")
        #expect(metrics.lines.contains(#"patchpack_gate_passed{gate="sync-failed<5%"} 1"#))
        let json = try JSONValue(parsing: report("json").output)
        let found = json["gates"]?.elements.first {
            $0["patch"]?.text == "com.example.shop.fix" && $0["gate"]?.text == "failing<2%"
        }
        #expect(found?["verdict"]?.text == "undecided")
        #expect(found?["reason"]?.text == "2 events of patches were not counted")
        let only = try Tool.patchpack("report", "events", "--gate", "failing<2%", in: folder.path)
        #expect(only.status == 16 && !only.text.contains("passed"), "\(only.error)")
    }

    /// A file that cannot be read may have events of any patch, so no format says that a gate is passed.
    @Test func gateOfReportWithoutAFileIsPassedInNoFormat() throws {
        let gates = ["--gate", "failing<2%", "--gate", "failing<0.1%", "--gate", "sync-failed<5%"]
        func report(_ more: String...) throws -> Tool {
            try Tool.run(Tool.patchpack, ["report", "events"] + more + gates, in: folder.path)
        }
        let whole = try report()
        #expect(whole.text.contains("passed  failing<2%") && whole.text.contains("passed  sync-failed<5%"))
        let lack = "1 file could not be read in full"
        let text = try report("missing.jsonl", "--html", "page.html")
        #expect(text.status == 66 && text.error.contains("missing.jsonl: no such file"), "\(text.error)")
        #expect(text.lines[0].hasPrefix("8,010 events") && text.lines[0].hasSuffix(", \(lack)"), "\(text.text)")
        #expect(text.lines.contains("undecided  failing<2%  com.example.shop.fix 3: \(lack)"), "\(text.text)")
        #expect(text.lines.contains("undecided  sync-failed<5%  all devices: \(lack)"), "\(text.text)")
        #expect(text.text.contains("crossed  failing<0.1%"), "what is known is enough to stop")
        #expect(!text.text.contains("passed"), "\(text.text)")
        let page = String(decoding: try folder.read("page.html"), as: UTF8.self)
        #expect(page.contains("<b>undecided</b>") && page.contains("<b>crossed</b>"), "\(page)")
        #expect(page.contains(lack) && !page.contains("<b>passed</b>"), "\(page)")
        let metrics = try report("missing.jsonl", "--format", "openmetrics")
        let samples = metrics.lines.filter { $0.hasPrefix("patchpack_gate_passed{") }
        #expect(metrics.status == 66 && samples.count == 3, "\(metrics.text)")
        #expect(samples.allSatisfy { $0.hasSuffix(" 0") }, "\(samples)")
        let json = try report("missing.jsonl", "--format", "json")
        let value = try JSONValue(parsing: json.output)
        #expect(value["exitCode"]?.number == 66 && value["error"]?["file"]?.text == "missing.jsonl")
        let verdicts = value["gates"]?.elements.map { $0["verdict"]?.text }
        #expect(verdicts == ["undecided", "crossed", "undecided"], "\(json.text)")
    }

    @Test func aGateHoldsARolloutBack() throws {
        let passed = try Tool.patchpack(
            "report", "events", "--gate", "failures<1%", "--gate", "failing<2%", in: folder.path)
        #expect(passed.status == 0)
        #expect(
            passed.text.contains(
                "passed  failing<2%  com.example.shop.fix 3: 0.50 % of 2,000 devices, between 0.15 % and 1.17 %"))
        let crossed = try Tool.patchpack("report", "events", "--gate", "failing<0.1%", in: folder.path)
        #expect(crossed.status == 20)
        #expect(crossed.text.contains("crossed"))
        let unsure = try Tool.patchpack("report", "events", "--gate", "failing<0.6%", in: folder.path)
        #expect(unsure.status == 20)
        #expect(unsure.text.contains("too few for a verdict; about "))
        let none = try Tool.patchpack(
            "report", "events", "--patch", "com.example.other", "--gate", "failing<1%", in: folder.path)
        #expect(none.status == 20)
        #expect(none.text.contains("no device has reported enough for a verdict"))
        #expect(try Tool.patchpack("report", "events", "--gate", "nonsense", in: folder.path).status == 64)
        // It could be a share or a percentage, which differ by a factor of a hundred.
        let bare = try Tool.patchpack("report", "events", "--gate", "failing<0.5", in: folder.path)
        #expect(bare.status == 64 && bare.error.contains("did you mean 'failing<0.5%'?"), "\(bare.error)")
    }

    @Test func reportComparisonsShowsWhatAPatchWouldChange() throws {
        let compared = (0..<10).map { device in
            Self.line(
                "compared", device,
                #","code.function.name":"Cart.total","shadow.agreed":\#(device < 3 ? 997 : 1000),"shadow.differed":\#(device < 3 ? 3 : 0),"shadow.failed":1,"shadow.incomparable":10,"patch.nanoseconds":1500000,"shadow.reasons":{"calls pay.charge":7},"shadow.answer":"\#(device < 3 ? "19.0" : "1")","shadow.result":"<b>\#(device < 3 ? "20.0" : "1")","code.file.path":"a.lua","code.line.number":7"#
            )
        }
        let others = (0..<8).map {
            Self.line(
                "compared", 0,
                #","code.function.name":"Cart.f\#($0)","shadow.agreed":\#($0 == 0 ? 0 : 1),"shadow.differed":0,"shadow.failed":0,"shadow.incomparable":0"#
            )
        }
        try folder.write((compared + others).joined(separator: "\n") + "\n", to: "shadow.jsonl")
        let gates = ["--gate", "differs<1%", "--gate", "failing<0.5%", "--gate", "differs=0"]
        let text = try Tool.run(
            Tool.patchpack, ["report", "shadow.jsonl", "--html", "shadow.html"] + gates, in: folder.path)
        #expect(text.status == 20, "\(text.error)")
        for line in [
            "  stages        10 in shadow, 0 on trial, 0 good, 0 over, 0 withdrawn",
            "  failing       10  100.0 % (72.2 % to 100.0 %)",
            "  shadow        10 devices; 9 of 10,007 compared calls differed  0.0899 % (0.0473 % to 0.17 %), 10 runs failed, 100 calls could not be compared, 1.5 µs on average",
            "  in Cart.total 9 of 10,000 compared calls differed  0.0900 % (0.0474 % to 0.17 %), 10 runs failed, 100 calls could not be compared (calls pay.charge 70, other 30), 1.5 µs on average; 19.0 would be <b>20.0 (a.lua:7); 1 would be <b>1 (a.lua:7)",
            "  in Cart.f0    0 of 0 compared calls differed",
            "  in Cart.f1    0 of 1 compared call differed  0.0 % (0.0 % to 79.3 %)", "                1 more function",
            "undecided  differs<1%  com.example.shop.fix 3: Cart.total 0.0900 % of the compared calls on 10 devices, between under 0.0001 % and 26.9 %; 98.9 % of its calls could be compared: too few for a verdict; about 570 devices more would do, but all events are of 10",
            "crossed  differs=0  com.example.shop.fix 3: Cart.total 0.0900 % of the compared calls on 10 devices; 98.9 % of its calls could be compared",
            "crossed  failing<0.5%  com.example.shop.fix 3: 100.0 % of 10 devices, between 2.70 % and 100.0 %",
        ] {
            #expect(text.lines.contains(line), "\(line)\n\(text.text)")
        }
        let page = String(decoding: try folder.read("shadow.html"), as: UTF8.self)
        #expect(page.contains("<tr><th scope=\"row\">in Cart.total</th><td>9 of 10,000 compared calls differed"))
        #expect(page.contains("19.0 would be &lt;b&gt;20.0 (a.lua:7)") && !page.contains("<b>20.0"))
        #expect(page.contains("<title>in shadow: 10</title>"))
        let json = try Tool.patchpack("report", "shadow.jsonl", "--format", "json", in: folder.path)
        let patch = try #require(try JSONValue(parsing: json.output)["patches"]?.elements.first)
        #expect(patch["inShadow"]?.number == 10 && patch["shadowed"]?.number == 10)
        let total = try #require(patch["compared"])
        #expect(
            ["agreed", "differed", "failed", "incomparable", "meanNanoseconds"].map { total[$0]?.number }
                == [9998, 9, 10, 100, 1482])
        #expect(total["differing"]?["part"]?.number == 899)
        let function = try #require(patch["functions"]?.elements.first)
        #expect(function["function"]?.text == "Cart.total" && function["otherReasons"]?.number == 30)
        #expect(function["reasons"]?.elements.first?["reason"]?.text == "calls pay.charge")
        #expect(function["reasons"]?.elements.first?["count"]?.number == 70)
        let example = try #require(function["examples"]?.elements.first)
        #expect(["answer", "result", "file"].map { example[$0]?.text } == ["19.0", "<b>20.0", "a.lua"])
        #expect(example["line"]?.number == 7)
        let metrics = try Tool.patchpack("report", "shadow.jsonl", "--format", "openmetrics", in: folder.path)
        for (name, value) in [
            ("devices", 10), ("agreed", 9998), ("differed", 9), ("failed", 10), ("incomparable", 100),
        ] {
            let sample = #"patchpack_patch_shadow_\#(name){patch="com.example.shop.fix",version="3"} \#(value)"#
            #expect(metrics.lines.contains(sample), "\(metrics.text)")
        }
        let device = try Tool.patchpack("report", "shadow.jsonl", "--installation", "7", in: folder.path)
        #expect(device.text.contains("com.example.shop.fix 3  runs in shadow since 2026-11-22T10:07:00Z"))
        #expect(device.text.contains("  shadow        1 device; 0 of 1,000 compared calls differed"), "\(device.text)")
    }

    /// What differs in each call is certain, and only the number of those who use it is not.
    @Test func reportFunctionOfFewDevicesSaysHowMany() throws {
        func reason(_ users: Int, of devices: Int) throws -> String {
            let lines = (0..<devices).map { device in
                let (function, outcome) = device < users ? ("B.b", "differed") : ("A.a", "agreed")
                return Self.line("compared", device, #","code.function.name":"\#(function)","shadow.\#(outcome)":1"#)
            }
            try folder.write(lines.joined(separator: "\n") + "\n", to: "few.jsonl")
            let run = try Tool.patchpack("report", "few.jsonl", "--gate", "differs<1%", in: folder.path)
            return run.lines.first { $0.hasPrefix("undecided  differs<1%") } ?? run.text
        }
        let equal = try reason(6, of: 600)
        #expect(equal.contains("B.b 100.0 % of the compared calls on 6 devices"), "\(equal)")
        #expect(equal.hasSuffix("; used by 6 of 600 devices: too few for a verdict"), "\(equal)")
        let more = try reason(9, of: 600)
        #expect(more.contains("; used by 9 of 600 devices: too few for a verdict; about "), "\(more)")
        #expect(!more.contains("about 0 "), "\(more)")
    }

    /// A gate stops a fleet whose syncs fail, whichever patch is requested.
    @Test func aGateOnAllDevicesHasNoPatch() throws {
        let failed = (0..<300).map {
            Self.line("sync-failed", $0, #","error.type":"feed-signature","error.message":"other keys""#)
                .replacing(#""patch.id":"com.example.shop.fix","patch.version":3,"#, with: "")
        }
        try folder.write(failed.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let gates = ["--gate", "sync-failed<5%", "--gate", "store-failed<5%", "--gate", "failing<2%"]
        for other in [[], ["--patch", "com.example.other"]] {
            let text = try Tool.run(Tool.patchpack, ["report", "events"] + gates + other, in: folder.path)
            #expect(text.status == 20)
            #expect(
                text.text.contains(
                    "crossed  sync-failed<5%  all devices: 15.0 % of 2,000 devices, between 12.2 % and 18.1 %"),
                "\(text.text)")
            #expect(text.text.contains("passed  store-failed<5%  all devices: 0.0 %"))
        }
        let metrics = try Tool.run(
            Tool.patchpack, ["report", "events", "--format", "openmetrics"] + gates, in: folder.path)
        #expect(metrics.lines.contains(#"patchpack_gate_crossed{gate="sync-failed<5%"} 1"#))
        #expect(metrics.lines.contains("patchpack_unsynced_devices 300"))
        let relative = try Tool.patchpack("report", "events", "--gate", "sync-failed<previous+1%", in: folder.path)
        #expect(relative.status == 64)
    }

    /// In an earlier version, the one crossed gate of 300 patches was at line 3,155.
    @Test func aReportOfManyPatchesBeginsWithTheBadOnes() throws {
        var lines: [String] = []
        for patch in 0..<60 {
            for device in 0..<30 {
                var events = ["activated"]
                if patch == 41 { events.append("failed") }
                if patch == 7, device == 0 { events.append("refused") }
                lines += events.map { Self.line($0, device).replacing("shop.fix", with: "shop.part-\(patch)") }
            }
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/a.jsonl")
        let run = try Tool.patchpack(
            "report", "events", "--gate", "failing<0.5%", "--html", "page.html", in: folder.path)
        #expect(run.status == 20)
        try #require(run.lines.count > 3 && run.lines.count < 400)
        #expect(
            run.lines[1]
                == "60 patches, 1 with a crossed gate, 59 with an undecided gate, 2 that failed, or were rolled back or refused"
        )
        #expect(run.lines[2].hasPrefix("crossed  failing<0.5%  com.example.shop.part-41 3: 100.0 %"), "\(run.text)")
        let heads = run.lines.filter { $0.hasPrefix("com.example.shop.part-") }
        #expect(Array(heads.prefix(3)) == ["41", "7", "0"].map { "com.example.shop.part-\($0) 3" })
        #expect(heads.count == 60 && heads.last == "com.example.shop.part-9 3  30 devices, 30 running")
        #expect(run.lines.contains("and 40 more, of which --patch ID shows one in full"))
        #expect(run.text.hasSuffix("\nundecided  39 more\n"))
        let page = String(decoding: try folder.read("page.html"), as: UTF8.self)
        let parts = page.split(separator: "<div class=\"charts\">")
        try #require(parts.count == 2)
        #expect(parts[0].contains("<b>crossed</b>") && !parts[0].contains("<b>undecided</b>"))
        #expect(parts[1].contains("<summary>59 gates undecided, 0 passed</summary>"))
        #expect(parts[1].split(separator: "<h2>").count == 21 && parts[1].contains("<summary>40 more</summary>"))
        // The first six are drawn, each in its colour.
        #expect(
            parts[1].matches(of: /<b class="(c\d|rest)">/).map(\.1) == (0..<6).map { "c\($0)" }
                + Array(repeating: "rest", count: 14))
        #expect(parts[1].contains("Adoption (6 of 60 patches): com.example.shop.part-41 3 reached 30 devices"))
    }

    /// A log next to its compressed copies, and a file that is named twice.
    @Test func copiesOfAFileCountOnce() throws {
        let run = try Tool.shell(
            """
            gzip -k events/a.jsonl; zstd -q events/a.jsonl -o events/a.jsonl.zst
            patchpack report events events/a.jsonl --format json
            patchpack report events/a.jsonl.gz events/a.jsonl.zst events/a.jsonl --format json
            rm events/a.jsonl; patchpack report events --format json
            """, in: folder.path)
        for line in run.lines {
            #expect(try JSONValue(parsing: Array(line.utf8))["input"]?["events"]?.number == 8010)
        }
        #expect(run.lines.count == 3)
        for warning in [
            "a.jsonl.gz: left out, because a.jsonl is beside it", "a.jsonl: left out, because it is named twice",
            "a.jsonl.zst: left out, because a.jsonl is beside it",
        ] { #expect(run.error.contains("warning: events/\(warning)"), "\(run.error)") }
    }

    /// A volume as it is mounted, whose files are links into a hidden folder, with further names of a file.
    @Test func aFileCountsOnceUnderAllItsNames() throws {
        let run = try Tool.shell(
            """
            mkdir -p mount/..2026_11_26; head -n 4 events/a.jsonl > mount/..2026_11_26/e.jsonl
            ln -s ..2026_11_26 mount/..data; ln -s ..data/e.jsonl mount/e.jsonl; ln mount/..2026_11_26/e.jsonl mount/hard.jsonl
            ln -s e.jsonl mount/current.jsonl; touch mount/.hidden mount/README
            patchpack report mount --format json; patchpack report - mount/e.jsonl < mount/e.jsonl
            """, in: folder.path)
        let lines = run.lines
        try #require(lines.count > 1, "\(run.error)")
        let input = try JSONValue(parsing: Array(lines[0].utf8))["input"]
        #expect(input?["events"]?.number == 4)
        #expect(
            input?["leftOut"]?.elements.map { "\($0["file"]?.text ?? ""): \($0["reason"]?.text ?? "")" } == [
                "mount/e.jsonl: it is the same file as mount/current.jsonl",
                "mount/hard.jsonl: it is the same file as mount/current.jsonl",
                "mount/README: its name is not that of an event log",
            ])
        #expect(lines[1].hasPrefix("4 events of 1 device") && lines[1].hasSuffix(", 1 file left out"), "\(lines[1])")
    }

    @Test func rotatedFilesAreRead() throws {
        let run = try Tool.shell(
            """
            mkdir log; head -n 4 events/a.jsonl > log/e.jsonl; sed -n 5,8p events/a.jsonl > log/e.jsonl.1; gzip -k log/e.jsonl.1
            sed -n 9,12p events/a.jsonl | gzip > log/e.jsonl-20261126.gz; sed -n 13,16p events/a.jsonl > log/e-20261125.jsonl
            cp log/e.jsonl log/e.jsonl.old; patchpack report log
            """, in: folder.path)
        #expect(run.lines[0].hasPrefix("16 events of 4 devices"), "\(run.text)")
        #expect(run.error.contains("log/e.jsonl.1.gz: left out, because e.jsonl.1 is beside it"), "\(run.error)")
        #expect(run.error.contains("log/e.jsonl.old: left out, because its name"), "\(run.error)")
    }

    /// Damaged lines beside events are a note. Without any event, the report is of nothing.
    @Test func aReportOfNoEventFails() throws {
        let first = String(decoding: try folder.read("events/a.jsonl").prefix { $0 != 10 }, as: UTF8.self)
        let other = first.replacing("patchpack.event/1", with: "com.example.log/1")
        for (lines, status) in [
            ([], 10), ([""], 10), (["x", first, "x"], 0), (["x", "{}"], 10), ([other], 10), ([other, first], 0),
        ] as [([String], Int32)] {
            try folder.write(lines.joined(separator: "\n"), to: "some.jsonl")
            let run = try Tool.patchpack("report", "some.jsonl", in: folder.path)
            #expect(run.status == status, "\(lines): \(run.error)")
            #expect(run.error.contains("no event was read") == (status == 10), "\(run.error)")
        }
        try folder.write("x\ny\n", to: "some.jsonl")
        let json = try Tool.patchpack("report", "some.jsonl", "--format", "json", in: folder.path)
        #expect(json.status == 10)
        #expect(try JSONValue(parsing: json.output)["error"]?["code"]?.text == "malformed")
        // Events that an option leaves out were read.
        try folder.write(first, to: "some.jsonl")
        #expect(
            try Tool.patchpack("report", "some.jsonl", "--since", "2026-11-23T00:00:00Z", in: folder.path).status == 0)
    }

    @Test func aPageMakesNoFolder() throws {
        let run = try Tool.patchpack("report", "events", "--html", "none/page.html", in: folder.path)
        #expect(run.status == 74 && run.error.contains("none/page.html: there is no folder none"), "\(run.error)")
        #expect(!folder.exists("none"))
    }

    /// Reports of two apps, or of two environments, are in one folder of metrics.
    @Test func metricsHaveTheFeedsLabels() throws {
        let work = try FeedReleaseFixture()
        let run = try Tool.patchpack(
            "report", "events", "--format", "openmetrics", "--feed", work.folder.at("feed"), in: folder.path)
        let samples = run.lines.filter { !$0.hasPrefix("#") && !$0.isEmpty }
        let labels = #"{app="com.example.shop",environment="release""#
        #expect(samples.count > 10 && samples.allSatisfy { $0.contains(labels) }, "\(samples)")
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

    /// A patch of the feed that no device has reported has no share, and stretches no axis.
    @Test func thePageDrawsNoShareOfNoDevice() throws {
        let work = try FeedReleaseFixture()
        let run = try Tool.patchpack(
            "report", "events", "--feed", work.folder.at("feed"), "--html", "page.html", in: folder.path)
        #expect(run.text.contains("\n\(FeedReleaseFixture.id) 7\n"), "a test of the test: \(run.text)\(run.error)")
        let page = String(decoding: try folder.read("page.html"), as: UTF8.self)
        let caption = "Devices on which it failed or was rolled back, of those that reported it"
        #expect(page.contains("aria-label=\"\(caption): com.example.shop.fix 3 0.50 % (0.27 % to 0.92 %)\""), "\(page)")
    }

    /// A device with two patches is one device, so the devices of each patch are counted by themselves.
    @Test func thePageCountsDevicesWithWrongClocksForEachPatch() throws {
        func other(_ line: String) -> String { line.replacing("shop.fix", with: "shop.other") }
        let old = Self.line("activated", 9999).replacing("2026-11-22", with: "2020-11-22")
        let lines = [old, other(old)] + (0..<10).map { other(Self.line("activated", $0)) }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let run = try Tool.patchpack("report", "events", "--html", "page.html", in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        let page = String(decoding: try folder.read("page.html"), as: UTF8.self)
        #expect(page.components(separatedBy: ">1 device before, by clocks that may be wrong<").count == 3, "\(page)")
        #expect(!page.contains("2 devices before"))
    }

    @Test func thePageOfOneDeviceHasOneZero() throws {
        try folder.write(Self.line("activated", 1) + "\n", to: "one.jsonl")
        let run = try Tool.patchpack("report", "one.jsonl", "--html", "page.html", in: folder.path)
        #expect(run.status == 0, "\(run.error)")
        let page = String(decoding: try folder.read("page.html"), as: UTF8.self)
        let figure = try #require(page.components(separatedBy: "</figure>").first { $0.contains("Adoption") })
        #expect(figure.components(separatedBy: ">0</text>").count == 2, "\(figure)")
        #expect(figure.components(separatedBy: ">1</text>").count == 2)
    }

    /// Whatever devices write into strings, names or invalid lines, each output shows only the counted events.
    @Test(
        .needs("python3-html5lib", "/usr/lib/python3/dist-packages/html5lib"),
        .needs("python3-prometheus-client", "/usr/lib/python3/dist-packages/prometheus_client"))
    func reportCommandHostileEventTextShowsOnlyCountedEvents() throws {
        var lines: [String] = []
        for (index, text) in HostileText.all.enumerated() {
            let json = JSONValue.string(text).text()
            lines.append(
                Self.line(
                    "failed", 3000 + index,
                    #","code.function.name":"Cart.bold","error.type":"script","error.message":\#(json)"#))
            lines.append(
                Self.line(
                    "compared", 3000 + index,
                    #","code.function.name":"Cart.bold","shadow.differed":1,"shadow.failed":1,"shadow.incomparable":3,"shadow.answer":\#(json),"shadow.result":\#(json),"code.file.path":\#(json),"shadow.reasons":{\#(json):2}"#
                ))
            // Names that would become other names if they were joined, split or quoted.
            for member in [
                "patch.id", "error.type", "code.function.name", "service.version", "os.name", "app.installation.id",
            ] {
                lines.append(
                    Self.line("failed", 4000 + index, #","code.function.name":"Cart.bold","error.type":"script""#)
                        .replacing("\"service.name\"", with: "\"os.name\":\"x\",\"service.name\"")
                        .replacing(try Regex("\"\(member)\":\"[^\"]*\""), with: "\"\(member)\":\(json)"))
            }
        }
        for mask in [" com.example.shop.fix 3", "com.example.shop.fix 3", "com.example.shop.fix\\r\\n3", "\\ud800"] {
            lines.append(Self.line("activated", 5000).replacing("com.example.shop.fix", with: mask))
        }
        try folder.write(lines.joined(separator: "\n") + "\n", to: "events/b.jsonl")
        let run = try Tool.shell(
            """
            gate() { patchpack report events --gate 'failing<0.5%' "$@" || [ $? = 20 ]; }
            gate --html page.html >text && gate --format openmetrics >metrics && gate --format json >json &&
            patchpack feed init feed --app com.example.shop --root-key root.pem --release-key release.pem --online-key online.pem -q &&
            gate --feed feed --html feed.html >/dev/null
            /usr/bin/python3 - <<'END'
            import html5lib, json
            from prometheus_client.parser import text_string_to_metric_families as old
            from prometheus_client.openmetrics.parser import text_string_to_metric_families as new
            tags = set("html head meta title style body header h1 h2 p main ul li b code section figure figcaption svg g path rect line text "
                       "circle polyline table tbody tr th td br div details summary".split())
            for page in ("page.html", "feed.html"):
                for e in html5lib.parse(open(page, "rb").read(), namespaceHTMLElements=False).iter():
                    if isinstance(e.tag, str):
                        tag = e.tag.split("}")[-1]
                        assert tag in tags, (page, tag)
                        assert not any(name.lower().startswith("on") or "href" in name for name in e.attrib), (page, e.attrib)
                        assert tag != "meta" or e.get("http-equiv", "Content-Security-Policy") == "Content-Security-Policy"
            text = open("metrics", newline="").read()
            for parse in (old, new):
                samples = [s for family in parse(text) for s in family.samples]
                crossed = [(s.labels, s.value) for s in samples if s.name == "patchpack_gate_crossed"]
                assert crossed == [({"gate": "failing<0.5%", "patch": "com.example.shop.fix", "version": "3"}, 1)], crossed
            report = json.load(open("json"))
            assert [(p["id"], p["version"]) for p in report["patches"]] == [("com.example.shop.fix", 3)]
            assert [(g["patch"], g["version"]) for g in report["gates"]] == [("com.example.shop.fix", 3)]
            assert report["input"]["damaged"] >= 3, report["input"]
            raw = open("text", "rb").read()
            assert all(b >= 32 or b == 10 for b in raw), "control characters"
            print("ok")
            END
            """, in: prepared().path)
        #expect(run.text == "ok\n", "\(run.text)\(run.error)")
    }

    /// The folder, with the keys of a feed in it.
    private func prepared() throws -> TestFolder {
        for role in ["root", "release", "online"] {
            try folder.write(SigningKey.generate(.ed25519).pem().exposed, to: "\(role).pem", mode: 0o600)
        }
        return folder
    }

    /// Made-up devices could cross a gate, and one untrusted line could hide a crossed one.
    @Test func gatesAreThoseOfTheFeed() throws {
        let made = (0..<300).map {
            Self.line("failed", 9000 + $0).replacing("com.example.shop.fix", with: "com.example.made-up")
        }
        try folder.write(made.joined(separator: "\n") + "\n", to: "events/c.jsonl")
        let all = try Tool.patchpack("report", "events", "--gate", "failing<2%", in: folder.path)
        #expect(all.status == 20 && all.text.contains("crossed  failing<2%  com.example.made-up 3"), "\(all.text)")
        let work = try FeedReleaseFixture()
        let own = try Tool.patchpack(
            "report", "events", "--gate", "failing<2%", "--feed", work.folder.at("feed"), in: folder.path)
        #expect(own.status == 20 && own.text.contains("no device has reported enough for a verdict"), "\(own.text)")
        #expect(!own.text.contains("crossed"))
    }
}
