internal import COpenSSL

/// A block of a PEM file.
struct PEMBlock {
    /// The kind of a block's contents, by the label after `BEGIN`.
    enum Kind: String, CaseIterable {
        case publicKey = "PUBLIC KEY"
        case rsaPublicKey = "RSA PUBLIC KEY"
        case certificate = "CERTIFICATE"
        /// A private key of any type: the end of the label.
        case privateKey = "PRIVATE KEY"
        case other = ""

        init(label: some Collection<UInt8>) {
            let end = Self.privateKey.rawValue.utf8
            let isPrivate = label.suffix(end.count).elementsEqual(end)
            let known = Self.allCases.first { label.elementsEqual($0.rawValue.utf8) }
            self = isPrivate ? .privateKey : known ?? .other
        }
    }

    let kind: Kind
    /// The block's bytes; empty for a private key, because only its kind is needed.
    let der: [UInt8]

    /// Reads every block of a PEM file, and skips the text around the blocks.
    ///
    /// - Throws: `config` if a block's base64 or end is broken, or it has headers (an old form of encryption).
    static func all(in text: UnsafeRawBufferPointer) throws(PatchError) -> [PEMBlock] {
        let source = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
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
                // The reason is in the low 23 bits (ERR_GET_REASON).
                let isAtEnd = ERR_peek_last_error() & 0x7F_FFFF == UInt(PEM_R_NO_START_LINE)
                drainOpenSSLErrors()
                if isAtEnd { return blocks }
                throw PatchError(.config, "a PEM block is cut short or damaged")
            }
            let kind = unsafe Kind(label: UnsafeRawBufferPointer(start: name, count: strlen(name)))
            guard unsafe header[0] == 0 || kind == .privateKey else {
                throw PatchError(.config, "a PEM block has headers")
            }
            let bytes = unsafe kind == .privateKey ? [] : Array(UnsafeBufferPointer(start: data, count: length))
            blocks.append(PEMBlock(kind: kind, der: bytes))
        }
    }
}
