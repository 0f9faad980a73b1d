import Testing

@testable import PatchCrypto

struct SubjectPublicKeyInfoTests {
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

    @Test(arguments: [[1], [2], [1, 0, 0], [4]])
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
