extension String {
    /// A library's sentence as the rest of a message: with a small first letter, unless it begins with a name such as
    /// `SSL`.
    package var asContinued: String {
        let isName = dropFirst().first.map { $0.isUppercase || $0.isNumber } ?? false
        return isName ? self : prefix(1).lowercased() + dropFirst()
    }
}

extension StringProtocol {
    /// The string, or its beginning and its end if it has more bytes than a limit.
    ///
    /// - Parameter limit: The most bytes to keep. A note in the middle gives the number of bytes left out.
    package func shortened(to limit: Int) -> String {
        let bytes = Array(utf8)
        guard bytes.count > limit else { return String(self) }
        func isInside(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }  // not the first byte of a scalar
        var end = limit / 2
        var start = bytes.count - limit / 2
        while end > 0, isInside(end) { end -= 1 }
        while start < bytes.count, isInside(start) { start += 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + " … \(start - end) bytes … "
            + String(decoding: bytes[start...], as: UTF8.self)
    }
}
