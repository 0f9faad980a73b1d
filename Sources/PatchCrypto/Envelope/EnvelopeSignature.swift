/// A signature line of an envelope. Only its form has been checked.
package struct EnvelopeSignature: Sendable {
    package let algorithm: SignatureAlgorithm
    /// The id of the key that the line names.
    package let keyID: KeyID
    /// The signature's bytes.
    package let signature: [UInt8]
    /// Where the line is in the file, including its LF.
    package let range: Range<Int>
}
