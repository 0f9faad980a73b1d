internal import PatchCrypto
internal import PatchFeed

/// A remedy that a signer can apply to an error. A tool words it in terms of its own options.
package enum PublishingRemedy: PatchError.Remedy, Equatable {
    /// Make an Ed25519 key.
    case makeKey
    /// Give a public key of a kind that metadata may list.
    case giveFeedKey
    /// Give private keys of a role, with these ids.
    case giveKeys(of: FeedRole, ids: [String])
    /// Add keys to a role, or lower its threshold.
    case addKeys
    /// Make a feed.
    case makeFeed
    /// Take the newest copy of the feed, or trust an older root file.
    case trustOlderRoot
    /// Sign the bytes that a role signs, as they are.
    case signPayload
    /// Sign the change that waits for signatures, or drop it.
    case signStagedFirst
    /// Sign the change that waits for signatures in a folder, or drop it.
    case signOrDropStaged(in: String)
    /// Drop the change that waits for signatures in a folder.
    case dropStaged(in: String)
    /// Give private keys, or let the change wait for signatures.
    case giveKeysOrStage
    /// Set the clock, or confirm that it is right.
    case setClock
    /// If this machine's clock is right, the signer's was wrong: sign again with this one.
    case signWithThisClock
    /// Renew the metadata that expire soon.
    case refresh
    /// Drop the change that waits for signatures, and make it again.
    case repeatStaged
    /// Remove old versions of patches.
    case prune
    /// Name one of these roles.
    case giveRole([String])
    /// Give the switch a value, to set it.
    case giveValue
    /// Resume the patch, then pause it.
    case resumeFirst
    /// Sign the trust store for an app and its environment.
    case signStore(app: String, environment: String)
    /// Sign the trust store again, with a higher number.
    case signStoreAgain
    /// Publish the patch again.
    case publishAgain
    /// Give a private key, or the root file to trust, which is enough to look at the feed.
    case giveKeyOrRoot
    /// Give the first root file, as the app has it. The one in the folder has this SHA-256.
    case giveRoot(sha256: String)
    /// Look up the keys of the roles.
    case lookAtKeys
    /// Look up the patches of the feed.
    case lookAtPatches
    /// The place has another feed: name another one.
    case giveOtherPlace
    /// Sign with versions above a number, also with the key of the targets role, and deploy again.
    case signAbove(Int, folder: String)
    /// Take the newest copy, or replace the deployed files.
    case takeNewestOrReplace
    /// Take the deployed copy, which has all changes of this one.
    case takeDeployed
    /// Look at the deployed files, and replace them.
    case lookAndReplace
    /// Deploy again, and replace the deployed files.
    case deployAndReplace
    /// Deploy, or empty the caches that still have an older state.
    case deployOrPurge
    /// Take a file of the feed's folder from a backup, or from where the feed is served.
    case takeFromBackup
    /// Pack a patch again with a higher version, or confirm that devices with the higher one may go without this one.
    case packHigher
    /// Pack a patch again with a higher version, and publish it in shadow.
    case packHigherInShadow
    /// Name the version.
    case giveVersion
    /// Name the state to restore; the last one has this snapshot.
    case giveState(Int)
}

extension PatchError {
    /// The same error with a remedy in place of its hint.
    func with(_ remedy: PublishingRemedy) -> PatchError { PatchError(code, message, remedy: remedy, at: place) }

    /// An error for a folder without one of the files that every feed has.
    static func noFeed(_ path: String) -> PatchError {
        PatchError(
            .feedUnavailable, "\(path): missing, so this is not the folder of a feed",
            remedy: PublishingRemedy.makeFeed)
    }
}
