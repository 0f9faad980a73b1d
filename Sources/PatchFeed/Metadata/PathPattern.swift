/// A path with wildcards, as a delegation names paths.
///
/// Within one name of the path, `*` matches any bytes, `?` matches any one byte, and `[a-c]` and `[!a-c]` match one
/// byte of a set.
///
/// A pattern of more than 4,096 bytes matches nothing. Matching takes time that grows with the product of the lengths,
/// whatever the pattern. The system's `fnmatch` may take time that grows exponentially.
struct PathPattern: Sendable {
    private let names: [[Element]]
    /// The longest pattern and the longest path that are compared, in bytes.
    private static let longest = 4096

    private enum Element: Sendable {
        /// `*`
        case anyBytes
        /// `?`
        case anyByte
        /// A byte of a set, such as `[a-c]`, or a byte that stands for itself.
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    }

    init(_ pattern: String) {
        guard pattern.utf8.count <= Self.longest else {
            names = []
            return
        }
        names = pattern.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Self.elements)
    }

    func matches(_ path: String) -> Bool {
        guard path.utf8.count <= Self.longest else { return false }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == names.count && zip(names, parts).allSatisfy { Self.matches($0, Array($1)) }
    }

    private static func elements(_ name: Substring.UTF8View) -> [Element] {
        var elements: [Element] = []
        var rest = name[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"): elements.append(.anyBytes)
            case UInt8(ascii: "?"): elements.append(.anyByte)
            case UInt8(ascii: "["): elements.append(takeSet(&rest) ?? .oneOf([byte...byte], isNegated: false))
            default: elements.append(.oneOf([byte...byte], isNegated: false))
            }
        }
        return elements
    }

    /// Takes a set after its `[`. If the set has no end, it takes nothing and returns nil.
    private static func takeSet(_ rest: inout Substring.UTF8View) -> Element? {
        let isNegated = rest.first == UInt8(ascii: "!")
        let body = rest.dropFirst(isNegated ? 1 : 0)
        // A `]` that comes first is a member.
        guard let end = body.dropFirst().firstIndex(of: UInt8(ascii: "]")) else { return nil }
        var members = Array(body[..<end])[...]
        var ranges: [ClosedRange<UInt8>] = []
        while let low = members.popFirst() {
            if members.count >= 2, members.first == UInt8(ascii: "-"), let high = members.dropFirst().first {
                members = members.dropFirst(2)
                if low <= high { ranges.append(low...high) }
            } else {
                ranges.append(low...low)
            }
        }
        rest = rest[rest.index(after: end)...]
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// Matches a name. After a failure only the last `*` takes one more byte, which is enough.
    private static func matches(_ elements: [Element], _ name: [UInt8]) -> Bool {
        var element = 0
        var position = 0
        var retry: (element: Int, position: Int)?
        while position < name.count {
            let current = element < elements.count ? elements[element] : nil
            let isMatch: Bool
            switch current {
            case .anyBytes?:
                retry = (element, position)
                element += 1
                continue
            case .anyByte?: isMatch = true
            case .oneOf(let ranges, let isNegated)?:
                isMatch = ranges.contains { $0.contains(name[position]) } != isNegated
            case nil: isMatch = false
            }
            if isMatch {
                element += 1
                position += 1
            } else if let last = retry {
                retry = (last.element, last.position + 1)
                element = last.element + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { if case .anyBytes = $0 { true } else { false } }
    }
}
