import Foundation

/// Whether tests may take as long as they like, as in CI: `PATCHPACK_LONG_TESTS=1`.
public let testsMayBeLong = ProcessInfo.processInfo.environment["PATCHPACK_LONG_TESTS"] != nil
