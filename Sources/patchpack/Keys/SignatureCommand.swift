import PatchCrypto
import PatchFiles
import Synchronization

/// A shell command that signs, such as with a key in a hardware module or on another machine.
struct SignatureCommand: Sendable {
    private let line: String
    /// Whether the command has failed. It is not run again, because a card or module locks itself after a few wrong
    /// PINs.
    private let hasFailed = Shared(Atomic(false))
    /// The longest signature in bytes, for an RSA key of 8192 bits.
    private static let longest = 1024

    /// The commands that the options give, in their order.
    static func all(_ arguments: ParsedArguments) -> [SignatureCommand] {
        arguments.values(of: .signatureCommand).map { SignatureCommand(line: $0.text) }
    }

    /// Runs the command with the payload on its standard input.
    ///
    /// - Returns: Its output, which has 1 to 1024 bytes.
    /// - Throws: `config` if it fails, if its output cannot be a signature, or if it has failed before; `io` if the
    ///   payload cannot be written to the temporary folder.
    func signature(of payload: [UInt8]) throws(PatchError) -> [UInt8] {
        guard !hasFailed.value.load(ordering: .relaxed) else {
            throw PatchError(
                .config, "not signed: the signature command has failed, and is not run again",
                hint: "see the first error")
        }
        do throws(PatchError) {
            return try output(for: payload)
        } catch {
            hasFailed.value.store(true, ordering: .relaxed)
            throw error
        }
    }

    private func output(for payload: [UInt8]) throws(PatchError) -> [UInt8] {
        // The payload is passed in a file, so that a command that does not read all of it blocks nothing.
        let input = try Self.namelessFile(holding: payload)
        // A key service needs the account's credentials.
        let child = withExtendedLifetime(input) {
            ShellCommand.start("(\(line)\n) </dev/fd/\(input.number)", keeping: Environment.accountSecrets)
        }
        guard let child else { throw failure("cannot be run") }
        let signature = child.output(atMost: Self.longest + 1)
        let count = signature.count
        let status = child.wait()
        guard count <= Self.longest else { throw failure("wrote more than \(Self.longest) bytes") }
        guard status & 0x7F == 0 else { throw failure("was ended by signal \(status & 0x7F)") }
        guard status == 0 else { throw failure("failed with status \(status >> 8 & 0xFF)") }
        guard count > 0 else { throw failure("wrote nothing") }
        return signature
    }

    private func failure(_ what: String) -> PatchError {
        PatchError(
            .config, "the signature command \(what)",
            hint: "it must read the payload from standard input and write the signature's bytes to standard output")
    }

    /// A file without a name that holds the bytes. A command inherits it.
    private static func namelessFile(holding bytes: [UInt8]) throws(PatchError) -> Descriptor {
        let folder = Environment.temporaryFolder
        do throws(SystemError) {
            let file = try Descriptor.namelessFile(in: folder)
            try unsafe bytes.withUnsafeBufferPointer { bytes throws(SystemError) in try unsafe file.write(bytes) }
            try file.rewind()
            return file
        } catch {
            throw PatchError.system(.io, folder, error).hinting("is TMPDIR a folder to write to?")
        }
    }
}
