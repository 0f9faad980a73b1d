import PatchCrypto
import TestSupport
import Testing

/// Strings by their bytes. Swift's own comparison takes canonically equivalent ones for equal.
@Suite(.ownThreads) struct BytesTests {
    private static let texts = [
        "", "a", "a\u{0}", "ab", "a longer name than fifteen bytes", "a longer name than fifteen bytez", "e\u{301}",
        "\u{E9}", "z",
        "\u{FFFD}", "😀",
    ]

    @Test func theOrderIsThatOfTheBytes() {
        for left in Self.texts {
            for right in Self.texts {
                #expect(left.hasBytes(of: right) == (Array(left.utf8) == Array(right.utf8)), "\(left) \(right)")
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

    @Test func aStringOfJSONIsOneOrSeveralPieces() throws {
        for (json, text) in [
            (#""""#, ""), (#""plain""#, "plain"), (#""\n""#, "\n"), (#""a\"b\\c""#, "a\"b\\c"),
            (#""\u00e9x""#, "\u{E9}x"),
            (#""x\ud83d\ude00""#, "x😀"), (#""é\/é""#, "é/é"),
        ] {
            #expect(try JSONValue(parsing: Array(json.utf8)).text?.hasBytes(of: text) == true, "\(json)")
        }
        for json in [#"""#, #""\"#, #""\x""#, #""\ud83d""#, "\"\u{1}\"", #""a\u12""#] {
            #expect(throws: PatchError.self, "\(json)") { try JSONValue(parsing: Array(json.utf8)) }
        }
        #expect(throws: PatchError.self) { try JSONValue(parsing: [0x22, 0x61, 0xFF, 0x22]) }
        #expect(throws: PatchError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) }
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, #"{"b":1,"a":2,"b":3}"#, #"{"a":1,"b":2,"a":3}"#, #"{"":1,"":2}"#])
    func aKeyThatIsThereTwiceIsRefused(_ json: String) throws {
        #expect(throws: PatchError.self) { try JSONValue(parsing: Array(json.utf8)) }
        // The same letter in two forms is two keys.
        #expect(try JSONValue(parsing: Array("{\"e\u{301}\":1,\"\u{E9}\":2}".utf8)).members.count == 2)
    }
}
