internal import COpenSSL

/// The numbers of a public key and their only DER encoding (RFC 5280 with RFC 8017 for RSA, RFC 8410 for Ed25519).
///
/// OpenSSL's general decoder and encoder try every algorithm that OpenSSL has, which costs as much as the rest of a
/// verification. So this type reads and writes the two forms that the format allows, and OpenSSL only gets the numbers.
enum SubjectPublicKeyInfo: Equatable {
    /// Modulus and exponent, big-endian, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// The 32 bytes of a point.
    case ed25519([UInt8])

    private static let rsaAlgorithm: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
    private static let ed25519Algorithm: [UInt8] = [6, 3, 0x2B, 0x65, 0x70]

    /// The longest encoding that is read, in bytes. An RSA key of 8192 bits has about 1,100.
    private static let longest = 4096

    /// The y coordinates of the points of small order, and their encodings above the field's prime.
    ///
    /// With such a key, one signature is valid for every message. The list is from libsodium.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        Hex.decode("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05".utf8) ?? [],
        Hex.decode("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a".utf8) ?? [],
    ]

    /// Whether a point is of small order; the sign of its x is ignored.
    static func isOfSmallOrder(_ point: [UInt8]) -> Bool {
        smallOrder.contains(point.dropLast() + point.suffix(1).map { $0 & 0x7F })
    }

    private enum Tag: UInt8 {
        case integer = 2
        case bitString = 3
        case sequence = 0x30
    }

    /// Reads DER; nil for another kind of key, and for any other encoding of a key.
    init?(der: [UInt8]) {
        var rest = der[...]
        guard der.count <= Self.longest, var info = Self.take(.sequence, &rest),
            let algorithm = Self.take(.sequence, &info),
            let bits = Self.take(.bitString, &info), bits.first == 0
        else { return nil }
        var key = bits.dropFirst()
        if algorithm.elementsEqual(Self.ed25519Algorithm), key.count == 32 {
            self = .ed25519(Array(key))
        } else if algorithm.elementsEqual(Self.rsaAlgorithm), var numbers = Self.take(.sequence, &key),
            let modulus = Self.take(.integer, &numbers), let exponent = Self.take(.integer, &numbers)
        {
            self = .rsa(modulus: Array(modulus.drop { $0 == 0 }), exponent: Array(exponent.drop { $0 == 0 }))
        } else {
            return nil
        }
        // Encoding the key again reveals anything that was read too leniently, and any bytes after the key.
        guard self.der == der else { return nil }
    }

    var der: [UInt8] {
        let algorithm = if case .rsa = self { Self.rsaAlgorithm } else { Self.ed25519Algorithm }
        return Self.wrap(.sequence, Self.wrap(.sequence, algorithm) + Self.wrap(.bitString, [0] + bits))
    }

    /// The encoding of the key alone.
    var bits: [UInt8] {
        switch self {
        case .ed25519(let point): point
        case .rsa(let modulus, let exponent):
            Self.wrap(.sequence, Self.integer(modulus) + Self.integer(exponent))
        }
    }

    private static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        // The first bit is the sign, and 0 has one byte.
        let needsZero = magnitude.first.map { $0 >= 0x80 } ?? true
        return wrap(.integer, needsZero ? [0] + magnitude : magnitude)
    }

    /// Makes an element of at most 65,535 bytes.
    private static func wrap(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag.rawValue] + length + content
    }

    /// Removes an element of at most 65,535 bytes from the front, and returns its content; nil if there is none.
    private static func take(_ tag: Tag, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            guard first <= 0x82 else { return nil }
            length = 0
            for _ in 0..<first & 0x7F {
                guard let byte = rest.popFirst() else { return nil }
                length = length << 8 | Int(byte)
            }
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    /// Makes an OpenSSL key, which the caller frees.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses the kind of key, `config` if the numbers are refused.
    func makeHandle() throws(PatchError) -> OpaquePointer {
        switch self {
        case .ed25519(let point):
            guard !Self.isOfSmallOrder(point) else {
                throw PatchError(
                    .config, "an Ed25519 key of small order, for which anyone can sign", hint: "make a new key")
            }
            let name = AsymmetricKey.Kind.ed25519.rawValue
            guard let handle = unsafe EVP_PKEY_new_raw_public_key_ex(nil, name, nil, point, point.count) else {
                throw .unavailable(name)
            }
            return unsafe handle
        case .rsa(let modulus, let exponent):
            let name = AsymmetricKey.Kind.rsa.rawValue
            let context = unsafe EVP_PKEY_CTX_new_from_name(nil, name, nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_fromdata_init(context) == 1 else { throw .unavailable(name) }
            // OpenSSL takes large numbers in the machine's byte order.
            var modulus = Array(modulus.reversed())
            var exponent = Array(exponent.reversed())
            var handle: OpaquePointer?
            unsafe modulus.withUnsafeMutableBytes { modulus in
                unsafe exponent.withUnsafeMutableBytes { exponent in
                    var parameters = unsafe [
                        OSSL_PARAM_construct_BN(copenssl_rsaModulus(), modulus.baseAddress, modulus.count),
                        OSSL_PARAM_construct_BN(copenssl_rsaExponent(), exponent.baseAddress, exponent.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    _ = unsafe EVP_PKEY_fromdata(context, &handle, copenssl_publicKeySelection(), &parameters)
                }
            }
            guard let handle = unsafe handle else { throw .openSSL(.config, "not a public key that OpenSSL accepts") }
            return unsafe handle
        }
    }
}
