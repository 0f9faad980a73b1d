internal import CFuzzer
internal import Foundation
@testable internal import PatchCrypto

/// Runs one target under libFuzzer: `fuzz TARGET [libFuzzer's arguments]`.
@main
struct Main {
    nonisolated(unsafe) private static var target: (([UInt8]) throws -> Void)?

    static func main() {
        guard let name = CommandLine.arguments.dropFirst().first, let target = targets[name] else {
            print(
                "usage: fuzz TARGET [OPTION...] [CORPUS...]\ntargets: \(targets.keys.sorted().joined(separator: " "))")
            exit(64)
        }
        self.target = target
        var arguments = CommandLine.arguments
        arguments.remove(at: 1)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var count = Int32(arguments.count)
        words.withUnsafeMutableBufferPointer { words in
            var start = words.baseAddress
            exit(
                LLVMFuzzerRunDriver(&count, &start) { data, size in
                    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
                    // Most inputs should be refused. A crash, a leak or a hang is a failure.
                    try? Main.target?(bytes)
                    return 0
                })
        }
    }
}

/// Requires a condition for an accepted input.
func require(_ holds: Bool, _ message: @autoclosure () -> String) {
    guard holds else { fatalError(message()) }
}
