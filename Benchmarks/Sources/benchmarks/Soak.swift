import Dispatch
import Foundation
import PatchCrypto
import PatchRunner

/// Patched calls of all kinds from eight threads, each in its own instance of the patch, while patches are installed
/// and removed. Memory use must not grow.
enum Soak {
    private struct Item: Codable, PatchValue {
        var name: String
        var price: Double
    }
    private struct Refusal: Error {}

    private static let script = """
        patch.replace("Soak.scalar", function(original, price, quantity) return original(price, quantity) + 1 end)
        patch.replace("Soak.text", function(original, text) return original(text .. "!"):upper() end)
        patch.replace("Soak.list", function(original, numbers) numbers[#numbers + 1] = 1 return original(numbers) end)
        patch.replace("Soak.item", function(original, item) return {name = item.name, price = item.price * 2} end)
        patch.replace("Soak.throws", function(original, number) return original(number) end)
        patch.replace("Soak.fails", function(original, number) if number % 64 == 0 then error({}) end return number end)
        """

    /// - Parameter count: The total number of calls.
    /// - Throws: `Failure` if the resident memory has grown by more than 5 percent after the first fifth of the calls.
    static func run(_ count: Int) throws {
        let registry = PatchRegistry()
        let scalar = try registry.replaceable("Soak.scalar") { (price: Double, quantity: Int) -> Double in price }
        let text = try registry.replaceable("Soak.text") { (text: String) -> String in text }
        let list = try registry.replaceable("Soak.list") { (numbers: [Int]) -> Int in numbers.count }
        let item = try registry.replaceable("Soak.item") { (item: Item) -> Item in item }
        let throwing = try registry.replaceable("Soak.throws") { (number: Int) throws -> Int in
            guard number % 16 > 0 else { throw Refusal() }
            return number
        }
        let failing = try registry.replaceable("Soak.fails") { (number: Int) -> Int in number }
        let runner = try ReleaseFixture.runner(registry)
        let patch = try ReleaseFixture.selfContained(
            script, replaces: ["scalar", "text", "list", "item", "throws", "fails"].map { "Soak.\($0)" })

        let threads = Threads(8)
        let rounds = 200
        var first = 0.0
        for round in 1...rounds {
            for install in 0..<100 {
                runner.deactivateAll()
                try runner.install(patch.envelope, trust: PatchTrust(patch.trust, scriptKeys: patch.scriptKey))
                // All threads use the patch at once, so it has an instance for each processor when it is removed.
                if install % 10 == 0 { threads.run { _ in for number in 0..<100 { keep(scalar(9.5, number)) } } }
            }
            threads.run { _ in
                for number in 0..<count / rounds / 6 / threads.count {
                    keep(scalar(9.5, number))
                    keep(text("text"))
                    keep(list([1, 2, 3]))
                    keep(item(Item(name: "ink", price: 1)))
                    keep(try? throwing(number))
                    keep(failing(number))
                }
            }
            let resident = try Machine.residentKilobytes()
            if round == rounds / 5 { first = resident }
            guard round == rounds else { continue }
            let state = registry.state.first { $0.name == "Soak.scalar" }?.patches.last?.calls ?? 0
            print(
                "\(count) calls, \(rounds * 100) installs: \(first) KB after a fifth, \(resident) KB at the end, \(state) calls in the last round"
            )
            guard resident <= first * 1.05 else { throw Failure(message: "the memory grew") }
        }
    }
}
