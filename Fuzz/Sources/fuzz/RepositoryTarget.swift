@testable internal import PatchCrypto
@testable internal import PatchPublishing
@testable internal import patchpack

/// A file of a publisher's feed, as `feed status`, `report --feed` and a change read it.
func fuzzRepository(_ bytes: [UInt8]) throws {
    let source = FuzzFeed(bytes[...])
    func read(_ path: String) throws(PatchError) -> [UInt8]? { source.files[path] }
    var feed = try FeedRepository(trustingItself: read)
    let root = source.files["metadata/1.root.json"] ?? []
    let history = FeedHistory(reading: read) { number throws(PatchError) in
        try FeedRepository(root: root, snapshot: number, read)
    }
    _ = try history.changes(until: feed, of: nil, most: 5) { _ in }
    Written.check(page: HTMLPage.text(title: feed.app, lead: "", body: feed.section(at: FuzzFeed.now)))
    for entry in feed.list.entries { Written.check(json: entry.json) }
    _ = (
        feed.overview(at: FuzzFeed.now, most: 20), feed.contents, feed.unlistedTargets,
        feed.changes(since: FuzzFeed.ownRepository)
    )
    require(feed.changes(since: feed).isEmpty, "a feed that differs from itself")
    let timestamp = source.files["metadata/timestamp.json"] ?? []
    try feed.checkNotOlder(than: timestamp)
    require(try feed.position(of: timestamp, called: "its own", root: root, read).isOwn, "a timestamp of another feed")
    var staged = feed
    if (try? staged.loadStagedChange(reading: read)) == true {
        _ = (staged.changes(since: feed), try? staged.missing())
    }
    // The owner's next metadata can be read again.
    feed.refresh(Set(FeedRole.allCases), in: ChangeDetails(at: FuzzFeed.now))
    guard let made = try? feed.files(signedBy: FuzzFeed.signers(), in: ChangeDetails(at: FuzzFeed.now)) else { return }
    var files = source.files
    for file in made {
        guard let bytes = try? file.bytes else { continue }
        require(file.replaces || files[file.path] == nil || files[file.path] == bytes, "\(file.path) is replaced")
        files[file.path] = bytes
    }
    do {
        let next = try FeedRepository(trustingItself: { path throws(PatchError) in files[path] })
        require(next.list.json.encoded() == feed.list.json.encoded(), "another list once it is signed")
    } catch {
        fatalError("a feed that nobody can read once it is signed: \(error)")
    }
}

extension FuzzFeed {
    static let ownRepository = FuzzKeys.must {
        try FeedRepository(trustingItself: { path throws(PatchError) in own.files[path] })
    }
}
