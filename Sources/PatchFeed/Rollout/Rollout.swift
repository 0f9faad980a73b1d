package import PatchCrypto

/// The part of all devices that a patch is for: the devices whose bucket is below the percentage.
///
/// The bucket of a device never changes, so a device that is included at 5 percent is included at 25.
package struct Rollout: Sendable, Equatable {
    /// The unit that is counted: installations of the app, or users, who may have several devices.
    package enum Unit: String, Sendable, CaseIterable {
        case installation, user
    }

    /// How many of 10,000 units are included.
    package let basisPoints: Int
    /// The unit that is put into buckets: an installation or a user.
    package let unit: Unit
    /// Mixes the buckets, so that the same devices are not always the first; nil for the patch's id.
    package let seed: String?

    /// Makes a rollout. A part outside of 0 to 10,000 counts as the nearer of the two.
    package init(basisPoints: Int, unit: Unit = .installation, seed: String? = nil) {
        self.basisPoints = min(max(basisPoints, 0), 10_000)
        self.unit = unit
        self.seed = seed
    }

    /// A unit's bucket, from 0 to 9,999: the first eight hex digits of the SHA-256 of three lines, as a number, modulo
    /// 10,000.
    ///
    ///     printf 'patchpack rollout 1\n%s\n%s' SEED UNIT | openssl dgst -sha256
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package static func bucket(of unit: String, seed: String) throws(PatchError) -> Int {
        let digest = try MessageDigest.sha256.hash(Array("patchpack rollout 1\n\(seed)\n\(unit)".utf8))
        return digest.prefix(4).reduce(0) { $0 << 8 | Int($1) } % 10_000
    }

    /// The name under which a user is listed: the first 16 hex digits of the SHA-256 of three lines.
    ///
    ///     printf 'patchpack user 1\n%s\n%s' ID USER | openssl dgst -sha256
    ///
    /// The list does not contain the user's id, but a reader can try possible ids.
    ///
    /// - Throws: `unavailable` if OpenSSL refuses SHA-256.
    package static func name(of user: String, patch: String) throws(PatchError) -> String {
        let digest = try MessageDigest.sha256.hexadecimal(of: Array("patchpack user 1\n\(patch)\n\(user)".utf8))
        return String(decoding: digest.prefix(16), as: UTF8.self)
    }
}
