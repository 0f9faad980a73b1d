import TestSupport
import Testing

@testable import PatchCrypto

/// Runs the vectors through the library.
@Suite(.ownThreads) struct VectorTests {
    /// The library's verdict on a vector: `accepted` and its scripts, or the stage and the code of the refusal. The
    /// stage is `config` if a key is refused.
    private func verdict(of vector: Vector) throws -> (String, scripts: [String: String]) {
        var stage: VerificationReport.Stage?
        let trusted = try vector.trust.map { name in
            let parts = name.split(separator: ":").map(String.init)
            return (pem: try Vector.key(parts[parts.count - 1]), algorithm: parts.count == 2 ? parts[0] : nil)
        }
        let scriptKeyFile = try Vector.key(vector.scriptKey)
        let bytes = try vector.bytes()
        do throws(PatchError) {
            let keys = try trusted.map { key throws(PatchError) in
                try VerifyingKey(
                    pem: key.pem, algorithm: key.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)),
                    rsaDefault: .rsaSHA1)
            }
            // A key that is given twice counts once, as on a command line.
            var distinct: [VerifyingKey] = []
            for key in keys where !distinct.contains(where: { $0.id == key.id && $0.algorithm == key.algorithm }) {
                distinct.append(key)
            }
            var policy = VerificationPolicy.unchecked
            policy.time = vector.at.flatMap(Timestamp.init)
            policy.app = vector.app
            policy.appVersion = vector.appVersion.flatMap(AppVersion.init)
            policy.engineLevel = vector.engine
            policy.minimumVersion = vector.floor
            let verifier = try EnvelopeVerifier(
                trustStore: TrustStore(trusting: distinct), threshold: vector.threshold, policy: policy)
            let scriptKey = try ScriptKey(decoding: SecretBytes(scriptKeyFile))
            let report = verifier.report(on: bytes, scriptKeys: scriptKey)
            stage = report.failedStage
            let patch = try report.result.get()
            var scripts: [String: String] = [:]
            for script in patch.scripts {
                scripts[script.name] = String(
                    decoding: try MessageDigest.sha256.hexadecimal(of: script.bytes), as: UTF8.self)
            }
            return ("accepted", scripts)
        } catch {
            return ("\(stage?.rawValue ?? "config") \(error.code)", [:])
        }
    }

    @Test func everyVectorGetsItsVerdict() throws {
        try #require(Vector.all.filter { $0.stage != nil }.count >= 200)
        try #require(Vector.all.filter { $0.stage == nil }.count >= 30)
        for vector in Vector.all {
            let (verdict, scripts) = try verdict(of: vector)
            let expected = vector.stage.map { "\($0) \(vector.code ?? "")" } ?? "accepted"
            #expect(verdict == expected, "\(vector.file)")
            #expect(scripts == vector.scripts, "\(vector.file)")
        }
    }
}
