public import Foundation
public import PatchRunner

/// Scripts see a UUID as a string of 36 characters with uppercase letters, as in `uuidString`. A UUID from a script may
/// have lowercase letters.
extension UUID: PatchDictionaryKey, BasicValue {
    public func _push(to stack: _PatchStack) {
        // `uuidString` takes longer than the rest of the call.
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.textLength, alignment: 1) { text in
            var place = 0
            unsafe withUnsafeBytes(of: uuid) { bytes in
                for byte in bytes.indices {
                    if Self.isHyphen(at: place) {
                        unsafe text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    unsafe text[place] = Self.digit(bytes[byte] >> 4)
                    unsafe text[place + 1] = Self.digit(bytes[byte] & 15)
                    place += 2
                }
            }
            unsafe stack.push(UnsafeRawBufferPointer(text))
        }
    }

    public static func _read(from stack: _PatchStack, at index: Int32) -> UUID? {
        unsafe stack.withBytes(at: index) { text -> UUID? in
            guard text.count == textLength else { return nil }
            var uuid = zero
            var place = 0
            let isRead = unsafe withUnsafeMutableBytes(of: &uuid) { bytes in
                for byte in bytes.indices {
                    if isHyphen(at: place) {
                        guard unsafe text[place] == UInt8(ascii: "-") else { return false }
                        place += 1
                    }
                    guard let high = unsafe value(ofDigit: text[place]),
                        let low = unsafe value(ofDigit: text[place + 1])
                    else { return false }
                    unsafe bytes[byte] = high << 4 | low
                    place += 2
                }
                return true
            }
            return isRead ? UUID(uuid: uuid) : nil
        } ?? nil
    }

    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        stack.mismatch(of: "UUID", expected: "string", at: index)
    }

    @_documentation(visibility: internal)
    public static var patchTypeName: String { "UUID" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> UUID? {
        var bytes = zero
        bytes.15 = isSecond ? 1 : 0
        return UUID(uuid: bytes)
    }

    private static let textLength = 36
    private static let zero: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    private static func isHyphen(at place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
