import PatchCrypto
import TestSupport
import Testing

/// Script keys by name and id.
@Suite(.ownThreads) struct ScriptKeyRingTests {
    @Test func aKeyIsFoundByItsNameAndByItsID() throws {
        var ring = ScriptKeyRing()
        try ring.add(TestKeys.script, named: "old")
        try ring.add(TestKeys.otherScript, named: "new")
        #expect(ring.scriptKeyNames == ["old", "new"])
        #expect(ring.scriptKey(named: "new")?.id == TestKeys.otherScript.id && ring.scriptKey(named: "none") == nil)
        #expect(ring.scriptKey(withID: TestKeys.otherScript.id)?.id == TestKeys.otherScript.id)
        try ring.remove("old")
        #expect(ring.scriptKeyNames == ["new"])
        #expect(ring.scriptKey(withID: TestKeys.script.id) == nil)
        #expect(throws: PatchError(.config, "")) { try ring.remove("old") }
        try ring.add(TestKeys.script, named: "K")
        // It looks the same, and is canonically equivalent, but is another name.
        #expect(throws: PatchError(.config, "")) { try ring.remove("\u{212A}") }
        for name in ["new", "K"] { try ring.remove(name) }
        let empty = #expect(throws: PatchError.self) { try ring.remove("K") }
        #expect(empty?.hint == "it has no key")
    }

    @Test func scriptKeyRingDuplicateNameOrKeyIsRefused() throws {
        var ring = ScriptKeyRing()
        try ring.add(TestKeys.script, named: "a")
        #expect(throws: PatchError(.config, "")) { try ring.add(TestKeys.otherScript, named: "a") }
        #expect(throws: PatchError(.config, "")) { try ring.add(TestKeys.script, named: "b") }
        #expect(throws: PatchError(.config, "")) { try ring.add(TestKeys.otherScript, named: "a b") }
        #expect(ring.scriptKeyNames == ["a"])
    }

    @Test func aKeyIsARingOfItself() {
        let key = TestKeys.script
        #expect(key.scriptKeyNames == [key.id.description])
        #expect(key.scriptKey(withID: key.id)?.id == key.id)
        #expect(key.scriptKey(withID: TestKeys.otherScript.id) == nil)
    }
}
