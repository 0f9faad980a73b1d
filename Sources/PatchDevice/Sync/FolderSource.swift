public import PatchCrypto
public import PatchFeed
internal import PatchFiles

/// A feed in a folder, such as on a removable medium.
public struct FolderSource: FeedSource {
    private let folder: Path

    /// Makes a source.
    ///
    /// - Parameter path: The folder that has the feed's `metadata` and `targets`.
    public init(_ path: String) { folder = Path(path) }

    public func fetch(_ request: FeedRequest) async throws(PatchError) -> FeedReply {
        let names = request.path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let decoded = names.compactMap(Self.decoded)
        // A web server would look for such a name in another folder, or not at all.
        guard decoded.count == names.count,
            !decoded.contains(where: { $0 == "." || $0 == ".." || $0.utf8.contains(UInt8(ascii: "/")) })
        else { return FeedReply(.missing) }
        let file = folder.appending(Path(decoded.joined(separator: "/")))
        do throws(PatchError) {
            guard try FileInfo.ifThere(file) != nil else { return FeedReply(.missing) }
            return FeedReply(.bytes(try InputFile.regular(file, limit: request.byteLimit)))
        } catch {
            switch error.code {
            case .limit: throw PatchError(.feedLimit, "\(request.path): \(error.message)")
            case .noInput, .io: throw PatchError(.feedUnavailable, error.message).about(file)
            default: throw error
            }
        }
    }

    /// A name without percent-encoding; nil if that is not well formed, or the name is not UTF-8.
    private static func decoded(_ name: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self).lowercased()
            guard let value = Hex.decode(digits.utf8), value.count == 1 else { return nil }
            bytes += value
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
