import Foundation

/// A case of `Tests/Vectors`: a file, and the verdict that every reader of the format must reach.
public struct Vector: Sendable {
    public let file: String
    public let trust: [String]
    public let scriptKey: String
    public let threshold: Int
    public let app: String?
    public let appVersion: String?
    public let engine: Int?
    public let floor: Int?
    public let at: String?
    /// The number of zeros in the file, if it is too large to be kept.
    public let zeros: Int?
    /// The stage and the code of the refusal; nil if it is accepted.
    public let stage: String?
    public let code: String?
    /// The names of its scripts, and their SHA-256.
    public let scripts: [String: String]

    public static let folder = "\(Tool.root)/Tests/Vectors"

    /// All cases of the index.
    public static let all: [Vector] = {
        do {
            let data = try Data(contentsOf: URL(filePath: "\(folder)/index.json"))
            guard let index = try JSONSerialization.jsonObject(with: data) as? [String: Any],
                let defaults = index["defaults"] as? [String: Any], let cases = index["cases"] as? [[String: Any]]
            else { return [] }
            return cases.map { Vector(defaults.merging($0) { $1 }) }
        } catch {
            return []
        }
    }()

    private init(_ fields: [String: Any]) {
        func field<Value>(_ key: String) -> Value? { fields[key] as? Value }
        file = field("file") ?? ""
        trust = field("trust") ?? []
        scriptKey = field("scriptKey") ?? ""
        threshold = field("threshold") ?? 1
        app = field("app")
        appVersion = field("appVersion")
        engine = field("engine")
        floor = field("floor")
        at = field("at")
        zeros = field("zeros")
        stage = field("stage")
        code = field("code")
        scripts = field("scripts") ?? [:]
    }

    public func bytes() throws -> [UInt8] {
        if let zeros { return [UInt8](repeating: 0, count: zeros) }
        return Array(try Data(contentsOf: URL(filePath: "\(Self.folder)/\(file)")))
    }

    /// A key file's bytes.
    public static func key(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(folder)/keys/\(name)")))
    }
}
