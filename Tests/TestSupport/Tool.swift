import Dispatch
import Foundation

/// A program run to its end.
public struct Tool {
    public let status: Int32
    public let output: [UInt8]
    public let error: String

    public var text: String { String(decoding: output, as: UTF8.self) }
    public var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The built command line tool, which stands beside the tests.
    public static let patchpack: String = {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = tests.deletingLastPathComponent()
        while folder.path != "/" {
            let tool = folder.appending(path: "patchpack").path
            let type = try? FileManager.default.attributesOfItem(atPath: tool)[.type] as? FileAttributeType
            if type == .typeRegular { return tool }
            folder.deleteLastPathComponent()
        }
        fatalError("the patchpack tool does not stand beside the tests")
    }()

    /// The checkout's root.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Runs patchpack.
    public static func patchpack(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Tool {
        try run(patchpack, arguments, input: input, environment: environment, in: folder)
    }

    /// Runs a line of shell, with `$1` and so on for the arguments and `patchpack` for the tool.
    public static func shell(
        _ line: String, _ arguments: String..., environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Tool {
        let prelude = "patchpack() { '\(patchpack)' \"$@\"; }; export -f patchpack; set -o pipefail; "
        return try run("/bin/bash", ["-c", prelude + line, "bash"] + arguments, environment: environment, in: folder)
    }

    public static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
        in folder: String? = nil
    ) throws -> Tool {
        let files = try TestFolder()
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("PATCHPACK_") && !["NO_COLOR", "SOURCE_DATE_EPOCH", "OPENSSL_CONF"].contains(name)
        }
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables["LC_ALL"] = "C.UTF-8"
        process.environment = variables.merging(environment) { _, new in new }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        // Files, and not pipes: nothing blocks, however much is written.
        for name in ["output", "error"] { try files.write([], to: name) }
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: files.write(input, to: "input")))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: files.at("output")))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: files.at("error")))
        try process.run()
        // A hang is a defect, and shows as status 128 + SIGTERM.
        let deadline = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: deadline)
        process.waitUntilExit()
        deadline.cancel()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Tool(
            status: status, output: try files.read("output"),
            error: String(decoding: try files.read("error"), as: UTF8.self))
    }
}
