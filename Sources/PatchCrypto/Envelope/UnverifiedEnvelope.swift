/// A file in the outer form of an envelope. Nothing in it has been verified or decrypted.
///
/// This is the second step of the reading order (`split`). The layers follow each other in the file without gaps:
/// payload, delimiter line, signature lines.
package struct UnverifiedEnvelope: Sendable {
    package private(set) var bytes: [UInt8]
    /// Where the sealed and signed payload is: from the file's start to the delimiter.
    let payloadRange: Range<Int>
    /// Where the delimiter is: from the LF before it to the LF at its end.
    package let delimiterRange: Range<Int>
    package let suite: EnvelopeSuite
    package let scriptKeyID: KeyID
    /// The signature lines, in the file's order; at least one.
    package let signatures: [EnvelopeSignature]

    package var payload: ArraySlice<UInt8> { bytes[payloadRange] }

    /// The file's layers, without gaps from the first byte to the last.
    package var layers: [EnvelopeLayer] {
        var layers: [EnvelopeLayer] = []
        if suite.cipher.canHaveSealed(length: payloadRange.count) {
            let ciphertext = suite.cipher.ivLength..<payloadRange.upperBound - suite.cipher.tagLength
            layers.append(EnvelopeLayer(name: "iv", range: 0..<ciphertext.lowerBound))
            layers.append(EnvelopeLayer(name: "ciphertext", range: ciphertext))
            if suite.cipher.tagLength > 0 {
                layers.append(EnvelopeLayer(name: "tag", range: ciphertext.upperBound..<payloadRange.upperBound))
            }
        } else {
            layers.append(EnvelopeLayer(name: "payload", range: payloadRange))
        }
        layers.append(EnvelopeLayer(name: "delimiter", range: delimiterRange))
        return layers + signatures.map { EnvelopeLayer(name: "signature", range: $0.range) }
    }

    /// The payload's SHA-256 in 64 lower-case hex digits, for comparing releases.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package func payloadDigest() throws(PatchError) -> String {
        try MessageDigest.sha256.text(of: payload)
    }

    /// Splits a file into its layers.
    ///
    /// - Throws: `malformed` or `limit`.
    package init(_ bytes: consuming [UInt8], limits: EnvelopeLimits = EnvelopeLimits()) throws(PatchError) {
        try Self.checkSize(of: bytes, limits: limits)
        try self.init(splitting: bytes, limits: limits)
    }

    /// Runs the first step of the reading order: checks the file's size.
    ///
    /// - Throws: `malformed` or `limit`.
    static func checkSize(of bytes: [UInt8], limits: EnvelopeLimits) throws(PatchError) {
        guard bytes.count <= limits.envelopeSize else {
            throw PatchError(
                .limit, "larger than the \(limits.envelopeSize) bytes allowed for an envelope",
                hint: "pack fewer or smaller scripts")
        }
        guard !bytes.isEmpty else {
            throw PatchError(.malformed, "the file is empty", hint: "the build or the transfer that wrote it failed")
        }
        guard bytes.count >= EnvelopeFormat.shortestFile else {
            throw PatchError(
                .malformed, "\(bytes.count) bytes are too few for an envelope",
                hint: "the file was cut short, or is not an envelope")
        }
    }

    /// Runs the second step of the reading order: splits the file into its layers.
    ///
    /// - Throws: `malformed` or `limit`.
    init(splitting bytes: consuming [UInt8], limits: EnvelopeLimits) throws(PatchError) {
        let file = bytes
        guard let start = EnvelopeFormat.delimiterStart(in: file) else { throw Self.missingDelimiter(in: file) }
        var rest = file[start...].dropFirst(EnvelopeFormat.delimiterPrefix.count)
        guard let header = rest.takeLine() else {
            throw PatchError(
                .malformed, "the file ends within its delimiter line", hint: "it was cut short; fetch it again")
        }
        if header.last == UInt8(ascii: "\r") { throw Self.textModeTransfer }
        let tokens = header.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard tokens.count == 2, let suite = EnvelopeSuite(tokens[0]), let scriptKeyID = KeyID(tokens[1]) else {
            throw PatchError(
                .malformed, "its delimiter line does not name a suite and a script key id",
                hint: "it was damaged, or has a newer format")
        }
        self.suite = suite
        self.scriptKeyID = scriptKeyID
        payloadRange = 0..<start
        delimiterRange = start..<rest.startIndex
        signatures = try Self.readSignatures(rest, limits: limits)
        self.bytes = file
    }

    private static func readSignatures(
        _ lines: ArraySlice<UInt8>, limits: EnvelopeLimits
    ) throws(PatchError) -> [EnvelopeSignature] {
        var rest = lines
        var signatures: [EnvelopeSignature] = []
        while !rest.isEmpty {
            let start = rest.startIndex
            guard signatures.count < limits.signatureCount else {
                throw PatchError(.limit, "more than \(limits.signatureCount) signatures")
            }
            let number = signatures.count + 1
            guard let line = rest.takeLine() else {
                throw PatchError(
                    .malformed, "signature line \(number) does not end with a line feed",
                    hint: "the file was cut short, or something was added to its end")
            }
            if line.last == UInt8(ascii: "\r") { throw textModeTransfer }
            let tokens = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard tokens.count == 3, let algorithm = SignatureAlgorithm(tokens[0]), let keyID = KeyID(tokens[1]) else {
                throw PatchError(
                    .malformed, "signature line \(number) is not an algorithm, a key id and a signature",
                    hint: "the file was damaged, or something was added to its end")
            }
            guard tokens[2].count <= limits.signatureLength else {
                throw PatchError(
                    .limit, "signature \(number) has more than \(limits.signatureLength) base64 characters")
            }
            guard let signature = Base64.decode(tokens[2]) else {
                throw PatchError(
                    .malformed, "signature \(number) is not in canonical base64", hint: "the file was damaged")
            }
            signatures.append(
                EnvelopeSignature(
                    algorithm: algorithm, keyID: keyID, signature: signature, range: start..<rest.startIndex))
        }
        guard !signatures.isEmpty else {
            throw PatchError(.malformed, "no signature after its delimiter line", hint: "the file was cut short")
        }
        return signatures
    }

    private static let textModeTransfer = PatchError(
        .malformed, "its line ends were changed to CRLF, by a text-mode transfer or an editor",
        hint: "transfer it as binary; with git, put `*.js binary` in .gitattributes")

    private static func missingDelimiter(in file: [UInt8]) -> PatchError {
        let isText = file.allSatisfy { byte in
            let isControl = byte < 0x20 || byte == 0x7F
            let isSpace = (0x09...0x0D).contains(byte)
            return isSpace || !isControl
        }
        if isText {
            return PatchError(.malformed, "plain text, not an envelope", hint: "if it is a script, pack it first")
        }
        return PatchError(
            .malformed, "no delimiter line in its last \(EnvelopeFormat.delimiterWindow) bytes",
            hint: "it was cut short, or is not an envelope")
    }

    /// Finds the script key that the delimiter names.
    ///
    /// - Throws: `decryptFailed` if the key is missing, or is for another suite than the delimiter names; `config` if
    ///   the provider returns another key; what the provider throws.
    func scriptKey(from keys: some ScriptKeyProvider) throws(PatchError) -> ScriptKey {
        guard let key = try keys.scriptKey(withID: scriptKeyID) else {
            let names = keys.scriptKeyNames.joined(separator: ", ")
            throw PatchError(
                .decryptFailed,
                "sealed with the script key \(scriptKeyID), but "
                    + (names.isEmpty ? "it is not available" : "the available script keys are \(names)"),
                hint: "give the script key with the id \(scriptKeyID)")
        }
        guard key.id == scriptKeyID else {
            throw PatchError(
                .config, "the provider of script keys returned \(key.id) instead of \(scriptKeyID)",
                hint: "return the key with the id that was asked for, or nil")
        }
        guard suite == key.suite else {
            throw PatchError(
                .decryptFailed, "sealed with \(suite.rawValue), but the script key is for \(key.suite.rawValue)",
                hint: "the delimiter line was changed, or the file was packed incorrectly")
        }
        return key
    }

    /// Takes the file's bytes out, so that they can be changed in place. Its ranges are those of the taken bytes then.
    mutating func takeBytes() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }
}

/// A signature line of an envelope. Only its form has been checked.
package struct EnvelopeSignature: Sendable {
    package let algorithm: SignatureAlgorithm
    package let keyID: KeyID
    package let signature: [UInt8]
    /// Where the line is in the file, including its LF.
    package let range: Range<Int>
}

/// A part of an envelope's file.
package struct EnvelopeLayer: Sendable {
    /// The layer's name, such as `ciphertext`.
    package let name: String
    package let range: Range<Int>
}
