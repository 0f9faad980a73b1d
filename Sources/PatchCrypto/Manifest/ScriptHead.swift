/// What a script says of itself: the tags in the comment lines at its very start, in the way of user scripts.
///
///     -- @patch    com.example.shop.cart-total
///     -- @version  7
///
/// The head ends at the first line that does not begin with `--`. A tag that is not known here is somebody else's.
public struct ScriptHead: Sendable {
    /// A tag that a patch's script can have.
    public enum Tag: String, CaseIterable, Sendable {
        /// The patch's reverse-DNS name.
        case patch
        /// The patch's number.
        case version
        /// The app's reverse-DNS name, and behind a space the versions of it that the patch fits.
        case app
        /// The engine level that the patch needs.
        case engine
        /// When the patch ends.
        case expires
        /// Names that the patch replaces; the only tag that may repeat.
        case replaces
    }

    private var values: [Tag: [String]] = [:]
    /// The tags that are not known here, without their `@`: somebody else's, or misspelt.
    public private(set) var otherTags: [String] = []

    /// Reads a script's head.
    ///
    /// - Parameter script: The script's bytes; nothing behind its head is looked at.
    /// - Throws: `malformed` for a tag that is not UTF-8, and for one other than `@replaces` that stands twice.
    public init(of script: [UInt8]) throws(PatchError) {
        var rest = script[...]
        var number = 0
        while rest.starts(with: "--".utf8) {
            number += 1
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let line = rest[..<end].dropFirst(2)
            rest = rest[end...].dropFirst()
            let words = line.split(maxSplits: 1, whereSeparator: Self.isSpace)
            guard let name = words.first, name.first == UInt8(ascii: "@") else { continue }
            guard let tag = Tag.allCases.first(where: { name.dropFirst().elementsEqual($0.rawValue.utf8) }) else {
                otherTags.append(String(decoding: name.dropFirst(), as: UTF8.self))
                continue
            }
            guard let text = String(validating: words.dropFirst().first ?? [], as: UTF8.self) else {
                throw PatchError(
                    .malformed, "the tag @\(tag) is not UTF-8 text", at: .init(line: number, field: tag.rawValue))
            }
            guard tag == .replaces || values[tag] == nil else {
                throw PatchError(
                    .malformed, "the tag @\(tag) is given twice", hint: "keep one of them",
                    at: .init(line: number, field: tag.rawValue))
            }
            let value = text.utf8.drop(while: Self.isSpace).reversed().drop(while: Self.isSpace).reversed()
            values[tag, default: []].append(String(decoding: value, as: UTF8.self))
        }
    }

    /// What to do about a script whose head is not found although its author sees one; nil if nothing is in its way.
    static func whatHidesIt(_ script: [UInt8]) -> String? {
        if script.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "remove the byte order mark that the file begins with, which hides its head"
        }
        if script.starts(with: [0xFF, 0xFE]) || script.starts(with: [0xFE, 0xFF]) || script.prefix(2).contains(0) {
            return "the file is UTF-16 text: save it as UTF-8"
        }
        if script.starts(with: "#!".utf8) { return "take out the line with #!, which is no Lua and hides its head" }
        if script.starts(with: "--[[".utf8) || script.starts(with: "--[=".utf8) {
            return "write each tag on a line of its own with `-- ` before it: a long comment, --[[ ]], is no head"
        }
        if script.first.map(isSpace) == true { return "let the file begin with the comment, without an empty line" }
        return nil
    }

    /// The ids of all `@patch` tags of a spec: in the comments before its code, with commas or spaces between several.
    package static func patches(of spec: [UInt8]) -> [String] {
        spec.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.drop(while: isSpace) }
            .prefix { $0.isEmpty || $0.starts(with: "--".utf8) }
            .flatMap { line -> [String] in
                let words = line.drop { $0 == UInt8(ascii: "-") }.split { isSpace($0) || $0 == UInt8(ascii: ",") }
                guard words.first?.elementsEqual("@patch".utf8) == true else { return [] }
                return words.dropFirst().map { String(decoding: $0, as: UTF8.self) }
            }
    }

    /// A tag's value without the white space around it; nil where the head does not have the tag.
    public func value(of tag: Tag) -> String? { values[tag]?.first }

    /// The names of all `@replaces` tags, in their order.
    public var replaces: [String] { (values[.replaces] ?? []).flatMap(Self.names) }

    /// Splits a list of names at white space and commas.
    ///
    /// - Parameter list: Such as `Cart.total, Cart.add`.
    public static func names(in list: String) -> [String] {
        list.utf8.split { isSpace($0) || $0 == UInt8(ascii: ",") }.map { String(Substring($0)) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
