import Foundation
import PatchCrypto

/// A folder with the test keys and a script, as for a release.
public struct ReleaseFixture: Sendable {
    public let folder: TestFolder

    /// A script whose head has all required tags.
    public static let script = """
        -- @patch    com.example.shop.cart-total
        -- @version  7
        -- @app      com.example.shop >=2.3.0 <2.5.0
        -- @replaces Cart.total
        patch.replace("Cart.total", function(original, price, quantity)
          return original(price, quantity)
        end)

        """

    public init() throws {
        folder = try TestFolder()
        try folder.write(TestKeys.signing.pem().exposed, to: "signing.pem", mode: 0o600)
        try folder.write(TestKeys.signing.verifyingKey.pem(), to: "trusted.pem")
        try folder.write(TestKeys.otherSigning.verifyingKey.pem(), to: "other.pem")
        try folder.write(TestKeys.script.encoded().exposed, to: "script.key")
        try folder.write(TestKeys.otherScript.encoded().exposed, to: "other.key")
        try folder.write(Self.script, to: "cart.lua")
    }

    /// Makes a copy of a fixture, with everything that was added to its folder.
    public init(copyOf other: ReleaseFixture) throws {
        folder = try TestFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.folder.path) {
            try FileManager.default.copyItem(atPath: other.folder.at(name), toPath: folder.at(name))
        }
    }

    /// Runs patchpack in the folder.
    public func run(_ arguments: String..., input: [UInt8] = [], environment: [String: String] = [:]) throws -> Tool {
        try run(arguments, input: input, environment: environment)
    }

    public func run(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) throws -> Tool {
        try Tool.run(Tool.patchpack, arguments, input: input, environment: environment, in: folder.path)
    }

    /// Packs scripts with the folder's keys, without linting them.
    public func pack(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool {
        try run(
            ["pack", "--no-lint"] + arguments + ["--signing-key", "signing.pem", "--script-key", "script.key"],
            environment: environment)
    }

    /// Verifies envelopes with the folder's keys.
    public func verify(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool {
        try run(
            ["verify"] + arguments + ["--trusted-key", "trusted.pem", "--script-key", "script.key"],
            environment: environment)
    }

    /// Runs a line of shell in the folder.
    public func shell(_ line: String, environment: [String: String] = [:]) throws -> Tool {
        try Tool.shell(line, environment: environment, in: folder.path)
    }
}

extension Tool {
    /// The JSON objects of the output, one per line.
    public func objects() throws -> [[String: Any]] {
        try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let object = object as? [String: Any] else { throw CocoaError(.propertyListReadCorrupt) }
            return object
        }
    }
}
