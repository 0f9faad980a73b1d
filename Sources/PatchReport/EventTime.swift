internal import PatchCrypto

/// The time of an event, as a line has it: `YYYY-MM-DDTHH:MM:SSZ`, with or without a fraction of a second.
struct EventTime {
    /// Milliseconds since 1970. The digits of a fraction after the third one are left out.
    let milliseconds: Int

    /// Reads a time.
    ///
    /// - Returns: nil for any other text, for a day that does not exist, and for a time before 1970.
    init?(_ text: UnsafeRawBufferPointer) {
        // A fraction has at least one digit.
        guard text.count == 20 || text.count >= 22, unsafe text[text.count - 1] == UInt8(ascii: "Z"),
            let year = unsafe Self.number(in: text, 0..<4, 1970...9999, then: "-"),
            let month = unsafe Self.number(in: text, 5..<7, 1...12, then: "-"),
            let day = unsafe Self.number(in: text, 8..<10, 1...31, then: "T"),
            let hour = unsafe Self.number(in: text, 11..<13, 0...23, then: ":"),
            let minute = unsafe Self.number(in: text, 14..<16, 0...59, then: ":"),
            let second = unsafe Self.number(in: text, 17..<19, 0...60, then: text.count > 20 ? "." : "Z"),
            let fraction = unsafe Self.fraction(in: text, 20..<max(20, text.count - 1))
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        // A day that the month does not have would be one of the next month.
        guard day <= 28 || CivilDate(daysSince1970: days).day == day else { return nil }
        milliseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction
    }

    /// The number at some places; nil if it is not within the bounds, or the separator does not follow it.
    private static func number(
        in text: UnsafeRawBufferPointer, _ places: Range<Int>, _ bounds: ClosedRange<Int>,
        then separator: Unicode.Scalar
    ) -> Int? {
        var number = 0
        for place in places {
            guard let digit = unsafe digit(in: text, place) else { return nil }
            number = number * 10 + digit
        }
        guard unsafe text[places.upperBound] == UInt8(ascii: separator), bounds.contains(number) else { return nil }
        return number
    }

    /// The milliseconds of a fraction's digits; nil if there is another character.
    private static func fraction(in text: UnsafeRawBufferPointer, _ places: Range<Int>) -> Int? {
        var milliseconds = 0
        var unit = 100
        for place in places {
            guard let digit = unsafe digit(in: text, place) else { return nil }
            milliseconds += digit * unit
            unit /= 10
        }
        return milliseconds
    }

    private static func digit(in text: UnsafeRawBufferPointer, _ place: Int) -> Int? {
        let digit = unsafe Int(text[place]) - 0x30
        return 0...9 ~= digit ? digit : nil
    }
}
