import TestSupport
import Testing

@testable import PatchCrypto

@Suite(.ownThreads) struct ManifestFieldsTests {
    private func manifest(_ head: String, _ given: ManifestFields = ManifestFields()) throws -> Manifest {
        let script = PatchScript(name: "main.lua", bytes: Array(head.utf8))
        return try given.completed(by: ManifestFields(ScriptHead(of: script.bytes))).manifest(of: [script])
    }

    private let head = "-- @patch com.example.fix\n-- @version 3\n-- @app com.example.shop >=1.0.0   <2.0.0\n"

    @Test func whiteSpaceWithinARangeDoesNotMatter() throws {
        #expect(try manifest(head).appVersions.description == ">=1.0.0 <2.0.0")
    }

    @Test func manifestFieldsGivenAndInHeadTakesGiven() throws {
        var given = ManifestFields()
        given.version = "4"
        given.appVersions = "*"
        let manifest = try manifest(head, given)
        #expect(manifest.version == 4)
        #expect(manifest.appVersions.description == "*")
        #expect(manifest.app == "com.example.shop")
    }

    private static let right = "-- @patch com.example.fix\n-- @version 1\n-- @app com.example.shop"

    @Test(arguments: [
        ("-- @patch com.example.fix\n-- @version 1\n", "missing patch app"),
        (
            "-- @patch com.example.fix\n-- @version +1\n-- @app com.example.shop\n",
            "the version +1 is not a whole number"
        ),
        ("\(Self.right) new\n", "new is not a range of versions"),
        ("\(Self.right)\n-- @expires soon\n", "the expiry soon is"),
        ("\(Self.right)\n-- @instances 01\n", "`01` is not a number of instances"),
    ])
    func manifestFieldsMissingOrWrongTagIsNamed(_ head: String, _ message: String) {
        let error = #expect(throws: PatchError.self) { try manifest(head) }
        #expect(error?.code == .malformed)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test(arguments: [
        ("", "the range of versions is empty"), (" ", "the range of versions is empty"),
        (">=  2", ">= 2 is not a range of versions: a version must follow >=, without a space"),
    ])
    func manifestFieldsWrongRangeIsNamed(_ range: String, _ message: String) {
        var given = ManifestFields()
        given.appVersions = range
        let error = #expect(throws: PatchError(.malformed, "")) { try manifest(head, given) }
        #expect(error?.message == message)
    }

    @Test func manifestFieldsCompletedByOthersFillsOnlyMissing() throws {
        func fields(_ text: String, _ second: Int) -> ManifestFields {
            var fields = ManifestFields()
            fields.id = text
            fields.version = text
            fields.app = text
            fields.appVersions = text
            fields.engine = text
            fields.instances = text
            fields.replaces = [text]
            fields.expires = text
            fields.created = Timestamp(secondsSince1970: second)
            fields.notes = text
            fields.extra = [text: text]
            return fields
        }
        func shown(_ fields: ManifestFields) -> String { String(describing: fields) }
        let first = fields("a", 1)
        let second = fields("b", 2)
        #expect(shown(ManifestFields().completed(by: second)) == shown(second))
        #expect(shown(first.completed(by: second)) == shown(first))
        #expect(shown(first.completed(by: ManifestFields())) == shown(first))
    }
}
