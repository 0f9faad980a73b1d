import Libc
import PatchCrypto
import PatchFiles
import Synchronization

enum Terminal {
    static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

    /// The number of columns of a standard stream's terminal; nil if the stream is not a terminal.
    static func columns(_ stream: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(stream), unsafe ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Asks a yes-or-no question. Without a terminal the answer is no.
    static func askToGoOn(_ question: String) -> Bool {
        ["y", "yes"].contains(ask("\(question)[y/N] ")?.lowercased())
    }

    /// Asks a question. Without a terminal there is no answer.
    static func ask(_ question: String) -> String? {
        guard let terminal = opened() else { return nil }
        say(question, on: terminal)
        return unsafe line(from: terminal)?.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Asks for a line without showing it. A signal that ends or stops this process finds the terminal as it was.
    ///
    /// - Returns: nil without a terminal.
    /// - Throws: `passphrase` if the question was cancelled, or if the answer is too long.
    static func askForSecret(_ question: String) throws(PatchError) -> SecretBytes? {
        guard let terminal = opened(), case let number = terminal.number else { return nil }
        var usual = termios()
        guard unsafe tcgetattr(number, &usual) == 0 else { return nil }
        var hidden = usual
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ECHONL | ICANON | ISIG)
        hidden.c_iflag |= tcflag_t(ICRNL | IUTF8)  // a backspace takes a whole character
        while true {
            caught.store(0, ordering: .relaxed)
            let handlers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP].map { number in
                (number, signal(number) { Terminal.caught.store($0, ordering: .relaxed) })
            }
            unsafe tcsetattr(number, TCSAFLUSH, &hidden)
            say(question, on: terminal)
            let answer = line(from: terminal)
            unsafe tcsetattr(number, TCSAFLUSH, &usual)
            for (number, before) in handlers { signal(number, before) }
            let cause = caught.load(ordering: .relaxed)
            guard cause != 0 else {
                guard let answer else { throw PatchError(.passphrase, "no passphrase was given") }
                guard answer.count <= longest else { throw PatchError(.passphrase, "the passphrase is too long") }
                return answer
            }
            say("\n", on: terminal)
            raise(cause)  // after a stop, the question is asked again
        }
    }

    private static func opened() -> Descriptor? {
        guard isTerminal(0), isTerminal(2) else { return nil }
        let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
        return number < 0 ? nil : Descriptor(owning: number)
    }

    /// The signal that came during a question; 0 if there was none.
    private static let caught = Atomic<Int32>(0)
    private static let longest = 1024

    /// Reads a line, up to one byte more than an answer may have; nil if the input ended, or a signal came.
    private static func line(from terminal: Descriptor) -> SecretBytes? {
        var line: [UInt8] = []
        line.reserveCapacity(longest + 1)  // growing would leave copies of a secret in memory
        var (byte, wait) = (UInt8(0), pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0))
        while line.count <= longest, caught.load(ordering: .relaxed) == 0 {
            let ready = unsafe poll(&wait, 1, 200)  // a signal that comes before it does not end it
            if ready == 0 { continue }
            guard ready == 1, unsafe read(terminal.number, &byte, 1) == 1 else { break }
            if byte == UInt8(ascii: "\n") { return SecretBytes(wiping: &line) }
            line.append(byte)
        }
        return line.isEmpty ? nil : SecretBytes(wiping: &line)
    }

    private static func say(_ text: String, on terminal: Descriptor) {
        unsafe Array(text.utf8).withUnsafeBufferPointer { try? unsafe terminal.write($0) }
    }
}
