internal import PatchText

/// Takes the members that a report needs from a line, and checks that the whole line is JSON.
struct EventParser: ~Copyable, Sendable {
    private typealias Key = EventRecord.Key
    private typealias Place = EventVocabulary.Place

    /// How deep objects and arrays may be nested. An event has four levels.
    private static let deepest = 8

    var scanner: JSONScanner
    var vocabulary = EventVocabulary()
    /// What the line has, as far as it could be read. Of several strings or integers with one key, the last one counts;
    /// the elements of several lists are put together, and so are reasons.
    private(set) var fields: EventFields

    init(_ scanner: consuming JSONScanner) {
        self.scanner = scanner
        fields = EventFields(count: vocabulary.count)
    }

    /// Reads a line. Returns false if it is not JSON.
    mutating func parse(_ line: Range<Int>) -> Bool {
        scanner.begin(line)
        fields.removeAll()
        guard takesValue(of: 0, in: .all, depth: 0) else { return false }
        scanner.skipSpace()
        return scanner.isAtEnd
    }

    // MARK: the grammar

    /// Takes a value; false if it is not JSON.
    ///
    /// - Parameter member: The number of its key; 0 if a report does not need it.
    private mutating func takesValue(of member: Int, in place: Place, depth: Int) -> Bool {
        scanner.skipSpace()
        switch scanner.next {
        case UInt8(ascii: "\""):
            guard let text = scanner.string() else { return false }
            take(text, of: member, in: place)
            return true
        case UInt8(ascii: "{"):
            let inner = enterContainer(of: member, in: place, isObject: true)
            return takesObject(inner, member, depth + 1)
        case UInt8(ascii: "["):
            let inner = enterContainer(of: member, in: place, isObject: false)
            return takesArray(inner, member, depth + 1)
        case UInt8(ascii: "t"): return takesWord("true", of: member)
        case UInt8(ascii: "f"): return takesWord("false", of: member)
        case UInt8(ascii: "n"): return takesWord("null", of: member)
        default:
            var number: Int?
            guard scanner.takesNumber(&number) else { return false }
            take(number, of: member, in: place)
            return true
        }
    }

    private mutating func takesWord(_ word: StaticString, of member: Int) -> Bool {
        take(nil, of: member, in: .other)
        return scanner.takes(word: word)
    }

    private mutating func takesArray(_ place: Place, _ member: Int, _ depth: Int) -> Bool {
        guard depth <= Self.deepest else { return false }
        scanner.skipByte()
        if scanner.takes("]") { return true }
        repeat {
            guard takesValue(of: place == .times ? member : 0, in: place, depth: depth) else { return false }
        } while scanner.takes(",")
        return scanner.takes("]")
    }

    private mutating func takesObject(_ place: Place, _ member: Int, _ depth: Int) -> Bool {
        guard depth <= Self.deepest else { return false }
        scanner.skipByte()
        if scanner.takes("}") { return true }
        var previous = member
        repeat {
            scanner.skipSpace()
            guard scanner.next == UInt8(ascii: "\""), let key = scanner.string() else { return false }
            let needed = takeKey(key, in: place, of: member, after: &previous)
            guard scanner.takes(":"), takesValue(of: needed, in: place, depth: depth) else { return false }
        } while scanner.takes(",")
        return scanner.takes("}")
    }

    // MARK: what is needed

    /// Takes a key, and returns the number of its member; 0 if a report does not need it there.
    ///
    /// - Parameters:
    ///   - container: The number of the member whose value is the object.
    ///   - previous: The number of the last key of the object that has one.
    private mutating func takeKey(
        _ key: Range<Int>, in place: Place, of container: Int, after previous: inout Int
    ) -> Int {
        switch place {
        case .line, .resource, .attributes:
            let number = unsafe vocabulary.number(of: scanner.text(key), after: previous)
            if number > 0 { previous = number }
            return vocabulary.place(of: number) == place ? number : 0
        case .patch:
            let number = unsafe vocabulary.number(of: scanner.text(key), after: 0)
            return number == Key.patch.number || number == Key.version.number ? number : 0
        case .reasons:
            // The keys are whatever made calls incomparable, and their values are counts.
            fields.reasons.append((key, 0))
            return container
        case .all, .running, .times, .other: return 0
        }
    }

    /// Begins an object or an array, which is the value of a member, and returns where its members are.
    private mutating func enterContainer(of member: Int, in place: Place, isObject: Bool) -> Place {
        switch (place, member, isObject) {
        case (.all, _, true): return .line
        case (.line, Key.resource.number, true): return .resource
        case (.line, Key.attributes.number, true): return .attributes
        case (.attributes, Key.running.number, false): return .running
        case (.attributes, Key.times.number, false): return .times
        case (.attributes, Key.reasons.number, true): return .reasons
        case (.running, _, true):
            fields.running.append((0..<0, 0))
            return .patch
        default:
            take(nil, of: member, in: .other)
            return .other
        }
    }

    private mutating func take(_ text: Range<Int>, of member: Int, in place: Place) {
        switch vocabulary.kind(of: member) {
        case .line:
            // Others, such as a summary in `message` beside the line in `log`, hold no line.
            if unsafe scanner.text(text).first == UInt8(ascii: "{") { fields.strings[EventVocabulary.wrapped] = text }
        case .text: fields.strings[member] = text
        case .id where place == .patch: fields.running[fields.running.count - 1].name = text
        case .id: fields.strings[member] = text
        case .version: fields.isMisnamed = true
        case .count: fields.isMiscounted = true
        case .number, .other: break
        }
    }

    /// Takes an integer; nil for a number that is not an integer, and for a value that is not a number.
    private mutating func take(_ value: Int?, of member: Int, in place: Place) {
        switch (vocabulary.kind(of: member), value) {
        case (.count, let value?) where value >= 0: take(count: value, of: member, in: place)
        case (.count, _): fields.isMiscounted = true
        case (.version, let value?) where place == .patch: fields.running[fields.running.count - 1].number = value
        case (.version, let value?):
            fields.integers[member] = value
            // 0 is also the absence of a version.
            if value == 0 { fields.isMisnamed = true }
        case (.id, _), (.version, nil): fields.isMisnamed = true
        case (.number, let value?): fields.integers[member] = value
        case (.number, nil), (.text, _), (.line, _), (.other, _): break
        }
    }

    private mutating func take(count: Int, of member: Int, in place: Place) {
        switch place {
        case .times: fields.times.append(count)
        case .reasons: fields.reasons[fields.reasons.count - 1].number = count
        default:
            // These two are a list and an object of counts.
            if member == Key.times.number || member == Key.reasons.number { fields.isMiscounted = true }
            fields.integers[member] = count
        }
    }
}
