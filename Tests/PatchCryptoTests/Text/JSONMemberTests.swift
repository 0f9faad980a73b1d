import TestSupport
import Testing

@testable import PatchCrypto

/// Changes of the members of a JSON object, and escapes in its text.
@Suite(.ownThreads) struct JSONMemberTests {
    @Test func aMemberIsChangedInItsPlace() throws {
        var value = try JSONValue(parsing: Array(#"{"b":{"x":1},"a":2}"#.utf8))
        value.change("b") { $0.set("y", .integer(3)) }
        #expect(value.text() == #"{"b":{"x":1,"y":3},"a":2}"#)
        value.change("c") { $0.set("z", .integer(4)) }
        #expect(value.text() == #"{"b":{"x":1,"y":3},"a":2,"c":{"z":4}}"#)
        value.change("b") { $0.set("x", nil) }
        #expect(value.text() == #"{"b":{"y":3},"a":2,"c":{"z":4}}"#)
    }

    @Test func scalarsAreEscapedWhenAsked() {
        let value = JSONValue.string("a<b")
        #expect(value.text() == #""a<b""# && value.text(escaping: { $0 == "<" }) == #""a\u003cb""#)
    }
}
