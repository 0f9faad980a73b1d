internal import PatchText

/// The keys of members, and the names of events, that reports know.
///
/// Keys have numbers: 0 is a key that no report needs, then come those of events, and then those of the members in
/// which collectors keep a line.
struct EventVocabulary: ~Copyable, Sendable {
    /// Where a member is in a line: in the outermost object, in its resource or attributes, or in one of these.
    enum Place { case all, line, resource, attributes, running, patch, times, reasons, other }

    /// What the value of a member is. An id and a version are refused if they have another type, and so is a count.
    enum Kind {
        case text, number, count, id, version
        /// Perhaps the line that a collector has read.
        case line
        case other
    }

    private static let wrappers = ["log", "message", "MESSAGE", "line"]
    /// The number of the first member that may hold a wrapped line. The line of any of them is kept under this number.
    static let wrapped = EventRecord.Key.allCases.count + 1

    private var words = TextTable()
    private let places: [Place]
    private let kinds: [Kind]
    /// The names of events by the numbers of their words.
    private var names: [EventRecord.Name?] = []
    /// The key that followed each key last. The lines of a device have the same keys in the same order.
    private var followers: [UInt32]
    private var lastName: UInt32 = 0

    init() {
        for key in EventRecord.Key.allCases {
            let number = Int(words.add(key.rawValue))
            precondition(number == key.number)
        }
        for word in Self.wrappers { _ = words.add(word) }
        for name in EventRecord.Name.allCases {
            let number = Int(words.add(name.rawValue))
            names += Array(repeating: nil, count: max(0, number + 1 - names.count))
            names[number] = name
        }
        let uses = EventRecord.Key.allCases.map(Self.use)
        places = [.other] + uses.map(\.place) + Self.wrappers.map { _ in .line }
        kinds = [.other] + uses.map(\.kind) + Self.wrappers.map { _ in .line }
        followers = Array(repeating: 0, count: places.count)
    }

    /// Where a member is, and what its value is.
    private static func use(of key: EventRecord.Key) -> (place: Place, kind: Kind) {
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

    /// How many numbers keys have.
    var count: Int { places.count }

    func place(of key: Int) -> Place { places[key] }

    func kind(of key: Int) -> Kind { kinds[key] }

    /// The number of a key; 0 if no report needs it.
    ///
    /// - Parameter previous: The number of the key before it in the line, or of the member that holds it.
    mutating func number(of key: UnsafeRawBufferPointer, after previous: Int) -> Int {
        guard unsafe !key.isEmpty else { return 0 }
        let guess = followers[previous]
        if unsafe words.isEqual(guess, to: key) { return Int(guess) }
        let number = unsafe words.number(of: key)
        guard number < count else { return 0 }
        followers[previous] = number
        return Int(number)
    }

    /// The name of an event; nil for one that reports do not know.
    mutating func name(_ text: UnsafeRawBufferPointer) -> EventRecord.Name? {
        if unsafe !words.isEqual(lastName, to: text) { lastName = unsafe words.number(of: text) }
        return lastName < names.count ? names[Int(lastName)] : nil
    }
}

extension EventRecord.Key {
    /// Its number in the vocabulary. An enumeration without values has the place of its case as its only byte.
    var number: Int { unsafe Int(unsafeBitCast(self, to: UInt8.self)) + 1 }
}
