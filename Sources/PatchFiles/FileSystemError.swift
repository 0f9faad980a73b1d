package import PatchCrypto

extension PatchError {
    /// Makes an error for a failed system call on a file, with the system's message.
    package static func system(_ code: Code, _ path: Path, _ error: SystemError) -> PatchError {
        let fault = PatchError(code, error.message).about(path)
        return SystemError.shortageErrors.contains(error) ? fault.ofCircumstance : fault
    }

    /// The same error with this file as its place, unless it already names one.
    package func about(_ file: Path) -> PatchError { at(file: file.description) }
}

extension Path {
    /// Makes system calls on this file, and names it in their errors.
    package func calling<Result>(
        _ code: PatchError.Code = .io, _ body: () throws(SystemError) -> Result
    ) throws(PatchError) -> Result {
        do {
            return try body()
        } catch {
            throw .system(code, self, error)
        }
    }

    /// Calls `body`, and names this file in its errors.
    package func naming<Result>(_ body: () throws(PatchError) -> Result) throws(PatchError) -> Result {
        do {
            return try body()
        } catch {
            throw error.about(self)
        }
    }
}
