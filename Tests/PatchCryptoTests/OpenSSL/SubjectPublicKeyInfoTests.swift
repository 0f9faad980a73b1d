import TestSupport
import Testing

@testable import PatchCrypto

@Suite(.ownThreads) struct SubjectPublicKeyInfoTests {
    private let modulus = [0xC0] + [UInt8](repeating: 0x5A, count: 254) + [1]

    @Test func everyChangeOfTheEncodingIsRefusedOrAnotherKey() throws {
        let info = SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: [1, 0, 1])
        let der = info.der
        #expect(SubjectPublicKeyInfo(der: der) == info)
        #expect(SubjectPublicKeyInfo(der: der + [0]) == nil)
        for index in der.indices {
            #expect(SubjectPublicKeyInfo(der: Array(der[..<index])) == nil)
            var changed = der
            changed[index] ^= 0x80
            #expect(SubjectPublicKeyInfo(der: changed) != info)
        }
    }

    @Test func rsaWithoutItsNullIsRefused() {
        let der = SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: [3]).der
        // SEQUENCE { SEQUENCE { OID } … } with both lengths two bytes less.
        var short = der
        short.removeSubrange(17..<19)
        short[3] -= 2
        short[5] -= 2
        #expect(Array(der[17..<19]) == [5, 0])
        #expect(SubjectPublicKeyInfo(der: short) == nil)
    }

    @Test func pointsOfSmallOrderAreNoKeys() throws {
        for (first, rest, last) in [
            (UInt8(0), UInt8(0), UInt8(0)), (1, 0, 0), (1, 0, 0x80), (0xEC, 0xFF, 0x7F), (0xED, 0xFF, 0xFF),
        ] {
            let point = [first] + [UInt8](repeating: rest, count: 30) + [last]
            #expect(throws: PatchError(.config, "")) { try AsymmetricKey(.ed25519(point)) }
        }
        guard case .ed25519(let point) = try AsymmetricKey.generate(.ed25519, bits: 0).publicHalf() else {
            Issue.record("not an Ed25519 key")
            return
        }
        _ = try AsymmetricKey(.ed25519(point))
    }

    @Test func lengthsThatWouldGrowAreNoKeys() {
        let content = [UInt8](repeating: 0xFF, count: 65_520)
        func wrap(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [tag, 0x82, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        }
        let algorithm: [UInt8] = [0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
        let key = wrap(0x30, wrap(2, Array(content.prefix(65_490))) + [2, 1, 3])
        #expect(SubjectPublicKeyInfo(der: wrap(0x30, algorithm + wrap(3, [0] + key))) == nil)
    }

    @Test(arguments: [[1], [2], [1, 0, 0], [4], [1, 0, 0, 0, 0, 0, 0, 0, 1]])
    func aWeakExponentIsRefused(exponent: [UInt8]) {
        let info = SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: exponent)
        #expect(throws: PatchError(.config, "")) { try AsymmetricKey(info) }
    }

    @Test func anEvenOrShortModulusIsRefused() throws {
        var even = modulus
        even[255] = 2
        for modulus in [even, [0xC0] + [UInt8](repeating: 0x5A, count: 126) + [1]] {
            let info = SubjectPublicKeyInfo.rsa(modulus: modulus, exponent: [3])
            #expect(throws: PatchError(.config, "")) { try AsymmetricKey(info) }
        }
        _ = try AsymmetricKey(.rsa(modulus: modulus, exponent: [3]))
    }
}
