import PatchCrypto
import TestSupport
import Testing

/// Strings compared by their bytes. Swift's own comparison treats canonically equivalent strings as equal.
@Suite(.ownThreads) struct BytesTests {
    private static let texts = [
        "", "a", "a\u{0}", "ab", "a longer name than fifteen bytes", "a longer name than fifteen bytez", "e\u{301}",
        "\u{E9}", "z", "\u{FFFD}", "😀",
    ]

    @Test func byteComparisonAnyTwoStringsFollowsUTF8() {
        for left in Self.texts {
            for right in Self.texts {
                #expect(left.isByteEqual(to: right) == (Array(left.utf8) == Array(right.utf8)), "\(left) \(right)")
                #expect(
                    left.hasBytes(before: right) == left.utf8.lexicographicallyPrecedes(right.utf8),
                    "\(left) \(right)")
            }
        }
    }

    @Test func onlyUTF8IsText() {
        for text in Self.texts {
            #expect(String(utf8: Array(text.utf8)[...]).map { Array($0.utf8) } == Array(text.utf8))
        }
        for bytes: [UInt8] in [[0x80], [0xC3], [0x61, 0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            #expect(String(utf8: bytes[...]) == nil, "\(bytes)")
            #expect(String(utf8: ([0x61] + bytes + Array(repeating: 0x61, count: 20))[...]) == nil, "\(bytes)")
        }
    }

    @Test func stringsAreTheSameKeyOnlyIfTheirBytesAre() {
        let keys = Set(Self.texts.map { ExactString($0) })
        #expect(keys.count == Self.texts.count)
        for text in Self.texts {
            // Another copy, which may have another internal form.
            #expect(keys.contains(ExactString(String(decoding: Array(text.utf8), as: UTF8.self))))
        }
    }
}
