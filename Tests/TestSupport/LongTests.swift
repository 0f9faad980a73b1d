import Foundation

/// Whether tests may take long, as in CI: `PATCHPACK_LONG_TESTS=1`.
public let testsMayBeLong = ProcessInfo.processInfo.environment["PATCHPACK_LONG_TESTS"] != nil

/// Of how many places where a call may fail one is tried: all of them if tests may take long.
public let faultStride = isSanitized ? 12 : testsMayBeLong ? 1 : 4

/// Whether a sanitizer is active, which makes everything about ten times slower.
public let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
