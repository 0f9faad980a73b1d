#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension PatchError.Code {
    /// A file is missing or cannot be read.
    public static let noInput = Self("no-input", exitStatus: 66)
    /// The output is there already.
    public static let exists = Self("exists", exitStatus: 73)
    /// Writing failed.
    public static let io = Self("io", exitStatus: 74)
}

extension PatchError {
    /// An error of the system's, in the system's words.
    ///
    /// - Parameters:
    ///   - number: An `errno`.
    ///   - hint: What to do about it.
    package static func system(_ code: Code, _ path: Path, _ number: Int32, hint: String? = nil) -> PatchError {
        PatchError(code, "\(path): \(systemMessage(number))", hint: hint)
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

/// What the system calls an error, with a small letter first.
private func systemMessage(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    let message = unsafe String(cString: text)
    return message.prefix(1).lowercased() + message.dropFirst()
}
