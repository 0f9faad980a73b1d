import TestSupport
import Testing

@testable import PatchCrypto

/// JSON as it is read: strings, keys, numbers, and how deep they may be.
@Suite(.ownThreads) struct JSONReaderTests {
    private func isRead(_ text: String) -> Bool { (try? JSONValue(parsing: Array(text.utf8))) != nil }

    @Test func valuesAreThirtyTwoDeepAtMost() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(isRead(nested(32, open, close)) && !isRead(nested(33, open, close)))
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
    func aKeyThatIsThereTwiceIsRefused(_ json: String) {
        #expect(throws: PatchError.self) { try JSONValue(parsing: Array(json.utf8)) }
    }

    @Test func theSameLetterInTwoFormsMakesTwoKeys() throws {
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
            String(repeating: "9", count: 40), "-", "--1", "+1", "01", "-01", "1.0", "1e3", "0x1", "tru", "nul",
            "truefalse", "", " ",
        ]
        for text in others {
            #expect(throws: PatchError.self, "\(text)") { try JSONValue(parsing: Array(text.utf8)) }
        }
    }

    @Test func jsonValuePlainTextIsWrittenUnchanged() throws {
        let plain = [
            #"{"a":1,"b":{"c":[true,false,null,"x y"]},"é":"ü"}"#, "[]", "{}", "0", #"[""]"#, #"{"":0,"a":{}}"#,
        ]
        let others = [
            #"{"b":1,"a":1}"#, #"{"a": 1}"#, "[1 ]", " 1", "1\n", "-0", "-1", #""\u0041""#, #""\n""#, #""\/""#,
            #"["a","\u00e9"]"#,
            #"[{"b":1,"a":1}]"#, "[1,\t2]",
        ]
        for (text, isExpected) in plain.map({ ($0, true) }) + others.map({ ($0, false) }) {
            var isPlain = !isExpected
            let value = try JSONValue(parsing: Array(text.utf8), isPlain: &isPlain)
            #expect(isPlain == isExpected, "\(text)")
            if isPlain { #expect(value.text() == text) }
        }
    }

    @Test func spaceIsBetweenTokensOnly() {
        #expect(isRead(" \t\r\n{ \"a\" : [ 1 , 2 ] } \n"))
        for text in ["{} {}", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\" 1}", "[1 2]", "tru", "nul", "\u{0B}1"] {
            #expect(!isRead(text), "\(text)")
        }
    }

    @Test(arguments: [
        ("\u{FEFF}{}", "a byte order mark"), ("version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
    ])
    func jsonValueOtherFileTypeNamesCause(text: String, cause: String) {
        let error = #expect(throws: PatchError(.malformed, "")) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error?.message.hasPrefix("not JSON at byte 0: \(cause)") == true)
    }
}
