import PatchCrypto
import TestSupport
import Testing

@Suite(.ownThreads) struct ScriptHeadTests {
    private func head(_ text: String) throws -> ScriptHead { try ScriptHead(of: Array(text.utf8)) }

    @Test func tagsAreRead() throws {
        let head = try head(
            """
            -- @patch    com.example.shop.cart-total\t
            --@version 7
            --
            -- any other comment, and somebody's @version in it
            -- @author A. Nother
            -- @app com.example.shop >=2.3.0 <2.5.0\r
            -- @replaces Cart.total,Cart.add
            -- @replaces  Stock.reserve
            local x = 1
            -- @engine 3
            """)
        #expect(head.value(of: .patch) == "com.example.shop.cart-total")
        #expect(head.value(of: .version) == "7")
        #expect(head.value(of: .app) == "com.example.shop >=2.3.0 <2.5.0")
        #expect(head.replaces == ["Cart.total", "Cart.add", "Stock.reserve"])
        #expect(head.value(of: .engine) == nil)
        #expect(head.value(of: .expires) == nil)
    }

    @Test(arguments: ["--", "-- version 1", "--- @version 1"])
    func aCommentWithoutATagIsSkipped(line: String) throws {
        #expect(try head("\(line)\n-- @version 7").value(of: .version) == "7")
    }

    @Test(arguments: ["", "return 1", "-", "  -- @version 1"])
    func anyOtherLineEndsTheHead(line: String) throws {
        #expect(try head("\(line)\n-- @version 7").value(of: .version) == nil)
    }

    @Test func aTagGivenTwiceIsMalformed() {
        #expect(throws: PatchError(.malformed, "")) { try head("-- @version 7\n-- @version 7\n") }
    }

    @Test func aTagThatIsNotUTF8IsMalformed() {
        #expect(throws: PatchError(.malformed, "")) { try ScriptHead(of: Array("-- @patch ".utf8) + [0xFF]) }
    }

    @Test func aTagWithoutAValueIsEmpty() throws {
        #expect(try head("-- @version").value(of: .version) == "")
        #expect(try head("-- @replaces  \n").replaces == [])
    }

    @Test(arguments: [
        ("\u{FEFF}-- @patch x", "byte order mark"), ("#!/usr/bin/lua\n", "#! line"),
        ("--[[\n@patch x ]]", "long comment"),
        ("--[==[ @patch x ]==]", "long comment"), (" -- @patch x", "without space"), ("\n-- @patch x", "without space"),
        ("-\u{0}-", "UTF-16"), ("-- @patch x\r-- @version 1\r", "CR alone"), ("-- @version\u{A0}1", "write a space"),
    ])
    func aHiddenHeadHasItsCause(text: String, words: String) {
        #expect(ScriptHead.headProblem(Array(text.utf8))?.contains(words) == true)
    }

    @Test(arguments: [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]])
    func aHeadInUTF16HasItsCause(mark: [UInt8]) {
        #expect(ScriptHead.headProblem(mark)?.contains("UTF-16") == true)
    }

    @Test(arguments: ["", "return 1", "-- @patch x", "--- @patch x", "--", "-- @patch x\r\n"])
    func aVisibleOrMissingHeadHasNoProblem(text: String) {
        #expect(ScriptHead.headProblem(Array(text.utf8)) == nil)
    }

    @Test func aFaultNamesItsLine() {
        let error = #expect(throws: PatchError.self) { try head("-- a comment\n-- @version 7\n-- @version 8\n") }
        #expect(error?.place == PatchError.Place(line: 3, field: "version"))
    }
}
