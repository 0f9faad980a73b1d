internal import CLibzipLoader
import Libc
import PatchCrypto
import Synchronization

/// The entry point: reads the arguments, runs a verb and exits with its status.
@main
enum Main {
    static func main() {
        // On a crash, the Swift runtime starts a backtrace program from the folder of argv[0]. For a tool on the PATH,
        // that is the current folder.
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] { signal(crash, SIG_DFL) }
        // A closed pipe and a file size limit must be reported as errors. They must not end the process halfway.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        Signals.endFirstProcess()
        #if os(Linux)
            // libzip asks for the local time, and the C library looks at /etc/localtime each time if TZ is not set.
            unsafe setenv("TZ", ":/etc/localtime", 0)
        #endif
        occupyStandardStreams()
        // Swift reads the arguments from /proc.
        guard CommandLine.argc > 0 else {
            let error = PatchError(
                .unavailable, "the arguments cannot be read, because /proc is not mounted",
                hint: "mount -t proc proc /proc")
            Console(unparsed: [], secrets: Secrets(words: [])).error(error)
            exit(error.code.exitStatus)
        }
        OpenSSLLibrary.skipCleanupAtExit()
        OpenSSLLibrary.refuseCoreDumps()
        let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { word in
                unsafe Argument(bytes: Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
            }
        }
        exit(run(words))
    }

    /// Opens `/dev/null` in place of each closed standard stream.
    ///
    /// Otherwise an output file could get its number, and messages would go into that file. Reading or writing the
    /// stream itself still fails, as it should.
    private static func occupyStandardStreams() {
        for (stream, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] where fcntl(stream, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", flags)
        }
    }

    private static func run(_ words: [Argument]) -> Int32 {
        let secrets = Secrets(words: words)
        var console = Console(unparsed: words, secrets: secrets)
        var format = Self.format(words)
        do throws(PatchError) {
            switch try Request(words) {
            case .help(let verb): try console.raw(Help.text(for: verb))
            case .version: try console.raw("patchpack \(toolVersion)\n")
            case .run(let arguments):
                if let fault = unsafe clibziploader_error() {
                    throw PatchError(
                        .unavailable, "libzip cannot be used: \(unsafe String(cString: fault))",
                        hint: "install libzip4, or libzip5 on Debian 13")
                }
                Environment.findSecrets(namedBy: words)
                console = Console(arguments, secrets: secrets)
                format = arguments.format ?? "text"
                try arguments.verb.run(arguments, console)
            }
            return console.exitStatus
        } catch {
            guard !words.isEmpty else {
                console.printUsage(Help.usage)
                return error.code.exitStatus
            }
            // If the reader of a pipe stops early, as `head` does, the tool ends with SIGPIPE and no message.
            if StandardOutput.isBroken.load(ordering: .relaxed) {
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            }
            console.error(error)
            // A document that has begun takes no other one. JSON is an object for each line. If standard output itself
            // failed, this fails too, and that error is ignored.
            if !StandardOutput.isUsed.load(ordering: .relaxed) || console.format == .json {
                try? FailureReport.show(error, format: ResultFormat(rawValue: format), verb: words[0].text, console)
            }
            return error.code.exitStatus
        }
    }
}

extension Main {
    /// The format that an unparsed command line requests, known or not; `text` if it requests none. Its errors are in
    /// that format too.
    fileprivate static func format(_ words: [Argument]) -> String {
        let name = "--\(Option.format.name)"
        for (index, word) in words.enumerated() {
            if word.isText(name), index + 1 < words.count { return words[index + 1].text }
            if word.bytes.starts(with: "\(name)=".utf8) {
                return String(decoding: word.bytes.dropFirst("\(name)=".utf8.count), as: UTF8.self)
            }
        }
        return "text"
    }
}

extension Console {
    convenience init(_ arguments: ParsedArguments, secrets: Secrets) {
        self.init(
            format: arguments.format, isQuiet: arguments.has(.quiet),
            color: arguments.value(of: .color)?.text, secrets: secrets)
    }

    /// A console for an unparsed command line. If it requests JSON, its errors are in JSON too.
    convenience init(unparsed words: [Argument], secrets: Secrets) {
        self.init(format: Main.format(words), isQuiet: false, color: nil, secrets: secrets)
    }
}
