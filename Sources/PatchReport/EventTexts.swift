internal import PatchCrypto
internal import PatchText

/// The strings that devices bring, by numbers. Each device may bring only so many.
struct EventTexts: ~Copyable, Sendable {
    private typealias Key = EventRecord.Key

    /// Messages and the like, of which each is different. They have a room of their own, and leave the last part of the
    /// table to names.
    private static let freeTexts: Set<Key> = [.message, .stack, .reason, .reasons, .answer, .result, .file]

    private(set) var table = TextTable()
    /// The number of the last string of each key, as the next line often has the same.
    private var last = [UInt32](repeating: 0, count: Key.allCases.count + 1)
    /// The members whose form a string is known to have, as bits, by the numbers of strings.
    private var forms: [UInt64] = [0]
    /// The names and the free texts that each device has brought.
    private var names: NameRoom
    private var words: NameRoom
    /// How many strings got no number.
    private(set) var dropped = 0

    /// - Parameter most: The most names of a device, and the most free texts; nil for any number.
    init(ofDevice most: Int?) {
        names = NameRoom(most: most)
        words = NameRoom(most: most)
    }

    /// The number of a string that is not of a device.
    mutating func number(of text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
    }

    /// The number of a member's string; 0 if it is empty, or if there is no room for it.
    mutating func number(of text: UnsafeRawBufferPointer, _ key: EventRecord.Key, on device: UInt64) -> UInt32 {
        let known = unsafe knownNumber(of: text, key)
        guard known == 0, unsafe !text.isEmpty else { return known }
        guard unsafe takesRoom(for: text, key, on: device) else {
            dropped.addOrMost(1)
            return 0
        }
        last[key.number] = unsafe add(text)
        return last[key.number]
    }

    /// The number of a member's string; 0 if it has none.
    private mutating func knownNumber(of text: UnsafeRawBufferPointer, _ key: EventRecord.Key) -> UInt32 {
        if unsafe table.isEqual(last[key.number], to: text) { return last[key.number] }
        let number = unsafe table.number(of: text)
        if number > 0 { last[key.number] = number }
        return number
    }

    private mutating func add(_ text: UnsafeRawBufferPointer) -> UInt32 {
        let number = unsafe table.add(text)
        if number == forms.count { forms.append(0) }
        return number
    }

    /// Takes room for a new string of a device. Returns false if there is none.
    private mutating func takesRoom(
        for text: UnsafeRawBufferPointer, _ key: EventRecord.Key, on device: UInt64
    ) -> Bool {
        let isFree = Self.freeTexts.contains(key)
        guard unsafe table.hasRoom(for: text, isFree: isFree) else { return false }
        return isFree ? words.take(for: device) : names.take(for: device)
    }

    /// Takes room in a table of all devices, other than that of strings. Returns false if the device has brought enough
    /// names.
    mutating func takesName(of device: UInt64) -> Bool { names.take(for: device) }

    /// Whether a member's string is empty, or has the form in which devices write it.
    mutating func hasForm(_ text: UnsafeRawBufferPointer, of key: EventRecord.Key) -> Bool {
        guard unsafe !text.isEmpty else { return true }
        let number = unsafe Int(knownNumber(of: text, key))
        let form = UInt64(1) << UInt64(key.number)
        guard number == 0 || forms[number] & form == 0 else { return true }
        guard unsafe key.hasForm(text) else { return false }
        if number > 0 { forms[number] |= form }
        return true
    }
}

extension EventRecord.Key {
    /// Whether a string has the form in which devices write this member.
    fileprivate func hasForm(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .patch: unsafe NameForm.isReverseDNS(text)
        case .function: unsafe NameForm.isReplaceable(text)
        case .error: unsafe NameForm.isWord(text)
        case .appVersion: unsafe AppVersion(String(decoding: text, as: UTF8.self)) != nil
        default: unsafe text.count <= 64 && text.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
    }
}
