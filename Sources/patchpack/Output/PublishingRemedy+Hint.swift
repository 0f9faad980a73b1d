import PatchPublishing

extension PublishingRemedy {
    /// The remedy in terms of the command line.
    var hint: String {
        switch self {
        case .makeKey: "make one: patchpack keygen --profile modern --signing-only"
        case .giveFeedKey:
            "give an Ed25519 key (patchpack keygen --profile modern --signing-only), P-256, or RSA of 2048 bits or more"
        case .giveKeys(let role, let ids):
            switch role {
            case .root: "give a root key with --key: \(FeedKey.short(ids))"
            case .targets: "give a release key with --key: \(FeedKey.short(ids))"
            case .rollout, .snapshot, .timestamp: "give an online key with --key: \(FeedKey.short(ids))"
            }
        case .addKeys: "add keys with --add, or lower the number with --threshold"
        case .makeFeed: "name the folder that has the feed's metadata folder, or make a feed: patchpack feed init DIR"
        case .trustOlderRoot:
            "take the newest copy of the feed, or give --root with an older root file to go on with this one"
        case .signPayload:
            "sign exactly the bytes that `feed sign --detach` prints: Ed25519 over the bytes, ECDSA or RSA-PSS with SHA-256"
        case .signStagedFirst: "sign it first, or drop it: patchpack feed sign DIR --discard"
        case .signOrDropStaged(let folder): "patchpack feed sign \(folder), or feed sign \(folder) --discard"
        case .dropStaged(let folder): "patchpack feed sign \(folder) --discard drops it"
        case .giveKeysOrStage: "give private keys with --key, or --stage the change and sign it elsewhere"
        case .setClock: "set the clock, or give --ignore-clock if it is right"
        case .signWithThisClock:
            "if this clock is right, the signer's was wrong: patchpack feed refresh DIR --ignore-clock"
        case .refresh: "patchpack feed refresh DIR"
        case .repeatStaged: "patchpack feed sign DIR --discard, and make the change again"
        case .giveFloorOrDropStaged:
            "if it was staged with --after-version, give that too; otherwise somebody else wrote it: patchpack feed sign DIR --discard"
        case .prune:
            "feed prune DIR ID… removes old versions; with --patch-version N, that version, and when run again its withdrawal"
        case .giveRole(let names): "give --role: \(names.joined(separator: ", "))"
        case .giveValue: "to set one, give NAME=VALUE"
        case .resumeFirst: "patchpack feed resume, and then pause"
        case .signStore(let app, let environment):
            "sign it for that: patchpack trust sign STORE --app \(app) --environment \(environment)"
        case .signStoreAgain: "devices take no keys of an older store: sign it again, with a higher --number"
        case .publishAgain:
            "pack it again with a higher version, and publish that for those who had it: patchpack feed publish DIR FILE.js --rollout PERCENT"
        case .giveKeyOrRoot:
            "give a private key with --key, or set PATCHPACK_FEED_KEY; --root FILE is enough to look"
        case .giveRoot(let digest):
            "give --root FILE or set PATCHPACK_FEED_ROOT: the 1.root.json that the app has; its SHA-256 here is \(digest)"
        case .lookAtKeys: "patchpack feed status DIR lists the keys of each role"
        case .lookAtPatches: "patchpack feed status DIR lists them"
        case .giveOtherPlace: "this is another feed: is --to right?"
        case .signAbove(let number, let folder):
            "patchpack feed refresh \(folder) --after-version \(number), with the release key too, and deploy again"
        case .takeNewestOrReplace:
            "something else writes there, or this folder is older: take the newest copy, or replace the deployed feed with --repair"
        case .takeNewestOrPass(let version):
            "this is an old copy of the feed: take the newest one; if that is lost, or was given up for this one, give --after-version \(version)"
        case .takeDeployed:
            "this copy has no change of its own, so the deployed feed can replace it without a loss; patchpack feed log of the place names the author of the change"
        case .lookAndReplace:
            "another copy of the feed, or something else, wrote there: patchpack feed log of the place names its author. If nobody knows of it, the online key may be stolen; otherwise replace it with --repair"
        case .deployAndReplace: "deploy again, with --repair"
        case .deployOrPurge: "deploy it, or purge metadata/timestamp.json from the caches in between"
        case .takeFromBackup: "take this file from a backup, or from where the feed is served"
        case .packHigher: "pack it again with a higher version, or give --allow-lower"
        case .packHigherInShadow: "pack it again with a higher version, and publish that one with --shadow"
        case .giveVersion: "give --patch-version N"
        case .lookAndRepeat:
            "nothing was changed: see patchpack feed log DIR, and run this again if it is right nevertheless"
        case .giveState(let snapshot):
            "`patchpack feed log DIR` shows the last changes; to restore that state anyway, give --to \(snapshot)"
        }
    }
}
