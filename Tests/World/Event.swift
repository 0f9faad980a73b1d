import RandomSupport

/// Something that happens in a world. It names its parties by numbers, of which a world takes the remainder, so that
/// any list of events can happen, and a part of a list too.
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
    /// What people do in this order, soon after one another: with a stroke in the other copy of the feed, with a plus
    /// to another patch.
    private static let habits = [
        "publish deploy start sync call confirm advance deploy",
        "enable publish widen deploy start confirm sync call stop start confirm sync stop start sync call",
        "publish deploy start sync withdraw deploy start sync start sync start",
        "publish deploy start sync call publish deploy sync call withdraw publish+ deploy sync",
        "disable deploy sync start sync start",
        "stage wait sign deploy start sync call stop advance", "stage disable enable undo sign",
        "backup publish restore publish repair", "push pull' publish' deploy' publish publish' repair",
        "stage sign withdraw sign deploy start sync", "stage pause disable sign enable sign deploy sync",
        "withdraw stage withdraw sign sign deploy sync", "start call start call start call",
    ].map { habit in
        habit.split(separator: " ").map { word in
            (verb: Verb(rawValue: word.filter(\.isLetter)), mark: word.last)
        }
    }

    /// The events of a seed. Each seed has habits of its own: some things never happen, and some often.
    static func all(of seed: Int) -> [Event] {
        var random = SeededRandom(seed)
        let weights = Verb.allCases.map { verb in verb.weight * random.one(of: [0, 1, 1, 1, 2, 4]) }
        // Feeds expire where most gaps are long.
        let often = (0..<4).map { _ in random.one(of: [0, 1, 2, 4]) } + [random.one(of: [0, 0, 0, 1])]
        let gaps = Array(zip([60, 600, 3600, 86_400, 20 * 86_400], often))
        let nesting = random.one(of: [0.0, 0.1, 0.3])
        let habit = random.one(of: [0.0, 0.05, 0.2])
        var events: [Event] = []
        while events.count < 150 {
            let event = event(&random, weights, gaps, nesting)
            events.append(event)
            guard random.unit() < habit else { continue }
            for (verb, mark) in random.one(of: habits) {
                var next = Self.event(&random, weights, gaps, nesting, verb)
                next.gap = 1 + random.next(below: verb == .wait ? 86_400 : 1200)
                next.who = event.who
                next.what = event.what % 99 + (mark == "'" ? 300 : mark == "+" ? 1 : 0)
                if !next.verb.isOfHost { next.how = event.how }
                // Mostly, neither a network nor a disk fails.
                if next.verb.isOfHost, random.unit() < 0.75 { next.how = 11 + 100 * random.next(below: 10) }
                events.append(next)
            }
        }
        return events
    }

    private static func event(
        _ random: inout SeededRandom, _ weights: [Int], _ gaps: [(Int, Int)], _ nesting: Double, _ verb: Verb? = nil
    ) -> Event {
        let verb = verb ?? Verb.allCases[place(weights, &random)]
        let gap = gaps[place(gaps.map(\.1), &random)].0
        var event = Event(
            gap: 1 + random.next(below: gap), verb: verb, who: random.next(below: 12), what: random.next(below: 1000),
            how: random.next(below: 1000))
        while verb.waits, random.unit() < nesting {
            var other = Self.event(&random, weights, [(60, 1)], 0)
            // Often it is about the same patch, or the same worker, and somebody stops it.
            if random.unit() < 0.5 {
                (other.what, other.how) = (event.what, event.how)
                if [.deploy, .repair].contains(verb) {
                    // Somebody deploys another copy.
                    other.verb = .deploy
                    other.what = event.what / 100 % 4 == 3 ? event.what % 100 : event.what % 100 + 300
                } else if !verb.isOfHost, random.unit() < 0.7 {
                    other.verb = random.one(of: [.withdraw, .disable, .pause])
                }
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
