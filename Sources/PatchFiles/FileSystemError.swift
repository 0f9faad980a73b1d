public import PatchCrypto

extension PatchError.Code {
    /// A file is missing or cannot be read.
    public static let noInput = Self("no-input", exitStatus: 66)
    /// The output is there already.
    public static let exists = Self("exists", exitStatus: 73)
    /// Writing failed.
    public static let io = Self("io", exitStatus: 74)
}

extension PatchError {
    /// A failed system call on a file, in the system's words.
    package static func system(_ code: Code, _ path: Path, _ error: SystemError) -> PatchError {
        PatchError(code, "\(path): \(error.message)")
    }

    /// The same error, with the file that it is about named first; those of the file system name theirs already.
    package func about(_ file: Path) -> PatchError {
        [.noInput, .io, .exists].contains(code) ? self : PatchError(code, "\(file): \(message)", hint: hint)
    }
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
