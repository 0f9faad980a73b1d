import Foundation
import FeedTestSupport
import PatchCrypto
import TestSupport
import Testing

@testable import PatchFeed

/// The vectors for other implementers, which `Tests/Vectors/feed.py` makes with a separate library.
@Suite(.ownThreads) struct FeedVectorTests {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            let name: String
            let expected: String
            let now: String
            let change: [String: String?]
        }

        struct Canonical: Decodable {
            let input: String
            let canonical: String?
        }

        let base: [String: String]
        let cases: [Case]
        let canonical: [Canonical]
    }

    private let vectors: Vectors

    init() throws {
        let file = URL(filePath: "\(Tool.root)/Tests/Vectors/feed.json")
        vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    @Test func feedClientFeedVectorGivesExpectedVerdict() async throws {
        try #require(vectors.cases.count > 30)
        for vector in vectors.cases {
            let source = MemorySource()
            for (path, text) in vectors.base { source[path] = Array(text.utf8) }
            for (path, text) in vector.change { source[path] = text.map { Array($0.utf8) } }
            let verdict: String
            do {
                var client = try FeedClient(
                    root: source["metadata/1.root.json"] ?? [], source: source, storage: MemoryStorage(),
                    at: FeedFixture.at(vector.now))
                try await client.update()
                let target = try #require(try await client.target(PatchList.path(for: "com.example.shop")))
                _ = try PatchList(decoding: await client.contents(of: target, limit: PatchList.byteLimit))
                verdict = "ok"
            } catch let error as PatchError {
                verdict = error.code.description
            }
            #expect(verdict == vector.expected, "\(vector.name)")
        }
    }

    @Test func canonicalJSONFeedVectorHasExpectedBytes() throws {
        try #require(vectors.canonical.count > 20)
        for vector in vectors.canonical {
            let found = (try? JSONValue(parsing: Array(vector.input.utf8)))?.canonical
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == vector.canonical, "\(vector.input)")
        }
    }

    private static func hasCryptography() async -> Bool {
        await OwnThreads.run { (try? Tool.shell("python3 -c 'import cryptography'"))?.status == 0 }
    }

    @Test(.enabled("Debian's python3-cryptography") { await hasCryptography() })
    func feedVectorsGeneratedAgainAreUnchanged() throws {
        let folder = try TestFolder()
        let run = try Tool.shell("cp \"$CHECKOUT/Tests/Vectors/feed.py\" . && python3 feed.py", in: folder.path)
        try #require(run.status == 0, "\(run.error)")
        #expect(
            try folder.read("feed.json")
                == Array(Data(contentsOf: URL(filePath: "\(Tool.root)/Tests/Vectors/feed.json"))))
    }
}
