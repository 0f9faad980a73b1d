public import Foundation
public import PatchRunner

/// Scripts see a decimal number as a number.
///
/// A decimal of at most 15 significant digits is unchanged after a script has passed it on, because a number holds that
/// many digits. A decimal with more digits is not passed. A number that a script returns is rounded to 15 significant
/// digits, so that 0.1 + 0.2 is 0.3, unless it is an integer.
extension Decimal: PatchValue, BasicValue {
    public func _push(to stack: _PatchStack) {
        guard let number = exactNumber else {
            return stack.refuse("\(self) is not a decimal of at most 15 significant digits")
        }
        number._push(to: stack)
    }

    public static func _read(from stack: _PatchStack, at index: Int32) -> Decimal? {
        // An integer of the script is exact, even with more than 15 digits. A float without a fraction is not.
        if let integer = stack.integer(at: index),
            integer.magnitude < bound.magnitude || stack.typeName(at: index) == "integer"
        {
            return Decimal(integer)
        }
        return stack.number(at: index).flatMap(Decimal.init(rounding:))
    }

    public static func _mismatch(in stack: _PatchStack, at index: Int32) -> String {
        guard let number = stack.number(at: index) else { return stack.mismatch(expected: "number", at: index) }
        return "expected Decimal, got \(number)"
    }

    @_documentation(visibility: internal)
    public static var patchTypeName: String { "Decimal" }
    public static var _isDirect: Bool { true }
    public static func _sample(_ isSecond: Bool, depth: Int) -> Decimal? { isSecond ? 2 : 1 }

    /// The first integer with more than 15 digits.
    private static let bound: Int64 = 1_000_000_000_000_000
    /// The exponents that a decimal can have.
    private static let exponents = -128...127

    /// The nearest number; nil for NaN, and if there are more than 15 significant digits.
    /// `NSDecimalNumber.doubleValue` is often not the nearest.
    private var exactNumber: Double? {
        guard !isNaN else { return nil }
        var compact = self
        unsafe NSDecimalCompact(&compact)
        let digits = compact.significand.magnitude
        let minus = sign == .minus ? "-" : ""
        guard digits < Decimal(Self.bound) else {
            // The zeros at the end stay if the exponent cannot be larger: 1e142 is 10^15 times 10^127.
            let text = "\(digits)"
            let significant = text.utf8.reversed().drop { $0 == UInt8(ascii: "0") }
            guard significant.count <= 15 else { return nil }
            return Double("\(minus)\(text)e\(compact.exponent)")
        }
        // Both types hold an integer of at most 15 digits exactly.
        let integer = Int64(NSDecimalNumber(decimal: digits).doubleValue)
        return Double("\(minus)\(integer)e\(compact.exponent)")
    }

    /// A number rounded to 15 significant digits; nil if it is out of range.
    private init?(rounding number: Double) {
        guard number.isFinite else { return nil }
        var (digits, exponent) = Self.digits(of: number.magnitude)
        var dropped: Int64 = 1
        while digits / dropped >= Self.bound {
            dropped *= 10
            exponent += 1
        }
        digits = (digits + dropped / 2) / dropped
        while digits > 0, digits % 10 == 0 {
            digits /= 10
            exponent += 1
        }
        guard digits > 0 else {
            self = 0
            return
        }
        let zeros = exponent - Self.exponents.upperBound
        guard zeros > 0 else {
            guard Self.exponents.contains(exponent) else { return nil }
            self.init(sign: number.sign, exponent: exponent, significand: Decimal(digits))
            return
        }
        // The exponent cannot be larger, so the digits are: 1e128 is 10 times 10^127. A decimal has at most 39 of them.
        let text = "\(digits)\(String(repeating: "0", count: min(zeros, 39)))e\(Self.exponents.upperBound)"
        guard let value = Decimal(string: text), !value.isNaN else { return nil }
        self = number.sign == .minus ? -value : value
    }

    /// The digits of a number's description, as an integer, and the exponent of the last one.
    ///
    /// - Parameter number: A finite number that is not negative.
    private static func digits(of number: Double) -> (digits: Int64, exponent: Int) {
        // At most 18 digits: a number's description has at most 17, and sometimes another 0 after the point.
        var digits: Int64 = 0
        var exponent = 0
        let parts = number.description.utf8.split(separator: UInt8(ascii: "e"))
        var isFraction = false
        for byte in parts[0] {
            guard byte != UInt8(ascii: ".") else {
                isFraction = true
                continue
            }
            digits = digits * 10 + Int64(byte - UInt8(ascii: "0"))
            if isFraction { exponent -= 1 }
        }
        if parts.count > 1, let power = Int(Substring(parts[1])) { exponent += power }
        return (digits, exponent)
    }
}
