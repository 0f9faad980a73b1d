import PatchCrypto
import PatchFiles
import PatchPublishing

extension PinnedRoot {
    static func pathFromOptions(_ arguments: ParsedArguments) -> Path? {
        arguments.path(of: .pinnedRoot) ?? Option.pinnedRoot.fromEnvironment?.path
    }

    static func fromOptions(_ arguments: ParsedArguments) throws(PatchError) -> [UInt8]? {
        try pathFromOptions(arguments).map { (given) throws(PatchError) in try bytes(of: given) }
    }
}

extension FeedFault {
    func text(at now: Timestamp) -> String {
        switch self {
        case .ended(let role, let end): "\(role) ended at \(end): patchpack feed refresh DIR, with the key of that role"
        case .signedAhead(let published):
            "its list was signed at \(published), and this clock shows \(now)"
        }
    }
}
