import Foundation
public import Testing

/// Whether tests may take long, and need all programs, as in CI: `PATCHPACK_LONG_TESTS=1`.
public let testsMayBeLong = ProcessInfo.processInfo.environment["PATCHPACK_LONG_TESTS"] != nil

extension Trait where Self == ConditionTrait {
    /// Skips a test if a package that `make test` does not install is missing. A long test fails instead.
    ///
    /// - Parameters:
    ///   - package: Debian's name of the package, of those that `scripts/deps.sh tools` installs.
    ///   - path: A file of the package.
    public static func needs(_ package: String, _ path: String) -> Self {
        .enabled(if: testsMayBeLong || FileManager.default.fileExists(atPath: path), "Debian's \(package)")
    }
}

/// The numbers, from 1, of the calls that a test lets fail: all of them in long tests without a sanitizer, otherwise
/// one of 24 calls, for a third of the kinds. Each scenario has its own calls and kinds, so that all scenarios together
/// try different ones.
///
/// - Parameters:
///   - kind: The number of the kind of call, such as the number of `rename`.
///   - count: How often the scenario makes such a call.
public func faultNumbers(ofKind kind: Int, _ count: Int, in scenario: String) -> [Int] {
    if testsMayBeLong, !isSanitized { return count > 0 ? Array(1...count) : [] }
    let own = scenario.utf8.reduce(0) { $0 + Int($1) }
    guard (own + kind).isMultiple(of: 3) else { return [] }
    return stride(from: own % max(1, min(24, count)) + 1, through: count, by: 24).map(\.self)
}

/// Whether a sanitizer is active, which makes everything about ten times slower.
public let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
