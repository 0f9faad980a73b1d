import Libc
import PatchCrypto
import PatchFiles

/// The terminal that the tool runs in.
enum Terminal {
    /// Whether a standard stream is a terminal.
    static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

    /// The number of columns of a standard stream's terminal; nil if the stream is not a terminal.
    static func columns(_ stream: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(stream), unsafe ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// The outcome of a question.
    enum Reply {
        case answer(SecretBytes), noTerminal, brokenOff, tooLong
    }

    /// Asks a yes-or-no question. Without a terminal the answer is no.
    static func askToGoOn(_ question: String) -> Bool {
        ["y", "yes"].contains(ask("\(question)[y/N] ")?.lowercased())
    }

    /// Asks a question. Without a terminal there is no answer.
    static func ask(_ question: String) -> String? {
        guard isTerminal(0), isTerminal(2), case let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC), number >= 0
        else { return nil }
        let terminal = Descriptor(owning: number)
        say(question, on: terminal)
        var line: [UInt8] = []
        while line.count < 1024, let byte = try? terminal.byte(), byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Asks for a line without showing it.
    static func askForSecret(_ question: String) -> Reply {
        guard isTerminal(0), isTerminal(2), case let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC), number >= 0
        else { return .noTerminal }
        let terminal = Descriptor(owning: number)
        var usual = termios()
        guard unsafe tcgetattr(number, &usual) == 0 else { return .noTerminal }
        var hidden = usual
        // Byte by byte and without signals, because an interrupt must not leave the terminal without echo.
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe tcsetattr(number, TCSAFLUSH, &hidden)
        defer { withExtendedLifetime(terminal) { _ = unsafe tcsetattr(number, TCSAFLUSH, &usual) } }
        say(question, on: terminal)
        defer { say("\n", on: terminal) }
        let longest = 1024
        var line: [UInt8] = []
        defer { _ = SecretBytes(wiping: &line) }
        line.reserveCapacity(longest)  // growing would leave copies in memory
        while line.count < longest {
            let byte = try? terminal.byte()
            if byte == 3 {
                unsafe tcsetattr(number, TCSAFLUSH, &usual)
                raise(SIGINT)  // the caller must see an interrupt
            }
            guard let byte, byte != 3, byte != 4 || !line.isEmpty else { return .brokenOff }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 4: return .answer(SecretBytes(line))
            case 8, 127: _ = line.popLast()
            default: line.append(byte)
            }
        }
        return .tooLong
    }

    private static func say(_ text: String, on terminal: Descriptor) {
        unsafe Array(text.utf8).withUnsafeBufferPointer { try? unsafe terminal.write($0) }
    }
}
