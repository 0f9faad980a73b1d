internal import COpenSSL

extension PatchError {
    /// An error for a failed OpenSSL call, with OpenSSL's own reasons in words; empties its error queue.
    ///
    /// - Parameters:
    ///   - code: The code where the fault is the input's or the caller's.
    ///   - message: What failed.
    ///   - hint: What to do about it.
    static func openSSL(_ code: Code, _ message: String, hint: String? = nil) -> PatchError {
        let reasons = drainOpenSSLErrors()
        let detail = reasons.last.map { " (\($0))" } ?? ""
        return PatchError(code, message + detail, hint: hint)
    }

    /// The error for an algorithm that this machine's OpenSSL does not give out; empties the error queue.
    static func unavailable(_ algorithm: String) -> PatchError {
        _ = drainOpenSSLErrors()
        return PatchError(
            .unavailable, "this machine's OpenSSL refuses \(algorithm)",
            hint: "a policy such as FIPS is in force; see OPENSSL_CONF and `openssl list -providers`")
    }
}

/// Empties the thread's OpenSSL error queue, the oldest reason first.
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
