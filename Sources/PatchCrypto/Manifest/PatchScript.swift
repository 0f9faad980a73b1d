/// A script to pack into an envelope, or one that was read from an envelope.
public struct PatchScript: Sendable, Hashable {
    /// Its name in the envelope, such as `main.lua` or `cart/total.lua`.
    public let name: String
    /// Its bytes.
    public let bytes: [UInt8]

    /// Makes a script.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    // Arrays are compared and hashed byte by byte.

    public static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.bytes.isByteEqual(to: right.bytes)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension PatchScript: CustomStringConvertible {
    /// Name and size, without the bytes, which do not belong in a log.
    public var description: String { "\(name), \(bytes.count) bytes" }
}
