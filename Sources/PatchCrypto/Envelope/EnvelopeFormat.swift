/// The constants of envelope format 1, its lines, and the search for the delimiter.
package enum EnvelopeFormat {
    /// The start of every delimiter line, including the LF before it.
    static let delimiterPrefix = Array("\n--patchpack-envelope-1 ".utf8)
    /// The delimiter's first byte is within this many bytes of the file's end.
    static let delimiterWindow = 65_536
    /// The fewest bytes that the stage `read` accepts. Each envelope has more.
    static let shortestFile = 16

    /// A delimiter line with the LF before it and the LF at its end.
    static func delimiter(suite: EnvelopeSuite, scriptKeyID: KeyID) -> [UInt8] {
        delimiterPrefix + Array("\(suite.rawValue) \(scriptKeyID)\n".utf8)
    }

    /// A signature line with its LF.
    static func signatureLine(algorithm: SignatureAlgorithm, keyID: KeyID, signature: [UInt8]) -> [UInt8] {
        algorithm.line(keyID: keyID, signature: signature)
    }

    /// Where the last delimiter begins; nil if there is none in the window.
    ///
    /// The search starts at the end. Nothing that may follow the delimiter can contain it, so one inside the ciphertext
    /// is never found first.
    package static func delimiterStart(in file: [UInt8]) -> Int? {
        var rest = file.suffix(delimiterWindow)
        while let lineFeed = rest.lastIndex(of: UInt8(ascii: "\n")) {
            if file[lineFeed...].starts(with: delimiterPrefix) { return lineFeed }
            rest = rest[..<lineFeed]
        }
        return nil
    }
}
