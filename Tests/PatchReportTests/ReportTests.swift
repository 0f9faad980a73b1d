import PatchCrypto
import PatchFiles
import PatchReport
import PatchText
import TestSupport
import Testing

/// A report on lines of events: which of them are read, what they say of patches and devices, and how much it keeps.
@Suite(.ownThreads) struct ReportTests {
    /// 2026-11-22T11:20:00Z, in milliseconds.
    static let now = 1_795_346_400_000

    static func line(
        _ event: String, device: Int = 1, at seconds: Int = 0, patch: String? = "com.example.fix", version: Int = 1,
        app: String = "2.3.1", _ attributes: String = ""
    ) -> String {
        let time = Timestamp(secondsSince1970: now / 1000 - 3600 + seconds)?.description.dropLast() ?? ""
        let about = patch.map { #""patch.id":"\#($0)","patch.version":\#(version)"# } ?? #""x":1"#
        return
            #"{"schema":"patchpack.event/1","timestamp":"\#(time).000Z","resource":{"app.installation.id":"d\#(device)","service.name":"com.example","service.version":"\#(app)"},"severityNumber":9,"eventName":"\#(event)","attributes":{\#(about)\#(attributes)}}"#
    }

    /// Two environments have the same patches, and two apps may.
    @Test func eventReaderWithOriginLeavesOutOthers() throws {
        let own = Self.line("activated")
        let lines =
            [
                own,
                own.replacing(#""service.name":"com.example""#, with: #""service.name":"com.example.other""#),
                own.replacing(#""service.name":"com.example","#, with: ""),
            ]
            + ["release", "debug"].map { name in
                own.replacing(#""resource":{"#, with: #""resource":{"deployment.environment.name":"\#(name)","#)
            }
        let folder = try TestFolder()
        let path = try folder.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "events.jsonl")
        let origin = FleetReport.Origin(app: "com.example", environment: "release")
        var builder = ReportBuilder(now: Self.now, filter: ReportFilter(origin: origin))
        try EventInput().read(Path(path), into: &builder)
        let input = builder.report().input
        #expect(input.events == 2 && input.elsewhere == 3)
    }

    /// The report on a string.
    static func report(
        _ text: some Sequence<UInt8>, limits: ReportBuilder.Limits = .init(), now: Int = now,
        listed: [FleetReport.Listed] = [], filter: ReportFilter = ReportFilter(), installation: String? = nil
    ) throws -> FleetReport {
        let folder = try TestFolder()
        let path = try folder.write(Array(text), to: "events.jsonl")
        var filter = filter
        if let installation { filter.installation = installation }
        var builder = ReportBuilder(now: now, limits: limits, filter: filter)
        builder.add(listed: listed)
        try EventInput().read(Path(path), into: &builder)
        return builder.report()
    }

    static func report(
        _ lines: [String], limits: ReportBuilder.Limits = .init(), listed: [FleetReport.Listed] = [],
        filter: ReportFilter = ReportFilter(), installation: String? = nil
    ) throws -> FleetReport {
        try report(
            (lines.joined(separator: "\n") + "\n").utf8, limits: limits, listed: listed, filter: filter,
            installation: installation)
    }

    @Test(arguments: ["gzip -c", "zstd -c -q"])
    func compressedEventsAreRead(_ program: String) throws {
        let folder = try TestFolder()
        let text = (1...3000).map { Self.line("launched", device: $0, patch: nil) + "\n" }.joined()
        try folder.write(text, to: "events")
        let run = try Tool.run("/bin/bash", ["-c", "\(program) events"], in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        let report = try Self.report(run.output)
        #expect(report.devices == 3000 && report.input.events == 3000)
        let cut = #expect(throws: PatchError(.malformed, "")) { try Self.report(run.output.dropLast(100)) }
        #expect(cut?.message == "the compressed data is cut off")
        var damaged = run.output
        damaged[damaged.count / 2] ^= 0xFF
        let error = #expect(throws: PatchError(.malformed, "")) { try Self.report(damaged) }
        #expect(error?.message == "the compressed data is damaged")
    }

    /// Such a frame has no content. It may be anywhere (RFC 8878, section 3.1.2).
    @Test(arguments: [0x50, 0x57, 0x5F] as [UInt8])
    func framesThatAreSkippedMayComeFirst(_ kind: UInt8) throws {
        let folder = try TestFolder()
        try folder.write(Self.line("launched", device: 1, patch: nil) + "\n", to: "events")
        let run = try Tool.run("/bin/bash", ["-c", "zstd -c -q events"], in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        let skipped: [UInt8] = [kind, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 7, 8, 9]
        #expect(try Self.report(skipped + run.output + skipped).input.events == 1)
        let cut = #expect(throws: PatchError(.malformed, "")) { try Self.report(skipped.dropLast()) }
        #expect(cut?.message == "the compressed data is cut off")
    }

    /// The checksum at the end is found to be wrong when all has been read.
    @Test func eventsBeforeTheDamageAreCounted() throws {
        let folder = try TestFolder()
        try folder.write((1...3).map { Self.line("launched", device: $0, patch: nil) + "\n" }.joined(), to: "events")
        var file = try Tool.run("/bin/bash", ["-c", "gzip -c events"], in: folder.path).output
        file[file.count - 8] ^= 1
        let path = try folder.write(file, to: "events.jsonl.gz")
        var builder = ReportBuilder(now: Self.now)
        let error = #expect(throws: PatchError.self) { try EventInput().read(Path(path), into: &builder) }
        let report = builder.report()
        #expect(error?.hint == "the events before are counted" && report.input.events == 3)
    }

    /// A pipe brings as many bytes at a time as it has.
    @Test func compressedEventsFromASlowPipeAreRead() throws {
        let folder = try TestFolder()
        try folder.write(Self.line("launched", device: 1, patch: nil) + "\n", to: "events")
        let writer = try Tool.shell(
            """
            gzip events && mkfifo pipe && {
              exec >/dev/null 2>&1
              { head -c 1 events.gz; sleep 0.2; tail -c +2 events.gz; } >pipe &
            }
            """, in: folder.path)
        try #require(writer.status == 0, "\(writer.error)")
        var builder = ReportBuilder(now: Self.now)
        try EventInput().read(Path("\(folder.path)/pipe"), into: &builder)
        #expect(builder.report().input.events == 1)
    }

    /// The lines of a quiet service are almost the same. Data that grows much more is made up.
    @Test(arguments: [(300, true), (0, false)]) func compressedEventsLikeLinesAreRead(random: Int, isRead: Bool)
        throws
    {
        let folder = try TestFolder()
        try folder.write("\n" + Self.line("activated") + "\n", to: "event")
        let run = try Tool.run(
            "/bin/bash",
            [
                "-c",
                """
                python3 -c '
                import os, sys
                for _ in range(640): sys.stdout.buffer.write(os.urandom(\(random)).replace(b"\\n", b"") + b"x" * 99700)
                ' >long; cat long event | zstd -c -q >packed.zst
                """,
            ], in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        var builder = ReportBuilder(now: Self.now)
        guard isRead else {
            let error = #expect(throws: PatchError(.malformed, "")) {
                try EventInput().read(Path("\(folder.path)/packed.zst"), into: &builder)
            }
            let fault = "more than 2000 times larger than what was read of the file"
            #expect(error?.message == "the compressed data is \(fault)")
            return
        }
        try EventInput().read(Path("\(folder.path)/packed.zst"), into: &builder)
        #expect(builder.report().input.events == 1)
    }

    @Test func compressedEventsLargeWindowAreRefusedAsSuch() throws {
        let folder = try TestFolder()
        let pack = "head -c 20000000 /dev/zero | zstd -c -q --long >packed.zst"
        let run = try Tool.run("/bin/bash", ["-c", pack], in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        var builder = ReportBuilder(now: Self.now)
        let error = #expect(throws: PatchError(.malformed, "")) {
            try EventInput().read(Path("\(folder.path)/packed.zst"), into: &builder)
        }
        #expect(error?.message == "the window of the compressed data is larger than 8 MB")
        #expect(error?.hint?.contains("smaller window") == true)
    }

    /// A collector may write the members of a line in another order.
    @Test func theOrderOfMembersDoesNotMatter() throws {
        func turned(_ value: JSONValue) -> JSONValue {
            guard case .object(let members) = value else { return value }
            return .object(members.reversed().map { ($0.key, turned($0.value)) })
        }
        let lines = [
            Self.line("launched", patch: nil), Self.line("trial", at: 1), Self.line("activated", at: 1),
            Self.line(
                "failed", at: 130,
                #","code.function.name":"Cart.total","error.type":"script","error.message":"no","code.line.number":7"#),
            Self.line(
                "called", at: 300, #","patch.calls":1000,"patch.failures":1,"patch.measured":16,"patch.times":[15,1]"#),
        ]
        let others = try lines.map { line in
            String(decoding: turned(try JSONValue(parsing: Array(line.utf8))).encoded(), as: UTF8.self)
        }
        #expect(others[1].hasPrefix(#"{"attributes""#))
        // Lines of both kinds follow each other.
        for mixed in [others, zip(lines, others).enumerated().map { $0.isMultiple(of: 2) ? $1.0 : $1.1 }] {
            let (one, other) = (try Self.report(lines), try Self.report(mixed))
            #expect(one.patches == other.patches && one.input.events == other.input.events)
        }
    }

    /// Stages are of the devices, each in one: a device that has rolled a patch back may report another stage of it
    /// later.
    @Test func theStagesAddUpToTheDevices() throws {
        let report = try Self.report([
            Self.line("rolled-back", device: 1, at: 1), Self.line("withdrawn", device: 1, at: 2),
            Self.line("rolled-back", device: 2, at: 1), Self.line("closed", device: 3, at: 1),
            Self.line("confirmed", device: 3, at: 2), Self.line("refused", device: 4, at: 1),
            Self.line("activated", device: 4, at: 2), Self.line("activated", device: 5, at: 1),
        ])
        let patch = try #require(report.patches.first)
        #expect([patch.devices, patch.rolledBack, patch.refused] == [5, 3, 1])
        let stages = [
            patch.devices(in: .withdrawn), patch.devices(in: .rolledBack), patch.devices(in: .good),
            patch.devices(in: .refused), patch.devices(in: .none),
        ]
        #expect(stages == [1, 1, 1, 1, 1])
    }

    @Test func aPatchIsFollowedThroughItsLife() throws {
        let lines = [
            Self.line("launched", device: 9, patch: nil),
            Self.line("trial", device: 1, at: 1), Self.line("activated", device: 1, at: 1),
            Self.line("confirmed", device: 1, at: 2), Self.line("trial", device: 2, at: 10),
            Self.line("activated", device: 2, at: 11),
            Self.line(
                "failed", device: 2, at: 130,
                #","code.function.name":"Cart.total","error.type":"script","error.message":"no","code.file.path":"a.lua","code.line.number":7,"exception.stacktrace":"a.lua:7: in tax\na.lua:9""#
            ),
            Self.line(
                "failed", device: 2, at: 190,
                #","code.function.name":"Cart.total","error.type":"script","error.message":"no","event.count":41"#),
            Self.line("rolled-back", device: 2, at: 200, #","patch.reason":"failed","patch.hash":"x""#),
            Self.line("deactivated", device: 2, at: 200),
            Self.line("refused", device: 3, at: 5, app: "2.10", #","error.type":"policy","error.message":"old""#),
            Self.line(
                "called", device: 1, at: 300,
                #","patch.calls":1000,"patch.failures":1,"patch.fallbacks":2,"patch.measured":16,"patch.nanoseconds":3200,"patch.longest":900,"patch.times":[14,1,0,1]"#
            ),
            Self.line("activated", device: 4, at: 7, version: 2),
        ]
        // A report does not depend on the order of its lines.
        for lines in [lines, lines.reversed(), lines.sorted()] {
            let report = try Self.report(lines)
            #expect(report.input.events == lines.count)
            #expect(report.devices == 5)
            try #require(report.patches.map(\.version) == [1, 2])
            let patch = report.patches[0]
            #expect(patch.id == "com.example.fix")
            #expect([patch.devices, patch.running, patch.failing, patch.rolledBack, patch.refused] == [3, 1, 1, 1, 1])
            #expect(
                [
                    patch.devices(in: .good), patch.devices(in: .trial), patch.devices(in: .withdrawn), patch.affected,
                    patch.devices(in: .none),
                ] == [1, 0, 0, 1, 0])
            #expect([patch.devices(in: .rolledBack), patch.devices(in: .refused)] == [1, 1])
            #expect([report.patches[1].devices, report.patches[1].devices(in: .none)] == [1, 1])
            #expect([patch.counts.calls, patch.counts.failures, patch.counts.fallbacks] == [1000, 1, 2])
            #expect(patch.counts.meanTime == 200)
            #expect(patch.counts.longest == 900)
            #expect(patch.counts.times == [14, 1, 0, 1] + Array(repeating: 0, count: 7))
            #expect(patch.faults[1].place == PatchError.Place())
            #expect(patch.faults.first { $0.event == "failed" }?.stack == "a.lua:7: in tax\na.lua:9")
            #expect(patch.firstBadMinute == (Self.now / 1000 - 3600 + 130) / 60)
            #expect(patch.appVersions.map(\.name) == ["2.10", "2.3.1"])
            #expect(patch.appVersions.map(\.devices) == [1, 2])
            #expect(patch.appVersions.map(\.affected) == [0, 1])
            #expect(patch.faults.map(\.count) == [42, 1, 1])
            #expect(patch.faults.map(\.code) == ["script", "policy", ""])
            #expect(patch.faults[2].event == "rolled-back" && patch.faults[2].message == "failed")
            #expect(patch.hours.map(\.newDevices) == [3])
            #expect(patch.hours.map(\.failed) == [42])
            #expect(report.patches[1].running == 1)
        }
        #expect(try Self.report(lines).patches[0].faults[0].place == PatchError.Place(file: "a.lua", line: 7))
    }

    /// The attributes of a comparison.
    private static func compared(
        in function: String = "Cart.total", agreed: String = "0", differed: String = "0", failed: String = "0",
        incomparable: String = "0", _ more: String = ""
    ) -> String {
        #","code.function.name":"\#(function)","shadow.agreed":\#(agreed),"shadow.differed":\#(differed),"shadow.failed":\#(failed),"shadow.incomparable":\#(incomparable)"#
            + more
    }

    private static func example(_ answer: String, _ result: String, _ line: Int) -> String {
        #","shadow.answer":"\#(answer)","shadow.result":"\#(result)","code.file.path":"a.lua","code.line.number":\#(line)"#
    }

    @Test func fleetReportComparisonsAreCountedByFunction() throws {
        let lines = [
            Self.line(
                "compared", device: 1, at: 60,
                Self.compared(
                    agreed: "90", incomparable: "4",
                    #","patch.nanoseconds":9400,"shadow.reasons":{"pay.charge":2,"log\nnow":1,"shadow.agreed":1},"x":{"no reason":5}"#
                )),
            Self.line(
                "compared", device: 2, at: 70,
                Self.compared(
                    agreed: "8", differed: "2", incomparable: "3",
                    #","patch.nanoseconds":1300,"shadow.reasons":{"pay.charge":1}"# + Self.example("19.0", "20.0", 7))),
            Self.line("compared", device: 2, at: 65, Self.compared(differed: "1", Self.example("true", "nil", 9))),
            Self.line(
                "compared", device: 3, at: 130,
                Self.compared(
                    in: "Cart.tax", failed: "5",
                    #","patch.nanoseconds":500,"shadow.answer":"1","error.type":"script","error.message":"no","code.file.path":"a.lua","code.line.number":3"#
                )),
            // Its last stage is another one.
            Self.line("compared", device: 4, at: 10, Self.compared(agreed: "1")),
            Self.line("trial", device: 4, at: 20), Self.line("launched", device: 5, patch: nil),
        ]
        for lines in [lines, lines.reversed(), lines.sorted()] {
            let report = try Self.report(lines, listed: [FleetReport.Listed(id: "com.example.fix", version: 1)])
            let patch = try #require(report.patches.first)
            #expect([report.devices, report.input.events, report.input.damaged] == [5, 7, 0])
            #expect(
                [patch.devices, patch.shadowed, patch.devices(in: .shadow), patch.devices(in: .trial)] == [4, 4, 3, 1])
            #expect([patch.failing, patch.affected, patch.running] == [1, 1, 0])
            #expect(patch.faults.map(\.event) == ["compared"] && patch.faults.map(\.function) == ["Cart.tax"])
            #expect(patch.faults.map(\.place) == [PatchError.Place(file: "a.lua", line: 3)])
            #expect(patch.hours.map(\.failed) == [5])
            #expect(patch.firstBadMinute == (Self.now / 1000 - 3600 + 130) / 60)
            #expect(patch.counts == CallCounts(), "those are of live calls")
            try #require(patch.comparisons.map(\.function) == ["Cart.total", "Cart.tax"])
            let (function, total) = (patch.comparisons[0], patch.comparisons[0].counts)
            #expect([total.agreed, total.differed, total.failed, total.incomparable] == [99, 3, 0, 7])
            #expect(total.differing == Share(3, of: 102) && total.meanTime == 10_700 / 109)
            #expect(function.reasons.map(\.text) == ["pay.charge", "log\nnow", "shadow.agreed"])
            #expect(function.reasons.map(\.count) == [3, 1, 1] && function.otherReasons == 2)
            #expect(
                function.examples.map(\.answer) == ["true", "19.0"]
                    && function.examples.map(\.result) == ["nil", "20.0"])
            #expect(function.examples.map(\.place.line) == [9, 7])
            #expect(patch.comparisons[1].examples.isEmpty)
            #expect(patch.comparison.differing == total.differing && patch.comparison.failed == 5)
        }
    }

    /// Each difference is shown once, and the earliest ones.
    @Test func fleetReportManyDifferencesKeepsEarliest() throws {
        let lines = (0..<60).map { index in
            Self.line(
                "compared", device: index, at: 60 - index / 6,
                Self.compared(differed: "1", Self.example("\(index / 12)", "x", index % 2)))
        }
        for lines in [lines, lines.reversed(), lines.sorted()] {
            let comparison = try #require(try Self.report(lines).patches.first?.comparisons.first)
            #expect(comparison.counts.differed == 60)
            #expect(comparison.examples.map(\.answer) == ["4", "4", "3"])
            #expect(comparison.examples.map(\.place.line) == [nil, 1, nil])
        }
    }

    /// A device writes at most 16 reasons by their names, and `other` for the rest.
    @Test func fleetReportReasonsOfADeviceAreAllRead() throws {
        let names = (10..<26).map { "pay.charge\($0)" } + ["other"]
        let reasons = names.map { #""\#($0)":1"# }.joined(separator: ",")
        let line = Self.line("compared", Self.compared(incomparable: "17", #","shadow.reasons":{\#(reasons)}"#))
        let comparison = try #require(try Self.report([line]).patches.first?.comparisons.first)
        #expect(comparison.reasons.count == 17 && comparison.otherReasons == 0)
    }

    /// Whatever a device writes, counts are neither negative nor too large, and memory is bounded.
    @Test func fleetReportHostileComparisonsStaysBounded() throws {
        let huge = String(Int.max)
        var lines = [
            Self.compared(
                agreed: huge, differed: huge, failed: huge, incomparable: huge, #","patch.nanoseconds":\#(huge)"#),
            Self.compared(agreed: huge, differed: huge, #","shadow.reasons":{"a":\#(huge),"a":\#(huge),"":9}"#),
            Self.compared(#","shadow.other":{"a":[{}]},"shadow.answer":7,"shadow.result":["a"]"#),
            // A launch's patches are not reasons, and reasons are not its patches.
            Self.compared(#","patch.running":[{"patch.id":"com.example.fix","patch.version":1}]"#),
            #","event.cut":true"#,
            Self.compared(
                in: "Cart.text", differed: "1", Self.example(String(repeating: "é", count: 4000), "\\u0000", 1)),
        ].map { Self.line("compared", $0) }
        lines.append(Self.line("launched", device: 2, patch: nil, #","shadow.reasons":{"com.example.fix":1}"#))
        for lines in [lines, lines.reversed()] {
            let report = try Self.report(lines)
            let patch = try #require(report.patches.first)
            #expect([report.input.damaged, report.input.events, report.patches.count] == [0, 7, 1])
            #expect([patch.devices, patch.running, patch.shadowed, patch.failing] == [1, 0, 1, 1])
            try #require(patch.comparisons.map(\.function) == ["Cart.total", "Cart.text"])
            let (function, total) = (patch.comparisons[0], patch.comparisons[0].counts)
            #expect(
                [total.agreed, total.differed, total.failed, total.incomparable] == Array(repeating: .max, count: 4))
            #expect(total.nanoseconds == .max && total.meanTime == 1 && total.differing == Share(.max, of: .max))
            #expect(
                function.reasons.map(\.text) == ["a"] && function.reasons.map(\.count) == [.max]
                    && function.otherReasons == 0)
            #expect(function.examples.isEmpty && patch.comparison.agreed == .max)
            let example = try #require(patch.comparisons[1].examples.first)
            #expect(example.answer.utf8.count == 512 && example.result == "\0")
        }
        let many = (0..<40).map { index in
            let reasons = (0..<40).map { #""\#(index) \#($0)":1"# }.joined(separator: ",")
            return Self.line(
                "compared",
                Self.compared(in: "F.f\(index % 9)", incomparable: "40", #","shadow.reasons":{\#(reasons)}"#))
        }
        var limits = ReportBuilder.Limits()
        limits.comparisons = 5
        let report = try Self.report(many, limits: limits)
        let functions = try #require(report.patches.first?.comparisons)
        #expect(functions.count == 5 && functions.allSatisfy { $0.reasons.count == limits.reasons })
        #expect(functions.allSatisfy { $0.otherReasons == $0.counts.incomparable - limits.reasons })
        #expect(report.input.dropped > 0)
        for wrong in [Self.compared(in: "Cart total"), Self.compared(#","error.type":"a b""#)] {
            #expect(try Self.report([Self.line("compared", wrong)]).input.misnamed == 1, "\(wrong)")
        }
    }

    /// A line that says a count that is none says nothing. Its other counts would make a bad patch look good.
    @Test(
        arguments: [
            "shadow.agreed", "shadow.differed", "shadow.failed", "shadow.incomparable", "patch.nanoseconds",
            "event.count", "patch.calls", "patch.failures", "patch.fallbacks", "patch.measured", "patch.longest",
            "patch.times", "shadow.reasons",
        ])
    func aLineWhoseCountIsNoneIsDamagedAsAWhole(_ name: String) throws {
        let empty = ["patch.times": "[]", "shadow.reasons": "{}"][name]
        for wrong in [
            "-1000", #""5""#, "1e308", "null", "-1", "1.0", "true", "99999999999999999999", "-9223372036854775808",
            "{}", "[]",
            #"{"a":-1}"#, #"{"a":"1"}"#, #"{"a":{"b":1}}"#, "[1,-1]", #"["1"]"#, "[[1]]",
        ] {
            let isEmpty = wrong == empty
            for event in ["compared", "called"] {
                let report = try Self.report([
                    Self.line(event, Self.compared(agreed: "50") + #","patch.calls":50,"\#(name)":\#(wrong)"#)
                ])
                #expect(report.input.damaged == (isEmpty ? 0 : 1) && report.input.misnamed == 0, "\(name) \(wrong)")
                #expect(report.patches.isEmpty != isEmpty && report.devices == (isEmpty ? 1 : 0))
            }
        }
        #expect(try Self.report([Self.line("compared", Self.compared())]).input.damaged == 0)
    }

    /// A device counts once, whatever it sends: a server with a million calls, and one that lies.
    @Test func fleetReportSharesOfCallsCountEachDeviceOnce() throws {
        var lines = (0..<9).map {
            Self.line(
                "called", device: $0,
                #","patch.calls":20,"patch.failures":1,"patch.fallbacks":5,"patch.measured":4,"patch.times":[3,1]"#)
        }
        lines += (0..<200).map { _ in
            Self.line(
                "called", device: 9,
                #","patch.calls":1000000000000,"patch.failures":0,"patch.fallbacks":0,"patch.measured":600,"patch.times":[600]"#
            )
        }
        lines += (0..<9).map {
            Self.line("compared", device: $0, Self.compared(agreed: "3", differed: "1", incomparable: "4"))
        }
        lines += (0..<200).map { _ in Self.line("compared", device: 9, Self.compared(agreed: "600")) }
        lines.append(Self.line("compared", device: 10, Self.compared(in: "Cart.rare", incomparable: "2")))
        for lines in [lines, lines.reversed()] {
            let patch = try #require(try Self.report(lines).patches.first)
            #expect(
                patch.failureShare == Share(count: 0.45, of: 10) && patch.fallbackShare == Share(count: 2.25, of: 10))
            #expect(patch.slowerShares.prefix(2) == [Share(count: 2.25, of: 10), Share(0, of: 10)])
            let function = try #require(patch.comparisons.first { $0.function == "Cart.total" })
            #expect(function.differingShare == Share(count: 2.25, of: 10))
            #expect(function.comparableShare == Share(count: 5.5, of: 10) && function.users == Share(10, of: 11))
            let rare = try #require(patch.comparisons.first { $0.function == "Cart.rare" })
            #expect(rare.differingShare == Share(0, of: 0) && rare.comparableShare == Share(0, of: 1))
            #expect(rare.users == Share(1, of: 11) && !rare.isComparable)
        }
    }

    /// A hundred devices that shadow a patch would hide that it fails on half of the others.
    @Test func fleetReportLivePatchCountsNoShadow() throws {
        let stop = #","shadow.reasons":{}"#
        var lines = (0..<100).flatMap { device in
            [Self.line("loaded", device: device), Self.line("withdrawn", device: device, at: 90)]
                + (device < 50
                    ? [Self.line("compared", device: device, Self.compared(agreed: "9", failed: "1", stop))] : [])
        }
        for device in 200..<204 {
            lines +=
                [Self.line("compared", device: device, Self.compared(failed: "1"))]
                + ["trial", "activated"].map { Self.line($0, device: device, at: 60) }
        }
        lines += (200..<202).map { Self.line("failed", device: $0, at: 61, #","error.type":"script""#) }
        let running = #","patch.running":[{"patch.id":"com.example.fix","patch.version":1}]"#
        lines.append(Self.line("launched", device: 204, at: 60, patch: nil, running))
        for lines in [lines, lines.reversed()] {
            func patch(isLive: Bool) throws -> FleetReport.Patch {
                let listed = [FleetReport.Listed(id: "com.example.fix", version: 1, isLive: isLive)]
                return try #require(try Self.report(lines, listed: listed).patches.first)
            }
            let (live, shadow) = (try patch(isLive: true), try patch(isLive: false))
            #expect(
                [live.devices, live.newDevices, live.failing, live.shadowed, live.devices(in: .withdrawn)] == [
                    5, 5, 2, 54, 0,
                ])
            #expect([shadow.devices, shadow.newDevices, shadow.failing, shadow.shadowed] == [105, 105, 54, 54])
            #expect(live.comparison == shadow.comparison)
        }
    }

    /// A device that had the patch before the requested time is not new, and does not count if it is silent since.
    @Test func fleetReportEarlierEventsMakeNoDeviceNew() throws {
        func hours(_ count: Int) -> Int { count * 3600 }
        func time(_ hour: Int) -> Timestamp? { Timestamp(secondsSince1970: Self.now / 1000 - 3600 + hours(hour)) }
        let running = #","patch.running":[{"patch.id":"com.example.fix","patch.version":1}]"#
        let lines =
            (1...4).map { Self.line("called", device: $0, at: hours(-1), #","patch.calls":1"#) } + [
                Self.line("loaded", device: 1, at: hours(-9)),
                Self.line("launched", device: 2, at: hours(-9), patch: nil, running),
                // Before it was offered.
                Self.line("activated", device: 3, at: hours(-12)),
                Self.line("loaded", device: 5, at: hours(-9)), Self.line("failed", device: 6, at: hours(-5)),
            ]
        let filter = ReportFilter(since: time(-4), heardSince: time(-10), newSince: time(-5))
        for lines in [lines, lines.reversed()] {
            let report = try Self.report(lines, filter: filter)
            let patch = try #require(report.patches.first)
            #expect([patch.devices, patch.newDevices, patch.failing, report.devices] == [4, 2, 0, 4])
            #expect([report.knownDevices, report.input.events, report.input.earlier] == [6, 4, 5])
        }
    }

    /// The events of devices that have run it, and of those that have gone back into shadow, say which of the two it
    /// is. A few of many devices say nothing.
    @Test func fleetReportWithoutFeedFindsLivePatchInEvents() throws {
        func devices(_ lines: [String]) throws -> [Int] {
            let orders = try [lines, lines.reversed()].map { lines in
                let patch = try #require(try Self.report(lines).patches.first)
                #expect(patch.shadowed == 50)
                return [patch.devices, patch.failing]
            }
            #expect(orders[0] == orders[1])
            return orders[0]
        }
        func live(_ devices: Range<Int>, at seconds: Int) -> [String] {
            devices.flatMap { device in ["trial", "activated"].map { Self.line($0, device: device, at: seconds) } }
        }
        let failed = Self.compared(agreed: "9", failed: "1")
        var lines = (0..<50).map { Self.line("compared", device: $0, at: 10, failed) }
        #expect(try devices(lines) == [50, 50], "no device has run it")
        lines += live(60..<63, at: 20)
        #expect(try devices(lines) == [53, 50], "the word of three devices")
        // It is live on eight devices, four of which have shadowed it before. The others do not know that yet.
        lines += live(0..<4, at: 20) + live(63..<64, at: 20)
        lines += (4..<50).map { Self.line("compared", device: $0, at: 30, failed) }
        #expect(try devices(lines) == [8, 0])
        // Some of them shadow it again.
        lines += (0..<3).map { Self.line("compared", device: $0, at: 40, failed) }
        #expect(try devices(lines) == [8, 0], "the word of three devices")
        lines.append(Self.line("compared", device: 3, at: 40, failed))
        #expect(try devices(lines) == [54, 50])
        // It is live again.
        lines += live(60..<64, at: 50)
        #expect(try devices(lines) == [8, 0])
        // In a fleet of thousands, four are a few.
        lines += (100..<1100).map { Self.line("loaded", device: $0) }
        #expect(try devices(lines) == [1054, 50])
    }

    /// A bad patch whose functions no longer run is as bad as one that was rolled back.
    @Test func aClosedPatchCountsAsRolledBack() throws {
        let patch = try Self.report([
            Self.line("trial", device: 1, at: 1), Self.line("trial", device: 2, at: 2),
            Self.line("closed", device: 2, at: 60, #","patch.reason":"launches failed","patch.hash":"x""#),
        ]).patches[0]
        #expect([patch.devices, patch.devices(in: .trial), patch.rolledBack, patch.affected] == [2, 1, 1, 1])
        #expect(patch.faults.map(\.event) == ["closed"] && patch.faults.map(\.message) == ["launches failed"])
        #expect(patch.hours.map(\.rolledBack) == [1])
    }

    /// Two patches are rolled back together, and one of them was the cause.
    @Test func theNeighbourOfABadPatchIsNotBlamed() throws {
        let suspicion = #","patch.reason":"\#(EventRecord.suspicion)""#
        func line(_ event: String, _ device: Int, _ patch: String, at seconds: Int, _ reason: String = "") -> String {
            Self.line(event, device: device, at: seconds, patch: "com.example.\(patch)", reason)
        }
        var lines = (1...600).flatMap { device in
            [line("trial", device, "good", at: 1), line("confirmed", device, "good", at: 2)]
        }
        let met = 601...650
        for device in met {
            for patch in ["good", "bad"] {
                lines += [
                    line("trial", device, patch, at: 1), line("rolled-back", device, patch, at: 10, suspicion),
                ]
            }
        }
        let gate = try #require(ReportGate("rolled-back<0.5%"))
        func judged(_ lines: [String]) throws -> (good: FleetReport.Patch, bad: FleetReport.Patch) {
            let orders = try [lines, lines.reversed()].map { try Self.report($0).patches }
            #expect(orders[0] == orders[1])
            try #require(orders[0].map(\.id) == ["com.example.bad", "com.example.good"])
            return (orders[0][1], orders[0][0])
        }
        let early = try judged(lines)
        #expect([early.good.rolledBack, early.good.suspected, early.good.affected] == [0, 50, 0])
        #expect(early.good.firstBadMinute == nil && early.good.faults.map(\.message) == [EventRecord.suspicion])
        // The cause is not known yet, so the patch is neither paused nor widened.
        #expect(
            gate.judge(early.good, scale: 1).verdict == .undecided
                && gate.judge(early.bad, scale: 1).verdict == .undecided)
        // Then each is tried alone.
        for device in met {
            lines += [
                line("trial", device, "good", at: 20), line("confirmed", device, "good", at: 21),
                line("trial", device, "bad", at: 30),
                line("rolled-back", device, "bad", at: 31, #","patch.reason":"launches failed""#),
            ]
        }
        // The good one reaches many other devices.
        for device in 651...3000 { lines.append(line("confirmed", device, "good", at: 40)) }
        let late = try judged(lines)
        #expect(
            [late.good.rolledBack, late.good.suspected] == [0, 0] && gate.judge(late.good, scale: 1).verdict == .passed)
        #expect(
            [late.bad.rolledBack, late.bad.suspected] == [50, 0] && gate.judge(late.bad, scale: 1).verdict == .crossed)
    }

    /// A stop is confirmed by the devices that have reported since.
    @Test func fleetReportStoppedPatchCountsDevicesKeepingIt() throws {
        let running = #","patch.running":[{"patch.id":"com.example.fix","patch.version":1}]"#
        func launch(_ device: Int, at seconds: Int, _ attributes: String = "") -> String {
            Self.line("launched", device: device, at: seconds, patch: nil, attributes)
        }
        let lines = [
            // All have it.
            launch(1, at: 1, running), launch(2, at: 1, running), launch(3, at: 1, running), launch(4, at: 1, running),
            launch(5, at: 1, running), launch(6, at: 1, running),
            // The stop is at 100. One device is silent, two keep the patch, one of them without another launch, and the
            // others lose it.
            Self.line("called", device: 6, at: 200, #","patch.calls":1,"patch.failures":0,"patch.fallbacks":0"#),
            launch(2, at: 100, running), Self.line("withdrawn", device: 3, at: 130),
            launch(4, at: 150), Self.line("rolled-back", device: 5, at: 99), launch(5, at: 99),
        ]
        let stop = Timestamp(secondsSince1970: Self.now / 1000 - 3600 + 100)
        for lines in [lines, lines.reversed()] {
            let listed = [FleetReport.Listed(id: "com.example.fix", version: 1, stopped: stop)]
            let patch = try #require(try Self.report(lines, listed: listed).patches.first)
            #expect([patch.devices, patch.running, patch.heard, patch.keeping] == [6, 3, 4, 2])
            let offered = try #require(try Self.report(lines).patches.first)
            #expect(offered.stopped == nil && offered.heard == 0)
        }
    }

    /// A feed that all devices refuse must not look quiet.
    @Test func devicesThatCannotSyncAreCountedWithTheirReasons() throws {
        func line(_ event: String, _ device: Int, at seconds: Int, _ code: String, _ message: String) -> String {
            Self.line(
                event, device: device, at: seconds, patch: nil,
                #","error.type":"\#(code)","error.message":"\#(message)""#)
        }
        let lines = [
            line("sync-failed", 1, at: 5, "feed-signature", "1.root.json: other keys"),
            line("sync-failed", 1, at: 9, "feed-signature", "later"),
            line("sync-failed", 2, at: 7, "feed-signature", "later"),
            line("sync-failed", 3, at: 7, "clock", "three years ahead"),
            line("store-failed", 3, at: 7, "io", "read-only"), Self.line("confirmed", device: 4),
            Self.line("synced", device: 1, at: 10, patch: nil), Self.line("synced", device: 2, at: 6, patch: nil),
        ]
        for lines in [lines, lines.reversed()] {
            let report = try Self.report(lines)
            #expect(report.devices == 4 && report.troubled == [.syncFailed: 3, .storeFailed: 1])
            #expect(report.unsynced == 2, "one has synced since")
            #expect(report.faults.map(\.code) == ["feed-signature", "io", "clock"])
            #expect(report.faults.map(\.event) == ["sync-failed", "store-failed", "sync-failed"])
            #expect(report.faults.map(\.count) == [3, 1, 1])
            #expect(report.faults[0].message == "1.root.json: other keys", "the first of them")
            #expect(report.patches.count == 1 && report.patches[0].faults.isEmpty)
        }
    }

    /// An error on a device as such is counted, whatever it is.
    @Test(arguments: FleetReport.Trouble.allCases)
    func fleetReportDeviceTroubleIsCounted(_ trouble: FleetReport.Trouble) throws {
        let report = try Self.report([Self.line(trouble.event.rawValue, patch: nil), Self.line("launched", patch: nil)])
        #expect(report.troubled == [trouble: 1] && report.faults.map(\.event) == [trouble.event.rawValue])
        // A refusal with an id counts for that patch.
        let named = try Self.report([Self.line("refused")])
        #expect(named.troubled.isEmpty && named.faults.isEmpty && named.patches[0].refused == 1)
    }

    @Test func aDeviceHasAReportOfItsOwn() throws {
        let running = #","patch.running":[{"patch.id":"com.example.good","patch.version":3}]"#
        func error(_ code: String, _ message: String) -> String {
            #","error.type":"\#(code)","error.message":"\#(message)""#
        }
        let lines = [
            Self.line("launched", at: 10, patch: nil, app: "2.9", running),
            Self.line("launched", at: 50, patch: nil, app: "2.10", running),
            Self.line("trial", at: 10, patch: "com.example.good", version: 3),
            Self.line("confirmed", at: 20, patch: "com.example.good", version: 3),
            Self.line("trial", at: 30, patch: "com.example.bad"),
            Self.line("rolled-back", at: 40, patch: "com.example.bad", #","patch.reason":"launches failed""#),
            Self.line("synced", at: 5, patch: nil), Self.line("synced", at: 60, patch: nil, #","event.count":2"#),
            Self.line("sync-failed", at: 6, patch: nil, error("feed-unavailable", "no network")),
            Self.line("sync-failed", at: 8, patch: nil, error("feed-unavailable", "no server")),
            Self.line("failed", at: 45, patch: "com.example.good", version: 3, error("script", "nil")),
            // Other devices have the same patches, and one has a name with the same beginning.
            Self.line("rolled-back", device: 2, at: 40, patch: "com.example.good", version: 3),
            Self.line("sync-failed", device: 11, at: 70, patch: nil, error("clock", "three years ahead")),
        ]
        func time(_ seconds: Int) -> Timestamp? { Timestamp(secondsSince1970: Self.now / 1000 - 3600 + seconds) }
        let listed = [FleetReport.Listed(id: "com.example.a", version: 9)]
        for lines in [lines, lines.reversed()] {
            let report = try Self.report(lines, listed: listed, installation: "d1")
            let device = try #require(report.device)
            #expect(report.input.events == 11 && report.input.others == 2 && report.devices == 1)
            #expect(device.appVersion == "2.10" && report.newest == time(60))
            #expect(device.launches == 2 && device.lastLaunch == time(50))
            #expect(device.syncs == 3 && device.lastSync == time(60))
            typealias Held = FleetReport.Device.Held
            #expect(
                device.patches == [
                    Held(id: "com.example.bad", version: 1, stage: .rolledBack, since: time(40), isRunning: false),
                    Held(id: "com.example.good", version: 3, stage: .good, since: time(20), isRunning: true),
                ])
            // The last message counts here.
            #expect(report.faults.map(\.message) == ["no server"] && report.faults.map(\.count) == [2])
            #expect(report.faults.map(\.last) == [time(8)])
            #expect(report.patches.map(\.rolledBack) == [0, 1, 0])
        }
        for other in ["d", "d1 ", "D1", "", "d3"] {
            let report = try Self.report(lines, installation: other)
            #expect(report.device == nil && report.input.others == lines.count && report.patches.isEmpty)
        }
        #expect(try Self.report(lines).device == nil)
    }

    /// A device that has not run a live patch does not count for it, but it is what the report on the device is about.
    @Test(arguments: [
        ("not-applicable", FleetReport.Stage.over), ("expired", .over), ("withdrawn", .withdrawn),
        ("compared", .shadow), ("loaded", .none),
    ])
    func fleetReportOfOneDeviceHasEachOfItsPatches(_ event: String, _ stage: FleetReport.Stage) throws {
        let listed = [FleetReport.Listed(id: "com.example.fix", version: 1, isLive: true)]
        let report = try Self.report([Self.line(event, device: 7)], listed: listed, installation: "d7")
        let held = try #require(report.device?.patches)
        #expect(held.map(\.id) == ["com.example.fix"] && held.map(\.stage) == [stage])
        #expect(held.map(\.isRunning) == [false] && report.patches.map(\.devices) == [0])
    }

    /// The strings of other devices take no space.
    @Test(.enabled(if: testsMayBeLong)) func aDeviceIsFoundAmongAnyNumberOfOthers() throws {
        let others = (0..<70_000).map {
            Self.line("failed", device: 2, #","error.type":"script","error.message":"no \#($0)""#)
        }
        let own = Self.line("failed", #","error.type":"script","error.message":"its own""#)
        let report = try Self.report(others + [own], installation: "d1")
        #expect(report.patches.first?.faults.map(\.message) == ["its own"] && report.input.dropped == 0)
    }

    @Test func troubleIsCountedBySystem() throws {
        func line(_ event: String, _ device: Int, _ app: String, _ system: String) -> String {
            Self.line(event, device: device, app: app).replacing(
                "},\"severityNumber\"", with: "\(system)},\"severityNumber\"")
        }
        func system(_ name: String, _ version: String) -> String {
            #","os.name":"\#(name)","os.version":"\#(version)""#
        }
        let lines = [
            line("trial", 1, "2.0", system("Android", "14")), line("failed", 1, "2.0", system("Android", "14")),
            line("trial", 2, "2.0", system("Android", "14")), line("trial", 3, "2.0", system("iOS", "18.1")),
            // First the app was updated, and then the system.
            line("trial", 4, "2.0", system("Android", "13")), line("failed", 4, "2.1", system("Android", "13")),
            line("confirmed", 4, "2.1", system("Android", "14")), line("rolled-back", 5, "1.9.1", ""),
        ]
        for lines in [lines, lines.reversed()] {
            let patch = try #require(try Self.report(lines).patches.first)
            #expect(patch.systems.map(\.name) == ["Android 14", "iOS 18.1"])
            #expect(patch.systems.map(\.devices) == [3, 1])
            #expect(patch.systems.map(\.affected) == [2, 0])
            #expect(patch.appVersions.map(\.name) == ["2.1", "2.0", "1.9.1"])
            #expect(patch.appVersions.map(\.devices) == [1, 3, 1])
            #expect(patch.appVersions.map(\.affected) == [1, 1, 1])
        }
    }

    /// Clocks that are wrong by years once made a chart of six years.
    @Test(arguments: [(20, 1), (100, 5), (100, 20), (4, 1)]) func aWrongClockSpoilsNoChart(devices: Int, wrong: Int)
        throws
    {
        let year = 365 * 86_400
        let lines = (1...devices).flatMap { device in
            let start = device <= wrong ? -5 * year + device * 3600 * 500 : device * 36_000 / devices - 36_000
            return [
                Self.line("activated", device: device, at: start),
                Self.line("failed", device: device, at: start + 60),
            ]
        }
        let patch = try #require(try Self.report(lines).patches.first)
        let beginning = try #require(patch.beginning)
        let first = Self.now / 1000 - 3600 + (wrong + 1) * 36_000 / devices - 36_000
        #expect(beginning.hour == first / 3600 && beginning.devicesBefore == wrong && patch.devices == devices)
        #expect(patch.firstBelievedBadMinute == (first + 60) / 60)
        #expect(try #require(patch.firstBadMinute) < (first + 60) / 60)
    }

    /// A clock that is hours ahead makes no event newer, also once its time has come.
    @Test(arguments: [(3, 2), (29, 2), (40, 4), (200, 4)])
    func fleetReportNewestEventIsOfSeveralDevices(devices: Int, several: Int) throws {
        let ahead = 20 * 3600
        func newest(ahead count: Int, of devices: Int, hours: Int) throws -> Int? {
            let lines = (0..<devices).map { Self.line("called", device: $0, at: $0 < count ? ahead : 0) + "\n" }
            return try Self.report(lines.joined().utf8, now: Self.now + hours * 3_600_000).newest?.secondsSince1970
        }
        let time = Self.now / 1000 - 3600
        #expect(try newest(ahead: several - 1, of: devices, hours: 20) == time)
        #expect(try newest(ahead: several, of: devices, hours: 0) == time, "that time has not come")
        #expect(try newest(ahead: several, of: devices, hours: 20) == time + ahead)
        #expect(try newest(ahead: 1, of: 2, hours: 20) == time + ahead)
        #expect(try newest(ahead: 0, of: 1, hours: 0) == time)
    }

    /// A slow start is not a wrong clock.
    @Test func aCanaryIsDrawn() throws {
        let lines = (1...200).map { device in
            Self.line("activated", device: device, at: device <= 2 ? -6 * 86_400 : device)
        }
        let patch = try #require(try Self.report(lines).patches.first)
        #expect(patch.beginning?.hour == (Self.now / 1000 - 3600 - 6 * 86_400) / 3600)
        #expect(patch.beginning?.devicesBefore == 0 && patch.firstBelievedBadMinute == nil)
        #expect(FleetReport.Patch(id: "p", version: 1).beginning == nil)
    }

    @Test func fleetReportStagesAtSameTimeCountsGraver() throws {
        for names in [["rolled-back", "confirmed", "trial"], ["trial", "confirmed", "rolled-back"]] {
            let patch = try #require(try Self.report(names.map { Self.line($0) }).patches.first)
            #expect([patch.devices(in: .trial), patch.devices(in: .good), patch.rolledBack] == [0, 0, 1])
        }
        for names in [["activated", "deactivated"], ["deactivated", "activated"]] {
            #expect(try Self.report(names.map { Self.line($0) }).patches.first?.running == 1)
        }
    }

    /// An app update or an expiry is not a refusal: 30 of 60 healthy devices once paused a patch.
    @Test(arguments: ["expired", "not-applicable"])
    func fleetReportOutdatedOrExpiredPatchIsOver(_ event: String) throws {
        let lines = [Self.line("activated"), Self.line("confirmed", at: 1), Self.line(event, at: 2)]
        for lines in [lines, lines.reversed()] {
            let patch = try #require(try Self.report(lines).patches.first)
            #expect(
                [
                    patch.devices, patch.devices(in: .over), patch.refused, patch.affected, patch.running,
                    patch.devices(in: .good),
                ] == [
                    1, 1, 0, 0, 0, 0,
                ])
        }
        let again = try Self.report(lines + [Self.line("activated", at: 3), Self.line("confirmed", at: 4)])
        #expect(again.patches.first?.devices(in: .over) == 0 && again.patches.first?.running == 1)
    }

    @Test func fleetReportLastLaunchGivesRunningPatches() throws {
        func running(_ lines: [String]) throws -> [Int] {
            let reports = try [lines, lines.reversed()].map { try Self.report($0).patches.map(\.running) }
            #expect(reports[0] == reports[1])
            return reports[0]
        }
        let launch = { (time: Int, patches: String) in
            Self.line("launched", at: time, patch: nil, #","patch.running":[\#(patches)]"#)
        }
        let patch = { (version: Int) in #"{"patch.id":"com.example.fix","patch.version":\#(version)}"# }
        let activated = Self.line("activated", at: 10)
        #expect(try running([activated]) == [1])
        #expect(try running([activated, launch(9, "")]) == [1])
        #expect(try running([activated, launch(11, "")]) == [0])
        #expect(try running([activated, launch(11, patch(1))]) == [1])
        #expect(try running([activated, launch(11, patch(2))]) == [0, 1])
        #expect(
            try running([
                activated, launch(11, #"{"x":[{"patch.id":"a.b"}],"patch.version":1,"patch.id":"com.example.fix"}"#),
            ]) == [1])
        #expect(try running([activated, Self.line("rolled-back", at: 10)]) == [0])
        #expect(try running([activated, Self.line("withdrawn", at: 12)]) == [0])
        #expect(try running([activated, Self.line("withdrawn", at: 9)]) == [1])
        #expect(try running([activated, Self.line("launched", device: 2, at: 20, patch: nil)]) == [1])
        // An event with another name does not count.
        for wrong in [
            "{}", patch(0), patch(-1), patch(1 << 31), #"{"patch.id":"fix","patch.version":1}"#,
            #"{"patch.id":" com.example.fix","patch.version":1}"#, #"{"patch.id":"com.example.fix"}"#,
            #"{"patch.id":"com.example.fix","patch.version":"1"}"#, #"{"patch.id":7,"patch.version":1}"#,
            #"{"patch.id":"com.example.fix","patch.version":1.5}"#,
            #"{"patch.id":["com.example.fix"],"patch.version":1}"#,
        ] {
            let report = try Self.report([activated, launch(11, wrong)])
            #expect(report.patches.map(\.running) == [1] && report.input.misnamed == 1, "\(wrong)")
        }
    }

    /// A name that could hide a patch, or put a line into a file.
    @Test(arguments: [
        " com.example.fix", "com.example.fix ", "com.example.fix 7", "fix", "com.example.\u{D4E}<b>", "com.exämple.fix",
        "com..fix", ".com.fix", "com.fix.", "a\\r\\nb.c", "a.b\\u0000", String(repeating: "a.", count: 64) + "a",
        "com.example.fix\u{301}", "\\ud800.b",
    ])
    func anIdThatNoPatchHasIsCountedAsDamaged(_ id: String) throws {
        let good = Self.line("failed")
        let report = try Self.report([good, Self.line("failed", device: 2, patch: id)])
        #expect(report.patches.map(\.id) == ["com.example.fix"] && report.patches.map(\.devices) == [1])
        #expect(report.input.damaged == 1 && report.devices == 1)
        #expect(report.input.misnamed == (id.hasPrefix("\\u") ? 0 : 1), "a lone surrogate is not JSON")
    }

    @Test(arguments: [
        #""patch.version":0"#, #""patch.version":-1"#, #""patch.version":2147483648"#, #""patch.version":"1""#,
        #""patch.version":1.0"#, #""patch.version":null"#, #""patch.version":[1]"#, #""patch.version":{"a":1}"#,
        #""patch.version":1,"patch.id":7"#, #""patch.version":1,"patch.id":["com.example.fix"]"#,
        #""patch.version":1,"error.type":"a b""#, #""patch.version":1,"error.type":"\u0d4e<script>""#,
        #""patch.version":1,"code.function.name":"a b""#, #""patch.version":1,"code.function.name":"Cart.\r\ntotal""#,
    ])
    func aVersionACodeOrAFunctionOfAnotherFormIsDamaged(_ members: String) throws {
        let line = Self.line("failed").replacing(#""patch.version":1"#, with: members)
        let report = try Self.report([line])
        #expect(report.patches.isEmpty && report.input.damaged == 1 && report.input.misnamed == 1)
    }

    @Test(arguments: ["1.0-beta", "v1", "1\u{D4E}<b>", "1.2.3.4.5"])
    func anAppVersionOfAnotherFormIsDamaged(_ version: String) throws {
        let report = try Self.report([Self.line("failed", app: version), Self.line("failed")])
        #expect(report.input.misnamed == 1 && report.patches.first?.devices == 1)
        #expect(report.input.misnamedExample == version)
    }

    /// The first name in alphabetical order is reported, whatever the order of the lines.
    @Test func fleetReportMisnamedPatchesShowsFirstName() throws {
        let lines = ["b", "a", "c"].map { Self.line("failed", patch: $0) }
        for lines in [lines, lines.reversed()] {
            let report = try Self.report(lines)
            #expect(report.input.misnamed == 3 && report.input.misnamedExample == "a")
        }
    }

    /// Made-up names cannot displace the patches of the feed.
    @Test func thePatchesOfTheFeedAreCountedWhateverComes() throws {
        let lines =
            (0..<3000).map { Self.line("failed", device: $0 % 100, patch: "made.up\($0)") } + [Self.line("failed")]
        func report(_ listed: [FleetReport.Listed]) throws -> FleetReport { try Self.report(lines, listed: listed) }
        let unlisted = try report([])
        #expect(unlisted.patches.count == 1000 && !unlisted.patches.contains { $0.id == "com.example.fix" })
        #expect(unlisted.input.droppedPatches == 2001)
        let listed = try report([
            FleetReport.Listed(id: "com.example.fix", version: 1),
            FleetReport.Listed(id: "com.example.other", version: 2),
        ])
        #expect(listed.patches.count == 1002 && listed.patches.first { $0.id == "com.example.fix" }?.failing == 1)
    }

    @Test func fleetReportLinesWithoutEventAreCounted() throws {
        let good = Self.line("activated")
        let deep = String(repeating: #"{"a":"#, count: 100_000)
        let text = [
            good, String(good.dropLast(5)), "", "\u{0}\u{1}binary", "{}", "[]", "7",
            #"{"schema":"other/1","eventName":"x"}"#,
            #"{"schema":"patchpack.event/1","eventName":"activated"}"#, deep, good + "\r", good + "x", "\"\\ud800\"",
            good.replacing("2026-", with: "1926-"), good.replacing("2026-", with: "2096-"),
            good.replacing("\"timestamp\"", with: "\"at\""), good.replacing(".000Z", with: "Z"),
            good.replacing("\"patch.version\":1", with: "\"patch.version\":99999999999999999999999"),
        ]
        let report = try Self.report(text)
        #expect(report.input.events == 6)
        #expect(report.input.foreign == 4)
        #expect(report.input.withoutDevice == 1)
        #expect(report.input.withoutTime == 3)
        #expect(report.input.damaged == 6 && report.input.misnamed == 1)
        #expect(report.devices == 1)
        #expect(report.patches.first?.devices == 1)
    }

    /// Lines as collectors keep them, and events after the zeros of a truncated file or a byte order mark.
    @Test func wrappedLinesAreRead() throws {
        let lines = [
            Self.line("activated"),
            Self.line(
                "failed", at: 1,
                #","code.function.name":"Cart.total","error.type":"script","error.message":"\"a\\b\"\u00e9\n","x":{"y":"{"}"#
            ),
            Self.line("called", at: 2, #","patch.calls":3,"patch.measured":1,"patch.times":[0,1]"#),
            Self.line("confirmed", device: 2, at: 3),
        ]
        func text(_ line: String) -> String {
            String(decoding: JSONValue.string(line + "\r\n").encoded(), as: UTF8.self)
        }
        let forms: [(String) -> String] = [
            { #"{"log":\#(text($0)),"stream":"stdout","time":"2026-11-26T10:00:00.1Z"}"# },
            { #"{"__CURSOR":"s=1","MESSAGE":\#(text($0)),"PRIORITY":"6"}"# },
            { #"{"container":{"log":"{}"},"file":"/a.log","message":\#(text($0))}"# },
            { #"{"log":\#(text($0)),"message":"app: launched"}"# },
            { #"{"message":"","log":\#(text($0)),"line":null}"# },
            // As examples/fleet/fluent-bit.yaml and vector.yaml write them.
            { #"{"line":\#(text($0))}"# },
            { "2026-11-26T10:00:00.123456789Z stderr F \($0)" }, { "Nov 26 10:00:00 host shop[7]: \($0)" },
            { "\u{FEFF}\($0)" }, { String(repeating: "\0", count: 50_000) + $0 },
        ]
        let plain = try Self.report(lines)
        #expect(plain.patches.first?.faults.first?.message == "\"a\\b\"é\n")
        for (place, form) in forms.enumerated() {
            var report = try Self.report(lines.map(form))
            report.input.bytes = plain.input.bytes
            #expect(report == plain, "\(place)")
        }
        // What an app logs beside its events is not damaged, and a wrapped line may be.
        let others = try Self.report([forms[0]("listening"), forms[0](#"{"a":1}"#), forms[0]("{x")])
        #expect(others.input.foreign == 2 && others.input.damaged == 1)
    }

    /// A service may begin with more patches than a handful.
    @Test func allPatchesOfALaunchRun() throws {
        let listed = (1...300).map { FleetReport.Listed(id: "com.example.fix\($0)", version: 1) }
        let running = listed.map { #"{"patch.id":"\#($0.id)","patch.version":1}"# }.joined(separator: ",")
        let launch = Self.line("launched", patch: nil, #","patch.running":[\#(running)]"#)
        let report = try Self.report([launch], listed: listed)
        #expect(report.patches.count == 300 && report.patches.allSatisfy { $0.running == 1 })
    }

    /// Wherever a control character is, and whatever the previous lines are.
    @Test func controlCharactersAreNoJSON() throws {
        let line = Self.line("activated")
        for byte in (0..<0x20).map(UInt8.init) where byte != UInt8(ascii: "\n") {
            for place in [30, 130] {
                var lines: [UInt8] = []
                for length in 0..<17 {
                    var bytes = Array(line.utf8)
                    bytes[place] = byte
                    lines += Array(repeating: UInt8(ascii: " "), count: length) + bytes + [UInt8(ascii: "\n")]
                }
                #expect(try Self.report(lines).input.damaged == 17, "\(byte) at \(place)")
            }
        }
    }

    /// The reader remembers the keys and the strings of previous lines.
    @Test(arguments: [
        line("called", #","patch.calls":3,"patch.measured":1,"patch.times":[0,1]"#),
        line("failed", #","error.type":"script","error.message":"no""#),
    ]) func eventReaderSimilarPreviousLineChangesNothing(_ line: String) throws {
        let afterResource = #"},"severityNumber""#
        func adding(_ members: String) -> String {
            line.replacing(afterResource, with: #"},\#(members),"severityNumber""#)
        }
        func beginning(_ members: String) -> String { "{\(members),\(line.dropFirst())" }
        let head = String(line.prefix { $0 != "}" })
        let time = try #require(line.firstRange(of: "2026-"))
        func timed(_ text: String) -> String {
            String(line[..<time.lowerBound]) + text + String(line[time.lowerBound...].dropFirst(24))
        }
        let texts: [String] = [
            head + "},}", head + "}}", line.replacing(afterResource, with: #"}, "severityNumber""#),
            adding(#""resource":{"app.installation.id":"d9"}"#), adding(#""resource":{"service.version":"9"}"#),
            adding(#""schema":"other""#), adding(#""timestamp":"2026-11-22T10:00:00.000Z""#),
            beginning(#""eventName":"trial""#), beginning(#""resource":{"os.name":"x"}"#),
            beginning(#""attributes":{"patch.calls":9}"#),
            beginning(#""eventName":"trial""#).replacing(#","eventName""#, with: #","other""#),
            beginning(#""attributes":{"patch.id":"x","patch.version":9,"patch.calls":5}"#).replacing(
                #","attributes""#, with: #","other""#),
            timed(#"2026-11-22","a":"00:00Z1"#), timed(#"2026-11-22","schema":"0Z"#), timed("2026-11-22T10:00:01.000Z"),
            line.replacing(#""app.installation.id""#, with: #""x":{"severityNumber":9},"app.installation.id""#),
            line.replacing(#""d1""#, with: #""\u0064\u0031""#),
            line.replacing(#""resource""#, with: #""res\u006furce""#),
            line.replacing(#""severityNumber""#, with: #""severity\u004eumber""#),
        ]
        let (bytes, apart) = (Array(line.utf8), Array(Self.line("activated", device: 2).utf8))
        /// Expects lines to make one report, whichever of them come first.
        func check(_ others: [[UInt8]]) throws {
            for order in [[apart, bytes], [bytes, bytes], [apart]] {
                let lines = others.flatMap { other in order + [other, other, bytes] }
                let (one, other) = (
                    try Self.report(lines.joined(separator: [0x0A])),
                    try Self.report(lines.reversed().joined(separator: [0x0A]))
                )
                let same = one.input == other.input && one.devices == other.devices && one.patches == other.patches
                #expect(same, "\(others.count): \(String(decoding: others[0], as: UTF8.self))")
            }
        }
        for text in texts { try check([Array(text.utf8)]) }
        for other in Array("\"\\{}[,: 0\0\u{7F}".utf8) + [0xFF] {
            try check(
                bytes.indices.map { place in
                    var changed = bytes
                    changed[place] = other
                    return changed
                })
        }
        try check(bytes.indices.map { Array(bytes[..<$0]) })
    }

    /// Strings without their escapes are in another buffer, wherever the escape is.
    @Test(arguments: [#"\"no"#, #"\nno"#, #"\u00e9t\u00e9"#, #"n\u00f6"#, #"\ud83d\ude00"#, #"\\"#])
    func textsMayHaveEscapes(escaped: String) throws {
        let text = try #require(try JSONValue(parsing: Array("\"\(escaped)\"".utf8)).text)
        let lines = (0..<200).map { device in
            Self.line(
                "failed", device: 1, patch: #"com.\u0065xample"#, app: "1.\(device % 2)",
                #","code.function.name":"C\u0061rt.total","error.type":"script","error.message":"\#(escaped) \#(escaped)""#
            ).replacing(#""d1""#, with: #""\#(escaped)\#(device)""#)
        }
        let report = try Self.report(lines)
        #expect(report.devices == 200)
        let patch = try #require(report.patches.first)
        #expect(report.patches.count == 1)
        #expect(patch.id == "com.example")
        #expect(patch.devices == 200)
        let fault = try #require(patch.faults.first)
        #expect(patch.faults.count == 1)
        #expect(fault.function == "Cart.total")
        #expect(fault.message == "\(text) \(text)")
    }

    /// A device with a clock that was never set.
    @Test(arguments: [Int.min, 0, Int.max]) func anyClockMakesAReport(now: Int) throws {
        let report = try Self.report(Array((Self.line("activated") + "\n").utf8), now: now)
        #expect(report.patches.map(\.running) == [1])
        #expect(report.input.withoutTime == (now == .max ? 0 : 1))
    }

    /// The earliest of several messages is reported.
    @Test func theOrderOfManyLinesDoesNotMatter() throws {
        let lines = (0..<20_000).map { number in
            let device = number % 700
            let events = ["activated", "failed", "called", "confirmed", "rolled-back", "refused", "launched"]
            return Self.line(
                events[number % 7], device: device, at: number * 17 % 3000,
                version: 1 + device % 3, app: "2.\(device % 5).\(number / 9_000)",
                #","code.function.name":"f\u0065\#(number % 9)","error.type":"script","error.message":"no \#(number * 31 % 97)","calls":3,"failures":1"#
            )
        }
        let one = try Self.report((lines.joined(separator: "\n") + "\n").utf8)
        #expect(one.patches.count == 3 && one.patches.allSatisfy { $0.failing > 0 && $0.faults.count > 5 })
        #expect(try Self.report((lines.reversed().joined(separator: "\n") + "\n").utf8) == one)
    }

    /// There is no room for the earliest of the messages, so another one is reported.
    @Test(.enabled(if: testsMayBeLong)) func aMessageThatFoundNoPlaceIsNotTold() throws {
        func failed(_ number: Int, at seconds: Int) -> String {
            Self.line(
                "failed", at: seconds,
                #","code.function.name":"f","error.type":"script","error.message":"no \#(number)""#)
        }
        let lines = (0..<70_000).map { failed($0, at: 100) } + [failed(70_001, at: 1)]
        let fault = try #require(try Self.report(lines).patches.first?.faults.first)
        #expect(fault.count == 70_001 && fault.message.hasPrefix("no "), "\(fault.message)")
        let others = (1...200).flatMap { device in
            (0..<350).map { failed(device * 1000 + $0, at: 100).replacing("\"d1\"", with: "\"d\(device)\"") }
        }
        #expect(try Self.report(others + [failed(70_001, at: 1)]).patches.first?.faults.first?.count == 70_001)
    }

    /// Eight strings that are one to `==`, in the order of their bytes: an `é` is one scalar, or an `e` and an accent.
    private static let alike = (0..<8).map { number in
        [4, 2, 1].map { number & $0 == 0 ? "e\u{301}" : "é" }.joined()
    }

    /// Texts of devices are told apart by their bytes, and are in their order.
    @Test func systemsAndReasonsAreToldApartByTheirBytes() throws {
        let lines = Self.alike.enumerated().map { device, text in
            Self.line("rolled-back", device: device, #","patch.reason":"\#(text)""#)
                .replacing(#""service.version""#, with: #""os.name":"\#(text)","service.version""#)
        }
        for lines in [lines, lines.reversed()] {
            let patch = try #require(try Self.report(lines).patches.first)
            #expect(patch.systems.map { Array($0.name.utf8) } == Self.alike.map { Array($0.utf8) })
            #expect(patch.faults.map { Array($0.message.utf8) } == Self.alike.map { Array($0.utf8) })
        }
    }

    /// The example of equal faults, and the newest of a device's systems, do not depend on the order of the lines.
    @Test func textsThatLookAlikeMakeOneReport() throws {
        let lines = Self.alike.map { text in
            Self.line(
                "failed", #","error.type":"script","error.message":"\#(text)","code.file.path":"\#(text)""#
            ).replacing(#""service.version""#, with: #""os.name":"\#(text)","service.version""#)
        }
        for lines in [lines, lines.reversed()] {
            let patch = try #require(try Self.report(lines).patches.first)
            #expect(patch.faults.map { Array($0.message.utf8) } == [Array(Self.alike[0].utf8)])
            #expect(patch.systems.map { Array($0.name.utf8) } == [Array(Self.alike[7].utf8)])
        }
    }

    /// A day that no month has is not another day.
    @Test(arguments: [
        ("2026-02-31", false), ("2026-02-29", false), ("2024-02-30", false), ("2026-04-31", false),
        ("2026-09-31", false), ("2026-10-32", false), ("2026-10-00", false), ("2024-02-29", true), ("2026-10-31", true),
    ]) func onlyADayThatExistsIsATime(_ day: String, exists: Bool) throws {
        let report = try Self.report([Self.line("activated").replacing("2026-11-22", with: day)])
        #expect(report.input.events == 1 && report.input.withoutTime == (exists ? 0 : 1))
        #expect(report.newest?.description.prefix(10) == (exists ? day[...] : nil))
    }

    @Test(arguments: [("", true), (".5", true), (".123456", true), (".", false), (",5", false)])
    func aFractionOfASecondHasDigits(_ fraction: String, isTime: Bool) throws {
        let line = Self.line("activated")
        let whole = try #require(line.firstRange(of: "2026-11-22"))
        let time = "2026-11-22T10:00:00\(fraction)Z"
        let changed = line[..<whole.lowerBound] + time + line[whole.lowerBound...].drop { $0 != "\"" }
        #expect(try Self.report([String(changed)]).input.withoutTime == (isTime ? 0 : 1))
    }

    @Test func theLastLineNeedsNoLineFeed() throws {
        let text = Self.line("activated") + "\n" + Self.line("activated", device: 2)
        #expect(try Self.report(Array(text.utf8)).devices == 2)
        #expect(try Self.report([UInt8]()).input.events == 0)
        #expect(try Self.report(Array("\r\n\r".utf8)).input.damaged == 0)
    }

    @Test func aLineWithoutAnEndIsSkipped() throws {
        let good = Self.line("activated")
        var text = Array((good + "\n").utf8)
        text += Array(repeating: UInt8(ascii: "x"), count: 5_000_000)
        text += Array(("\n" + good.replacing("d1", with: "d2") + "\n").utf8)
        let report = try Self.report(text)
        #expect(report.input.events == 2)
        #expect(report.input.damaged == 1)
        #expect(report.input.bytes == text.count)
        let open = try Self.report(Array(repeating: UInt8(ascii: "x"), count: 3_000_000))
        #expect(open.input.damaged == 1)
    }

    /// With room for about 350 of 8,000 devices, the numbers are estimates.
    @Test func tooManyDevicesAreSampled() throws {
        var limits = ReportBuilder.Limits()
        limits.devices = 1 << 10
        let lines = (0..<8_000).flatMap { (device: Int) -> [String] in
            [Self.line("activated", device: device)] + (device % 4 == 0 ? [Self.line("failed", device: device)] : [])
        }
        let report = try Self.report(lines, limits: limits)
        #expect(report.scale >= 16)
        #expect(report.input.events == 10_000)
        let patch = try #require(report.patches.first)
        // About 250 devices are a sample with a deviation of 6 percent.
        #expect((6_000...10_000).contains(patch.devices))
        #expect((0.15...0.35).contains(Double(patch.failing) / Double(patch.devices)))
        #expect(try Self.report(lines).scale == 1)
    }

    /// All rows of a device have room, or none. Its hash is another one in each report.
    @Test func aDeviceWithMoreFunctionsThanPlacesIsLeftOut() throws {
        var limits = ReportBuilder.Limits()
        limits.devices = 16
        let lines = (0..<40).map { Self.line("compared", Self.compared(in: "F.f\($0)", agreed: "1")) }
        for _ in 0..<100 {
            let comparisons = try #require(try Self.report(lines, limits: limits).patches.first?.comparisons)
            #expect(comparisons.count == 40 && comparisons.allSatisfy { $0.comparableShare.total == 0 })
        }
    }

    @Test func reportBuilderManyPatchesAndFaultsAreBounded() throws {
        var limits = ReportBuilder.Limits()
        limits.patches = 10
        limits.hours = 5
        limits.faults = 5
        let lines = (1...100).map { number in
            Self.line(
                "failed", at: -3600 * number, version: number % 20,
                #","code.function.name":"f\#(number)","error.type":"e""#)
        }
        let report = try Self.report(lines, limits: limits)
        #expect(report.patches.count <= 10)
        #expect(report.patches.map(\.faults.count).reduce(0, +) == 5)
        #expect(report.patches.map(\.hours.count).reduce(0, +) == 5)
        #expect(report.input.dropped > 0)
    }

    /// A device counts events that are the same, and writes them once.
    @Test func fleetReportRollBacksAreCountedInTheirHour() throws {
        let line = Self.line("rolled-back", #","event.count":3,"patch.reason":"launches failed""#)
        let patch = try #require(try Self.report([line, line]).patches.first)
        #expect(patch.hours.map(\.rolledBack) == [6] && patch.faults.map(\.count) == [6] && patch.rolledBack == 1)
    }

    /// An event is dropped once, however many of its strings and rows find no room.
    @Test func fleetReportDroppedEventsAreCountedOnce() throws {
        var limits = ReportBuilder.Limits()
        limits.names = 0
        limits.faults = 0
        let listed = [FleetReport.Listed(id: "com.example.fix", version: 1)]
        let lines = (0..<3).map { Self.line("rolled-back", device: $0, #","patch.reason":"\#($0)""#) }
        #expect(try Self.report(lines, limits: limits, listed: listed).input.dropped == 3)
        let patches = (0..<9).map { #"{"patch.id":"com.example.p\#($0)","patch.version":1}"# }.joined(separator: ",")
        let launched = Self.line("launched", patch: nil, #","patch.running":[\#(patches)]"#)
        let input = try Self.report([launched], limits: limits).input
        #expect(input.dropped == 1 && input.droppedPatches == 1)
    }

    /// The hours of first events take no more room than those of other events.
    @Test func reportBuilderManyFirstHoursAreBounded() throws {
        var limits = ReportBuilder.Limits()
        limits.hours = 5
        let lines = (0..<40).map { Self.line("activated", device: $0, at: -3600 * ($0 / 2)) }
        let report = try Self.report(lines, limits: limits)
        let patch = try #require(report.patches.first)
        #expect(patch.devices == 40 && patch.hours.map(\.newDevices) == Array(repeating: 2, count: 5))
        #expect(report.input.dropped == 30)
    }

    /// 70,000 different strings take no more memory than 65,535.
    @Test(.enabled(if: testsMayBeLong)) func textsAreBounded() throws {
        let texts = try Self.report(
            (1...70_000).map { Self.line("activated", device: 1, patch: "com.example.p\($0)") },
            limits: ReportBuilder.Limits())
        #expect(texts.patches.count < 10_000)
        #expect(texts.input.dropped > 60_000)
    }

    @Test func countsCannotOverflow() throws {
        let line = Self.line(
            "called",
            #","patch.calls":9223372036854775807,"patch.failures":9223372036854775807,"patch.measured":9223372036854775807,"patch.nanoseconds":9223372036854775807,"patch.longest":9223372036854775807,"patch.fallbacks":9223372036854775807"#
        )
        let failed = Self.line("failed", #","event.count":9223372036854775807"#)
        let negative = Self.line("called", #","patch.calls":-5,"patch.failures":-9223372036854775808,"event.count":-7"#)
        let patch = try #require(try Self.report([line, line, failed, failed, negative]).patches.first)
        #expect(patch.counts.calls == .max)
        #expect(patch.counts.failureRate.interval.upperBound == 1)
        #expect(patch.faults.first?.count == .max)
    }

    /// Against R's `prop.test(…, correct = FALSE)`.
    @Test(arguments: [
        (0, 100, 0.0, 0.036_993_5), (1, 1000, 0.000_176_55, 0.005_642_6), (50, 100, 0.403_831_5, 0.596_168_5),
        (100, 100, 0.963_006_5, 1.0),
    ])
    func intervalsAreWilsons(count: Int, total: Int, low: Double, high: Double) {
        let interval = Share(count, of: total).interval
        #expect(abs(interval.lowerBound - low) < 1e-5)
        #expect(abs(interval.upperBound - high) < 1e-5)
    }
}
