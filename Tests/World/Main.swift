import Foundation

/// A feed with its operators, and devices that take it, for years: whatever is real but time, networks and chance.
///
///     world --seeds A-B [--time SECONDS]      worlds of these seeds, until the time is over
///     world --seed N [--events JSON]          one world, with each event; with other events than those of its seed
///
/// If an invariant does not hold, it prints the fewest events that it finds with which it does not, and ends with 1.
@main
struct Main {
    @MainActor static func main() async throws {
        var options: [String: String] = [:]
        var words = CommandLine.arguments.dropFirst()
        while let name = words.popFirst() { options[name] = words.popFirst() ?? "" }
        let traces = options["--seed"] != nil
        let bounds = (options["--seed"] ?? options["--seeds"] ?? "1-999").split(separator: "-").compactMap { Int($0) }
        let end = ContinuousClock.now + .seconds(options["--time"].flatMap { Int($0) } ?? 60)
        let base = NSTemporaryDirectory() + "/world-\(ProcessInfo.processInfo.processIdentifier)"
        let given = try options["--events"].map { try JSONDecoder().decode([Event].self, from: Data($0.utf8)) }
        var counts: [String: Int] = [:]
        for seed in bounds[0]...max(bounds[0], bounds.last ?? 0) where ContinuousClock.now < end {
            let events = given ?? Event.all(of: seed)
            let world = try World(seed: seed, in: base, traces: traces)
            await world.run(events)
            counts.merge(world.counts) { $0 + $1 }
            counts["worlds", default: 0] += 1
            guard let failure = world.failure else { continue }
            print("seed \(seed): \(failure.invariant): \(failure.details)")
            guard !traces else { exit(1) }
            let fewest = await smallest(events) { events in
                let world = try? World(seed: seed, in: base, traces: false)
                await world?.run(events)
                return world?.failure?.invariant == failure.invariant
            }
            let json = String(decoding: try JSONEncoder().encode(fewest), as: UTF8.self)
            print("  \(fewest.count) events: world --seed \(seed) --events '\(json)'")
            exit(1)
        }
        let years = String(format: "%.1f years", Double(counts["seconds of time"] ?? 0) / (365.25 * 86_400))
        // How the actions of operators and the syncs have ended has two words.
        let shown = counts.filter { traces || !$0.key.contains(" ") }.sorted { $0.key < $1.key }
        print("\(([years] + shown.map { "\($0.value) \($0.key)" }).joined(separator: ", ")), 0 failures")
    }
}
