/// The tags in the comment lines at the very start of a script, as user scripts have them.
///
///     -- @patch    com.example.shop.cart-total
///     -- @version  7
///
/// The head ends at the first line that does not begin with `--`. A tag that is not known here is left to other tools.
package struct ScriptHead: Sendable {
    /// A tag that a patch's script can have.
    package enum Tag: String, CaseIterable, Sendable {
        /// The patch's reverse-DNS name.
        case patch
        case version
        /// The app's reverse-DNS name, and after a space the app versions that the patch fits.
        case app
        case engine
        /// How many instances of the patch there may be at once: a number, or `any`.
        case instances
        case expires
        /// Names that the patch replaces. No other tag may be given twice.
        case replaces
    }

    private var values: [Tag: [(text: String, line: Int)]] = [:]
    /// The tags that are not known here, without their `@`. They belong to other tools, or are misspelt.
    package private(set) var otherTags: [String] = []

    /// Reads a script's head.
    ///
    /// - Parameter script: The script's bytes; nothing after its head is read.
    /// - Throws: `malformed` if a tag is not UTF-8, or a tag other than `@replaces` is given twice.
    package init(of script: [UInt8]) throws(PatchError) {
        var rest = script[...]
        var number = 0
        values.reserveCapacity(Tag.allCases.count)
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
            var text = words.dropFirst().first?.drop(while: Self.isSpace) ?? []
            while text.last.map(Self.isSpace) == true { text.removeLast() }
            guard let value = String(utf8: text) else {
                throw PatchError(
                    .malformed, "the tag @\(tag) is not UTF-8 text", at: .init(line: number, field: tag.rawValue))
            }
            guard tag == .replaces || values[tag] == nil else {
                throw PatchError(
                    .malformed, "the tag @\(tag) is given twice", hint: "keep one of them",
                    at: .init(line: number, field: tag.rawValue))
            }
            values[tag, default: []].append((value, number))
        }
    }

    /// Advice for a script whose first bytes hide its head; nil if nothing hides it.
    package static func headProblem(_ script: [UInt8]) -> String? {
        if script.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "remove the byte order mark at the start of the file, which hides the tags"
        }
        if script.starts(with: [0xFF, 0xFE]) || script.starts(with: [0xFE, 0xFF]) || script.prefix(2).contains(0) {
            return "the file is UTF-16 text: save it as UTF-8"
        }
        if script.starts(with: "#!".utf8) { return "remove the #! line, which is not Lua and hides the tags" }
        if script.starts(with: "--[[".utf8) || script.starts(with: "--[=".utf8) {
            return "write each tag on its own line after `-- `: tags in a long comment, --[[ ]], are not read"
        }
        if let end = script.prefix(4096).firstIndex(of: 0x0D), script.dropFirst(end + 1).first != 0x0A {
            return "lines end in CR alone, which hides the tags: save the file with line feeds"
        }
        if (try? ScriptHead(of: script))?.otherTags.contains(where: { !$0.utf8.allSatisfy { $0 < 0x80 } }) == true {
            return "write a space between a tag and its value: another character, such as U+00A0, is there"
        }
        if script.first.map(isSpace) == true { return "start the file with the comment, without space before it" }
        return nil
    }

    /// The ids in all `@patch` tags of a spec.
    ///
    /// The tags are in the comments before the code. Commas or spaces separate several ids.
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

    /// A tag's value without the white space around it; nil if the head does not have the tag.
    package func value(of tag: Tag) -> String? { values[tag]?.first?.text }

    /// The line of the tag that gives a member of the manifest; nil if the head does not have it.
    package func line(of field: String) -> Int? {
        let tag: Tag? =
            switch field {
            case "id": .patch
            case "appVersions": .app
            default: Tag(rawValue: field)
            }
        return tag.flatMap { values[$0]?.first?.line }
    }

    /// The names of all `@replaces` tags, in their order.
    package var replaces: [String] { (values[.replaces] ?? []).flatMap { Self.names(in: $0.text) } }

    /// Splits a list of names at white space and commas, such as `Cart.total, Cart.add`.
    package static func names(in list: String) -> [String] {
        list.utf8.split { isSpace($0) || $0 == UInt8(ascii: ",") }.map { String(Substring($0)) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
