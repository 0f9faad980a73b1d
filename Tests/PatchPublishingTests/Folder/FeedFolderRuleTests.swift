import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import TestSupport
import Testing

@testable import PatchPublishing

/// A feed's delivered trust store, and the folder that it is deployed to.
@Suite(.ownThreads) struct FeedFolderRuleTests {
    private let place: FeedPlace

    init() throws { place = try FeedPlace() }

    private func store(_ number: Int) throws -> [UInt8] {
        var keys = TrustStoreFile()
        try keys.add(TrustedKey(TestKeys.signing.verifyingKey, name: "release"))
        var store = try SignedTrustStore(keys.encoded())
        try store.sign(with: TestKeys.signing, as: label(number))
        return store.encoded
    }

    private func label(
        _ number: Int, app: String = FeedFixture.app, environment: String = "release"
    ) -> SignedTrustStore.Label {
        SignedTrustStore.Label(app: app, environment: environment, number: number)
    }

    private func remedy(_ label: SignedTrustStore.Label, _ bytes: [UInt8]) -> PublishingRemedy? {
        refusal { try place.folder().checkTrustStore(label, bytes, in: place.repository()) }?.remedy
            as? PublishingRemedy
    }

    @Test func devicesTakeNoOlderStore() throws {
        #expect(try remedy(label(5), store(5)) == nil)
        try place.change {
            _ = try $0.setTarget(PatchList.trustPath(for: FeedFixture.app), to: store(5), in: FeedFixture.details)
        }
        #expect(try remedy(label(5), store(5)) == nil, "it is the same one")
        #expect(try remedy(label(5), store(5) + [0x0A]) == .signStoreAgain)
        #expect(try remedy(label(4), store(4)) == .signStoreAgain)
        #expect(try remedy(label(6), store(6)) == nil)
        for label in [label(6, app: "com.example.other"), label(6, environment: "staging")] {
            #expect(try remedy(label, store(6)) == .signStore(app: FeedFixture.app, environment: "release"))
        }
    }

    @Test func aFolderIsNotDeployedIntoItself() throws {
        let folder = place.folder()
        for name in ["feed", "feed/metadata", "feed/none/deep", "./feed/../feed"] {
            #expect(folder.contains(Path(place.disk.at(name))), "\(name)")
        }
        #expect(!folder.contains(Path(place.disk.at("www"))) && !folder.contains(Path("/")))
        #expect(!folder.contains(Path(place.disk.at("feed/../www"))), "it begins with the folder, and is beside it")
        #expect(!place.folder("none").contains(Path(place.disk.at("none"))))
    }
}
