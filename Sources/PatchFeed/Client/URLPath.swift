package import PatchCrypto

/// The paths of files in a feed, as they are in a URL.
package enum URLPath {
    /// Whether a place is the URL of a server, and not a folder. A scheme has no case (RFC 3986, 3.1).
    package static func isServed(_ place: String) -> Bool {
        // As long as the longer of the two.
        let start = String(decoding: place.utf8.prefix(8), as: UTF8.self).lowercased().utf8
        return start.starts(with: "https://".utf8) || start.starts(with: "http://".utf8)
    }

    /// The file name under which a delegated role's metadata are stored. No other item has the same name, even if the
    /// file system is not case-sensitive.
    package static func storageName(of role: String) -> String {
        let name = role.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
                String(Unicode.Scalar(byte))
            default: "%" + String(decoding: Hex.encode([byte]), as: UTF8.self)
            }
        }
        return "role-\(name.joined()).json"
    }

    /// A name with everything percent-encoded except letters, digits and `-._~`.
    package static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(Unicode.Scalar(byte))
            default: "%" + String(decoding: Hex.encode([byte]), as: UTF8.self).uppercased()
            }
        }.joined()
    }

    /// The path of a target: with consistent snapshots, the last name begins with a hash (section 5.7.3).
    ///
    /// - Throws: `feed-malformed` if the path could lead out of the feed's folder.
    package static func target(_ target: FeedTarget, isConsistent: Bool) throws(PatchError) -> String {
        let names = target.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for name in names where name.isEmpty || name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) {
            throw PatchError(.feedMalformed, "\(target.path): not a path below the feed's targets")
        }
        var encoded = names.map { Self.encoded(String(Substring($0))) }
        if isConsistent, let hash = target.sha256 ?? target.file.hashes.first?.digest {
            encoded[encoded.count - 1] = Self.encoded(hash) + "." + encoded[encoded.count - 1]
        }
        return FeedLayout.target(encoded)
    }
}
