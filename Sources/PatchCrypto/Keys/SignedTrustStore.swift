/// A trust store with signatures at its end, as a feed delivers it. The signatures vouch for its new keys.
///
///     ed25519 MCowBQYDK2VwAyEA… release-2027
///     # signed for com.example.shop release 3
///     # signature ed25519 0123456789abcdef 3xKd…==
///
/// The line before the signatures has the app and the environment that the store is for, and its number. A device keeps
/// the highest number, and an older store adds no keys there. A signature line has the same words as in an envelope: an
/// algorithm, a key id, and a signature in base64. Both kinds of line are comments of the trust store. The signatures
/// are over the line `patchpack trust store 2` and the file up to its first signature line.
package struct SignedTrustStore: Sendable {
    /// The devices that a store is for, and its number.
    package struct Label: Sendable, Hashable {
        package let app: String
        package let environment: String
        /// From 1 to 2147483647; each store that replaces another one has a higher number.
        package let number: Int

        package init(app: String, environment: String, number: Int) {
            self.app = app
            self.environment = environment
            self.number = number
        }

        fileprivate static let prefix = Array("# signed for ".utf8)
        fileprivate static let numbers = 1...Int(Int32.max)
        fileprivate var line: [UInt8] { Self.prefix + Array("\(app) \(environment) \(number)\n".utf8) }

        fileprivate init?(_ line: ArraySlice<UInt8>) {
            let words = line.dropFirst(Self.prefix.count).split(
                separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard words.count == 3, NameForm.isReverseDNS(words[0]), NameForm.isWord(words[1]),
                let number = Int(String(decoding: words[2], as: UTF8.self)), Self.numbers.contains(number)
            else { return nil }
            app = String(decoding: words[0], as: UTF8.self)
            environment = String(decoding: words[1], as: UTF8.self)
            self.number = number
            guard line.elementsEqual(self.line.dropLast()) else { return nil }  // one spelling of the number
        }
    }

    private static let prefix = Array("# signature ".utf8)
    private static let mostSignatures = 16

    /// The file without its label and its signatures.
    private let keys: [UInt8]
    /// Its label; nil if it was never signed.
    package private(set) var label: Label?
    private var signatures: [(algorithm: SignatureAlgorithm, keyID: KeyID, bytes: [UInt8])] = []

    /// The keys that its signature lines name. Nothing is verified.
    package var signerIDs: [KeyID] { signatures.map(\.keyID) }

    /// Reads a trust store with or without signatures. One that was edited since it was signed has none, and may have
    /// its label anywhere.
    ///
    /// - Throws: `config` if a line after the first signature is not a signature line, if the label has another form,
    ///   or if a signed store has it elsewhere than before the signatures; `limit` if there are too many signatures.
    package init(_ file: [UInt8]) throws(PatchError) {
        var rest = file[...]
        var keys: [UInt8] = []
        var labels: [ArraySlice<UInt8>] = []
        var isLabelLast = false
        while !rest.isEmpty, !rest.starts(with: Self.prefix) {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            isLabelLast = line.starts(with: Label.prefix)
            if isLabelLast {
                labels.append(line)
            } else {
                keys += line + [UInt8(ascii: "\n")]
            }
        }
        self.keys = keys
        if let line = labels.first {
            guard labels.count == 1, let label = Label(line) else {
                throw PatchError(
                    .config, "not one line `# signed for APP ENVIRONMENT NUMBER`",
                    hint: "remove the lines that begin with `\(Self.text(Label.prefix))`, and sign it again")
            }
            // The signatures are over the file as it is, and the label is put before them.
            guard isLabelLast || rest.isEmpty else {
                throw Self.unsigned("the line `# signed for …` is not the one before its signatures")
            }
            self.label = label
        }
        while !rest.isEmpty {
            guard signatures.count < Self.mostSignatures else {
                throw PatchError(.limit, "more than \(Self.mostSignatures) signatures")
            }
            signatures.append(try Self.takeSignature(&rest))
        }
    }

    private static func takeSignature(
        _ rest: inout ArraySlice<UInt8>
    ) throws(PatchError) -> (algorithm: SignatureAlgorithm, keyID: KeyID, bytes: [UInt8]) {
        guard rest.starts(with: prefix), let line = rest.takeLine() else {
            throw unsigned("a line after its signatures is not a signature")
        }
        let tokens = line.dropFirst(prefix.count).split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard tokens.count == 3, let algorithm = SignatureAlgorithm(tokens[0]), let id = KeyID(tokens[1]),
            let bytes = Base64.decode(tokens[2])
        else { throw unsigned("not a signature line") }
        return (algorithm, id, bytes)
    }

    /// The error of a store whose signatures cannot be those of its file.
    private static func unsigned(_ message: String) -> PatchError {
        let lines = text(prefix)
        return PatchError(
            .config, message, hint: "remove the lines that begin with `\(lines)`, and sign it again")
    }

    private static func text(_ prefix: [UInt8]) -> String { String(decoding: prefix.dropLast(), as: UTF8.self) }

    /// The number to sign with: the current one if the store is already signed for the app and the environment, else
    /// one more.
    package func nextNumber(for app: String, _ environment: String) -> Int {
        guard let label else { return 1 }
        let isSame = label.app.utf8.elementsEqual(app.utf8) && label.environment.utf8.elementsEqual(environment.utf8)
        return isSame && !signatures.isEmpty ? label.number : label.number + 1
    }

    /// Removes all signatures if one of them is not valid, because the store was changed after it was signed.
    ///
    /// - Parameter keys: The keys that are known here. A signature by another one cannot be checked, and stays.
    package mutating func dropChangedSignatures(among keys: [VerifyingKey]) {
        let message = message
        let isChanged = signatures.contains { signature in
            guard let key = keys.first(where: { $0.id == signature.keyID && $0.algorithm == signature.algorithm })
            else { return false }
            return (try? key.isValid(signature.bytes, for: message[...])) == false
        }
        if isChanged { signatures = [] }
    }

    private var message: [UInt8] { Array("patchpack trust store 2\n".utf8) + payload }
    /// The file up to its first signature line.
    private var payload: [UInt8] { keys + (label?.line ?? []) }

    /// Signs the store. The signature replaces an earlier one by the same key. Signatures for another label are
    /// removed.
    ///
    /// - Throws: `config` if the label has a name or a number that is not allowed, or the key cannot sign,
    ///   `unavailable` if OpenSSL refuses the algorithm.
    package mutating func sign(with key: SigningKey, as label: Label) throws(PatchError) {
        guard Label(label.line.dropLast()[...]) == label else {
            throw PatchError(.config, "not an app, an environment and a number from 1 to 2147483647")
        }
        if self.label != label { signatures = [] }
        self.label = label
        let bytes = try key.sign(message[...])
        signatures.removeAll { $0.keyID == key.verifyingKey.id }
        signatures.append((key.verifyingKey.algorithm, key.verifyingKey.id, bytes))
    }

    /// The ids of the keys whose signatures are valid and count.
    ///
    /// - Parameter time: The moment at which a key must not have expired; nil ignores when keys expire.
    /// - Returns: The ids. A signature that cannot be checked on this machine is ignored.
    package func signers(among trust: TrustStore, at time: Timestamp?) -> Set<KeyID> {
        guard label != nil else { return [] }
        let message = message
        var signers: Set<KeyID> = []
        for signature in signatures {
            guard let known = trust.key(withID: signature.keyID, algorithm: signature.algorithm),
                known.refusal(at: time) == nil, (try? known.key.isValid(signature.bytes, for: message[...])) == true
            else { continue }
            signers.insert(known.key.id)
        }
        return signers
    }

    /// The file's bytes: the keys, the label, and the signatures.
    package var encoded: [UInt8] {
        var file = payload
        for signature in signatures {
            file += Self.prefix
            file += signature.algorithm.line(keyID: signature.keyID, signature: signature.bytes)
        }
        return file
    }
}
