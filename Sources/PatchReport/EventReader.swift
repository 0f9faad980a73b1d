internal import PatchCrypto
internal import PatchText

/// Reads lines of event logs (docs/events.md), and tells which of them are events that a report counts.
///
/// An event may have other text before it in its line, or be the string `log`, `message`, `MESSAGE` or `line` of
/// another object, as collectors keep lines. ``EventParser`` takes from it the members that a report needs; their
/// strings get numbers (``EventTexts``) only when they are asked for.
@safe struct EventReader: ~Copyable, Sendable {
    typealias Key = EventRecord.Key

    enum Outcome {
        case event, blank
        /// It is cut, binary, nested deeper than any event, or has another value in place of a count.
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

    /// The longest line that is read, in bytes: 1 MiB.
    static let longestLine = 1 << 20
    /// The reasons of a comparison that are read: a device writes at most 16, and `other` for the rest.
    private static let mostReasons = 17
    /// The members whose strings have a form.
    private static let formed: [Key] = [.patch, .function, .error, .appVersion, .system, .systemVersion]

    private var parser = EventParser(JSONScanner(room: longestLine))
    private(set) var texts: EventTexts
    /// The hash of the requested installation; nil for all.
    private let only: UInt64?
    /// The app and the environment whose events count; nil for all.
    private let origin: FleetReport.Origin?

    /// The hash of the line's installation; 0 if it names none.
    private(set) var device: UInt64 = 0
    /// The name of the line's event; nil for one that reports do not know.
    private(set) var name: EventRecord.Name?
    /// The name that has an impossible form; empty if a value has another type.
    private var misnamed = 0..<0

    /// - Parameter most: The most names of a device, and the most texts. If only one device is looked at, it may have
    ///   all the room.
    init(installation: String?, origin: FleetReport.Origin?, names most: Int) {
        self.origin = origin
        texts = EventTexts(ofDevice: installation == nil ? most : nil)
        only = if let installation { texts.table.hash(installation) } else { nil }
    }

    /// Where the bytes of a file are put, to be read line by line.
    var buffer: UnsafeMutableRawBufferPointer { unsafe parser.scanner.input }

    // MARK: a line

    /// Reads a line, without its line feed, from ``buffer``. What it has is valid until the next one is read.
    mutating func read(_ line: Range<Int>) -> Outcome {
        let hasReturn = unsafe buffer[line].last == UInt8(ascii: "\r")
        let line = hasReturn ? line.dropLast() : line
        guard !line.isEmpty else { return .blank }
        parser.scanner.forgetStrings()
        // A time and a host, a byte order mark, or the zeros of a file that was cut while it was written.
        let start = unsafe buffer[line].firstIndex(of: UInt8(ascii: "{")) ?? line.lowerBound
        let outcome = readEvent(start..<line.upperBound)
        guard outcome == .foreign, let wrapped = wrappedLine else { return outcome }
        return readEvent(wrapped)
    }

    /// The line that a collector's object has as a string, without the line ends after it; nil if it has none.
    private var wrappedLine: Range<Int>? {
        let string = parser.fields.strings[EventVocabulary.wrapped]
        let text = unsafe parser.scanner.text(string)
        var count = text.count
        guard count > 0 else { return nil }
        // Its first byte is a brace, at which this ends.
        while case let last = unsafe text[count - 1], last == 0x0A || last == 0x0D { count -= 1 }
        return string.lowerBound..<string.lowerBound + count
    }

    private mutating func readEvent(_ range: Range<Int>) -> Outcome {
        misnamed = 0..<0
        let isWhole = parser.parse(range)
        device = hasDevice ? unsafe texts.table.hash(text(.installation)) : 0
        guard isWhole else {
            // A line that is cut may have its beginning, and so the app.
            let isElsewhere = has(.app) && !isOfOrigin
            return isElsewhere ? .elsewhere : .damaged
        }
        guard unsafe text(.schema).elementsEqual(EventRecord.schema.utf8), has(.event) else { return .foreign }
        // Before any check, so that another app's damage does not count here.
        guard isOfOrigin else { return .elsewhere }
        guard hasDevice else { return .withoutDevice }
        guard !parser.fields.isMiscounted else { return .damaged }
        guard !parser.fields.isMisnamed else { return .misnamed }
        if let name = firstMisnamed() {
            misnamed = name
            return .misnamed
        }
        name = unsafe parser.vocabulary.name(text(.event))
        if let only, only != device { return .ofOther }
        return .event
    }

    /// Whether the line is of the feed's app, and, if it names an environment, of the feed's.
    private var isOfOrigin: Bool {
        guard let origin else { return true }
        let environment = unsafe text(.environment)
        return unsafe text(.app).elementsEqual(origin.app.utf8)
            && (unsafe environment.isEmpty || environment.elementsEqual(origin.environment.utf8))
    }

    /// The first name that does not have its form, or the name, perhaps empty, of a patch whose version is impossible
    /// without it; nil if there is neither.
    private mutating func firstMisnamed() -> Range<Int>? {
        for key in Self.formed {
            let name = parser.fields[key]
            guard hasForm(name, of: key) else { return name }
        }
        for patch in parser.fields.running {
            guard hasForm(patch.name, of: .patch), !patch.name.isEmpty, Self.isVersion(patch.number) else {
                return patch.name
            }
        }
        guard version != 0 else { return nil }
        let patch = parser.fields[.patch]
        let isPossible = !patch.isEmpty && Self.isVersion(version)
        return isPossible ? nil : patch
    }

    private mutating func hasForm(_ name: Range<Int>, of key: Key) -> Bool {
        unsafe texts.hasForm(parser.scanner.text(name), of: key)
    }

    private static func isVersion(_ version: Int) -> Bool { version > 0 && version <= Int(Int32.max) }

    private func text(_ key: Key) -> UnsafeRawBufferPointer { unsafe parser.scanner.text(parser.fields[key]) }

    // MARK: what it has

    /// The patch's version; 0 if the line names no patch.
    var version: Int { integer(.version) }

    func integer(_ key: Key) -> Int { parser.fields.integers[key.number] }

    func has(_ key: Key) -> Bool { !parser.fields[key].isEmpty }

    /// Whether the line names its device, which a damaged line may do as well.
    var hasDevice: Bool { has(.installation) }

    /// Milliseconds since 1970; nil if the line has no time.
    var time: Int? { unsafe EventTime(text(.timestamp))?.milliseconds }

    /// The measured calls by their time.
    var times: [Int] { parser.fields.times }

    /// The impossible name of a misnamed line, as far as a person needs it; empty if a value has another type.
    var impossibleName: String { unsafe String(decoding: parser.scanner.text(misnamed).prefix(64), as: UTF8.self) }

    /// Takes room in a table of all devices, other than that of strings. Returns false if the device has brought enough
    /// names.
    mutating func takesName() -> Bool { texts.takesName(of: device) }

    /// The number of a string; 0 if the line does not have it, or if there is no room for it.
    mutating func number(_ key: Key) -> UInt32 { number(of: parser.fields[key], key) }

    /// The patches of a launch with their versions.
    mutating func runningPatches() -> [(text: UInt32, number: Int)] {
        parser.fields.running.map { (number(of: $0.name, .patch), $0.number) }
    }

    /// The first reasons of a comparison, with their counts.
    mutating func countedReasons() -> [(text: UInt32, number: Int)] {
        parser.fields.reasons.prefix(Self.mostReasons).map { (number(of: $0.name, .reasons), $0.number) }
    }

    /// The number of a string that is not of a line.
    mutating func number(of text: String) -> UInt32 { texts.number(of: text) }

    private mutating func number(of range: Range<Int>, _ key: Key) -> UInt32 {
        unsafe texts.number(of: parser.scanner.text(range), key, on: device)
    }
}
