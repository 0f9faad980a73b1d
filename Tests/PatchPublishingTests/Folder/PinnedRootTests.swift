import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import TestSupport
import Testing

@testable import PatchPublishing

/// The root file that a signer trusts must not come from the signed folder.
@Suite(.ownThreads) struct PinnedRootTests {
    private let place: FeedPlace
    private let name: String

    init() throws {
        place = try FeedPlace()
        name = "keys/feed-\(try MessageDigest.sha256.text(of: place.root).prefix(16))"
        try place.disk.write([], to: "keys/online.pem")
    }

    private func pin(given: String? = nil, key: String? = "keys/online.pem", hasKey: Bool = true) -> PinnedRoot {
        PinnedRoot(
            of: place.folder(), given: given.map { Path(place.disk.at($0)) },
            keys: key.map { [Path(place.disk.at($0))] } ?? [], hasKey: hasKey)
    }

    private func remedy(_ pin: PinnedRoot) -> PublishingRemedy? {
        refusal { _ = try pin.root() }?.remedy as? PublishingRemedy
    }

    @Test func pinnedRootNoRootBesideKeyIsRefused() throws {
        #expect(remedy(pin(key: nil, hasKey: false)) == .giveKeyOrRoot)
        #expect(remedy(pin()) == .giveRoot(sha256: try MessageDigest.sha256.text(of: place.root)))
        let empty = PinnedRoot(of: place.folder("none"), given: nil, keys: [], hasKey: true)
        #expect(remedy(empty) == .makeFeed)
    }

    @Test func theFileThatIsNamedComesFirst() throws {
        #expect(try pin().keep(place.root).isEmpty)
        let named = place.root + Array("\n".utf8)
        try place.disk.write(named, to: "named.json")
        #expect(try pin(given: "named.json").root() == named)
        try place.disk.write([7], to: "wrong.json")
        #expect(refusal { _ = try pin(given: "wrong.json").root() }?.code == .feedMalformed)
        #expect(try pin().root() == place.root)
    }

    @Test func theNewestBesideTheKeysCounts() throws {
        let new = try SigningKey.generate(.ed25519)
        try place.change(with: place.keys.root + [place.keys.online, new]) { feed in
            try feed.rotate(
                .root, adding: [new.feedKey], removing: [], threshold: nil, in: FeedFixture.details)
        }
        let newest = try place.disk.read("feed/metadata/2.root.json")
        try place.disk.write(place.root, to: "\(name).root.json")
        try place.disk.write(newest, to: "more/\(name.dropFirst(5)).root.json")
        let pin = PinnedRoot(
            of: place.folder(), given: nil,
            keys: ["keys/a.pem", "more/a.pem", "keys/b.pem"].map { Path(place.disk.at($0)) }, hasKey: true)
        #expect(try pin.root() == newest)
        // A file without signatures of its own keys is refused, wherever it is.
        let signed = try #require(try JSONValue(parsing: newest)["signed"])
        try place.disk.write(place.keys.online.file(of: signed), to: "\(name).root.json")
        #expect(throws: PatchError(.feedSignature, "")) { try pin.root() }
    }

    /// A thief restores an old state, so that it is signed again.
    @Test func anOlderFolderIsRefused() throws {
        let pin = pin()
        try pin.check(1)
        try pin.noteSigned(7)
        #expect(try place.disk.read("\(name).signed") == Array("7\n".utf8))
        #expect(refusal { try pin.check(6) }?.code == .feedRollback)
        try pin.check(7)
        try pin.check(8)
        try place.disk.write("many words", to: "\(name).signed")
        try pin.check(1)
    }

    @Test func aRootIsKeptBesideEachKeyAndNoMore() throws {
        #expect(try pin().keep(place.root).isEmpty)
        #expect(try place.disk.read("\(name).root.json") == place.root)
        #expect(try pin().keep(place.root).isEmpty, "it is there")
        // A file is in the place of the key's folder.
        try place.disk.write([], to: "file")
        let file = try pin(key: "file/online.pem").keep(place.root)
        #expect(file.map(\.description) == [place.disk.at("file/\(name.dropFirst(5)).root.json")])
    }
}
