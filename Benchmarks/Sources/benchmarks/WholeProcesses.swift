import Foundation

/// The tool as used by a release script and a CI job, against the floor in C and a shell pipeline.
struct WholeProcesses {
    private static let count = 200
    /// The shell and luacheck would take half a minute for all files. They do only a few, and their time is multiplied.
    private static let fewCount = 10
    private static let factor = Double(count / fewCount)

    private let workshop: ReleaseFixture
    private let tools: Tools
    private let keys: (signing: String, trusted: String, script: String)
    /// The folder of packed envelopes.
    private let output: String

    init(_ workshop: ReleaseFixture, _ tools: Tools) {
        self.workshop = workshop
        self.tools = tools
        let folder = workshop.folder
        keys = ("\(folder)/signing.pem", "\(folder)/trusted.pem", "\(folder)/script.key")
        output = "\(folder)/out"
    }

    private var isRSA: Bool { workshop.signature == "RSA-3072" }

    // MARK: commands

    private func clear() throws {
        try? FileManager.default.removeItem(atPath: output)
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    }

    private func pack(_ jobs: Int, _ scripts: [String], _ more: String...) -> [String] {
        [tools.patchpack, "pack"] + scripts
            + ["-o", output, "--jobs", "\(jobs)", "--signing-key", keys.signing, "--script-key", keys.script] + more
    }

    private func verify(_ jobs: Int, _ envelopes: [String]) -> [String] {
        [tools.patchpack, "verify"] + envelopes
            + ["--jobs", "\(jobs)", "--trusted-key", keys.trusted, "--script-key", keys.script]
    }

    /// Scripts with 5 KB of code.
    private func codeScripts() throws -> [String] {
        let folder = "\(workshop.folder)/code"
        try ReleaseFixture.write(Self.count, into: folder)
        return (1...Self.count).map { "\(folder)/\($0).lua" }
    }

    /// Envelopes of scripts of 4 KiB, which are comments.
    private func envelopes(_ count: Int) throws -> [String] {
        let scripts = try (1...count).map {
            try workshop.write(ReleaseFixture.script(of: 4 << 10, number: $0), "s\($0).lua")
        }
        try clear()
        _ = try Processes.run(pack(2, scripts, "--no-lint"))
        return (1...count).map { "\(output)/s\($0).js" }
    }

    /// The shell pipeline, which supports only the default signature, RSA.
    ///
    /// - Parameters:
    ///   - atLeast: How many times the tool's time it takes.
    private func shell(_ files: [String], atLeast: Double? = nil, _ command: ([String]) -> [String]) -> [Processes.Way]
    {
        guard isRSA else { return [] }
        return [
            .init(
                name: "shell", command: command(Array(files.prefix(Self.fewCount))), against: "patchpack, 1 job",
                target: atLeast.map { .atLeast($0) }, factor: Self.factor)
        ]
    }

    // MARK: measurements

    func lint() throws -> [Row] {
        let scripts = try codeScripts()
        func lint(_ jobs: Int) -> [String] { [tools.patchpack, "lint", "-q", "--jobs", "\(jobs)"] + scripts }
        var ways: [Processes.Way] = [
            .init(name: "C, only compiling", command: [Tools.floor, "compile"] + scripts),
            .init(name: "patchpack, 1 job", command: lint(1), against: "C, only compiling"),
            .init(name: "patchpack, 2 jobs", command: lint(2), against: "patchpack, 1 job", target: .ratio(0.6)),
        ]
        if Tools.has("luacheck") {
            ways.append(
                .init(
                    name: "luacheck",
                    command: ["luacheck", "-q", "--globals", "patch", "--no-max-line-length"]
                        + scripts.prefix(Self.fewCount), against: "patchpack, 1 job", factor: Self.factor))
        }
        return try Processes(work: "lint \(Self.count) scripts of 5 KB of code", ways: ways).run()
    }

    func pack() throws -> [Row] {
        let scripts = try codeScripts()
        let arguments = ["pack", keys.signing, keys.script, output]
        return try Processes(
            work: "pack \(Self.count) scripts of 5 KB of code, signed with \(workshop.signature)",
            ways: [
                .init(name: "C", command: [Tools.floor] + arguments + scripts),
                // patchpack verifies each envelope before putting it in place.
                .init(
                    name: "C, verifying", command: [Tools.floor, "pack-and-verify"] + arguments.dropFirst() + scripts),
                .init(
                    name: "patchpack, 1 job, no lint", command: pack(1, scripts, "--no-lint"), against: "C, verifying",
                    target: .ratio(isRSA ? 1.2 : 1.25), memoryTarget: .ratio(1.5)),
                .init(
                    name: "patchpack, 1 job", command: pack(1, scripts), against: "C, verifying",
                    target: .ratio(isRSA ? 1.15 : 2.2)),
                .init(
                    name: "patchpack, 2 jobs", command: pack(2, scripts), against: "patchpack, 1 job",
                    target: .ratio(0.6)),
            ]
                + shell(scripts) { scripts in
                    [
                        "bash", "-c",
                        """
                        set -e; signing=$1 key=$2 out=$3; shift 3
                        for s in "$@"; do "$0" "$s" "$signing" "$key" "$out/x.js" com.example.x 1 com.example.app; done
                        """, "\(tools.root)/examples/by-hand/make.sh", keys.signing, keys.script, output,
                    ] + scripts
                },
            prepare: clear
        ).run()
    }

    func verify() throws -> [Row] {
        let envelopes = try envelopes(Self.count)
        let arguments = [keys.trusted, keys.script] + envelopes
        return try Processes(
            work: "verify \(Self.count) envelopes of 4 KiB, signed with \(workshop.signature)",
            ways: [
                .init(name: "C", command: [Tools.floor, "verify"] + arguments),
                .init(name: "C, keeping contexts", command: [Tools.floor, "verify-keeping"] + arguments, against: "C"),
                .init(
                    name: "patchpack, 1 job", command: verify(1, envelopes), against: "C, keeping contexts",
                    target: .ratio(isRSA ? 1.35 : 1.15), memoryTarget: .ratio(1.5)),
                .init(
                    name: "patchpack, 2 jobs", command: verify(2, envelopes), against: "patchpack, 1 job",
                    target: .ratio(0.6)),
            ]
                + shell(envelopes, atLeast: 100) { envelopes in
                    [
                        "bash", "-c",
                        """
                        set -e; trusted=$1 key=$2 out=$3; shift 3
                        for e in "$@"; do rm -rf "$out"; "$0" "$e" "$trusted" "$key" "$out"; done
                        """, "\(tools.root)/examples/by-hand/open.sh", keys.trusted, keys.script,
                        "\(workshop.folder)/open",
                    ] + envelopes
                }
        ).run()
    }

    /// One patch in a new process. For openssl, the payload and the signature are ready in files, and it decrypts
    /// nothing.
    func start() throws -> [Row] {
        let (folder, path) = (workshop.folder, try envelopes(1)[0])
        let envelope = try Data(contentsOf: URL(filePath: path))
        let delimiter = Data("\n--patchpack-envelope-1 ".utf8)
        guard let cut = envelope.range(of: delimiter, options: .backwards),
            let encoded = envelope[cut.upperBound...].split(separator: UInt8(ascii: "\n")).last?
                .split(separator: UInt8(ascii: " ")).last,
            let signature = Data(base64Encoded: Data(encoded))
        else { throw Failure(message: "\(path) is no envelope") }
        let payload = try workshop.write(Array(envelope[..<cut.lowerBound]), "payload")
        let signatureFile = try workshop.write(Array(signature), "signature")
        var cold: [Processes.Way] = [
            .init(
                name: "openssl dgst",
                command: ["openssl", "dgst", "-sha1", "-verify", keys.trusted, "-signature", signatureFile, payload]),
            .init(name: "patchpack", command: verify(1, [path]), against: "openssl dgst", target: .ratio(1.15)),
            .init(name: "C", command: [Tools.floor, "verify", keys.trusted, keys.script, path]),
        ]
        if Tools.has("minisign") {
            _ = try Processes.run([
                "minisign", "-G", "-f", "-W", "-p", "\(folder)/minisign.pub", "-s", "\(folder)/minisign.key",
            ])
            _ = try Processes.run(["minisign", "-S", "-s", "\(folder)/minisign.key", "-m", path])
            cold.append(
                .init(name: "minisign", command: ["minisign", "-V", "-q", "-p", "\(folder)/minisign.pub", "-m", path]))
        }
        return try Processes(work: "verify one envelope of 4 KiB, cold", ways: cold).run()
            + Processes(
                work: "say its version",
                ways: [
                    .init(name: "openssl version", command: ["openssl", "version"]),
                    .init(
                        name: "patchpack --version", command: [tools.patchpack, "--version"],
                        against: "openssl version"),
                    .init(name: "patchpack --help", command: [tools.patchpack, "--help"], against: "openssl version"),
                ]
            ).run()
    }

    func large() throws -> [Row] {
        let large = try workshop.write(ReleaseFixture.script(of: 7 << 20), "large.lua")
        return try Processes(
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
            + Processes(
                work: "verify a script of 7 MiB",
                ways: [
                    .init(
                        name: "C", command: [Tools.floor, "verify", keys.trusted, keys.script, "\(output)/large.js"]),
                    .init(
                        name: "patchpack", command: verify(1, ["\(output)/large.js"]), against: "C",
                        memoryTarget: .ratio(1.5)),
                ]
            ).run()
    }
}
