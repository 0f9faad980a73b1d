/// How large an envelope and its parts may be. Each limit is the largest value allowed.
///
/// The defaults are the limits of the format. Tests set others.
package struct EnvelopeLimits: Sendable {
    /// The size of the file in bytes, and of all the zip's members together, inflated.
    package var envelopeSize = 16 << 20
    /// The size of one script in bytes.
    package var scriptSize = 8 << 20
    /// The number of scripts in one envelope.
    package var scriptCount = 64
    /// The size of the manifest in bytes.
    package var manifestSize = 64 << 10
    /// The number of signatures.
    package var signatureCount = 8
    /// The length of one signature in base64 characters; an RSA signature of 8192 bits has 1,368.
    package var signatureLength = 1368

    /// Makes the limits of the format.
    package init() {}

    /// The most bytes that an IV and padding, or a nonce and a tag, add to a script.
    static let sealingOverhead = 32
}
