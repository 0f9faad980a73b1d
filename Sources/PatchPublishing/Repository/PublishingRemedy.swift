internal import PatchCrypto
internal import PatchFeed

/// What a signer can do about an error. A tool says it in terms of its own options.
package enum PublishingRemedy: PatchError.Remedy, Equatable {
    /// Make an Ed25519 key.
    case makeKey
    /// Give a public key of a kind that metadata may list.
    case giveFeedKey
    /// Give private keys with these ids, of a role.
    case giveKeys(of: FeedRepository.Role, ids: [String])
    /// Add keys to a role, or let fewer of them sign.
    case addKeys
    /// Make a feed.
    case makeFeed
    /// Take the newest copy of the feed, or trust an older root file.
    case trustOlderRoot
    /// Sign the bytes that a role signs, as they are.
    case signPayload
    /// Sign the change that waits for signatures, or drop it.
    case signStagedFirst
    /// Drop the change that waits for signatures, and make it again.
    case repeatStaged
    /// Remove old versions of patches.
    case prune
    /// Publish the patch again.
    case publishAgain
}

extension PatchError {
    /// An error for a folder without one of the files that every feed has.
    static func noFeed(_ path: String) -> PatchError {
        PatchError(
            .feedUnavailable, "\(path): missing, so this is not the folder of a feed",
            remedy: PublishingRemedy.makeFeed)
    }
}
