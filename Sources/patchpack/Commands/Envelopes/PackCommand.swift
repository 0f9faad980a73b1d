import PatchCrypto

enum PackCommand {
    static let verb = Verb(
        name: "pack", summary: "make a signed, encrypted envelope from each script, or one from all of them",
        operands: "SCRIPT.lua... [-o FILE|DIR] --signing-key KEY --script-key FILE",
        operandValue: .file("SCRIPT.lua"), operandCount: 0...Int.max,
        options: [
            .output, .recursive, .filesFrom, .upgrade, .force, .allOrNothing, .dryRun, .jobs, .signingKey,
            .signatureCommand, .scriptKey, .scriptKeyName, .trustedKey, .trustStore, .trustStorePin, .passphraseEnv,
            .passphraseFile, .allowUnsafePermissions, .bundle, .root, .id, .version, .app, .appVersions, .engine,
            .replaces, .expires, .notes, .extra, .interface, .noLint, .stdinFilename,
        ],
        example: "patchpack pack patches/*.lua -o dist --signing-key keys/signing.pem --script-key keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        // Each job has files open until they are flushed.
        Resources.allowManyOpenFiles()
        let job = try PackJob(arguments)
        let done = job.isDryRun ? "would be packed" : job.isAllOrNothing ? "good" : "packed"
        let jobs = try arguments.jobs(defaultsToOne: arguments.has(.signatureCommand))
        var results: [PackJob.Result] = []
        var isForOldClients = false
        try inOrder(
            job.units(), jobs: jobs, atMost: arguments.has(.signatureCommand) ? 1 : max(16, 256 / jobs),
            on: console, words: (done, "failed"), work: job.pack
        ) { (result) throws(PatchError) in
            isForOldClients = isForOldClients || result.isForOldClients
            // Results are shown only after all of them are known to be good.
            if job.isAllOrNothing {
                results.append(result)
            } else {
                try show(result, job, console)
            }
            return result.error
        }
        let isGood = console.exitStatus == 0
        if isGood { try job.write(&results) }
        for var result in results {
            if !isGood, result.error == nil { result.isHeldBack = true }
            try show(result, job, console)
        }
        if isForOldClients { console.noteOldClients() }
    }

    private static func show(_ result: PackJob.Result, _ job: PackJob, _ console: Console) throws(PatchError) {
        for warning in result.warnings { console.warning(warning) }
        if console.format == .json {
            try console.json(result.json(job))
        } else if let error = result.error {
            console.error(error)
        } else if let manifest = result.manifest, !job.writesToStandardOutput, !console.isQuiet {
            try console.line(
                result.isHeldBack ? .faint : .good,
                result.isHeldBack
                    ? "held back" : job.isDryRun ? "would pack" : result.isUnchanged ? "unchanged" : "packed",
                "  \(result.unit.output)  \(manifest.id) \(manifest.version), \(result.size) bytes")
        }
    }
}
