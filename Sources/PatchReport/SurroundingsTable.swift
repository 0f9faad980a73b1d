internal import PatchCrypto
internal import PatchText

/// The surroundings of patches on devices: the app's version and the operating system. They have numbers.
struct SurroundingsTable {
    /// The surroundings, as the numbers of strings.
    struct Names: Hashable {
        var appVersion: UInt32 = 0
        var system: UInt32 = 0
        var systemVersion: UInt32 = 0
    }

    /// Devices that have the same surroundings, and those of them on which a patch failed or was rolled back.
    struct Count {
        var devices = 0
        var affected = 0

        mutating func add(_ other: Count) {
            devices += other.devices
            affected += other.affected
        }
    }

    /// The devices of a patch by the numbers of their surroundings.
    typealias Counts = [UInt16: Count]

    /// Surroundings, which are sorted by their numbers, and by their text if the numbers are the same, as in two builds
    /// of a version.
    private struct Place {
        let names: Names
        let numbers: [Int]
        let text: String

        func precedes(_ other: Place) -> Bool {
            guard numbers == other.numbers else { return numbers.lexicographicallyPrecedes(other.numbers) }
            return text.hasBytes(before: other.text)
        }
    }

    private var places = [Place(names: Names(), numbers: [], text: "")]
    private var numbers = [Names(): UInt16(0)]
    private var last = (names: Names(), number: UInt16(0))

    /// The number of those of the reader's line; 0 if it names none, or if there are too many.
    mutating func number(for reader: inout EventReader) -> UInt16 {
        let names = Names(
            appVersion: reader.number(.appVersion), system: reader.number(.system),
            systemVersion: reader.number(.systemVersion))
        if last.names == names { return last.number }
        var number = numbers[names] ?? 0
        if number == 0, names != Names(), places.count < Int(UInt16.max), reader.takesName() {
            number = UInt16(places.count)
            numbers[names] = number
            places.append(Self.place(names, reader.texts.table))
        }
        // A device without room for a name says nothing about the next one.
        if number > 0 || names == Names() { last = (names, number) }
        return number
    }

    private static func place(_ names: Names, _ texts: borrowing TextTable) -> Place {
        let app = texts.text(names.appVersion)
        let system = texts.text(names.systemVersion)
        return Place(
            names: names, numbers: parts(of: app) + parts(of: system),
            text: "\(app)\n\(system)\n\(texts.text(names.system))")
    }

    /// How many numbers of a version count for the order.
    private static let mostParts = 4

    /// The first numbers of a version; -1 for each missing one.
    private static func parts(of version: String) -> [Int] {
        let parts = version.utf8.split(separator: UInt8(ascii: ".")).prefix(mostParts).map { Int(Substring($0)) ?? 0 }
        return parts + Array(repeating: -1, count: mostParts - parts.count)
    }

    /// Whether a number's surroundings are older than another's.
    func isOlder(_ number: UInt16, than other: UInt16) -> Bool {
        number != other && places[Int(number)].precedes(places[Int(other)])
    }

    func appVersion(_ number: UInt16, _ texts: borrowing TextTable) -> String {
        texts.text(places[Int(number)].names.appVersion)
    }

    /// The operating system with its version; empty if it is not known.
    func system(_ number: UInt16, _ texts: borrowing TextTable) -> String {
        let names = places[Int(number)].names
        let system = texts.text(names.system)
        guard names.system > 0, names.systemVersion > 0 else { return system }
        return "\(system) \(texts.text(names.systemVersion))"
    }

    /// A patch's devices by app version, the newest first, and by system, the most frequent first.
    func report(
        to patch: inout FleetReport.Patch, _ counts: Counts, _ texts: borrowing TextTable
    ) {
        var versions: [ExactString: (numbers: ArraySlice<Int>, part: FleetReport.Part)] = [:]
        var systems: [ExactString: FleetReport.Part] = [:]
        for (number, count) in counts {
            let version = appVersion(number, texts)
            let numbers = places[Int(number)].numbers.prefix(Self.mostParts)
            versions[ExactString(version), default: (numbers, FleetReport.Part(name: version))].part.add(count)
            let name = system(number, texts)
            guard !name.isEmpty else { continue }
            systems[ExactString(name), default: FleetReport.Part(name: name)].add(count)
        }
        patch.appVersions = versions.values.sorted { one, other in
            guard one.numbers == other.numbers else { return other.numbers.lexicographicallyPrecedes(one.numbers) }
            return other.part.name.hasBytes(before: one.part.name)
        }.map(\.part)
        patch.systems = systems.values.sorted {
            $0.devices == $1.devices ? $0.name.hasBytes(before: $1.name) : $0.devices > $1.devices
        }
    }
}
