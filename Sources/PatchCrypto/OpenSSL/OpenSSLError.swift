internal import COpenSSL

extension PatchError {
    /// Makes an error for a failed OpenSSL call, and adds OpenSSL's own reason. This empties OpenSSL's error queue.
    static func openSSL(_ code: Code, _ message: String, hint: String? = nil) -> PatchError {
        let reasons = drainOpenSSLErrors()
        let detail = reasons.last.map { " (\($0))" } ?? ""
        return PatchError(code, message + detail, hint: hint)
    }

    /// Makes the error for an algorithm that this machine's OpenSSL refuses. This empties OpenSSL's error queue.
    static func unavailable(_ algorithm: String) -> PatchError {
        _ = drainOpenSSLErrors()
        return PatchError(
            .unavailable, "this machine's OpenSSL refuses \(algorithm)",
            hint: "a policy such as FIPS is active; check OPENSSL_CONF and `openssl list -providers`")
    }
}

/// Empties the thread's OpenSSL error queue and returns the reasons, the oldest first.
@discardableResult
func drainOpenSSLErrors() -> [String] {
    var reasons: [String] = []
    while case let number = ERR_get_error(), number != 0 {
        if let reason = unsafe ERR_reason_error_string(number) {
            unsafe reasons.append(String(cString: reason))
        }
    }
    return reasons
}
