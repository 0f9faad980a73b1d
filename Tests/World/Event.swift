import RandomSupport

/// Something that happens in a world. Its parties are numbers, of which a world takes the remainder.
struct Event: Codable {
    enum Verb: String, CaseIterable, Codable {
        // An operator, in a copy of the feed.
        case publish, widen, advance, pause, resume, shadow, withdraw, disable, enable, undo, minimum, refresh
        case stage, sign, drop, rotate
        // A copy of the feed.
        case push, pull, deploy, repair, backup, restore
        // A worker of a host.
        case start, stop, crash, confirm, sync, call, background, foreground
        // A clock: of a host, or of an operator; and time alone.
        case skew, wrong, wait

        /// How often these happen for each time that any other one does.
        fileprivate static let weights: [Verb: Int] = [
            .sync: 40, .start: 30, .call: 25, .confirm: 20, .deploy: 16, .publish: 10, .stop: 8, .crash: 5,
            .push: 4, .pull: 4, .advance: 4, .widen: 4, .resume: 4, .enable: 4, .withdraw: 3, .refresh: 3, .wait: 3,
            .pause: 2, .disable: 2, .stage: 2, .sign: 2, .shadow: 2, .background: 2, .foreground: 2,
        ]

        var isOfHost: Bool {
            [.start, .stop, .crash, .confirm, .sync, .call, .background, .foreground, .skew].contains(self)
        }
    }

    /// The seconds since the event before.
    var gap = 0
    var verb: Verb
    /// Who does it, to what, and how.
    var who = 0, what = 0, how = 0
    /// What happens while it waits.
    var inner: [Event] = []
}

extension Event {
    /// What people do in this order: ' in the other copy, + to another patch or worker, ~ by an old cache, a digit how.
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
        "stage sign4 sign5 deploy", "backup publish deploy restore3 refresh3 repair",
        "drop enable publish deploy start0 sync start5+ sync+ sync withdraw deploy sync sync~+ start0",
        "drop enable publish7 deploy start sync start start start start start",
        "drop enable publish0 deploy start sync call publish9 deploy sync call sync call sync",
        "drop enable publish4 deploy start0 sync5 call5 start5 sync call5 start0 call5 start5 call5 start0 call5",
    ].map { habit in
        habit.split(separator: " ").map { word in
            (verb: Verb(rawValue: word.filter(\.isLetter)), marks: word.filter { !$0.isLetter })
        }
    }

    /// The events of a seed. Each seed has habits of its own: some things never happen, and some often.
    static func all(of seed: Int) -> [Event] {
        var random = SeededRandom(seed)
        let verbs = Verb.allCases.flatMap { verb in
            Array(repeating: verb, count: (Verb.weights[verb] ?? 1) * random.one(of: [0, 1, 1, 1, 2, 4]))
        }
        let often = (0..<4).map { _ in random.one(of: [0, 1, 2, 4]) } + [random.one(of: [0, 0, 0, 1])]
        let gaps = [60] + zip([60, 600, 3600, 86_400, 20 * 86_400], often).flatMap { Array(repeating: $0, count: $1) }
        let nesting = random.one(of: [0.0, 0.1, 0.3])
        let habit = random.one(of: [0.0, 0.05, 0.2])
        var events: [Event] = []
        while events.count < 150 {
            let event = event(&random, verbs, gaps, nesting)
            events.append(event)
            guard random.unit() < habit else { continue }
            for (verb, marks) in random.one(of: habits) {
                var next = Self.event(&random, verbs, gaps, nesting, verb)
                next.gap = 1 + random.next(below: verb == .wait ? 86_400 : 1200)
                next.who = event.who
                next.what = event.what % 99 + (marks.contains("'") ? 300 : marks.contains("+") ? 1 : 0)
                let digit = marks.first(where: \.isNumber)?.wholeNumberValue
                if !next.verb.isOfHost { next.how = event.how + (digit.map { $0 - event.how % 12 } ?? 0) }
                // Mostly, neither a network nor a disk fails.
                if next.verb.isOfHost, !marks.isEmpty || random.unit() < 0.75 {
                    next.how = (marks.first == "~" ? 17 : 11) + 100 * (digit ?? random.next(below: 10))
                }
                events.append(next)
            }
        }
        return events
    }

    private static func event(
        _ random: inout SeededRandom, _ verbs: [Verb], _ gaps: [Int], _ nesting: Double, _ verb: Verb? = nil
    ) -> Event {
        let verb = verb ?? random.one(of: verbs)
        var event = Event(
            gap: 1 + random.next(below: random.one(of: gaps)), verb: verb, who: random.next(below: 12),
            what: random.next(below: 1000), how: random.next(below: 1000))
        // The world waits for downloads, and for signatures and uploads.
        let atOnce: [Verb] = [.drop, .push, .pull, .backup, .restore, .wrong, .wait]
        let waits = verb.isOfHost ? [.sync, .foreground].contains(verb) : !atOnce.contains(verb)
        while waits, random.unit() < nesting {
            var other = Self.event(&random, verbs, [60], 0)
            // Often it is about the same patch, or the same worker, and somebody stops it.
            if random.unit() < 0.5 {
                other.what = event.what
                other.how = event.how
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
}
