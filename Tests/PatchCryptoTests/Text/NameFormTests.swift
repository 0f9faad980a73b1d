import TestSupport
import Testing

@testable import PatchCrypto

/// The forms of names at their limits.
@Suite(.ownThreads) struct NameFormTests {
    private func long(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(arguments: [
        ("a.b", true), ("A-1._.x", true), ("a", false), ("", false), (".a", false), ("a.", false), ("a..b", false),
        ("a.é", false), ("a.b c", false), ("a.b/c", false),
    ])
    func aReverseDNSName(text: String, isOne: Bool) {
        #expect(NameForm.isReverseDNS(text) == isOne)
    }

    @Test(arguments: [
        ("a", true), ("_", true), ("Cart.total", true), ("a:b1", true), ("", false), ("1a", false), ("a.1b", false),
        ("a..b", false), ("a:", false), ("a-b", false), ("a.é", false),
    ])
    func aReplaceableName(text: String, isOne: Bool) {
        #expect(NameForm.isReplaceable(text) == isOne)
    }

    @Test(arguments: [
        ("a.lua", true), ("a/b-c/d_e.x.lua", true), ("lua", false), (".lua", false), ("a.lua/", false),
        ("/a.lua", false), ("a//b.lua", false), ("a.b/c.lua", false), ("a.luax", false), ("a/lua", false),
        ("a..lua", false),
    ])
    func aScriptsName(text: String, isOne: Bool) {
        #expect(NameForm.isScript(text) == isOne)
    }

    @Test(arguments: [
        ("a", true, true), ("A.b_c-1", true, true), ("a@b", false, true), ("", false, false), ("a b", false, false),
        ("a/b", false, false), ("é", false, false),
    ])
    func aWordAndAKeysName(text: String, isWord: Bool, isKey: Bool) {
        #expect(NameForm.isExtraKey(text) == isWord && NameForm.isWord(text.utf8) == isWord)
        #expect(NameForm.isKeyName(text) == isKey)
    }

    @Test func lengthsHoldAtTheirValueAndNotAbove() {
        #expect(NameForm.isReverseDNS("a." + long(126)) && !NameForm.isReverseDNS("a." + long(127)))
        #expect(NameForm.isReplaceable(long(128)) && !NameForm.isReplaceable(long(129)))
        #expect(NameForm.isScript(long(124) + ".lua") && !NameForm.isScript(long(125) + ".lua"))
        #expect(NameForm.isExtraKey(long(64)) && !NameForm.isExtraKey(long(65)))
        #expect(NameForm.isKeyName(long(64)) && !NameForm.isKeyName(long(65)))
    }

    @Test func aMemberOfTheZip() {
        #expect(NameForm.isMember("a/b.lua".utf8) && !NameForm.isMember("".utf8) && !NameForm.isMember("a\\b".utf8))
    }

    @Test func aKeysIDHasSixteenDigits() {
        #expect(KeyID("0123456789abcdef")?.description == "0123456789abcdef")
        for text in ["", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg"] {
            #expect(KeyID(text) == nil, "\(text)")
        }
    }
}
