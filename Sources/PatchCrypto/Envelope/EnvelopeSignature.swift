/// A signature line of an envelope: what the file says, checked in its form only.
public struct EnvelopeSignature: Sendable {
    /// The algorithm that the line names.
    public let algorithm: SignatureAlgorithm
    /// The id of the key that the line names.
    public let keyID: KeyID
    /// The signature's bytes.
    public let signature: [UInt8]
    /// Where the line lies in the file, its LF included.
    public let range: Range<Int>
}
