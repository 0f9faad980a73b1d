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
        if let seed = options["--seed"].flatMap({ Int($0) }) {
            let given = options["--events"]?.split(separator: " ").compactMap { Event($0) }
            let world = try await run(seed, given ?? Event.all(of: seed), traces: true)
            for (name, count) in world.counts.numbers.sorted(by: { $0.key < $1.key }) { print("  \(name): \(count)") }
            print(world.failure.map { "\($0.invariant): \($0.details)" } ?? "all invariants hold")
            exit(world.failure == nil ? 0 : 1)
        }
        let bounds = (options["--seeds"] ?? "1-1000000").split(separator: "-").compactMap { Int($0) }
        let end = ContinuousClock.now + .seconds(options["--time"].flatMap { Int($0) } ?? 60)
        var counts = Counts()
        for seed in bounds[0]...max(bounds[0], bounds.last ?? 0) where ContinuousClock.now < end {
            let world = try await run(seed, Event.all(of: seed))
            counts.add(world.counts)
            counts.add("worlds")
            guard let failure = world.failure else { continue }
            print("seed \(seed): \(failure.invariant): \(failure.details)")
            let minimizer = Minimizer { (try? await run(seed, $0).failure)?.invariant }
            let fewest = await minimizer.smallest(Event.all(of: seed), failure.invariant)
            let words = fewest.map(\.description).joined(separator: " ")
            print("  \(fewest.count) events: world --seed \(seed) --events '\(words)'")
            exit(1)
        }
        print("\(counts), 0 failures")
    }

    private static let base = NSTemporaryDirectory() + "/world-\(ProcessInfo.processInfo.processIdentifier)"

    /// - Returns: The world after its end.
    @MainActor private static func run(_ seed: Int, _ events: [Event], traces: Bool = false) async throws -> World {
        let world = try World(seed: seed, in: base, traces: traces)
        await world.run(events)
        world.end()
        return world
    }
}
