import Foundation

/// A folder that is removed when the test ends.
public final class TestFolder: Sendable {
    public let path: String

    public init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "patchpack-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of an item in the folder.
    public func at(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, makes the folders above it, and returns its path.
    @discardableResult
    public func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o644) throws -> String {
        let place = at(name)
        let folder = URL(filePath: place).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: place))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
        return place
    }

    @discardableResult
    public func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    public func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: at(name)))) }

    public func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: at(name)) }

    /// The names of all items in the folder, at any depth.
    public func contents() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
}
