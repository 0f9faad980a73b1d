import PatchCrypto

/// Guesses the kind of a file that is not an envelope.
enum FileKind {
    /// What other formats begin with.
    private static let magics: [(magic: [UInt8], guess: String)] = [
        ([0x1F, 0x8B, 0x08], "gzip; `gunzip` it first"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd; `zstd -d` it first"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz; `unxz` it first"),
    ]

    /// A guess and its remedy, in words that follow `it looks like`; nil if there is none.
    static func guess(from bytes: [UInt8]) -> String? {
        func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
        guard !bytes.isEmpty else { return nil }
        // The first bytes are checked first. Encrypted bytes do not compress, so an envelope's delimiter line is
        // visible in a container too.
        if let (_, guess) = magics.first(where: { bytes.starts(with: $0.magic) }) { return guess }
        if bytes.count > 2, bytes[0] == 0x78, [0x01, 0x5E, 0x9C, 0xDA].contains(bytes[1]) {
            return "zlib; `zlib-flate -uncompress` or `openssl zlib -d` opens it"
        }
        if [UInt8(ascii: "{"), UInt8(ascii: "\""), UInt8(ascii: "[")].contains(bytes[0]),
            has("--patchpack-envelope-", in: bytes), has("\\n--patchpack", in: bytes)
        {
            return "an envelope inside of JSON; take it out of the string, as bytes"
        }
        if begins("PK\u{3}\u{4}") || begins("PK\u{5}\u{6}") {
            return "a zip that is not encrypted; if there are envelopes in it, `unzip` it first"
        }
        // The header of a file in a tar has its mark here.
        if bytes.dropFirst(257).starts(with: "ustar".utf8) { return "a tar; `tar -xf` it first" }
        // Behind the level, the first block begins with the digits of pi.
        if begins("BZh"), bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26]) {
            return "bzip2; `bunzip2` it first"
        }
        if let guess = converted(bytes) { return guess }
        // A file with a delimiter line is an envelope, though a damaged one.
        guard EnvelopeFormat.delimiterStart(in: bytes) == nil else { return nil }
        if begins("version https://git-lfs") { return "a Git LFS pointer; `git lfs pull` fetches the file itself" }
        if begins("-----BEGIN ") { return "PEM, such as a key or a certificate; patchpack keyinfo shows which" }
        // The beginning may end in the middle of a character.
        let heads = (0...3).lazy.compactMap { String(validating: bytes.prefix((64 << 10) - $0), as: UTF8.self) }
        if let text = heads.first { return guess(fromText: text, of: bytes) }
        // Encrypted data has no runs of zeros.
        guard !has("\0\0\0\0\0\0\0\0", in: bytes) else { return nil }
        guard bytes.count.isMultiple(of: 16) else { return nil }
        return "an envelope that was cut short, or \(bytes.count / 16) blocks of AES of another tool, "
            + "whose files patchpack does not read (docs/coming-from-mpaas.md)"
    }

    /// Guesses how an envelope was converted as if it was text, in words that follow `it looks like`; nil if it was
    /// not.
    static func converted(_ bytes: [UInt8]) -> String? {
        if has("p\0a\0t\0c\0h\0p\0a\0c\0k\0-\0e\0n\0v", in: bytes) {
            return "an envelope that was converted to UTF-16 text; copy it as bytes"
        }
        // Encrypted bytes are not UTF-8, unless they are a few that happen to be.
        guard EnvelopeFormat.delimiterStart(in: bytes) != nil, bytes.count(where: { $0 >= 0x80 }) >= 32,
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return text.unicodeScalars.contains("\u{FFFD}")
            ? "an envelope that was read as text, which has lost bytes; copy it as bytes"
            : "an envelope that was converted from Latin-1 to UTF-8 text; copy it as bytes"
    }

    /// Whether the bytes have a part. The standard library's search allocates for each byte.
    private static func has(_ part: String, in bytes: [UInt8]) -> Bool {
        let part = Array(part.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            var rest = unsafe bytes[...]
            while let place = unsafe rest.firstIndex(of: part[0]) {
                if unsafe bytes[place...].starts(with: part) { return true }
                unsafe rest = bytes[(place + 1)...]
            }
            return false
        }
    }

    private static let hexadecimal = Set("0123456789abcdefABCDEF".utf8)
    private static let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=".utf8)

    private static func guess(fromText text: String, of bytes: [UInt8]) -> String? {
        let start = text.drop { $0.isWhitespace }.prefix("<!doctype html".count).lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
            return "an HTML page, such as a server error; check the address that it came from"
        }
        if start.hasPrefix("<?xml") || start.hasPrefix("<error") {
            let error = text.firstRange(of: "<Code>").map { text[$0.upperBound...].prefix { $0 != "<" } }
            return "XML" + (error.map { ", an error of an object store: \($0.prefix(40))" } ?? "")
                + "; check the address that it came from, and who may read it"
        }
        let lines = text.split(whereSeparator: \.isNewline)
        if lines.contains(where: { $0.hasPrefix("<<<<<<< ") }), lines.contains(where: { $0.hasPrefix(">>>>>>> ") }) {
            return "a file with Git conflict markers; check out one of the two versions"
        }
        if start.hasPrefix("{") || start.hasPrefix("[") { return "JSON" }
        if text.hasPrefix("--") || (text.contains("function") && text.contains("end")) {
            return "a script; `patchpack pack` makes an envelope from it"
        }
        let letters = bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // Fewer letters may be any word.
        guard letters.count >= 64 else { return nil }
        if letters.count.isMultiple(of: 2), letters.allSatisfy(hexadecimal.contains) {
            return "hexadecimal digits; `xxd -r -p` makes bytes of them"
        }
        let isBase64 = letters.count.isMultiple(of: 4) && letters.allSatisfy(base64.contains)
        return isBase64 ? "base64; `base64 -d` it first" : nil
    }
}
