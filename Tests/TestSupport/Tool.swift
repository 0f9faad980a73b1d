import Dispatch
import Foundation

/// The result of a finished program.
public struct Tool {
    /// The exit status, or 128 and the number of the signal that ended it.
    public let status: Int32
    public let output: [UInt8]
    public let error: String

    public var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of the output that are not empty.
    public var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The built command line tool, which is next to the tests.
    public static let patchpack: String = {
        guard let tool = beside("patchpack") else { fatalError("the patchpack tool is not beside the tests") }
        return tool
    }()

    /// The path of a file that was built with the tests; nil if there is none.
    public static func beside(_ name: String) -> String? {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = tests.deletingLastPathComponent()
        while folder.path != "/" {
            let file = folder.appending(path: name).path
            let type = try? FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
            if type == .typeRegular { return file }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// The built example app, which is next to the tool.
    public static let shop = URL(filePath: patchpack).deletingLastPathComponent().appending(path: "shop").path

    /// The checkout's root.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    /// Runs a line of shell that depends on the timing of a terminal, and repeats it with longer pauses if it fails.
    ///
    /// - Parameter line: Makes a line of shell for a pause in seconds.
    /// - Parameter isDone: Whether the line's outcome is the expected one.
    /// - Returns: The last outcome.
    public static func patiently(
        in folder: String, _ line: (Int) -> String, until isDone: (Tool) -> Bool
    ) throws -> Tool {
        var run = try shell(line(1), in: folder)
        for pause in [3, 9] where !isDone(run) { run = try shell(line(pause), in: folder) }
        return run
    }

    /// Whether a program is installed.
    public static func exists(_ program: String) -> Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// Runs patchpack.
    public static func patchpack(
        _ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Tool {
        try run(patchpack, arguments, input: input, environment: environment, in: folder)
    }

    /// Runs a line of shell, with `$1` and so on for the arguments, `patchpack` and `"$TOOL"` for the tool,
    /// `"$SHOP_APP"` for the example app and `"$CHECKOUT"` for the checkout, whose names may have blanks and quotes.
    public static func shell(
        _ line: String, _ arguments: String..., environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Tool {
        let prelude = "patchpack() { \"$TOOL\" \"$@\"; }; export -f patchpack; set -o pipefail; "
        return try run("/bin/bash", ["-c", prelude + line, "bash"] + arguments, environment: environment, in: folder)
    }

    /// Makes an archive with the tool, as a release has it.
    ///
    /// - Returns: The variables that name it.
    public static func release(in folder: String) throws -> [String: String] {
        let made = try shell(
            """
            mkdir -p release/bin && ln -s "$TOOL" release/bin/patchpack &&
              tar -cJf release.tar.xz release && sha256sum <release.tar.xz | cut -d ' ' -f 1
            """, in: folder)
        return ["PATCHPACK_URL": "file://\(folder)/release.tar.xz", "PATCHPACK_SHA256": made.lines.first ?? ""]
    }

    /// The environment of the tests' programs, without this process's variables about patchpack or languages.
    static var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter { name, _ in
            // A mutant of scripts/check/mutation.py is also one of the programs.
            if name == "PATCHPACK_MUTANT" { return true }
            return !name.hasPrefix("PATCHPACK_") && !["NO_COLOR", "SOURCE_DATE_EPOCH", "OPENSSL_CONF"].contains(name)
        }
        variables["SWIFT_BACKTRACE"] = "enable=no"
        variables["LC_ALL"] = "C.UTF-8"
        variables["CHECKOUT"] = root
        variables["TOOL"] = beside("patchpack")
        variables["SHOP_APP"] = beside("shop")
        #if os(Linux)
            // The modules of Python, and other packages that deps.sh installs, are the system's. Debian's users do not
            // have the folder of servers on their PATH.
            variables["PATH"] = "/usr/bin:/bin:" + (variables["PATH"] ?? "") + ":/usr/sbin"
        #endif
        // Leaks of the libraries are reported at the end of the tests' own process. Looking for leaks in each run of
        // the tool would take longer than the run.
        variables["ASAN_OPTIONS"] = "detect_leaks=0"
        return variables
    }

    /// Runs a program, and waits until it has ended.
    ///
    /// - Parameter folder: Its working folder; nil for a new one, which is removed then.
    public static func run(
        _ program: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
        in folder: String? = nil
    ) throws -> Tool {
        OwnThreads.areRequired()
        let variables = self.environment.merging(environment) { $1 }
        // Files are used instead of pipes, so that large outputs block nothing.
        let files = try TestFolder()
        try files.write(input, to: "input")
        let process = try spawn(
            ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder ?? files.path, program] + arguments,
            variables.map { "\($0)=\($1)" }, streams: ["input", "output", "error"].map(files.at))
        // A hang is a defect. It is reported as status 128 + SIGKILL.
        let deadline = DispatchWorkItem { kill(process, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: deadline)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        deadline.cancel()
        return Tool(
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F, output: try files.read("output"),
            error: String(decoding: try files.read("error"), as: UTF8.self))
    }

    /// Starts a program. Foundation's `Process` is not used: it sometimes crashes when many programs start at once.
    ///
    /// - Parameters:
    ///   - arguments: Its path, and its arguments.
    ///   - environment: Its variables, such as `LC_ALL=C.UTF-8`.
    ///   - streams: The files of its standard input, output and error.
    /// - Returns: Its number, which the caller waits for.
    static func spawn(_ arguments: [String], _ environment: [String], streams: [String]) throws -> pid_t {
        #if canImport(Glibc)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        #if canImport(Glibc)
            // Other tests have open connections to servers, which a program would inherit. In the program, closing a
            // number that is not open is not an error.
            for number in Int32(3)..<512 { unsafe posix_spawn_file_actions_addclose(&actions, number) }
        #endif
        // Tests run on threads that block signals, which a program would inherit.
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        for (number, stream) in streams.enumerated() {
            let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
            unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), stream, flags, 0o600)
        }
        var words = unsafe (arguments.map { unsafe strdup($0) } + [nil])
        var variables = unsafe (environment.map { unsafe strdup($0) } + [nil])
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, arguments[0], &actions, &attributes, &words, &variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
        return process
    }
}
