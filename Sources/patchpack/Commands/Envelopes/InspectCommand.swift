import PatchCrypto
import PatchFiles

/// `inspect`: shows the layers of an envelope.
///
/// It verifies nothing. Use it to look at a file, never to decide whether to trust it.
enum InspectCommand {
    static let verb = Verb(
        name: "inspect", summary: "show an envelope's layers; this verifies nothing",
        operands: "FILE... [--script-key FILE] [--trusted-key KEY]",
        operandValue: .file("FILE"), operandCount: 1...Int.max,
        options: [.scriptKey, .passphraseEnv, .passphraseFile, .trustedKey, .trustStore, .trustStorePin],
        example: "patchpack inspect dist/cart.js --script-key keys/script.key",
        run: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws(PatchError) {
        let keys = try KeyFiles(arguments)
        let scriptKeys = try keys.scriptKeys()
        let trustStore = try keys.trustStore()
        let now = trustStore == nil ? nil : try SystemClock.now()
        var manifests: [Manifest] = []
        for path in arguments.operands.map(\.path) {
            let inspection = Inspection(path, scriptKeys, trustStore, now)
            if console.format == .json {
                try console.json(inspection.json)
            } else {
                try inspection.show(on: console)
            }
            if let manifest = inspection.contents?.manifest { manifests.append(manifest) }
            console.fail(inspection.error?.code)
        }
        if console.format != .json { for line in orders(of: manifests) { try console.line(line) } }
    }

    /// A line for each function that several patches replace, with the order in which they are called: the greatest
    /// id first. Of several versions of a patch, the highest counts.
    private static func orders(of manifests: [Manifest]) -> [String] {
        let highest = Dictionary(manifests.map { ($0.id, $0) }) { $0.version > $1.version ? $0 : $1 }
        let patches = highest.values.sorted { $1.id.hasBytes(before: $0.id) }
        let functions = Set(patches.flatMap(\.replaces)).sorted { $0.hasBytes(before: $1) }
        return functions.compactMap { function in
            let called = patches.filter { $0.replaces.contains(function) }.map { "\($0.id) \($0.version)" }
            guard called.count > 1 else { return nil }
            return "calls of \(function): " + called.joined(separator: ", then ") + ", then the app's own"
        }
    }
}

/// The contents of a file, as far as it can be opened.
private struct Inspection {
    let path: Path
    var envelope: UnverifiedEnvelope?
    /// `valid`, `invalid` or `unchecked` for each signature line. A line is unchecked if no key was given for it.
    /// Behind the other words is what is wrong with the key, if anything: `valid, by a key that is revoked`.
    var signatures: [String] = []
    /// The SHA-256 of the payload, for comparing releases.
    var payloadDigest: String?
    var contents: UnverifiedContents?
    var error: PatchError?

    /// - Parameter now: The time at which keys must be valid; nil without a trust store.
    init(_ path: Path, _ scriptKeys: ScriptKeyRing?, _ trustStore: TrustStore?, _ now: Timestamp?) {
        self.path = path
        do throws(PatchError) {
            let bytes = try InputFile.contents(of: path, limit: EnvelopeLimits().envelopeSize)
            let envelope: UnverifiedEnvelope
            do throws(PatchError) {
                envelope = try UnverifiedEnvelope(bytes)
            } catch {
                guard let guess = FileKind.guess(from: bytes) else { throw error }
                throw error.hinting("it looks like \(guess)")
            }
            self.envelope = envelope
            for signature in envelope.signatures {
                let key = trustStore?.key(withID: signature.keyID, algorithm: signature.algorithm)
                var word = "unchecked"
                do throws(PatchError) {
                    if let key {
                        let isValid = try key.key.isValid(signature.signature, for: envelope.payload)
                        let refusal = key.refusal(at: now).map { ", by a key that \($0)" } ?? ""
                        word = (isValid ? "valid" : "invalid") + refusal
                    }
                } catch {
                    // OpenSSL may refuse an algorithm. The rest can be shown all the same.
                    self.error = self.error ?? error.about(path)
                }
                signatures.append(word)
            }
            payloadDigest = try envelope.payloadDigest()
            if let scriptKeys { contents = try envelope.contents(scriptKeys: scriptKeys) }
        } catch {
            self.error = error.about(path)
        }
    }

    func show(on console: Console) throws(PatchError) {
        if let envelope {
            try console.line("\(path): \(envelope.bytes.count) bytes; nothing here is verified")
            var rows = [["offset", "size", "layer"]]
            var signature = 0
            for layer in envelope.layers {
                var text = layer.name
                if layer.name == "delimiter" {
                    text += "  \(envelope.suite.rawValue), script key \(envelope.scriptKeyID)"
                }
                if layer.name == "signature" {
                    let line = envelope.signatures[signature]
                    text += "  \(line.algorithm.rawValue), key \(line.keyID), \(signatures[signature])"
                    signature += 1
                }
                rows.append(["\(layer.range.lowerBound)", "\(layer.range.count)", text])
            }
            try show(rows, on: console)
            if let payloadDigest { try console.line("SHA-256 of the payload: \(payloadDigest)") }
        }
        if let contents {
            try console.line("zip in the ciphertext: \(contents.zipSize) bytes")
            try show(
                [["offset", "size", "member"]]
                    + contents.members.map { member in
                        let inflated = member.size == member.storedSize ? "" : "  (\(member.size) inflated)"
                        return ["\(member.offset)", "\(member.storedSize)", member.name + inflated]
                    }, on: console)
            try console.line("manifest")
            for (key, value) in contents.manifest.json.members {
                try console.line("  \(key)  \(value.text ?? value.text())")
            }
        }
        if let error { console.error(error) }
    }

    private func show(_ rows: [[String]], on console: Console) throws(PatchError) {
        for row in rows {
            let numbers = row.prefix(2).map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
            try console.line("\(numbers.joined())  \(row[2])")
        }
    }

    var json: JSONValue {
        let signatures = zip(envelope?.signatures ?? [], signatures).map { line, status in
            JSONValue([("algorithm", line.algorithm.rawValue), ("keyID", line.keyID), ("status", status)])
        }
        let layers = (envelope?.layers ?? []).map { Self.place($0.name, $0.range.lowerBound, $0.range.count) }
        let archive = contents.map { contents in
            let members = contents.members.map { Self.place($0.name, $0.offset, $0.storedSize) }
            return JSONValue([("size", contents.zipSize), ("members", members)])
        }
        return .report(
            "patchpack.inspect/1", about: [("file", path)], error,
            [
                ("verified", false), ("size", envelope?.bytes.count), ("payloadSHA256", payloadDigest),
                ("suite", envelope?.suite.rawValue), ("scriptKeyID", envelope?.scriptKeyID), ("layers", layers),
                ("signatures", signatures), ("zip", archive), ("manifest", contents?.manifest),
            ])
    }

    private static func place(_ name: String, _ offset: Int, _ size: Int) -> JSONValue {
        JSONValue([("name", name), ("offset", offset), ("size", size)])
    }
}
