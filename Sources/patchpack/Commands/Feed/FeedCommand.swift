import PatchCrypto

enum FeedCommand {
    static let verb = Verb(
        name: "feed", summary: "publish patches, and choose the devices that get them",
        actions: [
            action(
                "init", summary: "make a feed",
                operands: "DIR --app NAME --root-key KEY --release-key KEY --online-key KEY", count: 1...1,
                options: [
                    .runningApp, .environment, .rootKey, .releaseKey, .onlineKey,
                    .signatureCommand, .passphraseEnv, .passphraseFile, .allowUnsafePermissions, .author,
                ],
                example: "feed --app com.example.shop --root-key keys/root/signing.pem "
                    + "--release-key keys/release/signing.pem --online-key keys/online/signing.pem",
                run: makeFeed),
            action(
                "publish", summary: "verify envelopes, and add them",
                operands: "DIR FILE.js... --key KEY...", count: 2...Int.max,
                options: FeedAction.listOptions + envelopeOptions + rolloutOptions + [
                    .inShadow, .activation, .allowLower,
                ],
                example: "feed dist/*.js --rollout 5% \(releaseAndOnlineKey)",
                run: publish),
            action(
                "rollout", summary: "offer a patch to more or fewer devices",
                operands: "DIR ID PERCENT --key KEY", count: 3...3,
                options: FeedAction.listOptions + [.rolloutUnit, .seed, .group, .user, .activation, .patchVersion],
                example: "feed com.example.shop.cart-total 25% \(onlineKey)",
                run: rollout),
            action(
                "shadow", summary: "run a patch in shadow: beside the code that answers",
                operands: "DIR ID --key KEY", count: 2...2,
                options: FeedAction.listOptions + rolloutOptions + [.activation, .patchVersion],
                example: "feed com.example.shop.cart-total \(onlineKey)",
                run: shadow),
            action(
                "advance", summary: "widen a rollout by a step if that is safe, or pause it",
                operands: "DIR ID --events DIR --gate BOUND... --key KEY", count: 2...2,
                options: advanceOptions,
                example: "feed com.example.shop.cart-total --events events --gate 'failing<0.5%'",
                run: advance),
            action(
                "pause", summary: "stop offering a patch to more devices",
                operands: "DIR ID --key KEY", count: 2...2,
                options: FeedAction.listOptions + [.patchVersion],
                example: "feed com.example.shop.cart-total \(onlineKey)",
                run: pause),
            action(
                "resume", summary: "offer a paused or withdrawn patch again, or go on in shadow if it was paused there",
                operands: "DIR ID --key KEY", count: 2...2,
                options: FeedAction.listOptions + [.patchVersion],
                example: "feed com.example.shop.cart-total \(onlineKey)",
                run: resume),
            action(
                "withdraw", summary: "take patches away from every device",
                operands: "DIR ID... --key KEY", count: 2...Int.max,
                options: FeedAction.listOptions + [.patchVersion],
                example: "feed com.example.shop.cart-total --reason 'wrong total' \(onlineKey)",
                run: withdraw),
            action(
                "disable", summary: "switch all patches off",
                operands: "DIR --key KEY", count: 1...2,
                options: FeedAction.listOptions,
                example: "feed \(onlineKey)",
                run: disable),
            action(
                "enable", summary: "switch patches on again",
                operands: "DIR --key KEY", count: 1...2,
                options: FeedAction.listOptions,
                example: "feed \(onlineKey)",
                run: enable),
            action(
                "switch", summary: "set values for the app to read",
                operands: "DIR NAME=VALUE... --key KEY", count: 2...Int.max,
                options: FeedAction.listOptions,
                example: "feed checkout=old \(onlineKey)",
                run: setSwitches),
            action(
                "set", summary: "set the minimum app version, or a message for the app to show",
                operands: "DIR --key KEY", count: 1...1,
                options: FeedAction.listOptions + [.minimumAppVersion, .notice],
                example: "feed --minimum-app-version 2.3.0 \(onlineKey)",
                run: set),
            action(
                "undo", summary: "restore an earlier state of the list",
                operands: "DIR --key KEY", count: 1...1,
                options: FeedAction.listOptions + [.undoneTo, .yes],
                example: "feed --reason 'the wrong patch' \(onlineKey)",
                run: undo),
            action(
                "refresh", summary: "sign the timestamp again, and metadata that expire soon",
                operands: "DIR --key KEY", count: 1...1,
                options: FeedAction.listOptions + [.resumeRotation],
                example: "feed \(onlineKey)",
                run: refresh),
            action(
                "rotate", summary: "change the keys of roles",
                operands: "DIR ROLE[,ROLE...] [--add KEY]... [--remove ID]... [--threshold N] --key KEY...",
                count: 2...2,
                options: FeedAction.listOptions + [.addKey, .removeKey, .roleThreshold],
                example: "feed targets --add keys/release-2/trusted.pem --remove 1f2e3d4c --key keys/root/signing.pem "
                    + "--key keys/release-2/signing.pem \(onlineKey)",
                run: rotate),
            action(
                "trust", summary: "deliver a trust store to devices, or none",
                operands: "DIR [STORE] --key KEY...", count: 1...2,
                options: FeedAction.listOptions,
                example: "feed keys/trust.store \(releaseAndOnlineKey)",
                run: deliverTrust),
            action(
                "sign", summary: "sign a change that waits for signatures",
                operands: "DIR (--show | --key KEY | --detach | --attach FILE | --discard)", count: 1...1,
                options: FeedAction.listOptions + [
                    .role, .detach, .attach, .outputFile, .forceOutput, .discard, .showChange, .yes,
                ],
                example: "feed --show",
                run: sign),
            action(
                "prune", summary: "remove old versions of patches, or the one that is named",
                operands: "DIR ID... [--patch-version N] --key KEY...", count: 2...Int.max,
                options: FeedAction.listOptions + [.keep, .prunedVersion],
                example: "feed com.example.shop.cart-total --keep 2 \(releaseAndOnlineKey)",
                run: prune),
            action(
                "promote", summary: "publish a patch of one feed in another one, byte for byte",
                operands: "FROM TO ID --key KEY...", count: 3...3,
                options: FeedAction.listOptions + envelopeOptions + rolloutOptions + [
                    .inShadow, .activation, .patchVersion, .allowLower,
                ],
                example: "staging release com.example.shop.cart-total --rollout 5% \(releaseAndOnlineKey)",
                run: promote),
            action(
                "deploy", summary: "upload a feed in the right order, unless another copy came first",
                operands: "DIR --to PLACE", count: 1...1,
                options: deployOptions,
                example: "feed --to s3://patches/feed",
                run: deploy),
            action(
                "status", summary: "show the published patches, since when, by whom, and when signatures expire",
                operands: "DIR|URL [ID] [--days N]", count: 1...2,
                options: readingOptions + [.days, .reportFormat, .allPatches, .signers],
                example: "feed --days 3",
                run: showStatus),
            action(
                "log", summary: "list the changes: when, by whom and why",
                operands: "DIR|URL [ID]", count: 1...2,
                options: readingOptions + [.last, .signers],
                example: "feed com.example.shop.cart-total",
                run: log),
            action(
                "diff", summary: "show the differences between two states of a feed",
                operands: "FEED[@SNAPSHOT] FEED[@SNAPSHOT]", count: 2...2,
                options: readingOptions + [.signers],
                example: "feed@12 feed",
                run: diff),
            action(
                "check", summary: "read a feed as a device would: every signature and every file",
                operands: "DIR|URL [--root FILE]", count: 1...1,
                options: readingOptions + [.allFiles, .sameAs, .scriptKey, .passphraseEnv, .passphraseFile],
                example: "https://example.com/feed --root 1.root.json",
                run: check),
            action(
                "preview", summary: "show which patches a device would get, and why",
                operands: "DIR|URL --app-version V", count: 1...1,
                options: readingOptions + [.appVersion, .runningEngine, .previewUser, .installation, .deviceGroup],
                example: "feed --app-version 2.3.1 --user ada --installation 6f1c9f5e",
                run: preview),
        ])

    /// The options for the verification of envelopes, except those that each change of a feed takes. The feed names the
    /// app.
    private static let envelopeOptions = Verification.options.filter { option in
        option.id != Option.runningApp.id && !FeedAction.listOptions.contains { $0.id == option.id }
    }
    static let rolloutOptions: [Option] = [.percentage, .rolloutUnit, .seed, .group, .user]
    /// The options for reading a feed that may be on a server.
    static let readingOptions: [Option] = [.pinnedRoot, .authorities, .insecure]

    // The keys in the examples.
    private static let onlineKey = "--key keys/online/signing.pem"
    private static let releaseAndOnlineKey = "--key keys/release/signing.pem \(onlineKey)"

    private static func action(
        _ name: String, summary: String, operands: String, count: ClosedRange<Int>, options: [Option],
        example: String, run: @escaping @Sendable (ParsedArguments, Console) throws(PatchError) -> Void
    ) -> Verb {
        Verb(
            name: "feed \(name)", summary: summary, operands: operands, operandValue: .directory("DIR"),
            operandCount: count, options: options, example: "patchpack feed \(name) \(example)", run: run)
    }
}
