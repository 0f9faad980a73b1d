internal import COpenSSL

/// The OpenSSL library of this process.
package enum OpenSSLLibrary {
    /// Its version, such as `3.0.19`.
    static var version: String {
        unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
    }

    /// Leaves OpenSSL's memory to the system at the end of the process, which is a fifth of a millisecond sooner.
    ///
    /// For a tool that is done when it has its answer; to be called before anything else of this module. A host that
    /// uses OpenSSL itself keeps its own habits.
    package static func skipCleanupAtExit() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Lets no core file be written, and no other process of the user read this one's memory: there may be keys in it.
    package static func refuseCoreDumps() { copenssl_refuseCoreDumps() }
}
