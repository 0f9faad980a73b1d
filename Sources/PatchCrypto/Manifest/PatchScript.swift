/// A script as it lies in an envelope or comes out of one.
public struct PatchScript: Sendable, Hashable {
    /// Its name in the envelope, such as `main.lua` or `cart/total.lua`.
    public let name: String
    /// Its bytes.
    public let bytes: [UInt8]

    /// Names a script.
    ///
    /// - Parameters:
    ///   - name: File name and folders, of the format's alphabet.
    ///   - bytes: Its text, in whatever encoding.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

extension PatchScript: CustomStringConvertible {
    /// Name and size; the bytes are nothing for a log.
    public var description: String { "\(name), \(bytes.count) bytes" }
}
