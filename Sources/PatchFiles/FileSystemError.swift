public import PatchCrypto

extension PatchError.Code {
    /// A file is missing or cannot be read.
    public static let noInput = Self("no-input")
    /// The output exists already.
    public static let exists = Self("exists")
    /// Writing failed.
    public static let io = Self("io")
}

extension PatchError {
    /// A failed system call on a file, in the system's words.
    package static func system(_ code: Code, _ path: Path, _ error: SystemError) -> PatchError {
        PatchError(code, error.message).about(path)
    }

    /// The same error with this file as its place, unless it names one already.
    package func about(_ file: Path) -> PatchError { at(file: file.description) }
}

extension Path {
    /// Does something with this file's bytes; its errors name the file.
    package func naming<Result>(_ body: () throws(PatchError) -> Result) throws(PatchError) -> Result {
        do {
            return try body()
        } catch {
            throw error.about(self)
        }
    }
}
