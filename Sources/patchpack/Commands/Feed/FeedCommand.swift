import PatchCrypto

enum FeedCommand {
    static let verb = Verb(
        name: "feed", summary: "publish patches, and choose the devices that get them",
        actions: [
            action(
                "init", "make a feed", "DIR --app NAME --root-key KEY --release-key KEY --online-key KEY", 1...1,
                [
                    .runningApp, .environment, .rootKey, .releaseKey, .onlineKey,
                    .signatureCommand, .passphraseEnv, .passphraseFile, .allowUnsafePermissions, .author,
                ],
                "feed --app com.example.shop --root-key keys/root/signing.pem "
                    + "--release-key keys/release/signing.pem --online-key keys/online/signing.pem",
                makeFeed),
            action(
                "publish", "verify envelopes, and add them", "DIR FILE.js... --key KEY...", 2...Int.max,
                FeedAction.listOptions + envelopeOptions + rolloutOptions + [.inShadow, .activation, .allowLower],
                "feed dist/*.js --rollout 5% \(releaseAndOnlineKey)", publish),
            action(
                "rollout", "offer a patch to more or fewer devices", "DIR ID PERCENT --key KEY", 3...3,
                FeedAction.listOptions + [.rolloutUnit, .seed, .group, .user, .activation, .patchVersion],
                "feed com.example.shop.cart-total 25% \(onlineKey)", rollout),
            action(
                "shadow", "run a patch in shadow: beside the code that answers", "DIR ID --key KEY", 2...2,
                FeedAction.listOptions + rolloutOptions + [.activation, .patchVersion],
                "feed com.example.shop.cart-total \(onlineKey)", shadow),
            action(
                "advance", "widen a rollout by a step if that is safe, or pause it",
                "DIR ID --events DIR --gate BOUND... --key KEY", 2...2, advanceOptions,
                "feed com.example.shop.cart-total --events events --gate 'failing<0.5%'", advance),
            action(
                "pause", "stop offering a patch to more devices", "DIR ID --key KEY", 2...2,
                FeedAction.listOptions + [.patchVersion], "feed com.example.shop.cart-total \(onlineKey)", pause),
            action(
                "resume", "offer a paused or withdrawn patch again, or go on in shadow if it was paused there",
                "DIR ID --key KEY", 2...2, FeedAction.listOptions + [.patchVersion],
                "feed com.example.shop.cart-total \(onlineKey)", resume),
            action(
                "withdraw", "take patches away from every device", "DIR ID... --key KEY", 2...Int.max,
                FeedAction.listOptions + [.patchVersion],
                "feed com.example.shop.cart-total --reason 'wrong total' \(onlineKey)", withdraw),
            action(
                "disable", "switch all patches off", "DIR --key KEY", 1...2, FeedAction.listOptions,
                "feed \(onlineKey)", disable),
            action(
                "enable", "switch patches on again", "DIR --key KEY", 1...2, FeedAction.listOptions,
                "feed \(onlineKey)", enable),
            action(
                "switch", "set values for the app to read", "DIR NAME=VALUE... --key KEY", 2...Int.max,
                FeedAction.listOptions, "feed checkout=old \(onlineKey)", setSwitches),
            action(
                "set", "set the minimum app version, or a message for the app to show", "DIR --key KEY", 1...1,
                FeedAction.listOptions + [.minimumAppVersion, .notice],
                "feed --minimum-app-version 2.3.0 \(onlineKey)", set),
            action(
                "undo", "restore an earlier state of the list", "DIR --key KEY", 1...1,
                FeedAction.listOptions + [.undoneTo, .yes], "feed --reason 'the wrong patch' \(onlineKey)", undo),
            action(
                "refresh", "sign the timestamp again, and metadata that expire soon", "DIR --key KEY", 1...1,
                FeedAction.listOptions + [.resumeRotation], "feed \(onlineKey)", refresh),
            action(
                "rotate", "change the keys of roles",
                "DIR ROLE[,ROLE...] [--add KEY]... [--remove ID]... [--threshold N] --key KEY...", 2...2,
                FeedAction.listOptions + [.addKey, .removeKey, .roleThreshold],
                "feed targets --add keys/release-2/trusted.pem --remove 1f2e3d4c --key keys/root/signing.pem "
                    + "--key keys/release-2/signing.pem \(onlineKey)", rotate),
            action(
                "trust", "deliver a trust store to devices, or none", "DIR [STORE] --key KEY...", 1...2,
                FeedAction.listOptions, "feed keys/trust.store \(releaseAndOnlineKey)", deliverTrust),
            action(
                "sign", "sign a change that waits for signatures",
                "DIR (--show | --key KEY | --detach | --attach FILE | --discard)", 1...1,
                FeedAction.listOptions + [
                    .role, .detach, .attach, .outputFile, .forceOutput, .discard, .showChange, .yes,
                ],
                "feed --show", sign),
            action(
                "prune", "remove old versions of patches, or the one that is named",
                "DIR ID... [--patch-version N] --key KEY...", 2...Int.max,
                FeedAction.listOptions + [.keep, .prunedVersion],
                "feed com.example.shop.cart-total --keep 2 \(releaseAndOnlineKey)", prune),
            action(
                "promote", "publish a patch of one feed in another one, byte for byte", "FROM TO ID --key KEY...",
                3...3,
                FeedAction.listOptions + envelopeOptions + rolloutOptions + [
                    .inShadow, .activation, .patchVersion, .allowLower,
                ],
                "staging release com.example.shop.cart-total --rollout 5% \(releaseAndOnlineKey)", promote),
            action(
                "deploy", "upload a feed in the right order, unless another copy came first", "DIR --to PLACE", 1...1,
                deployOptions, "feed --to s3://patches/feed", deploy),
            action(
                "status", "show the published patches, since when, by whom, and when signatures expire",
                "DIR|URL [ID] [--days N]", 1...2, readingOptions + [.days, .reportFormat, .allPatches, .signers],
                "feed --days 3",
                showStatus),
            action(
                "log", "list the changes: when, by whom and why", "DIR|URL [ID]", 1...2,
                readingOptions + [.last, .signers], "feed com.example.shop.cart-total", log),
            action(
                "diff", "show the differences between two states of a feed", "FEED[@SNAPSHOT] FEED[@SNAPSHOT]", 2...2,
                readingOptions + [.signers], "feed@12 feed", diff),
            action(
                "check", "read a feed as a device would: every signature and every file", "DIR|URL [--root FILE]",
                1...1, readingOptions + [.allFiles, .sameAs], "https://example.com/feed --root 1.root.json", check),
            action(
                "preview", "show which patches a device would get, and why", "DIR|URL --app-version V", 1...1,
                readingOptions + [.appVersion, .runningEngine, .previewUser, .installation, .deviceGroup],
                "feed --app-version 2.3.1 --user ada --installation 6f1c9f5e", preview),
        ])

    /// The options for the verification of envelopes, except those that each change of a feed takes. The feed names the app.
    private static let envelopeOptions = Verification.options.filter { option in
        option.id != Option.runningApp.id && !FeedAction.listOptions.contains { $0.id == option.id }
    }
    static let rolloutOptions: [Option] = [.percentage, .rolloutUnit, .seed, .group, .user]
    static let readingOptions: [Option] = [.pinnedRoot, .authorities, .insecure]

    // The keys in the examples.
    private static let onlineKey = "--key keys/online/signing.pem"
    private static let releaseAndOnlineKey = "--key keys/release/signing.pem \(onlineKey)"

    private static func action(
        _ name: String, _ summary: String, _ operands: String, _ count: ClosedRange<Int>, _ options: [Option],
        _ example: String, _ run: @escaping @Sendable (ParsedArguments, Console) throws(PatchError) -> Void
    ) -> Verb {
        Verb(
            name: "feed \(name)", summary: summary, operands: operands, operandValue: .directory("DIR"),
            operandCount: count, options: options, example: "patchpack feed \(name) \(example)", run: run)
    }
}
