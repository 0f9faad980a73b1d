import Libc
import PatchCrypto
import Synchronization

/// The command line's entry: reads the arguments, runs a verb and exits with its status.
@main
enum Main {
    static func main() {
        // Swift's runtime reports a crash with a program that it looks for beside the name it was called by, which is the current
        // folder for a tool on the PATH.
        for crash in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV] { signal(crash, SIG_DFL) }
        // A reader that has gone, or a file that may not grow, is an error to be reported, and no reason to die in the middle.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        occupyStandardStreams()
        OpenSSLLibrary.skipCleanupAtExit()
        OpenSSLLibrary.refuseCoreDumps()
        let words = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { word in
                unsafe Argument(bytes: Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
            }
        }
        exit(run(words))
    }

    /// Puts something in the place of a standard stream that is closed, so that no output file gets its number, and with it
    /// the words for people. What reads or writes the stream itself fails, as it should.
    private static func occupyStandardStreams() {
        for (stream, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] where fcntl(stream, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", flags)
        }
    }

    /// Runs a command line.
    ///
    /// - Returns: The exit status.
    private static func run(_ words: [Argument]) -> Int32 {
        let secrets = Secrets(words: words)
        var console = Console(unparsed: words, secrets: secrets)
        do {
            switch try Request(words) {
            case .help(let verb): try console.raw(Help.text(for: verb))
            case .version: try console.raw("patchpack \(toolVersion)\n")
            case .run(let arguments):
                console = Console(arguments, secrets: secrets)
                return try arguments.verb.run(arguments, console)
            }
            return 0
        } catch {
            guard !words.isEmpty else {
                console.explain(Help.usage)
                return error.code.exitStatus
            }
            // A pipe's reader that has seen enough, such as `head`, expects no words and the usual end.
            if StandardOutput.isBroken.load(ordering: .relaxed) {
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            }
            console.error(error)
            // Where standard output is what failed, there is nobody left to read the line.
            if console.format == .json { try? console.json(.failure(error)) }
            return error.code.exitStatus
        }
    }
}

extension Console {
    convenience init(_ arguments: ParsedArguments, secrets: Secrets) {
        self.init(
            format: arguments.value(of: .format)?.text, isQuiet: arguments.has(.quiet),
            color: arguments.value(of: .color)?.text, secrets: secrets)
    }

    /// A console for a command line that may turn out to be wrong: whoever asks for JSON gets that in JSON too.
    convenience init(unparsed words: [Argument], secrets: Secrets) {
        let name = "--\(Option.format.name)"
        let isJSON = words.indices.contains { index in
            words[index].isText("\(name)=json")
                || words[index].isText(name) && words[(index + 1)...].first?.isText("json") == true
        }
        self.init(format: isJSON ? "json" : nil, isQuiet: false, color: nil, secrets: secrets)
    }
}
