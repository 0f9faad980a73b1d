internal import PatchCrypto
internal import PatchText

/// Reads lines of event logs (docs/events.md): the members that a report needs, as integers, and as strings that get
/// numbers only when they are asked for.
///
/// An event may have other text before it in its line, or be the string `log`, `message`, `MESSAGE` or `line` of
/// another object, as collectors keep lines. Of several members with one name, the last one counts.
@safe struct EventReader: ~Copyable, Sendable {
    typealias Key = EventRecord.Key

    enum Outcome {
        case event, blank
        /// It is cut, binary, nested deeper than any event, or has a count that is none.
        case damaged
        /// An event that names a patch, a version, a function, an error or a system in an impossible form.
        case misnamed
        /// It is of another schema, or of none.
        case foreign
        case withoutDevice
        /// It is of another installation than the requested one.
        case ofOther
        /// It is of another app or environment than the feed's.
        case elsewhere
    }

    private enum Place { case all, line, resource, attributes, running, patch, times, reasons, other }

    private enum Kind { case text, number, count, id, version, other }

    static let longestLine = 1 << 20
    /// How deep objects and arrays may be nested. An event has four levels.
    private static let deepest = 8

    /// The buffer of a file's bytes, and after ``longestLine`` the line's strings that have escapes. Without their
    /// escapes they are shorter than the line, and so are those of a line that is one of them.
    nonisolated(unsafe) let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * longestLine, alignment: 8)
    /// The strings of all lines that were asked for. The first ones are the keys, the names of the members that hold a
    /// wrapped line, and the names of events.
    private(set) var texts = TextTable()
    private let places: [Place], kinds: [Kind]
    private var events: [EventRecord.Name?] = []
    private static let wrapped = Key.allCases.count + 1
    private static let wrappers = ["log", "message", "MESSAGE", "line"]
    /// The key that followed each key last. The lines of a device have the same keys in the same order.
    private var followers: [UInt32]
    /// The number of the last string of each key.
    private var last: [UInt32]
    /// The names, and the free texts, such as messages, that each device has brought.
    private var names: NameRoom, words: NameRoom
    /// How many strings got no number.
    private(set) var dropped = 0
    /// The hash of the requested installation; nil for all.
    private var only: UInt64?
    /// The app and the environment whose events count; nil for all.
    private let origin: FleetReport.Origin?

    /// What the line has: strings and integers by the number of their keys.
    private var strings: [Range<Int>], integers: [Int]
    private(set) var times: [Int] = []
    /// The patches of a launch with their versions, and the reasons of a comparison with their counts.
    private var running: [(name: Range<Int>, number: Int)] = [], reasons: [(name: Range<Int>, number: Int)] = []
    private var isMisnamed = false, isMiscounted = false
    /// The name with an impossible form; empty if a value has another type.
    private var misnamed = 0..<0
    private(set) var device: UInt64 = 0

    /// The place of the next byte in ``bytes``, and the end of the line.
    var position = 0, end = 0
    /// Where the next string that has escapes is put together in ``bytes``.
    var scratch = longestLine

    /// - Parameter most: The most names of a device, and the most texts. If only one device is looked at, it may have
    ///   all the room.
    init(installation: String?, origin: FleetReport.Origin?, names most: Int) {
        self.origin = origin
        names = NameRoom(most: installation == nil ? most : nil)
        words = names
        for key in Key.allCases {
            let number = Int(texts.number(of: key.rawValue))
            precondition(number == key.index)
        }
        for word in Self.wrappers { _ = texts.number(of: word) }
        for name in EventRecord.Name.allCases {
            let number = Int(texts.number(of: name.rawValue))
            events += [EventRecord.Name?](repeating: nil, count: max(0, number + 1 - events.count))
            events[number] = name
        }
        places = [.other] + Key.allCases.map { Self.use(of: $0).place } + Self.wrappers.map { _ in .line }
        kinds = [.other] + Key.allCases.map { Self.use(of: $0).kind } + Self.wrappers.map { _ in .text }
        followers = [UInt32](repeating: 0, count: places.count)
        last = followers
        strings = places.map { _ in 0..<0 }
        integers = places.map { _ in 0 }
        if var installation {
            only = installation.withUTF8 { unsafe texts.hash(UnsafeRawBufferPointer($0)) }
        }
    }

    deinit { unsafe bytes.deallocate() }

    /// Where a member is, and what its value is.
    private static func use(of key: Key) -> (place: Place, kind: Kind) {
        switch key {
        case .schema, .timestamp, .event: (.line, .text)
        case .resource, .attributes: (.line, .other)
        case .installation, .app, .environment, .appVersion, .system, .systemVersion: (.resource, .text)
        case .patch: (.attributes, .id)
        case .version: (.attributes, .version)
        case .line: (.attributes, .number)
        case .running: (.attributes, .other)
        case .function, .file, .error, .message, .stack, .answer, .result, .reason: (.attributes, .text)
        case .calls, .failures, .fallbacks, .measured, .nanoseconds, .longest, .times, .agreed, .differed, .failed,
            .incomparable, .reasons, .count:
            (.attributes, .count)
        default: (.other, .text)
        }
    }

    /// Whether a string has the form in which devices write a member.
    private static func hasForm(_ text: UnsafeRawBufferPointer, of key: Key) -> Bool {
        switch key {
        case .patch: unsafe NameForm.isReverseDNS(text)
        case .function: unsafe NameForm.isReplaceable(text)
        case .error: unsafe NameForm.isWord(text)
        case .appVersion: unsafe AppVersion(String(decoding: text, as: UTF8.self)) != nil
        default: unsafe text.count <= 64 && text.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }

    // MARK: a line

    /// Reads a line, without its line feed, from ``bytes``. What it has is valid until the next one is read.
    mutating func read(_ line: Range<Int>) -> Outcome {
        let hasReturn = unsafe bytes[line].last == UInt8(ascii: "\r")
        let line = line.lowerBound..<(hasReturn ? line.upperBound - 1 : line.upperBound)
        guard !line.isEmpty else { return .blank }
        scratch = Self.longestLine
        // A time and a host, a byte order mark, or the zeros of a file that was cut while it was written.
        let start = unsafe bytes[line].firstIndex(of: UInt8(ascii: "{")) ?? line.lowerBound
        let outcome = event(start..<line.upperBound)
        var inner = strings[Self.wrapped]
        guard outcome == .foreign, !inner.isEmpty, unsafe bytes[inner.lowerBound] == UInt8(ascii: "{") else {
            return outcome
        }
        while case let last = unsafe bytes[inner.upperBound - 1], last == 0x0A || last == 0x0D {
            inner = inner.lowerBound..<inner.upperBound - 1
        }
        return event(inner)
    }

    private mutating func event(_ range: Range<Int>) -> Outcome {
        position = range.lowerBound
        end = range.upperBound
        for index in strings.indices {
            strings[index] = 0..<0
            integers[index] = 0
        }
        times.removeAll(keepingCapacity: true)
        running.removeAll(keepingCapacity: true)
        reasons.removeAll(keepingCapacity: true)
        isMisnamed = false
        isMiscounted = false
        misnamed = 0..<0
        var isWhole = value(of: 0, in: .all, depth: 0)
        skipSpace()
        isWhole = isWhole && position == end
        device = hasDevice ? unsafe texts.hash(text(strings[Key.installation.index])) : 0
        // A line that is cut may have its beginning.
        guard isWhole else { return strings[Key.app.index].isEmpty || isOfOrigin ? .damaged : .elsewhere }
        guard unsafe text(strings[Key.schema.index]).elementsEqual(EventRecord.schema.utf8),
            !strings[Key.event.index].isEmpty
        else { return .foreign }
        // Before any check, so that another app's damage does not count here.
        guard isOfOrigin else { return .elsewhere }
        guard hasDevice else { return .withoutDevice }
        guard !isMiscounted else { return .damaged }
        guard !isMisnamed, hasNames() else { return .misnamed }
        let number = Int(number(of: strings[Key.event.index], .event, isNew: false))
        name = number < events.count ? events[number] : nil
        return only.map { $0 == device } ?? true ? .event : .ofOther
    }

    /// Whether a line is of the feed's app, and, if it names an environment, of the feed's.
    private var isOfOrigin: Bool {
        guard let origin else { return true }
        let environment = unsafe text(strings[Key.environment.index])
        return unsafe text(strings[Key.app.index]).elementsEqual(origin.app.utf8)
            && (unsafe environment.isEmpty || environment.elementsEqual(origin.environment.utf8))
    }

    /// Whether all names have their forms, and a line that names a version names a patch.
    private mutating func hasNames() -> Bool {
        for key in [Key.patch, .function, .error, .appVersion, .system, .systemVersion] {
            guard hasForm(strings[key.index], of: key) else { return false }
        }
        for patch in running {
            guard hasForm(patch.name, of: .patch), !patch.name.isEmpty, Self.isVersion(patch.number) else {
                return false
            }
        }
        misnamed = strings[Key.patch.index]
        return version == 0 || !misnamed.isEmpty && Self.isVersion(version)
    }

    /// Whether a string is empty, or has the form of a member.
    private mutating func hasForm(_ range: Range<Int>, of key: Key) -> Bool {
        misnamed = range
        guard !range.isEmpty else { return true }
        let (number, bit) = (Int(number(of: range, key, isNew: false)), UInt64(1) << UInt64(key.index))
        guard number == 0 || texts.forms[number] & bit == 0 else { return true }
        guard unsafe Self.hasForm(text(range), of: key) else { return false }
        if number > 0 { texts.forms[number] |= bit }
        return true
    }

    private static func isVersion(_ version: Int) -> Bool { version > 0 && version <= Int(Int32.max) }

    // MARK: what it has

    private(set) var name: EventRecord.Name?

    /// The patch's version; 0 if the line names no patch.
    var version: Int { integers[Key.version.index] }

    func integer(_ key: Key) -> Int { integers[key.index] }

    func has(_ key: Key) -> Bool { !strings[key.index].isEmpty }

    /// Whether the line names its device, which a damaged line may do as well.
    var hasDevice: Bool { has(.installation) }

    /// Takes room in a table of all devices, other than that of strings. Returns false if the device has brought enough
    /// names.
    mutating func takesName() -> Bool { names.take(for: device) }

    /// The number of a string; 0 if there is none, or no room for it.
    mutating func number(_ key: Key) -> UInt32 { number(of: strings[key.index], key, isNew: true) }

    /// The patches of a launch, at most 64, with their versions.
    mutating func runningPatches() -> [(text: UInt32, number: Int)] {
        running.prefix(64).map { (number(of: $0.name, .patch, isNew: true), $0.number) }
    }

    /// The reasons of a comparison, at most 16, with their counts.
    mutating func countedReasons() -> [(text: UInt32, number: Int)] {
        reasons.prefix(16).map { (number(of: $0.name, .reasons, isNew: true), $0.number) }
    }

    /// The impossible name of a misnamed line, as far as a person needs it; empty if a value has another type.
    var impossibleName: String { unsafe String(decoding: text(misnamed).prefix(64), as: UTF8.self) }

    mutating func number(of text: String) -> UInt32 { texts.number(of: text) }

    private mutating func number(of range: Range<Int>, _ key: Key, isNew: Bool) -> UInt32 {
        let text = unsafe text(range)
        if unsafe texts.isEqual(last[key.index], to: text) { return last[key.index] }
        var number = unsafe texts.number(of: text, isNew: false)
        if number == 0, isNew, unsafe !text.isEmpty {
            guard unsafe hasRoom(for: text, of: key) else {
                dropped.addOrMost(1)
                return 0
            }
            number = unsafe texts.number(of: text, isNew: true)
        }
        if number > 0 { last[key.index] = number }
        return number
    }

    /// Whether there is room for a new string of the device.
    private mutating func hasRoom(for text: UnsafeRawBufferPointer, of key: Key) -> Bool {
        let isFree = [.message, .stack, .reason, .reasons, .answer, .result, .file].contains(key)
        guard unsafe texts.hasRoom(for: text, isFree: isFree) else { return false }
        return isFree ? words.take(for: device) : names.take(for: device)
    }

    func text(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Milliseconds since 1970 from `YYYY-MM-DDTHH:MM:SSZ`, with or without a fraction; nil if the line has no such
    /// time.
    var time: Int? {
        let text = unsafe text(strings[Key.timestamp.index])
        guard text.count >= 20, unsafe text[text.count - 1] == UInt8(ascii: "Z") else { return nil }
        func number(_ places: Range<Int>, _ bounds: ClosedRange<Int>, then separator: Unicode.Scalar?) -> Int? {
            var value = 0
            for place in places {
                let digit = unsafe Int(text[place]) - 0x30
                guard 0...9 ~= digit else { return nil }
                value = value * 10 + digit
            }
            let isEnded = separator.map { unsafe text[places.upperBound] == UInt8(ascii: $0) } ?? true
            return isEnded && bounds ~= value ? value : nil
        }
        guard let year = number(0..<4, 1970...9999, then: "-"), let month = number(5..<7, 1...12, then: "-"),
            let day = number(8..<10, 1...31, then: "T"), let hour = number(11..<13, 0...23, then: ":"),
            let minute = number(14..<16, 0...59, then: ":"),
            let second = number(17..<19, 0...60, then: text.count > 20 ? "." : nil)
        else { return nil }
        var (fraction, unit) = (0, 100)
        for place in 20..<max(20, text.count - 1) {
            guard let digit = number(place..<place + 1, 0...9, then: nil) else { return nil }
            fraction += digit * unit
            unit /= 10
        }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        // A day that the month does not have would be one of the next month.
        guard day <= 28 || CivilDate(daysSince1970: days).day == day else { return nil }
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction
    }

    // MARK: the members of a line

    /// Reads a value. Returns false if it is not JSON.
    ///
    /// - Parameter member: The number of its key; 0 if a report does not need it.
    private mutating func value(of member: Int, in place: Place, depth: Int) -> Bool {
        skipSpace()
        switch next {
        case UInt8(ascii: "\""):
            guard let text = string() else { return false }
            switch kinds[member] {
            case .text: strings[min(member, Self.wrapped)] = text
            case .id where place == .patch: running[running.count - 1].name = text
            case .id: strings[member] = text
            case .version: isMisnamed = true
            case .count: isMiscounted = true
            case .number, .other: break
            }
            return true
        case UInt8(ascii: "{"): return object(container(of: member, in: place, isObject: true), member, depth + 1)
        case UInt8(ascii: "["): return array(container(of: member, in: place, isObject: false), member, depth + 1)
        case UInt8(ascii: "t"): return takes(word: "true", of: member)
        case UInt8(ascii: "f"): return takes(word: "false", of: member)
        case UInt8(ascii: "n"): return takes(word: "null", of: member)
        default:
            var number: Int?
            guard self.number(&number) else { return false }
            take(number, of: member, in: place)
            return true
        }
    }

    private mutating func takes(word: StaticString, of member: Int) -> Bool {
        let rest = position..<min(end, position + word.utf8CodeUnitCount)
        let isWord = word.withUTF8Buffer { unsafe text(rest).elementsEqual($0) }
        position = rest.upperBound
        take(nil, of: member, in: .other)
        return isWord
    }

    /// Takes an integer; nil for a number that is none, and for what is no number.
    private mutating func take(_ value: Int?, of member: Int, in place: Place) {
        switch (kinds[member], value) {
        case (.count, let value?) where value >= 0:
            switch place {
            case .times: times.append(value)
            case .reasons: reasons[reasons.count - 1].number = value
            default:
                if member == Key.times.index || member == Key.reasons.index { isMiscounted = true }
                integers[member] = value
            }
        case (.count, _): isMiscounted = true
        case (.version, let value?) where place == .patch: running[running.count - 1].number = value
        case (.version, let value?):
            integers[member] = value
            // 0 is also the absence of a version.
            if value == 0 { isMisnamed = true }
        case (.id, _), (.version, nil): isMisnamed = true
        case (.number, let value?): integers[member] = value
        case (.number, nil), (.text, _), (.other, _): break
        }
    }

    private mutating func container(of member: Int, in place: Place, isObject: Bool) -> Place {
        switch (place, member, isObject) {
        case (.all, _, true): return .line
        case (.line, Key.resource.index, true): return .resource
        case (.line, Key.attributes.index, true): return .attributes
        case (.attributes, Key.running.index, false): return .running
        case (.attributes, Key.times.index, false): return .times
        case (.attributes, Key.reasons.index, true): return .reasons
        case (.running, _, true):
            running.append((0..<0, 0))
            return .patch
        default:
            take(nil, of: member, in: .other)
            return .other
        }
    }

    private mutating func array(_ place: Place, _ member: Int, _ depth: Int) -> Bool {
        guard depth <= Self.deepest else { return false }
        position += 1
        if takes("]") { return true }
        repeat {
            guard value(of: place == .times ? member : 0, in: place, depth: depth) else { return false }
        } while takes(",")
        return takes("]")
    }

    private mutating func object(_ place: Place, _ member: Int, _ depth: Int) -> Bool {
        guard depth <= Self.deepest else { return false }
        position += 1
        if takes("}") { return true }
        var previous = member
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\""), let key = string() else { return false }
            var needed = 0
            switch place {
            case .line, .resource, .attributes:
                let word = word(key, after: previous)
                if word > 0 { previous = word }
                if places[word] == place { needed = word }
            case .patch:
                let word = word(key, after: 0)
                if word == Key.patch.index || word == Key.version.index { needed = word }
            case .reasons:
                reasons.append((key, 0))
                needed = member
            case .all, .running, .times, .other: break
            }
            guard takes(":"), value(of: needed, in: place, depth: depth) else { return false }
        } while takes(",")
        return takes("}")
    }

    /// The number of a key; 0 if it is none.
    private mutating func word(_ key: Range<Int>, after previous: Int) -> Int {
        let text = unsafe text(key)
        guard unsafe !text.isEmpty else { return 0 }
        let guess = followers[previous]
        if unsafe texts.isEqual(guess, to: text) { return Int(guess) }
        let number = unsafe texts.number(of: text, isNew: false)
        guard number < places.count else { return 0 }
        followers[previous] = number
        return Int(number)
    }
}

extension EventRecord.Key {
    /// Its number in the table of strings. An enumeration without values has the place of its case as its only byte.
    fileprivate var index: Int { unsafe Int(unsafeBitCast(self, to: UInt8.self)) + 1 }
}
