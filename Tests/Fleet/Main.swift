import Foundation
import PatchCrypto
import PatchDevice
import PatchFeed
import PatchRunner
import RandomSupport

/// A fleet of devices that meets a bad release: how many are affected, for how many launches, and for how long.
///
///     fleet CHART.svg [DEVICES]
///     fleet --events FOLDER [DEVICES [PERCENT [CRASHES]]]
///
/// The first form draws fleets of 250,000 devices, if not told otherwise. The second one writes the events of one fleet
/// of DEVICES (10,000), with a bad version 2 that is offered to PERCENT of the devices (25) and crashes CRASHES of a
/// hundred launches (100). 0 makes a good release.
///
/// Version 1 of a patch is good on every device. At hour 24 version 2 is published to a part of the devices; it crashes
/// the app on its first screen. At hour 28 the operator withdraws it. Every launch uses the store's state machine, and
/// every sync the feed's choice of devices. Only files, networks and keys are left out.
@main
struct Main {
    /// The hours in which version 2 is published, it is withdrawn, and the simulation ends.
    static let published = 24.0
    static let withdrawn = 28.0
    static let end = 24.0 * 5
    static let id = "com.example.shop.home"

    private static let usage = PatchError(
        .config, "usage: fleet CHART.svg [DEVICES], or fleet --events FOLDER [DEVICES [PERCENT [CRASHES]]]")

    static func main() throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let first = arguments.popFirst() else { throw usage }
        guard first == "--events" else {
            return try drawChart(to: first, devices: number(from: &arguments, otherwise: 250_000))
        }
        guard let folder = arguments.popFirst() else { throw usage }
        let devices = try number(from: &arguments, otherwise: 10_000)
        let percent = try number(from: &arguments, otherwise: 25)
        let crashes = try number(from: &arguments, otherwise: 100)
        let log = FleetLog(folder: folder)
        let fleet = try Fleet(percent: percent, hasGuard: true, crashShare: Double(crashes) / 100, log: log)
        print(try fleet.run(devices).line)
    }

    private static func number(from arguments: inout ArraySlice<String>, otherwise standard: Int) throws -> Int {
        guard let word = arguments.popFirst() else { return standard }
        guard let number = Int(word) else { throw usage }
        return number
    }

    private static func drawChart(to file: String, devices: Int) throws {
        var outcomes: [Outcome] = []
        for percent in [1, 5, 25, 100] {
            for hasGuard in [true, false] {
                let start = ContinuousClock().now
                let outcome = try Fleet(percent: percent, hasGuard: hasGuard).run(devices)
                let seconds = (ContinuousClock().now - start) / .seconds(1)
                print(outcome.line, "(\(Int(seconds)) s)")
                outcomes.append(outcome)
            }
        }
        print("choices: \(Int(try Fleet.choicesPerSecond())) a second on one core")
        try Chart(outcomes).svg.write(toFile: file, atomically: true, encoding: .utf8)
    }
}

/// The outcome for a fleet.
struct Outcome {
    let percent: Int
    let hasGuard: Bool
    let devices: Int
    /// How many devices crashed at least once.
    var affected = 0
    /// The crashes of all devices.
    var crashes = 0
    /// The crashes of the device that crashed most often.
    var mostCrashes = 0
    /// The hours from each crash after a successful launch to the next successful launch; nil if there was none.
    var hours: [Double?] = []
    /// For each hour, how many devices are between a crash and a successful launch.
    var down = [Int](repeating: 0, count: Int(Main.end))

    var line: String {
        let back = hours.compactMap(\.self).sorted()
        func part(_ share: Double) -> String {
            guard let last = back.indices.last else { return "-" }
            return String(format: "%.1f h", back[min(last, Int(Double(back.count) * share))])
        }
        let average = affected == 0 ? 0 : Double(crashes) / Double(affected)
        return
            "\(percent)% \(hasGuard ? "with" : "without") the guard: \(affected) of \(devices) devices affected, "
            + String(format: "%.2f", average)
            + " crashes each, at most \(mostCrashes); back after \(part(0.5)) (median), \(part(0.95)) (95 of 100); "
            + "never: \(hours.count - back.count)"
    }
}

struct Fleet {
    let percent: Int
    let hasGuard: Bool
    /// The share of the launches with version 2 that crash.
    let crashShare: Double
    let log: FleetLog?
    private let before: PatchList
    private let during: PatchList
    private let after: PatchList

    init(percent: Int, hasGuard: Bool, crashShare: Double = 1, log: FleetLog? = nil) throws {
        self.percent = percent
        self.hasGuard = hasGuard
        self.crashShare = crashShare
        self.log = log
        before = try Self.list([Self.entry(1)])
        during = try Self.list([Self.entry(1), Self.entry(2, rollout: percent)])
        // A good version stays.
        after = crashShare > 0 ? try Self.list([Self.entry(1), Self.entry(2, state: "withdrawn")]) : during
    }

    private static func entry(_ version: Int, state: String = "active", rollout: Int? = nil) -> String {
        let part = rollout.map { #","rollout":{"permyriad":\#($0 * 100),"by":"installation"}"# } ?? ""
        return #"""
            {"id":"\#(Main.id)","version":\#(version),"path":"patches/\#(version).js",\#
            "appVersions":">=2.0","engine":1,"state":"\#(state)"\#(part)}
            """#
    }

    private static func list(_ entries: [String]) throws -> PatchList {
        let text = #"""
            {"schema":1,"enabled":true,"app":"com.example.shop","environment":"release",\#
            "published":"2026-11-01T00:00:00Z","patches":[\#(entries.joined(separator: ","))]}
            """#
        return try PatchList(decoding: Array(text.utf8))
    }

    static func choicesPerSecond() throws -> Double {
        let list = try list((1...5).map { entry($0, rollout: 50) })
        guard let version = AppVersion("2.3.1") else { return 0 }
        let start = ContinuousClock().now
        for number in 0..<100_000 {
            let device = FeedDevice(
                app: "com.example.shop", environment: "release", appVersion: version, installation: "\(number)")
            _ = try list.choices(for: device)
        }
        return 100_000 / ((ContinuousClock().now - start) / .seconds(1))
    }

    func run(_ devices: Int) throws -> Outcome {
        var outcome = Outcome(percent: percent, hasGuard: hasGuard, devices: devices)
        var random = SeededRandom(percent)
        for number in 0..<devices { try live(number, &random, &outcome) }
        return outcome
    }

    /// Five days of one device.
    private func live(_ number: Int, _ random: inout SeededRandom, _ outcome: inout Outcome) throws {
        // Most have the newest app, and most are used a few times a day. A tenth of the days has no network.
        guard let version = AppVersion(random.unit() < 0.9 ? "2.3.1" : "1.9.0") else { return }
        let perDay = 0.3 + random.unit() * random.unit() * 12
        var limits = CrashLimits()
        if !hasGuard {
            limits.trialFailures = .max
            limits.safeModeFailures = .max
        }
        var state = StoreState(app: "com.example.shop", appVersion: version, installation: "device \(number)")
        let device = FeedDevice(
            app: "com.example.shop", environment: "release", appVersion: version, installation: state.installation)
        let events = try log?.device(number, version)
        // The first version is not for the old app.
        if version.description == "2.3.1" { state.add([(PatchID(id: Main.id, version: 1), "1")]) }
        var early = state.begin(limits: limits, at: nil)
        early += state.confirm(limits: limits, at: nil)
        var hour = 0.0
        var crashes = 0
        // The hour of the first crash after the last successful launch.
        var firstCrash: Double?
        while true {
            hour += -Foundation.log(1 - random.unit()) * 24 / perDay
            guard hour < Main.end else { break }
            let outcomes = early + state.begin(limits: limits, at: nil)
            early = []
            log?.emit(outcomes, at: hour, events)
            log?.launch(state.launch?.patches ?? [], at: hour, events)
            // A release that always crashes takes no number from the generator.
            if state.launch?.patches.contains("2") == true, crashShare == 1 || random.unit() < crashShare {
                crashes += 1
                firstCrash = firstCrash ?? hour
                continue
            }
            if let first = firstCrash {
                firstCrash = nil
                note(from: first, to: hour, &outcome)
            }
            let confirmed = state.confirm(limits: limits, at: nil)
            log?.emit(confirmed, at: hour, events)
            if let events { log?.use(state.launch?.patches ?? [], at: hour, events, &random) }
            var day = SeededRandom(number * 1_000 + Int(hour / 24))
            let isOffline = day.unit() < 0.1
            // A minute later, so that a launch is not logged after what follows it.
            if !isOffline { try sync(&state, device, at: hour + 1.0 / 60, events) }
            state.end()  // it goes to the background
        }
        guard crashes > 0 else { return }
        if let firstCrash { note(from: firstCrash, to: nil, &outcome) }
        outcome.affected += 1
        outcome.crashes += crashes
        outcome.mostCrashes = max(outcome.mostCrashes, crashes)
    }

    /// Notes the time from a crash to the next successful launch; nil if there was none.
    private func note(from first: Double, to back: Double?, _ outcome: inout Outcome) {
        outcome.hours.append(back.map { $0 - first })
        for hour in Int(first)..<Int((back ?? Main.end).rounded(.up)) { outcome.down[hour] += 1 }
    }

    /// The list that is served at an hour.
    private func served(at hour: Double) -> PatchList {
        if hour < Main.published { return before }
        return hour < Main.withdrawn ? during : after
    }

    private func sync(
        _ state: inout StoreState, _ device: FeedDevice, at hour: Double, _ events: PatchEventLog?
    ) throws {
        let held = state.held.reduce(into: [String: Set<Int>]()) {
            $0[$1.patch.id, default: []].insert($1.patch.version)
        }
        let bans = state.bans
        log?.set(hour)
        for choice in try served(at: hour).choices(
            for: device, held: held, isBanned: { entry in bans.contains { $0.patch.version == entry.version } })
        {
            switch choice.code {
            case .withdrawn, .appVersion, .banned:
                if choice.code == .withdrawn, state.held.contains(where: { $0.patch.version == choice.version }) {
                    let patch = PatchID(id: choice.id, version: choice.version)
                    events?.record(.withdrawn(.init(patch, reason: nil)))
                }
                state.remove("\(choice.version)")
            case .offered:
                state.add([(PatchID(id: choice.id, version: choice.version), "\(choice.version)")])
                let outcomes = state.activate("\(choice.version)")
                log?.emit(outcomes, at: hour, events)
                log?.activate("\(choice.version)", at: hour, events)
            default: break
            }
        }
    }
}

/// How many of a thousand devices are between their first crash and their next launch that works, hour by hour, with
/// and without the guard.
struct Chart {
    let outcomes: [Outcome]

    init(_ outcomes: [Outcome]) { self.outcomes = outcomes }

    var svg: String {
        let (width, height, left, top) = (640.0, 220.0, 60.0, 40.0)
        let hours = Int(Main.end)
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 \(Int(top + height + 60))" \
            font-family="sans-serif" font-size="12">
            <style>text{fill:#333} .axis{stroke:#999} .with{stroke:#0a7} .without{stroke:#c33} \
            path{fill:none;stroke-width:2}
            @media (prefers-color-scheme: dark){text{fill:#ddd} .axis{stroke:#777}}</style>
            <text x="\(left)" y="20">Devices between their first crash and their next launch that works, of 1,000</text>

            """
        let shown = outcomes.filter { $0.percent == 25 }
        let most = max(1, shown.flatMap { $0.down }.max() ?? 1)
        for outcome in shown {
            let points = (0..<hours).map { hour in
                let x = left + width * Double(hour) / Double(hours)
                let y = top + height * (1 - Double(outcome.down[hour]) / Double(most))
                return String(format: "%.1f %.1f", x, y)
            }
            text +=
                "<path class=\"\(outcome.hasGuard ? "with" : "without")\" d=\"M\(points.joined(separator: "L"))\"/>\n"
        }
        for (hour, words, anchor) in [
            (Main.published, "a bad patch, to 25 %", "end"), (Main.withdrawn, "withdrawn", "start"),
        ] {
            let x = left + width * hour / Main.end
            let line = String(format: "x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"", x, x, top, top + height)
            let place = String(format: "x=\"%.1f\" y=\"%.1f\"", x + (anchor == "end" ? -4 : 4), top + 14)
            text += "<line class=\"axis\" \(line) stroke-dasharray=\"3\"/>\n"
            text += "<text \(place) text-anchor=\"\(anchor)\">\(words)</text>\n"
        }
        for day in 0...5 {
            let x = left + width * Double(day) / 5
            text += "<text x=\"\(x)\" y=\"\(top + height + 18)\" text-anchor=\"middle\">day \(day)</text>\n"
        }
        for part in 0...2 {
            let share = Double(part) / 2
            let count: Double = shown.first.map { Double(most) * share / Double($0.devices) * 1000 } ?? 0
            let y = top + height * (1 - share)
            text +=
                "<line class=\"axis\" x1=\"\(left)\" x2=\"\(left + width)\" y1=\"\(y)\" y2=\"\(y)\" "
                + "stroke-width=\"0.5\"/>\n"
            text +=
                "<text x=\"\(left - 8)\" y=\"\(y + 4)\" text-anchor=\"end\">\(String(format: "%.0f", count))</text>\n"
        }
        text += """
            <path class="with" d="M\(left) \(top + height + 40)h30"/>\
            <text x="\(left + 38)" y="\(top + height + 44)">with the crash guard</text>
            <path class="without" d="M\(left + 220) \(top + height + 40)h30"/>\
            <text x="\(left + 258)" y="\(top + height + 44)">\
            without it: no launch lives long enough to sync</text>
            </svg>

            """
        return text
    }
}
