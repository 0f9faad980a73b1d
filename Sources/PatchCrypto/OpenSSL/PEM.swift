internal import COpenSSL

/// One block of a PEM file.
struct PEMBlock {
    /// What stands behind `BEGIN`, such as `PUBLIC KEY`.
    let label: String
    /// The block's bytes; none for a private key, whose kind is all that matters here.
    let der: [UInt8]

    var isPrivateKey: Bool { label.hasSuffix("PRIVATE KEY") }

    private init(label: String, data: UnsafeBufferPointer<UInt8>) {
        self.label = label
        der = unsafe label.hasSuffix("PRIVATE KEY") ? [] : Array(data)
    }

    /// Reads every block of a PEM file; text around them is passed over.
    ///
    /// - Throws: `config` for a block whose base64 or end is broken, or one with headers (an old form of encryption).
    static func all(in text: [UInt8]) throws(PatchError) -> [PEMBlock] {
        let source = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count))
        defer { unsafe BIO_free(source) }
        var blocks: [PEMBlock] = []
        while true {
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var length = 0
            defer {
                unsafe CRYPTO_free(name, #fileID, #line)
                unsafe CRYPTO_free(header, #fileID, #line)
                unsafe CRYPTO_clear_free(data, length, #fileID, #line)
            }
            guard unsafe PEM_read_bio(source, &name, &header, &data, &length) == 1,
                let name = unsafe name, let header = unsafe header
            else {
                let ended = ERR_peek_last_error() & 0x7F_FFFF == UInt(PEM_R_NO_START_LINE)
                drainOpenSSLErrors()
                if ended { return blocks }
                throw PatchError(.config, "a PEM block that is cut short or damaged")
            }
            let block = unsafe PEMBlock(
                label: String(cString: name), data: UnsafeBufferPointer(start: data, count: length))
            guard unsafe header[0] == 0 || block.isPrivateKey else {
                throw PatchError(.config, "a PEM block with headers")
            }
            blocks.append(block)
        }
    }
}
