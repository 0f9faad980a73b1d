import Foundation

/// Whether tests may take long, as in CI: `PATCHPACK_LONG_TESTS=1`.
public let testsMayBeLong = ProcessInfo.processInfo.environment["PATCHPACK_LONG_TESTS"] != nil

/// The numbers, from 1, of the calls that a test lets fail: all of them if tests may take long, or else one of 24. A scenario begins
/// at a call of its own, so that different ones are tried.
public func faultNumbers(of count: Int, in scenario: String) -> [Int] {
    if testsMayBeLong, !isSanitized { return count > 0 ? Array(1...count) : [] }
    let first = scenario.utf8.reduce(0) { $0 + Int($1) } % max(1, min(24, count))
    return stride(from: first + 1, through: count, by: 24).map(\.self)
}

/// Whether a sanitizer is active, which makes everything about ten times slower.
public let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
