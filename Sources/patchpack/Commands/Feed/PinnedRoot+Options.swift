import PatchCrypto
import PatchFiles
import PatchPublishing

extension PinnedRoot {
    /// The root file that the option or the variable names.
    static func given(_ arguments: ParsedArguments) -> Path? {
        arguments.value(of: .pinnedRoot)?.path ?? Option.pinnedRoot.fromEnvironment?.path
    }

    /// The bytes of that file; nil if none is named.
    static func givenRoot(_ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        guard let given = given(arguments) else { return nil }
        return try InputFile.small(given)
    }
}

extension FeedRepository.Fault {
    /// In words, with what to do about it.
    func text(at now: Timestamp) -> String {
        switch self {
        case .ended(let role, let end): "\(role) ended at \(end): patchpack feed refresh DIR, with the key of that role"
        case .signedAhead(let published):
            "its list was signed by a clock that says \(published), and this one says \(now)"
        }
    }
}
