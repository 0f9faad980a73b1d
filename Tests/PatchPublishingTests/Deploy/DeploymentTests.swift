import FeedTestSupport
import PatchCrypto
import PatchFeed
import PatchFiles
import TestSupport
import Testing

@testable import PatchPublishing

/// Deployments of a feed to the place that serves it, by one writer and by two.
@Suite(.ownThreads) struct DeploymentTests {
    private let place: FeedPlace
    private let target = MemoryTarget()

    init() throws {
        place = try FeedPlace()
        try place.copy(to: "other")
    }

    @discardableResult
    private func deploy(
        _ name: String = "feed", repairs: Bool = false, isTrial: Bool = false
    ) throws -> Deployment.Outcome {
        try Deployment(of: place.folder(name), root: place.root, to: target, repairs: repairs).run(isTrial: isTrial)
    }

    private func remedy(_ error: PatchError?) -> PublishingRemedy? { error?.remedy as? PublishingRemedy }

    /// The files of a folder's feed.
    private func expected(_ name: String = "feed") throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in try place.disk.contents() where path.hasPrefix("\(name)/") {
            files[String(path.dropFirst(name.count + 1))] = try? place.disk.read(path)
        }
        return files
    }

    private var deployed: [String: [UInt8]] { target.files.filter { !$0.key.hasSuffix(".next.json") } }

    @Test func deploymentEmptyPlaceWritesFilesInOrder() throws {
        let trial = try deploy(isTrial: true)
        #expect(trial.isNew && trial.bytes > 0 && target.files.isEmpty)
        let outcome = try deploy()
        #expect(outcome.isNew && !outcome.isRepair && outcome.bytes == trial.bytes)
        #expect(try deployed == expected())
        // Only one of two writers gets the chain. The files that the timestamp leads to are written before it, and the
        // root last.
        let written = target.written
        #expect(written.first == "metadata/0.next.json")
        #expect(written.suffix(2) == ["metadata/timestamp.json", "metadata/1.root.json"])
        let again = try deploy()
        #expect(!again.isNew && !again.isRepair && again.bytes == 0 && target.written == written)
    }

    /// `feed log` reads states that no deployment has published.
    @Test func statesBetweenTwoDeploymentsComeAlong() throws {
        try deploy()
        target["metadata/1.rollout.json"] = nil
        try place.turn("a")
        try place.turn("b")
        try deploy()
        #expect(target["metadata/3.snapshot.json"] != nil && target["metadata/3.rollout.json"] != nil)
        #expect(target["metadata/1.rollout.json"] == nil, "what was deployed before is not looked at")
        let repair = try deploy(repairs: true)
        #expect(repair.isRepair && !repair.isNew)
        #expect(try deployed == expected())
    }

    @Test func deploymentOtherCopyDeployedIsConflict() throws {
        try deploy()
        try place.turn("a")
        try place.turn("b", in: "other")
        try deploy()
        let before = target.files
        #expect(refusal { try deploy("other") }?.code == .feedConflict)
        // Devices that have seen the same numbers would refuse the other copy's files.
        #expect(remedy(refusal { try deploy("other", repairs: true) }) == .signAbove(3, folder: place.disk.at("other")))
        #expect(target.files == before)
        var details = FeedFixture.details
        details.versionFloor = 3
        try place.change("other", in: details) { $0.refresh(Set(FeedRole.allCases), in: details) }
        #expect(refusal { try deploy("other") }?.code == .feedConflict)
        let outcome = try deploy("other", repairs: true)
        #expect(outcome.givenUp?.snapshot == 3 && outcome.givenUp?.isOwn == false)
        #expect(try target["metadata/timestamp.json"] == expected("other")["metadata/timestamp.json"])
    }

    /// A repair gives up what its operator could look at, and nothing that comes while it runs.
    @Test func repairOtherCopyDeploysMeanwhileIsConflict() throws {
        try deploy()
        var details = FeedFixture.details
        details.versionFloor = 3
        try place.change(in: details) { $0.refresh(Set(FeedRole.allCases), in: details) }
        try place.turn("b", in: "other")
        let quick = try Deployment(of: place.folder("other"), root: place.root, to: target, repairs: false)
        target.interrupt(before: "metadata/2.next.json") { _ = try? quick.run() }
        #expect(refusal { try deploy(repairs: true) }?.code == .feedConflict)
        #expect(try target["metadata/timestamp.json"] == expected("other")["metadata/timestamp.json"])
        #expect(try deploy(repairs: true).givenUp?.isOwn == false)
    }

    /// A thief of the online key has left no version to the owner. Once all keys are new, devices forget it.
    @Test(arguments: [false, true]) func deploymentAfterHighestVersionWithNewKeysIsMade(isInFolder: Bool) throws {
        try deploy()
        try place.turn("a")
        try deploy()
        try place.copy(to: "thief")
        var details = FeedFixture.details
        details.versionFloor = (1 << 53) - 1
        try place.change("thief", in: details) { $0.refresh([.timestamp], in: details) }
        let stolen = try place.disk.read("thief/metadata/timestamp.json")
        target["metadata/timestamp.json"] = stolen
        if isInFolder {
            try place.copy(to: "feed")
            try place.disk.write(stolen, to: "feed/metadata/timestamp.json")
        }
        let new = try SigningKey.generate(.ed25519)
        let old = place.keys.online.feedKey.id
        try place.change(with: place.keys.root + [place.keys.release, place.keys.online, new]) { feed in
            _ = try feed.rotate(
                [.timestamp, .snapshot, .rollout], adding: [new.feedKey], removing: [old],
                threshold: nil, in: FeedFixture.details)
        }
        let version = try place.repository().state(of: .timestamp).version
        // Versions begin again only where none is left.
        #expect(version == (isInFolder ? 1 : 4))
        try deploy(repairs: true)
        for word in ["b", "c"] {
            try place.change(with: [new]) { $0.edit(in: FeedFixture.details) { $0.setSwitch(word, to: "1") } }
            try deploy()
        }
        let served = try FeedRepository(root: place.root) { [target] path in target.read(path) }
        #expect(served.list.switches?["c"]?.text == "1")
        let deployment = try Deployment(of: place.folder(), root: place.root, to: target, repairs: false)
        #expect(try deployment.earlierVersion(in: stolen, servedBy: "www", givenUp: nil) == 1 << 53, "of a cache")
    }

    /// Both have seen the same state, and both continue from it.
    @Test func deploymentFasterWriterIsConflict() throws {
        try deploy()
        try place.turn("a")
        try place.turn("b", in: "other")
        let quick = try Deployment(of: place.folder("other"), root: place.root, to: target, repairs: false)
        target.interrupt(before: "metadata/2.next.json") { _ = try? quick.run() }
        #expect(refusal { try deploy() }?.code == .feedConflict)
        #expect(try deployed == expected("other"))
    }

    /// A later deployment of the same feed finishes first.
    @Test func aLaterTimestampIsNotReplaced() throws {
        try deploy()
        try place.turn("a")
        let slow = try Deployment(of: place.folder(), root: place.root, to: target, repairs: false)
        try place.turn("b")
        let later = try Deployment(of: place.folder(), root: place.root, to: target, repairs: false)
        target.interrupt(before: "metadata/timestamp.json") { _ = try? later.run() }
        _ = try slow.run()
        #expect(target.written.count { $0 == "metadata/timestamp.json" } == 2, "no device has read an older one since")
        #expect(try deployed == expected())
    }

    @Test func deploymentOlderCopySuggestsDeployedState() throws {
        try deploy()
        try place.turn("a")
        try deploy()
        let error = refusal { try deploy("other") }
        #expect(error?.code == .feedConflict && error?.remedy as? PublishingRemedy == .takeDeployed)
    }

    /// Of two timestamps of one snapshot, the later one stays.
    @Test func twoRefreshesAreNoConflict() throws {
        try deploy()
        for name in ["feed", "other"] {
            try place.change(name) { $0.refresh([.timestamp], in: FeedFixture.details) }
        }
        try place.change { $0.refresh([.timestamp], in: FeedFixture.details) }
        try deploy()
        let newest = target["metadata/timestamp.json"]
        #expect(try !deploy("other").isNew)
        #expect(target["metadata/timestamp.json"] == newest)
        try place.change { $0.refresh([.timestamp], in: FeedFixture.details) }
        #expect(try deploy().isNew && target["metadata/timestamp.json"] != newest)
    }

    @Test func foreignFilesAreReplacedOnlyWhenAsked() throws {
        target["metadata/2.targets.json"] = [1]
        #expect(remedy(refusal { try deploy() }) == .lookAndReplace)
        #expect(target["metadata/timestamp.json"] == nil && target["metadata/2.targets.json"] == [1])
        let trial = try deploy(repairs: true, isTrial: true)
        #expect(trial.replaced == ["metadata/2.targets.json"] && target["metadata/2.targets.json"] == [1])
        #expect(try deploy(repairs: true).replaced == ["metadata/2.targets.json"])
        #expect(try deployed == expected())
    }

    @Test func deploymentBrokenTimestampIsReplacedOnlyByRepair() throws {
        try deploy()
        target["metadata/timestamp.json"] = [1]
        #expect(remedy(refusal { try deploy() }) == .takeNewestOrReplace)
        #expect(try deploy(repairs: true).isNew)
        #expect(try deployed == expected())
    }

    /// Each timestamp of the chain has a higher version than the previous one.
    @Test func aChainThatDoesNotRiseIsRefused() throws {
        try deploy()
        target["metadata/2.next.json"] = target["metadata/timestamp.json"]
        try place.turn("a")
        #expect(remedy(refusal { try deploy() }) == .takeNewestOrReplace)
        #expect(try deploy(repairs: true).isNew)
    }

    /// With another feed's roots, or with keys that are unknown to this copy, every device would refuse the feed.
    @Test func rootsAreNeverReplaced() throws {
        target["metadata/1.root.json"] = [1]
        for repairs in [false, true] {
            #expect(remedy(refusal { try deploy(repairs: repairs) }) == .giveOtherPlace)
        }
        target["metadata/1.root.json"] = place.root
        target["metadata/2.root.json"] = [1]
        #expect(refusal { try deploy(repairs: true) }?.code == .feedConflict)
        #expect(target.written.isEmpty)
    }

    /// The place claims to have a file, and loses it.
    @Test func deploymentUploadedFileLostIsRefused() throws {
        try deploy()
        try place.turn("a")
        let target = target
        target.interrupt(before: "metadata/3.snapshot.json") { target["metadata/2.targets.json"] = nil }
        #expect(remedy(refusal { try deploy() }) == .deployAndReplace)
        #expect(try target["metadata/timestamp.json"] != expected()["metadata/timestamp.json"])
        try deploy(repairs: true)
        #expect(try deployed == expected())
    }

    /// Files are missing after a cleanup or a partial manual upload. Each deployment checks the files that devices
    /// need.
    @Test func deploymentMissingFileIsRestored() throws {
        try deploy()
        let path = try #require(target.files.keys.first { $0.hasSuffix(".js") })
        target[path] = nil
        let trial = try deploy(isTrial: true)
        #expect(trial.restored == [path] && trial.isRepair && target[path] == nil)
        let outcome = try deploy()
        #expect(outcome.restored == [path] && outcome.isRepair && !outcome.isNew && outcome.bytes > 0)
        #expect(try deployed == expected())
        // The same if there is something new.
        target[path] = nil
        try place.turn("a")
        #expect(try deploy().isNew)
        #expect(try deployed == expected())
    }

    /// An envelope is named by its hash, so any other file with its name was cut off or changed.
    @Test func deploymentDamagedEnvelopeIsReplacedOnlyByRepair() throws {
        try deploy()
        let path = try #require(target.files.keys.first { $0.hasSuffix(".js") })
        target[path]?[0] ^= 1
        #expect(remedy(refusal { try deploy() }) == .lookAndReplace)
        #expect(try deploy(repairs: true).replaced == [path])
        #expect(try deployed == expected())
    }

    /// Devices would refuse it, and caches would keep it for a year.
    @Test func anEnvelopeThatIsNotTheSignedOneIsNotUploaded() throws {
        let path = try #require(try expected().keys.first { $0.hasSuffix(".js") })
        let bytes = try #require(try expected()[path])
        let shorter = Array(bytes.dropLast())
        for damaged in [bytes + [0], shorter, shorter + [bytes[bytes.count - 1] ^ 1], []] {
            try place.disk.write(damaged, to: "feed/\(path)")
            for repairs in [false, true] {
                let error = refusal { try deploy(repairs: repairs) }
                #expect(error?.code == .feedMismatch && remedy(error) == .takeFromBackup)
            }
        }
        #expect(target.written.isEmpty)
        // A file that only an old state needs is left out.
        try place.change { feed in
            feed.edit(in: FeedFixture.details) { $0.entries = [] }
            feed.removeTargets(in: FeedFixture.details) { _ in true }
        }
        try deploy()
        #expect(target[path] == nil && target["metadata/2.snapshot.json"] != nil)
    }

    @Test func servedTimestampAfterDeploymentIsCompared() throws {
        try deploy()
        let first = try #require(target["metadata/timestamp.json"])
        try place.turn("a")
        let deployment = try Deployment(of: place.folder(), root: place.root, to: target, repairs: false)
        let outcome = try deployment.run()
        let own = try #require(target["metadata/timestamp.json"])
        func look(_ bytes: [UInt8], givenUp: SnapshotPosition? = nil) throws -> Int? {
            try deployment.earlierVersion(in: bytes, servedBy: "www", givenUp: givenUp)
        }
        #expect(try look(own, givenUp: outcome.givenUp) == nil)
        #expect(try look(first) == 2, "caches have it")
        try place.turn("b", in: "other")
        let other = try #require(try expected("other")["metadata/timestamp.json"])
        #expect(refusal { _ = try look(other) }?.code == .feedConflict)
        let position = SnapshotPosition(version: 3, snapshot: 3, isOwn: false)
        #expect(try look(other, givenUp: position) == 3, "caches have what was given up")
    }

    /// A stop that does not reach the server stops nothing.
    @Test func aFolderKnowsWhetherItsStateIsServed() throws {
        func check(_ bytes: [UInt8]?) -> PatchError.Code? {
            refusal { try place.folder().check(served: #require(bytes), by: "www", root: place.root) }?.code
        }
        func timestamp(_ name: String = "feed") throws -> [UInt8]? { try expected(name)["metadata/timestamp.json"] }
        let first = try timestamp()
        try place.turn("a")
        #expect(try check(timestamp()) == nil && check(first) == .feedRollback)
        try place.turn("b", in: "other")
        #expect(try check(timestamp("other")) == .feedConflict)
        #expect(check([1]) == .feedMalformed)
    }

    /// Caches also remember missing files.
    @Test func deploymentWrittenFilesAreListedForCaches() throws {
        #expect(try deploy().cached == ["metadata/timestamp.json", "metadata/1.root.json"])
        #expect(try deploy().cached.isEmpty)
        let path = try #require(target.files.keys.first { $0.hasSuffix(".js") })
        target[path] = nil
        #expect(try deploy().cached == [path])
        target[path] = [1]
        #expect(try deploy(repairs: true).cached == [path])
    }

    @Test func aFolderLosesNoFileOfAnotherWriter() throws {
        let folder = FolderTarget(path: .init(place.disk.at("www")), limit: 100)
        let file = FeedFile(path: "metadata/a.json", bytes: [1], replaces: false)
        #expect(try folder.read(file.path) == nil)
        #expect(try folder.create(file))
        let other = FeedFile(path: file.path, bytes: [2], replaces: false)
        #expect(try !folder.create(other))
        #expect(try folder.add([file, other]) { _ in }.conflicting == [file.path])
        #expect(try !folder.replace(other, of: [3]) && folder.read(file.path) == [1])
        #expect(try folder.replace(other, of: [1]) && folder.read(file.path) == [2])
        // Only an existing file belongs to another writer. A write failure is an error.
        try place.disk.write([0], to: "file")
        #expect(throws: PatchError(.io, "")) {
            try FolderTarget(path: .init(place.disk.at("file")), limit: 100).create(file)
        }
    }
}
