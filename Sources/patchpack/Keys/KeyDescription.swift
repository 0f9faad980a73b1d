import PatchCrypto
import PatchFiles
import PatchPublishing

/// A description of a key, for `keygen` and `keyinfo`: everything except the key itself.
enum KeyDescription {
    case signing(SigningKey)
    case trusted(VerifyingKey)
    case script(ScriptKey)

    var text: String {
        switch self {
        case .signing(let key): "private key, \(describe(key.verifyingKey))"
        case .trusted(let key): "public key, \(describe(key))"
        case .script(let key): "script key, \(key.suite.rawValue), id \(key.id)"
        }
    }

    private func describe(_ key: VerifyingKey) -> String { "\(key.algorithm.rawValue), \(key.bits) bits, id \(key.id)" }

    /// The id that a feed has for the key; nil if a feed cannot use it.
    var feedID: String? {
        switch self {
        case .signing(let key): try? FeedKey(key.verifyingKey).id
        case .trusted(let key): try? FeedKey(key).id
        case .script: nil
        }
    }

    func json(schema: String, of path: Path) -> JSONValue {
        var members: JSONMembers =
            switch self {
            case .signing(let key): [("kind", "signing")] + members(of: key.verifyingKey)
            case .trusted(let key): [("kind", "trusted")] + members(of: key)
            case .script(let key):
                [
                    ("kind", "script"), ("suite", key.suite.rawValue), ("bits", key.suite.keyLength * 8),
                    ("keyID", key.id),
                ]
            }
        if let feedID { members.append(("feedKeyID", feedID)) }
        return .report(schema, about: [("file", path)], nil, members)
    }

    private func members(of key: VerifyingKey) -> JSONMembers {
        [("algorithm", key.algorithm.rawValue), ("bits", key.bits), ("keyID", key.id)]
    }
}
