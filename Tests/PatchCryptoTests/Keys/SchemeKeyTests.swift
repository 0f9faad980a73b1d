import PatchCrypto
import TestSupport
import Testing

/// Keys of foreign metadata.
@Suite(.ownThreads) struct SchemeKeyTests {
    @Test func keysAreEqualIfTheyAreTheSameKey() throws {
        let pem = try TestKeys.signing.verifyingKey.pem()
        let other = try TestKeys.otherSigning.verifyingKey.pem()
        let key = try SchemeKey(pem: pem, for: .rsaPSS)
        #expect(try key.isEqual(to: SchemeKey(pem: pem, for: .rsaPSS)))
        #expect(try !key.isEqual(to: SchemeKey(pem: other, for: .rsaPSS)))
    }

    /// P-256 is the only curve of the specification. `openssl` makes the keys and the signature.
    @Test func anEllipticCurveIsP256() throws {
        let folder = try TestFolder()
        try folder.write("message", to: "message")
        for curve in ["prime256v1", "secp384r1", "secp256k1"] {
            let run = try Tool.shell(
                """
                openssl ecparam -name \(curve) -genkey -noout -out key && openssl pkey -in key -pubout -out \(curve) \
                  && openssl dgst -sha256 -sign key -out \(curve).sig message
                """, in: folder.path)
            try #require(run.status == 0, "\(run.error)")
            guard curve == "prime256v1" else {
                #expect(throws: PatchError(.config, ""), "\(curve)") {
                    try SchemeKey(pem: folder.read(curve), for: .ecdsaP256)
                }
                continue
            }
            let key = try SchemeKey(pem: folder.read(curve), for: .ecdsaP256)
            #expect(try key.isValid(folder.read("\(curve).sig"), for: Array("message".utf8)))
            #expect(try !key.isValid(folder.read("\(curve).sig"), for: Array("massage".utf8)))
        }
    }

    @Test func aKeyIsOfTheKindOfItsScheme() throws {
        let rsa = TestKeys.signing.verifyingKey
        let ed25519 = try SigningKey.generate(.ed25519).verifyingKey
        #expect(throws: PatchError(.config, "")) { try SchemeKey(pem: rsa.pem(), for: .ecdsaP256) }
        #expect(throws: PatchError(.config, "")) { try SchemeKey(pem: ed25519.pem(), for: .ecdsaP256) }
        #expect(throws: PatchError(.config, "")) { try SchemeKey(pem: ed25519.pem(), for: .rsaPSS) }
    }

    /// PEM does not avoid the check of its point.
    @Test func anEd25519KeyIsMadeOfItsBytesAlone() throws {
        let key = try SigningKey.generate(.ed25519).verifyingKey
        let point = try #require(key.ed25519Point)
        #expect(try SchemeKey(ed25519: point).isEqual(to: SchemeKey(ed25519: point)))
        let ofSmallOrder = [UInt8](repeating: 0, count: 32)
        for other: [UInt8] in [point.dropLast(), point + [0], ofSmallOrder] {
            #expect(throws: PatchError(.config, "")) { try SchemeKey(ed25519: other) }
        }
        #expect(throws: PatchError(.config, "")) { try SchemeKey(pem: key.pem(), for: .ed25519) }
    }
}
