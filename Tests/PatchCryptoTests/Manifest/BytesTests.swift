import PatchCrypto
import TestSupport
import Testing

/// Strings compared by their bytes. Swift's own comparison treats canonically equivalent strings as equal.
@Suite(.ownThreads) struct BytesTests {
    private static let texts = [
        "", "a", "a\u{0}", "ab", "a longer name than fifteen bytes", "a longer name than fifteen bytez", "e\u{301}",
        "\u{E9}", "z",
        "\u{FFFD}", "😀",
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

    @Test func aStringOfJSONIsOneOrSeveralPieces() throws {
        for (json, text) in [
            (#""""#, ""), (#""plain""#, "plain"), (#""\n""#, "\n"), (#""a\"b\\c""#, "a\"b\\c"),
            (#""\u00e9x""#, "\u{E9}x"),
            (#""x\ud83d\ude00""#, "x😀"), (#""é\/é""#, "é/é"),
        ] {
            #expect(try JSONValue(parsing: Array(json.utf8)).text?.isByteEqual(to: text) == true, "\(json)")
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
        // The same letter in two forms makes two keys.
        #expect(try JSONValue(parsing: Array("{\"e\u{301}\":1,\"\u{E9}\":2}".utf8)).members.count == 2)
    }

    /// A few keys are compared one by one, and many are looked up.
    @Test(arguments: [3, 16, 17, 18, 40]) func aKeyIsFoundTwiceWhereverItIs(count: Int) throws {
        func json(_ keys: [Int]) -> [UInt8] {
            Array("{\(keys.map { "\"a key that is the \($0)th\":1" }.joined(separator: ","))}".utf8)
        }
        for keys in [Array(0..<count), Array((0..<count).reversed())] {
            #expect(try JSONValue(parsing: json(keys)).members.count == count)
            for place in 0..<count {
                for other in 0..<count where other != place {
                    var keys = keys
                    keys[place] = keys[other]
                    #expect(throws: PatchError.self, "\(keys)") { try JSONValue(parsing: json(keys)) }
                }
            }
        }
    }

    @Test func aNumberIsReadExactly() throws {
        for number in [0, 7, -1, 10, Int.max, Int.max - 1, Int.min, Int.min + 1] {
            #expect(try JSONValue(parsing: Array("\(number)".utf8)).number == number)
        }
        #expect(try JSONValue(parsing: Array("-0".utf8)).number == 0)
        let others = [
            "9223372036854775808", "-9223372036854775809", "18446744073709551616", "18446744073709551617",
            String(repeating: "9", count: 40), "-", "+1", "01", "-01", "1.0", "1e3", "0x1", "tru", "nul", "truefalse",
            "",
        ]
        for text in others {
            #expect(throws: PatchError.self, "\(text)") { try JSONValue(parsing: Array(text.utf8)) }
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
