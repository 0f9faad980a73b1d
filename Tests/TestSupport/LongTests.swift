import Foundation

/// Whether tests may take as long as they like, as in CI: `PATCHPACK_LONG_TESTS=1`.
public let testsMayBeLong = ProcessInfo.processInfo.environment["PATCHPACK_LONG_TESTS"] != nil

/// Whether a sanitizer is at work, which makes everything some ten times slower.
public let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
