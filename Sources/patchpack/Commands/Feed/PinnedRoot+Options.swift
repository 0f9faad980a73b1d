import PatchCrypto
import PatchFiles
import PatchPublishing

extension PinnedRoot {
    /// The root file that the option or the variable names.
    static func pathFromOptions(_ arguments: ParsedArguments) -> Path? {
        arguments.value(of: .pinnedRoot)?.path ?? Option.pinnedRoot.fromEnvironment?.path
    }

    /// The bytes of that file; nil if no file is named.
    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        guard let given = pathFromOptions(arguments) else { return nil }
        return try bytes(of: given)
    }
}

extension FeedFault {
    /// The warning in words, with its remedy.
    func text(at now: Timestamp) -> String {
        switch self {
        case .ended(let role, let end): "\(role) ended at \(end): patchpack feed refresh DIR, with the key of that role"
        case .signedAhead(let published):
            "its list was signed at \(published), and this clock shows \(now)"
        }
    }
}
