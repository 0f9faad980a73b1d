/// A signature line of an envelope. Only its form has been checked.
public struct EnvelopeSignature: Sendable {
    /// The algorithm that the line names.
    public let algorithm: SignatureAlgorithm
    /// The id of the key that the line names.
    public let keyID: KeyID
    /// The signature's bytes.
    public let signature: [UInt8]
    /// Where the line is in the file, including its LF.
    public let range: Range<Int>
}
