internal import COpenSSL

/// Base64 with padding, on one line (RFC 4648, section 4).
package enum Base64 {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)  // and the NUL that OpenSSL writes
        let length = unsafe EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        text.removeLast(text.count - Int(length))
        return text
    }

    /// Decodes the exact spelling that `encode` writes; nil for any other spelling.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard !text.isEmpty, text.count.isMultiple(of: 4) else { return nil }
        let text = Array(text)
        var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
        let length = unsafe EVP_DecodeBlock(&bytes, text, Int32(text.count))
        guard length >= 0 else {
            drainOpenSSLErrors()
            return nil
        }
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        bytes.removeLast(padding)
        return encode(bytes) == text ? bytes : nil
    }
}
