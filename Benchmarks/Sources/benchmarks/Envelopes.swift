import CFloor
import Foundation
import PatchCrypto

/// Packing and verifying in this process, by size, against the same steps in C.
enum Envelopes {
    static func run(_ workshop: ReleaseFixture) throws -> [Row] {
        var rows: [Row] = []
        for (size, title, count) in [
            (4 << 10, "4 KiB", 40), (64 << 10, "64 KiB", 20), (1 << 20, "1 MiB", 4), (16 << 20, "16 MiB", 1),
        ] {
            let bytes = ReleaseFixture.script(of: size)
            let script = PatchScript(name: "main.lua", bytes: bytes)
            let manifest = try Manifest(
                id: "com.example.bench", version: 1, app: "com.example.app", replaces: ["Bench.f"],
                scripts: [.init(name: script.name, byteCount: bytes.count)], limits: .wide)
            let packer = try EnvelopePacker(
                scriptKey: workshop.scriptKey, signingKeys: [workshop.signingKey], limits: .wide)
            let verifier = try EnvelopeVerifier(trustStore: workshop.trust, policy: .unchecked, limits: .wide)
            let envelope = try packer.pack(manifest, [script])
            let json = String(decoding: manifest.encoded(), as: UTF8.self)
            guard floorPack(workshop, json, bytes) == envelope else {
                throw Failure(message: "the floor in C does not make the bytes that patchpack makes")
            }
            rows += try Rounds(
                work: "pack \(title) in process, signed with \(workshop.signature)", count: count,
                ways: [
                    .init("C") { for _ in 0..<$0 { keep(floorPack(workshop, json, bytes)) } },
                    .init("patchpack", against: "C", target: .ratio(1.05)) {
                        for _ in 0..<$0 { keep(try packer.pack(manifest, [script])) }
                    },
                ]
            ).run()
            rows += try Rounds(
                work: "verify \(title) in process, signed with \(workshop.signature)", count: count,
                ways: [
                    .init("C") {
                        for _ in 0..<$0 {
                            var copy = envelope  // it is decrypted in place
                            let isValid = copy.withUnsafeMutableBufferPointer {
                                floor_verify(workshop.floorVerifier, $0.baseAddress, $0.count)
                            }
                            guard isValid else { throw Failure(message: "the floor in C does not verify") }
                        }
                    },
                    .init("patchpack", against: "C", target: .ratio(1.05)) {
                        for _ in 0..<$0 {
                            keep(try verifier.verify(envelope, scriptKeys: workshop.scriptKey))
                        }
                    },
                ]
            ).run()
        }
        return rows
    }

    /// Only one kind of work, to count its instructions. nil if there is no such kind.
    static func only(_ kind: String, _ count: Int) throws -> Void? {
        let patch = try ReleaseFixture.selfContained(
            String(decoding: ReleaseFixture.script(of: 4 << 10), as: UTF8.self), replaces: ["Bench.f"])
        switch kind {
        case "verify-in-process":
            let verifier = try EnvelopeVerifier(trustStore: patch.trust, policy: .unchecked)
            for _ in 0..<count { keep(try verifier.verify(patch.envelope, scriptKeys: patch.scriptKey)) }
        default: return nil
        }
        return ()
    }

    private static func floorPack(_ workshop: ReleaseFixture, _ manifest: String, _ script: [UInt8]) -> [UInt8] {
        var size = 0
        let envelope = floor_pack(workshop.floorPacker, manifest, "main.lua", script, script.count, &size)
        defer { free(envelope) }
        return Array(UnsafeBufferPointer(start: envelope, count: size))
    }
}

extension EnvelopeLimits {
    /// Limits that allow a script of 16 MiB.
    static var wide: EnvelopeLimits {
        var limits = EnvelopeLimits()
        limits.scriptSize = 32 << 20
        limits.envelopeSize = 64 << 20
        return limits
    }
}
