import PatchCrypto
import PatchFiles
import TestSupport
import Testing

@testable import patchpack

/// The rules of packing, in this process.
@Suite(.ownThreads) struct PackJobTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func write(_ name: String, id: String = "com.example.shop.cart-total", version: Int = 7) throws -> Path {
        let script = ReleaseFixture.script
            .replacing("com.example.shop.cart-total", with: id).replacing("@version  7", with: "@version  \(version)")
        return Path(try folder.write(script, to: name))
    }

    private func job(_ files: [Path], to output: String) throws -> PackJob {
        var job = PackJob(
            files: files.map { ($0, nil) },
            keys: try KeyFiles(ParsedArguments(verb: PackCommand.verb, operands: [], named: [:]), operands: files),
            packer: try EnvelopePacker(scriptKey: TestKeys.script, signingKeys: [TestKeys.signing]),
            trustStore: TestKeys.trust, now: try #require(Timestamp(secondsSince1970: 1_800_000_000)))
        job.destination = Path(folder.at(output))
        return job
    }

    private func code(_ job: PackJob) -> PatchError.Code? {
        do throws(PatchError) {
            _ = try job.units()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func anOutputThatEndsInJSIsOneEnvelope() throws {
        let (one, two) = (try write("one.lua"), try write("two.lua", id: "com.example.shop.two"))
        let units = try job([one, two], to: "dist").units()
        #expect(units.map(\.output) == ["one", "two"].map { Path(folder.at("dist/\($0).js")) })
        #expect(try job([one], to: "a.js").units().map(\.output) == [Path(folder.at("a.js"))])
        #expect(try code(job([one, two], to: "a.js")) == .usage)
        #expect(try job([one], to: "a.lua").units()[0].fault?.code == .usage)
        #expect(try code(job([one, two, one], to: "dist")) == .usage)
    }

    @Test func theSecondScriptWithAnIDAndAVersionIsRefused() throws {
        let files = [try write("one.lua"), try write("two.lua"), try write("three.lua", version: 8)]
        let units = try job(files, to: "dist").units()
        #expect(units.map(\.fault?.code) == [nil, .duplicate, nil])
    }

    /// An upgrade to version 7 replaces a lower version of the same patch, and force replaces any file.
    @Test(arguments: [
        (6, false, false, PatchError.Code.exists), (6, true, false, nil), (7, true, false, .exists),
        (8, true, false, .exists), (8, false, true, nil),
    ])
    func aFileIsReplaced(of version: Int, upgrades: Bool, forces: Bool, code: PatchError.Code?) throws {
        func pack(_ version: Int, notes: String, upgrades: Bool = false, forces: Bool = false) throws -> PackJob.Result
        {
            var job = try job([write("a.lua", version: version)], to: "a.js")
            job.upgrades = upgrades
            job.forces = forces
            job.fields.notes = notes
            return try #require(job.pack(job.units()).first)
        }
        #expect(try pack(version, notes: "old").error == nil)
        let before = try folder.read("a.js")
        let result = try pack(7, notes: "new", upgrades: upgrades, forces: forces)
        #expect(result.error?.code == code, "\(String(describing: result.error))")
        #expect(try (folder.read("a.js") == before) == (code != nil))
    }

    @Test func aDryRunWritesNothing() throws {
        var job = try job([write("a.lua")], to: "a.js")
        job.isDryRun = true
        let result = try #require(try job.pack(job.units()).first)
        #expect(result.error == nil && result.manifest?.version == 7 && !folder.exists("a.js"))
    }
}
