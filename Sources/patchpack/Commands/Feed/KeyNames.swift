import PatchCrypto
import PatchFiles
import PatchPublishing

extension Option {
    static let signers = Option(
        "signers", "folder of public keys, NAME.pem or NAME/trusted.pem, for names beside ids", .directory("DIR"))
}

/// The names of people and jobs by their key ids.
struct KeyNames {
    private var names: [String: String] = [:]

    /// Reads the names in the folder that the option names. Without it, there are none.
    ///
    /// - Throws: `no-input` if the folder cannot be read, `config` if it has no public key, and the error of a key.
    init(_ arguments: ParsedArguments) throws(PatchError) {
        guard let folder = arguments.path(of: .signers) else { return }
        for name in try Folder.names(in: folder) {
            let place = folder.appending(name)
            let file = place.isFolder ? place.appending(Path("trusted.pem")) : place
            guard file.ends(in: ".pem"), FileInfo(file, following: true) != nil else { continue }
            let key = try file.naming { () throws(PatchError) in try FeedKey(pem: InputFile.small(file)) }
            let text = name.description
            names[key.id] = place.isFolder ? text : String(text.dropLast(".pem".count))
        }
        guard !names.isEmpty else { throw PatchError(.config, "no public key in this folder").about(folder) }
    }

    /// A key's name, if it has one, and its short id.
    func text(_ id: String) -> String { (names[id].map { "\($0) " } ?? "") + FeedKey.short([id]) }

    /// Who has signed, in a line; nil if nobody has.
    func text(_ approvals: [FeedRepository.Approval]) -> String? {
        let parts = approvals.filter { !$0.keyIDs.isEmpty }.map { approval in
            let keys = approval.keyIDs.map(text)
            return "\(approval.role) by \(keys.joined(separator: " and "))"
        }
        return parts.isEmpty ? nil : "signatures: \(parts.joined(separator: ", "))"
    }

    func json(_ approvals: [FeedRepository.Approval]) -> JSONValue {
        .array(
            approvals.map { approval in
                let keys = approval.keyIDs.map { JSONValue([("id", $0), ("name", names[$0])]) }
                return JSONValue([("role", approval.role.rawValue), ("keys", keys)])
            })
    }
}
