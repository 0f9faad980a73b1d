/// How large an envelope and its parts may be; each limit is the largest value allowed.
///
/// The defaults are the format's. A host with less memory lowers them.
public struct EnvelopeLimits: Sendable {
    /// Bytes of the file, and of all the zip's members together, inflated.
    public var envelopeSize = 16 << 20
    /// Bytes of one script.
    public var scriptSize = 8 << 20
    /// Scripts in one envelope.
    public var scriptCount = 64
    /// Bytes of the manifest.
    public var manifestSize = 64 << 10
    /// Signature lines.
    public var signatureCount = 8
    /// Base64 characters of one signature; 1,368 is an RSA signature of 8192 bits.
    public var signatureLength = 1368

    /// The format's own limits.
    public init() {}

    /// What an IV and padding, or a nonce and a tag, add to a script at the most.
    static let sealingOverhead = 32
}
