import Foundation

/// The tool as used by a release script and a CI job, against the floor in C, a shell pipeline, and scripts in Python and PHP.
enum WholeProcesses {
    private static let count = 200
    /// The shell would take half a minute for all files. It does only a few, and its time is multiplied.
    private static let shellCount = 10

    static func run(_ workshops: [ReleaseFixture], _ tools: Tools) throws -> [Row] {
        try workshops.flatMap { try run($0, tools) }
    }

    private static func run(_ workshop: ReleaseFixture, _ tools: Tools) throws -> [Row] {
        // The shell, Python and PHP support only the default, RSA.
        let isRSA = workshop.signature == "RSA-3072"
        let signed = "signed with \(workshop.signature)"
        let folder = workshop.folder
        let scripts = try (1...count).map {
            try workshop.write(ReleaseFixture.script(of: 4 << 10, number: $0), "s\($0).lua")
        }
        let keys = (signing: "\(folder)/signing.pem", trusted: "\(folder)/trusted.pem", script: "\(folder)/script.key")
        let output = "\(folder)/out"
        func clear() throws {
            try? FileManager.default.removeItem(atPath: output)
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        }
        func pack(_ jobs: Int, _ scripts: [String], _ more: String...) -> [String] {
            [tools.patchpack, "pack"] + scripts
                + [
                    "-o", output, "--jobs", "\(jobs)", "--signing-key", keys.signing, "--script-key", keys.script,
                ] + more
        }
        func verify(_ jobs: Int, _ envelopes: [String]) -> [String] {
            [tools.patchpack, "verify"] + envelopes
                + ["--jobs", "\(jobs)", "--trusted-key", keys.trusted, "--script-key", keys.script]
        }
        let python = ["/usr/bin/python3", "\(tools.root)/Benchmarks/python/envelopes.py"]
        let php = ["php", "\(tools.root)/Benchmarks/php/envelopes.php"]
        let byHand = "\(tools.root)/examples/by-hand"
        let factor = Double(count / shellCount)

        var rows: [Row] = []
        rows += try Processes(
            work: "pack \(count) scripts of 4 KiB, \(signed)",
            ways: [
                .init(name: "C", command: [Tools.floor, "pack", keys.signing, keys.script, output] + scripts),
                // patchpack verifies each envelope before putting it in place.
                .init(
                    name: "C, verifying",
                    command: [Tools.floor, "pack-and-verify", keys.signing, keys.script, output] + scripts),
                .init(
                    name: "patchpack, 1 job, no lint", command: pack(1, scripts, "--no-lint"), against: "C, verifying",
                    target: .ratio(isRSA ? 1.2 : 1.25), memoryTarget: .ratio(1.5)),
                .init(name: "patchpack, 1 job", command: pack(1, scripts), against: "C, verifying"),
                .init(
                    name: "patchpack, 2 jobs", command: pack(2, scripts), against: "patchpack, 1 job",
                    target: .ratio(0.6)),
            ]
                + (isRSA
                    ? [
                        .init(
                            name: "Python", command: python + ["pack", keys.signing, keys.script, output] + scripts,
                            against: "patchpack, 1 job")
                    ]
                        + (Tools.has("php")
                            ? [
                                .init(
                                    name: "PHP", command: php + ["pack", keys.signing, keys.script, output] + scripts,
                                    against: "patchpack, 1 job")
                            ] : []) + [
                            .init(
                                name: "shell",
                                command: [
                                    "bash", "-c",
                                    """
                                    set -e; signing=$1 key=$2 out=$3; shift 3
                                    for s in "$@"; do "$0" "$s" "$signing" "$key" "$out/x.js" com.example.x 1 com.example.app; done
                                    """, "\(byHand)/make.sh", keys.signing, keys.script, output,
                                ] + scripts.prefix(shellCount), against: "patchpack, 1 job", factor: factor)
                        ] : []),
            prepare: clear
        ).run()

        try clear()
        _ = try Processes.run(pack(2, scripts))
        let envelopes = (1...count).map { "\(output)/s\($0).js" }
        rows += try Processes(
            work: "verify \(count) envelopes of 4 KiB, \(signed)",
            ways: [
                .init(name: "C", command: [Tools.floor, "verify", keys.trusted, keys.script] + envelopes),
                .init(
                    name: "patchpack, 1 job", command: verify(1, envelopes), against: "C", target: .ratio(1.2),
                    memoryTarget: .ratio(1.5)),
                .init(
                    name: "patchpack, 2 jobs", command: verify(2, envelopes), against: "patchpack, 1 job",
                    target: .ratio(0.6)),
            ]
                + (isRSA
                    ? [
                        .init(
                            name: "Python", command: python + ["verify", keys.trusted, keys.script] + envelopes,
                            against: "patchpack, 1 job", target: .atLeast(3))
                    ]
                        + (Tools.has("php")
                            ? [
                                .init(
                                    name: "PHP", command: php + ["verify", keys.trusted, keys.script] + envelopes,
                                    against: "patchpack, 1 job")
                            ] : []) + [
                            .init(
                                name: "shell",
                                command: [
                                    "bash", "-c",
                                    """
                                    set -e; trusted=$1 key=$2 out=$3; shift 3
                                    for e in "$@"; do rm -rf "$out"; "$0" "$e" "$trusted" "$key" "$out"; done
                                    """, "\(byHand)/open.sh", keys.trusted, keys.script, "\(folder)/open",
                                ] + envelopes.prefix(shellCount), against: "patchpack, 1 job", target: .atLeast(100),
                                factor: factor)
                        ] : [])
        ).run()
        guard isRSA else { return rows }

        // One patch in a new process. For openssl, the payload and the signature are ready in files, and it decrypts nothing.
        let envelope = try Data(contentsOf: URL(filePath: envelopes[0]))
        let delimiter = Data("\n--patchpack-envelope-1 ".utf8)
        guard let cut = envelope.range(of: delimiter, options: .backwards),
            let encoded = envelope[cut.upperBound...].split(separator: UInt8(ascii: "\n")).last?
                .split(separator: UInt8(ascii: " ")).last,
            let signature = Data(base64Encoded: Data(encoded))
        else { throw Failure(message: "\(envelopes[0]) is no envelope") }
        let payload = try workshop.write(Array(envelope[..<cut.lowerBound]), "payload")
        let signatureFile = try workshop.write(Array(signature), "signature")
        var cold: [Processes.Way] = [
            .init(
                name: "openssl dgst",
                command: ["openssl", "dgst", "-sha1", "-verify", keys.trusted, "-signature", signatureFile, payload]),
            .init(
                name: "patchpack", command: verify(1, [envelopes[0]]), against: "openssl dgst", target: .ratio(1.15)),
            .init(name: "C", command: [Tools.floor, "verify", keys.trusted, keys.script, envelopes[0]]),
        ]
        if Tools.has("minisign") {
            _ = try Processes.run([
                "minisign", "-G", "-f", "-W", "-p", "\(folder)/minisign.pub", "-s", "\(folder)/minisign.key",
            ])
            _ = try Processes.run(["minisign", "-S", "-s", "\(folder)/minisign.key", "-m", envelopes[0]])
            cold.append(
                .init(
                    name: "minisign",
                    command: ["minisign", "-V", "-q", "-p", "\(folder)/minisign.pub", "-m", envelopes[0]]))
        }
        rows += try Processes(work: "verify one envelope of 4 KiB, cold", ways: cold).run()
        rows += try Processes(
            work: "say its version",
            ways: [
                .init(name: "openssl version", command: ["openssl", "version"]),
                .init(
                    name: "patchpack --version", command: [tools.patchpack, "--version"], against: "openssl version"),
                .init(name: "patchpack --help", command: [tools.patchpack, "--help"], against: "openssl version"),
            ]
        ).run()

        let large = try workshop.write(ReleaseFixture.script(of: 7 << 20), "large.lua")
        rows += try Processes(
            work: "pack a script of 7 MiB",
            ways: [
                .init(
                    name: "C, verifying",
                    command: [Tools.floor, "pack-and-verify", keys.signing, keys.script, output, large]),
                .init(
                    name: "patchpack, no lint", command: pack(1, [large], "--no-lint"), against: "C, verifying",
                    memoryTarget: .ratio(1.5)),
            ], prepare: clear
        ).run()
        rows += try Processes(
            work: "verify a script of 7 MiB",
            ways: [
                .init(name: "C", command: [Tools.floor, "verify", keys.trusted, keys.script, "\(output)/large.js"]),
                .init(
                    name: "patchpack", command: verify(1, ["\(output)/large.js"]), against: "C",
                    memoryTarget: .ratio(1.5)),
            ]
        ).run()
        return rows
    }
}
