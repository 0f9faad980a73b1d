internal import COpenSSL

/// The OpenSSL that this process has loaded.
package enum OpenSSLLibrary {
    /// Its version, such as `3.0.19`.
    static var version: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }

    /// Makes OpenSSL skip its cleanup at the end of the process, which saves a fifth of a millisecond.
    ///
    /// It is for a tool that exits once it has its answer, and must be called before anything else in this module. A
    /// host that uses OpenSSL itself should not call it.
    package static func skipCleanupAtExit() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Prevents core files, and on Linux also that other processes of the user read this process's memory: it may hold
    /// keys.
    package static func refuseCoreDumps() { copenssl_refuseCoreDumps() }
}
