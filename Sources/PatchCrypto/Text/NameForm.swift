/// The forms of the names in a manifest and in the zip. All of them are ASCII, and are compared as bytes.
package enum NameForm {
    static let longest = 128

    /// Two or more labels of `[A-Za-z0-9_-]+`, joined by dots.
    package static func isReverseDNS(_ text: String) -> Bool { isReverseDNS(text.utf8) }

    package static func isReverseDNS(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= longest else { return false }
        var (dots, isEmpty) = (0, true)
        for byte in text {
            if byte == UInt8(ascii: "."), !isEmpty {
                dots += 1
                isEmpty = true
            } else {
                guard isWord(byte) else { return false }
                isEmpty = false
            }
        }
        return dots > 0 && !isEmpty
    }

    /// `[A-Za-z_][A-Za-z0-9_]*`, joined by `.` or `:`.
    static func isReplaceable(_ text: String) -> Bool { isReplaceable(text.utf8) }

    package static func isReplaceable(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= longest else { return false }
        let parts = Array(text).split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
        }
        return parts.allSatisfy { part in
            isMade(of: { isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }, part)
                && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(part.first ?? 0)
        }
    }

    /// `[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.lua`, below folders of `[A-Za-z0-9_-]+`.
    static func isScript(_ text: String) -> Bool {
        let folders = split(text.utf8, at: "/")
        guard let file = folders.last, text.utf8.count <= longest else { return false }
        let labels = split(file, at: ".")
        return folders.dropLast().allSatisfy { isMade(of: isWord, $0) }
            && labels.count >= 2 && labels.allSatisfy { isMade(of: isWord, $0) }
            && labels.last?.elementsEqual("lua".utf8) == true
    }

    /// `[A-Za-z0-9._-]{1,64}`.
    package static func isExtraKey(_ text: String) -> Bool { isWord(text.utf8) }

    /// The same form, in bytes. An error's code has it too.
    package static func isWord(_ text: some Collection<UInt8>) -> Bool {
        text.count <= 64 && isMade(of: { isWord($0) || $0 == UInt8(ascii: ".") }, text)
    }

    /// `[A-Za-z0-9._@-]{1,64}`: the name of a key in a store.
    static func isKeyName(_ text: String) -> Bool {
        text.utf8.count <= 64
            && isMade(of: { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }, text.utf8)
    }

    /// The alphabet of every name in the zip.
    static func isMember(_ name: some Collection<UInt8>) -> Bool {
        isMade(of: { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }, name)
    }

    private static func isMade(of allowed: (UInt8) -> Bool, _ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.allSatisfy(allowed)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// Splits a copy of the bytes, which takes less time than to split a string.
    private static func split(_ text: some Collection<UInt8>, at separator: Unicode.Scalar) -> [ArraySlice<UInt8>] {
        Array(text).split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    }
}
