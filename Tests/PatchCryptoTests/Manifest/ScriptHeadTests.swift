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

    @Test(arguments: [
        "", "return 1", "\n-- @version 7", "  -- @version 7", "--- @version 7", "--", "-- version 7", "-",
    ])
    func whatIsNoTagIsPassedOver(text: String) throws {
        #expect(try head(text).value(of: .version) == nil)
    }

    @Test func aTagThatStandsTwiceIsMalformed() {
        #expect(throws: PatchError(.malformed, "")) { try head("-- @version 7\n-- @version 7\n") }
        #expect(throws: PatchError(.malformed, "")) { try ScriptHead(of: Array("-- @patch ".utf8) + [0xFF]) }
    }

    @Test func aTagWithoutAValueIsEmpty() throws {
        #expect(try head("-- @version").value(of: .version) == "")
        #expect(try head("-- @replaces  \n").replaces == [])
    }
}
