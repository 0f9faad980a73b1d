internal import Libc
internal import PatchCrypto
internal import PatchText

/// Numbers for strings that repeat, such as names of patches.
///
/// Memory is bounded: after 65,535 strings, or 16 MiB of them, others have the number 0. Devices choose strings, so the
/// hashes have two secrets that differ in each run: no one can choose strings whose hashes collide.
@safe struct TextTable: ~Copyable, Sendable {
    private static let most = 65_535, room = 16 << 20
    /// How many bytes of a string count.
    private static let longest = 512

    private let seed = UInt64.random(in: .min ... .max), key = UInt64.random(in: .min ... .max) | 1
    /// The strings, one after the other. Memory that is not used yet takes no room.
    nonisolated(unsafe) private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.room, alignment: 1)
    /// Where each string begins, by its number, and where the last one ends.
    private var starts = [0, 0]
    private var hashes: [UInt64] = [0]
    /// The numbers by hash. At most a quarter of the places is used.
    private var places = [UInt32](repeating: 0, count: 1 << 18)

    deinit { unsafe bytes.deallocate() }

    /// The highest number.
    var count: Int { hashes.count - 1 }

    /// A hash of all bytes: for each eight of them a multiplication, of which both halves are used, as in wyhash.
    func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seed ^ UInt64(text.count)
        func add(_ word: UInt64) {
            let (high, low) = (hash ^ word).multipliedFullWidth(by: key)
            hash = high ^ low
        }
        for place in stride(from: 0, through: text.count - 8, by: 8) {
            add(unsafe text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        if text.count >= 8 {
            // The last word may begin within the one before it.
            add(unsafe text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self))
        } else {
            add(unsafe text.reduce(0) { $0 << 8 | UInt64($1) })
        }
        add(seed &+ 1)
        return hash
    }

    func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { unsafe hash(UnsafeRawBufferPointer($0)) }
    }

    /// Whether there is room for another string.
    ///
    /// - Parameter isFree: Whether it is free text, such as a message. The last quarter of the room is for names.
    func hasRoom(for text: UnsafeRawBufferPointer, isFree: Bool = false) -> Bool {
        let end = starts[starts.count - 1] + min(text.count, Self.longest)
        let most = isFree ? Self.most / 4 * 3 : Self.most
        let room = isFree ? Self.room / 4 * 3 : Self.room
        return count < most && end <= room
    }

    /// Whether a number's string is this one, which is not empty. It is asked for each key of each line, so that a call
    /// would show in the time of a report.
    @inline(__always) func isEqual(_ number: UInt32, to text: UnsafeRawBufferPointer) -> Bool {
        let start = starts[Int(number)]
        let count = min(text.count, Self.longest)
        guard starts[Int(number) + 1] - start == count, let text = text.baseAddress,
            let own = unsafe bytes.baseAddress
        else { return false }
        return unsafe memcmp(own + start, text, count) == 0
    }

    /// The number of a string; 0 if it has none.
    func number(of text: UnsafeRawBufferPointer) -> UInt32 {
        guard unsafe !text.isEmpty else { return 0 }
        let text = unsafe UnsafeRawBufferPointer(rebasing: text.prefix(Self.longest))
        return unsafe places[place(of: text, hash(text))]
    }

    /// The number of a string, which gets one if there is room; 0 if there is none, or if the string is empty.
    mutating func add(_ text: UnsafeRawBufferPointer) -> UInt32 {
        guard unsafe !text.isEmpty else { return 0 }
        let text = unsafe UnsafeRawBufferPointer(rebasing: text.prefix(Self.longest))
        let hash = unsafe hash(text)
        let place = unsafe place(of: text, hash)
        guard places[place] == 0, unsafe hasRoom(for: text) else { return places[place] }
        let start = starts[starts.count - 1]
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).copyMemory(from: text)
        starts.append(start + text.count)
        hashes.append(hash)
        places[place] = UInt32(count)
        return places[place]
    }

    mutating func add(_ text: String) -> UInt32 {
        var text = text
        return text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
    }

    /// The place of a string's number, or the free place for it.
    private func place(of text: UnsafeRawBufferPointer, _ hash: UInt64) -> Int {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while case let number = places[place], number > 0 {
            if hashes[Int(number)] == hash, unsafe isEqual(number, to: text) { return place }
            place = (place + 1) & (places.count - 1)
        }
        return place
    }

    /// The string of a number; empty for 0.
    func text(_ number: UInt32) -> String {
        unsafe String(decoding: bytes[starts[Int(number)]..<starts[Int(number) + 1]], as: UTF8.self)
    }

    /// A place in a script.
    ///
    /// - Parameters:
    ///   - file: The number of the file's name; 0 if it is not known.
    ///   - line: 0 if it is not known.
    func place(file: UInt32, line: Int) -> PatchError.Place {
        PatchError.Place(file: file > 0 ? text(file) : nil, line: line > 0 ? line : nil)
    }

    /// Whether a number's string sorts before another's, by their bytes.
    func isOrdered(_ number: UInt32, before other: UInt32) -> Bool { text(number).hasBytes(before: text(other)) }
}

extension [String] {
    /// Whether the first string that differs from the other's in its place sorts before that, by their bytes.
    ///
    /// To `<`, strings of devices may be equal that differ in their bytes, and then their order in the files would
    /// decide.
    func isOrdered(before other: [String]) -> Bool {
        lexicographicallyPrecedes(other) { $0.hasBytes(before: $1) }
    }
}
