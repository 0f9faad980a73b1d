import Foundation
import PatchCrypto

/// A feed with its operators, and devices that take it, for years: whatever is real but time, networks and chance.
///
///     world --seeds A-B [--time SECONDS]      worlds of these seeds, until the time is over
///     world --seed N [--events 'EVENTS']      one world, with each event; with other events than those of its seed
///
/// If an invariant does not hold, it prints the fewest events that it finds with which it does not, and ends with 1.
@main
struct Main {
    @MainActor static func main() async throws {
        var options: [String: String] = [:]
        var words = CommandLine.arguments.dropFirst()
        while let name = words.popFirst() { options[name] = words.popFirst() ?? "" }
        let count = options["--count"].flatMap { Int($0) } ?? 150
        if let seed = options["--seed"].flatMap({ Int($0) }) {
            let given = options["--events"]?.split(separator: " ").compactMap { Event($0) }
            let (failure, counts) = try await run(seed, given ?? Event.all(of: seed, count: count), traces: true)
            print(failure.map { "\($0.invariant): \($0.details)" } ?? "all invariants hold")
            print(counts.lines.joined(separator: "\n"))
            exit(failure == nil ? 0 : 1)
        }
        let bounds = (options["--seeds"] ?? "1-1000000").split(separator: "-").compactMap { Int($0) }
        let end = ContinuousClock.now + .seconds(options["--time"].flatMap { Int($0) } ?? 60)
        var (all, worlds, failures) = (Counts(), 0, 0)
        for seed in bounds[0]...max(bounds[0], bounds.last ?? 0) where ContinuousClock.now < end {
            let events = Event.all(of: seed, count: count)
            let (failure, counts) = try await run(seed, events)
            all.add(counts)
            worlds += 1
            guard let failure else { continue }
            failures += 1
            print("seed \(seed): \(failure.invariant): \(failure.details)")
            if options["--minimize"] != "no" {
                var minimizer = Minimizer { (try? await run(seed, $0).failure)?.invariant }
                let fewest = await minimizer.smallest(events, failure.invariant)
                let words = fewest.map(\.description).joined(separator: " ")
                print("  \(fewest.count) events: world --seed \(seed) --events '\(words)'")
            }
            fflush(nil)
            if options["--all"] == nil { break }
        }
        print("\(worlds) worlds, \(all), \(failures) failures")
        if options["--outcomes"] != nil { print(all.lines.joined(separator: "\n")) }
        exit(failures == 0 ? 0 : 1)
    }

    private static let base = NSTemporaryDirectory() + "/world-\(ProcessInfo.processInfo.processIdentifier)"

    @MainActor private static func run(
        _ seed: Int, _ events: [Event], traces: Bool = false
    ) async throws -> (failure: World.Failure?, counts: Counts) {
        let world = try World(seed: seed, in: base, traces: traces)
        await world.run(events)
        world.end()
        return (world.failure, world.counts)
    }
}
