import RandomSupport

/// Something that happens in a world. It names its parties by numbers, of which a world takes the remainder, so that any list of
/// events can happen, and a part of a list too.
struct Event: Equatable {
    enum Verb: String, CaseIterable {
        // An operator, in a copy of the feed.
        case publish, widen, advance, pause, resume, shadow, withdraw, disable, enable, undo, minimum, refresh
        case stage, sign, drop, rotate
        // A copy of the feed.
        case push, pull, deploy, repair, backup, restore
        // A worker of a host.
        case start, stop, crash, confirm, sync, call, background, foreground
        // A clock: of a host, or of an operator.
        case skew, wrong
        case wait

        /// How often it happens, compared with the others.
        fileprivate var weight: Int {
            switch self {
            case .sync: 40
            case .start: 30
            case .call: 25
            case .confirm: 20
            case .deploy: 16
            case .publish: 10
            case .stop: 8
            case .crash: 5
            case .push, .pull, .advance, .widen, .resume, .enable: 4
            case .withdraw, .refresh, .wait: 3
            case .pause, .disable, .stage, .sign, .shadow, .background, .foreground: 2
            case .undo, .minimum, .drop, .rotate, .repair, .backup, .restore, .skew, .wrong: 1
            }
        }

        var isOfHost: Bool {
            [.start, .stop, .crash, .confirm, .sync, .call, .background, .foreground, .skew].contains(self)
        }

        /// Whether the world waits for something while it happens: a signature, or a download.
        fileprivate var waits: Bool {
            [.sync, .foreground].contains(self)
                || !isOfHost && ![.drop, .push, .pull, .backup, .restore, .wrong, .wait].contains(self)
        }
    }

    /// The seconds since the event before.
    var gap: Int
    var verb: Verb
    /// Who does it, to what, and how.
    var who: Int, what: Int, how: Int
    /// What happens while it waits.
    var inner: [Event] = []
}

extension Event {
    /// The events of a seed. Each seed has habits of its own: some things never happen, and some often.
    static func all(of seed: Int, count: Int) -> [Event] {
        var random = SeededRandom(seed)
        let weights = Verb.allCases.map { verb in verb.weight * random.one(of: [0, 1, 1, 1, 2, 4]) }
        let gaps = [60, 600, 3600, 86_400, 20 * 86_400].map { ($0, random.one(of: [0, 1, 2, 4])) }
        let nesting = random.one(of: [0.0, 0.1, 0.3])
        return (0..<count).map { _ in event(&random, weights, gaps, nesting) }
    }

    private static func event(
        _ random: inout SeededRandom, _ weights: [Int], _ gaps: [(seconds: Int, weight: Int)], _ nesting: Double
    ) -> Event {
        let verb = Verb.allCases[place(weights, &random)]
        let gap = gaps[place(gaps.map(\.weight), &random)].seconds
        var event = Event(
            gap: 1 + random.next(below: gap), verb: verb, who: random.next(below: 12), what: random.next(below: 1000),
            how: random.next(below: 1000))
        while verb.waits, random.unit() < nesting {
            var other = Self.event(&random, weights, [(60, 1)], 0)
            // Often it is about the same patch, or the same worker, and somebody stops it.
            if random.unit() < 0.5 {
                (other.what, other.how) = (event.what, event.how)
                if !verb.isOfHost, random.unit() < 0.7 { other.verb = random.one(of: [.withdraw, .disable, .pause]) }
            }
            event.inner.append(other)
        }
        return event
    }

    private static func place(_ weights: [Int], _ random: inout SeededRandom) -> Int {
        var rest = random.next(below: max(1, weights.reduce(0, +)))
        for (place, weight) in weights.enumerated() {
            if rest < weight { return place }
            rest -= weight
        }
        return 0
    }
}

// As words: 60.sync.1.5.3[0.crash.2.0.0;5.deploy.0.0.0]
extension Event: CustomStringConvertible {
    var description: String {
        let own = "\(gap).\(verb).\(who).\(what).\(how)"
        return inner.isEmpty ? own : "\(own)[\(inner.map(\.description).joined(separator: ";"))]"
    }

    init?(_ text: Substring) {
        let parts = text.split(separator: "[", maxSplits: 1)
        let words = (parts.first ?? "").split(separator: ".")
        let numbers = words.compactMap { Int($0) }
        guard words.count == 5, numbers.count == 4, let verb = Verb(rawValue: String(words[1])) else { return nil }
        self.init(gap: numbers[0], verb: verb, who: numbers[1], what: numbers[2], how: numbers[3])
        guard parts.count > 1 else { return }
        inner = parts[1].dropLast().split(separator: ";").compactMap { Event($0) }
    }
}
