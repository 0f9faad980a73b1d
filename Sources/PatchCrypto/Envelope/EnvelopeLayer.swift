/// A part of an envelope's file.
package struct EnvelopeLayer: Sendable {
    /// The layer's name, such as `ciphertext`.
    package let name: String
    package let range: Range<Int>
}

extension UnverifiedEnvelope {
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
}
