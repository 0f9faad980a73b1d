public import Foundation
public import PatchRunner

/// Scripts see a URL as a string: its `absoluteString`.
///
/// A script may return any URL of at most 64 KiB, including a relative one. A string with characters that a URL cannot
/// have is refused, not escaped.
extension URL: PatchValue, BasicValue {
    public func _push(to stack: _PatchStack) { absoluteString._push(to: stack) }

    public static func _read(from stack: _PatchStack, at index: Int32) -> URL? {
        guard let text = String._read(from: stack, at: index), text.utf8.count <= longest,
            stack.pay(text.utf8.count, bytes: 4 * text.utf8.count)
        else { return nil }
        return URL(string: text, encodingInvalidCharacters: false)
    }

    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        stack.mismatch(of: "URL", expected: "string", at: index)
    }

    @_documentation(visibility: internal)
    public static var patchTypeName: String { "URL" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> URL? { URL(filePath: isSecond ? "/b" : "/a") }

    /// The most bytes of a URL. A longer one takes milliseconds to parse, in a step that no limit can interrupt.
    private static let longest = 64 << 10
}

/// Scripts see a date as a number: the seconds since 1970, as `os.time` returns them.
///
/// A number holds them exactly to less than a microsecond. A script may return a date of the years 1 to 9999, from
/// `Date.distantPast`.
extension Date: PatchValue, BasicValue {
    public func _push(to stack: _PatchStack) { timeIntervalSince1970._push(to: stack) }

    public static func _read(from stack: _PatchStack, at index: Int32) -> Date? {
        guard let seconds = stack.number(at: index), years.contains(seconds) else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The seconds of the years 1 to 9999. `Date.distantPast` is the first day of the year 1 in the Julian calendar.
    private static let years = Date.distantPast.timeIntervalSince1970..<253_402_300_800

    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        guard let seconds = stack.number(at: index) else { return stack.mismatch(expected: "number", at: index) }
        return "expected a Date from the year 1 to 9999, got \(seconds) seconds since 1970"
    }

    @_documentation(visibility: internal)
    public static var patchTypeName: String { "Date" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Date? { Date(timeIntervalSince1970: isSecond ? 1 : 0) }
}

/// Scripts see data as a string of bytes.
extension Data: PatchValue, BasicValue {
    public func _push(to stack: _PatchStack) { unsafe withUnsafeBytes { unsafe stack.push($0) } }
    public static func _read(from stack: _PatchStack, at index: Int32) -> Data? {
        unsafe stack.withBytes(at: index) { unsafe Data($0) }
    }
    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        stack.mismatch(expected: "string", at: index)
    }
    @_documentation(visibility: internal)
    public static var patchTypeName: String { "Data" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Data? { Data([isSecond ? 1 : 0]) }
}

extension _PatchStack {
    /// The message for a value that could not be read as a type that scripts see as another one. It has the first 128
    /// bytes of a string.
    ///
    /// - Parameters:
    ///   - type: The type in Swift.
    ///   - seen: Lua's name of the type that scripts see.
    func mismatch(of type: String, expected seen: String, at index: Int32) -> String {
        guard typeName(at: index) == seen else { return mismatch(expected: seen, at: index) }
        if let fault = takeReadFault() { return fault }
        return "expected \(type), got \(String(decoding: text(at: index).utf8.prefix(128), as: UTF8.self))"
    }
}
