import TestSupport
import Testing

@testable import PatchCrypto

/// The limits of JSON's depth and numbers.
@Suite(.ownThreads) struct JSONBoundTests {
    private func isRead(_ text: String) -> Bool { (try? JSONValue(parsing: Array(text.utf8))) != nil }

    @Test func valuesAreThirtyTwoDeepAtMost() {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(isRead(nested(32, open, close)) && !isRead(nested(33, open, close)))
        }
    }

    @Test func numbersAreWholeAndFit() {
        for text in ["0", "-1", "9223372036854775807", "-9223372036854775807"] { #expect(isRead(text), "\(text)") }
        for text in ["9223372036854775808", "01", "-", "1.0", "1e3", "+1", "--1", "", " "] {
            #expect(!isRead(text), "\(text)")
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
}
