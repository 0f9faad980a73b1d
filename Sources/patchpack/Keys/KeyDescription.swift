import PatchCrypto
import PatchFiles

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

    func json(schema: String, of path: Path) -> JSONValue {
        let members: [(key: String, value: JSONValue)] =
            switch self {
            case .signing(let key): [("kind", .string("signing"))] + members(of: key.verifyingKey)
            case .trusted(let key): [("kind", .string("trusted"))] + members(of: key)
            case .script(let key):
                [
                    ("kind", .string("script")), ("suite", .string(key.suite.rawValue)),
                    ("bits", .integer(key.suite.keyLength * 8)), ("keyID", .string(key.id.description)),
                ]
            }
        return .report(schema, about: [("file", .string(path.description))], nil, members)
    }

    private func members(of key: VerifyingKey) -> [(key: String, value: JSONValue)] {
        [
            ("algorithm", .string(key.algorithm.rawValue)), ("bits", .integer(key.bits)),
            ("keyID", .string(key.id.description)),
        ]
    }
}
