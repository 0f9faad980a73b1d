package import PatchCrypto
internal import PatchFeed

/// A remedy that a signer can apply to an error. A tool words it in terms of its own options:
/// PublishingRemedy+Hint.swift.
package enum PublishingRemedy: PatchError.Remedy, Equatable {
    case makeKey
    case giveFeedKey
    case giveKeys(of: FeedRole, ids: [String])
    case addKeys
    case makeFeed
    case trustOlderRoot
    case signPayload
    case signStagedFirst
    case signOrDropStaged(in: String)
    case dropStaged(in: String)
    case giveKeysOrStage
    case setClock
    /// If this machine's clock is right, the signer's was wrong: sign again with this one.
    case signWithThisClock
    case refresh
    case repeatStaged
    /// If the change was staged with a floor for its versions, give the same one; otherwise somebody else has changed
    /// it.
    case giveFloorOrDropStaged
    case prune
    case giveRole([String])
    case giveValue
    case resumeFirst
    case signStore(app: String, environment: String)
    case signStoreAgain
    case publishAgain
    case giveKeyOrRoot
    /// Give the first root file, as the app has it. The one in the folder has this SHA-256.
    case giveRoot(sha256: String)
    case lookAtKeys
    case lookAtPatches
    case giveOtherPlace
    /// Sign with versions above a number, also with the key of the targets role, and deploy again.
    case signAbove(Int, folder: String)
    case takeNewestOrReplace
    /// This is an old copy of the feed, or the copy that was signed last is given up: sign versions above its own.
    case takeNewestOrPass(Int)
    case takeDeployed
    case lookAndReplace
    case deployAndReplace
    case deployOrPurge
    case takeFromBackup
    case packHigher
    case packHigherInShadow
    case giveVersion
    /// Somebody has stopped meanwhile what the change offers.
    case lookAndRepeat
    case giveState(Int)
}

extension PatchError {
    package init(_ code: Code, _ message: String, remedy: PublishingRemedy, at place: Place? = nil) {
        self.init(code, message, remedy: remedy as any Remedy, at: place)
    }

    /// An error for a folder without one of the files that every feed has.
    static func noFeed(_ path: String) -> PatchError {
        PatchError(.feedUnavailable, "\(path): missing, so this is not the folder of a feed", remedy: .makeFeed)
    }
}

extension PatchError.Code {
    /// The request does not fit the feed, or lacks something that it needs. Tools use this code for wrong arguments.
    static let usage = Self("usage")
}
