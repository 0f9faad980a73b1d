import Foundation
import PatchCrypto
import TestSupport
import Testing

/// The example shop, with the example patches, as `make demo` runs it.
@Suite(.ownThreads) struct ShopTests {
    private let workshop: ReleaseFixture
    private let shop = Tool.shop

    init() throws {
        workshop = try ReleaseFixture()
        // The shop names no algorithm, which only a key of RSA would need.
        let key = try SigningKey.generate(.ed25519)
        try workshop.folder.write(key.pem().exposed, to: "signing.pem", mode: 0o600)
        try workshop.folder.write(key.verifyingKey.pem(), to: "trusted.pem")
        try FileManager.default.copyItem(atPath: "\(Tool.root)/examples/patches", toPath: workshop.folder.at("patches"))
    }

    private func open(_ arguments: String...) throws -> Tool {
        try Tool.run(
            shop, ["--patches", "dist", "--trusted-key", "trusted.pem", "--script-key", "script.key"] + arguments,
            in: workshop.folder.path)
    }

    #if os(Linux)
        /// Specs have all of Lua's library. An app that links the runner does not contain the functions that open it.
        @Test func anAppDoesNotOpenLuasLibraries() throws {
            func symbols(_ program: String) throws -> String { try Tool.shell("nm \"$1\"", program).text }
            #expect(try symbols(shop).contains(" lua_pcallk") && !symbols(shop).contains("luaL_openlibs"))
            #expect(try symbols(Tool.patchpack).contains("luaL_openlibs"))
        }
    #endif

    @Test func fivePatchesMendTheShop() throws {
        let pack = try workshop.shell(
            "\"$TOOL\" pack patches/*.lua -o dist --signing-key signing.pem --script-key script.key")
        try #require(pack.status == 0, "\(pack.error)")
        let run = try open()
        #expect(run.status == 0, "\(run.error)")
        let halves = run.text.components(separatedBy: "the shop, patched:\n")
        try #require(halves.count == 2)
        for (before, after) in [
            ("-3 a lamp with a very long name  -207.38", "-3 a lamp with a very long name     0.00"),
            ("3 pen                              24.93", "3 pen                              24.94"),
            (
                "a reservation of 0 ink: true, and then there are -1",
                "a reservation of 0 ink: false, and then there are 0"
            ),
            ("shipping                            9.90", "shipping                           14.90"),
        ] {
            #expect(halves[0].contains(before) && !halves[1].contains(before), "\(before)")
            #expect(halves[1].contains(after) && !halves[0].contains(after), "\(after)")
        }
        // The patch with a bug leaves the greeting unchanged, and its failure names the line.
        #expect(halves[1].contains("  Dear  Ada\n"))
        #expect(
            halves[1].contains(
                "failed in Receipt.greeting: receipt-greeting.lua:10: attempt to get length of a nil value (local 'title')"
            ))
    }

    @Test func aPatchThatIsRefusedIsNoReasonNotToOpen() throws {
        try FileManager.default.createDirectory(atPath: workshop.folder.at("dist"), withIntermediateDirectories: false)
        try workshop.folder.write("not a patch", to: "dist/broken.js")
        let run = try open("--events")
        #expect(run.status == 0)
        #expect(
            run.text.contains(
                #"{"schema":"patchpack.event/1","severityNumber":13,"eventName":"refused","attributes":{"error.type":"malformed","#
            ))
        // An option that it does not have is one.
        #expect(try open("--nonsense").status == 1)
    }
}
