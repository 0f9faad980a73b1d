import CFloor

/// Measures several ways of doing the same thing in turn, round after round, so that other load on the machine affects
/// all of them.
struct Rounds {
    /// One way: its name, and the work that runs a given number of times.
    struct Way {
        let name: String
        /// The name of the way that it is compared with.
        var against: String?
        /// The target.
        var target: Row.Target?
        let run: (Int) throws -> Void

        init(_ name: String, against: String? = nil, target: Row.Target? = nil, run: @escaping (Int) throws -> Void) {
            self.name = name
            self.against = against
            self.target = target
            self.run = run
        }
    }

    let work: String
    /// How many times a way runs in each round.
    let count: Int
    let ways: [Way]
    static let rounds = 21
    /// The fewest rounds of a work that takes longer than ``limit``.
    static let leastRounds = 5
    /// How long the rounds of one work last on a busy machine.
    static let limit = Duration.seconds(90)

    /// Runs a round again and again: once unmeasured, then until there are enough or the time is over.
    static func repeated(_ rounds: Int = rounds, _ round: (_ isMeasured: Bool) throws -> Void) rethrows {
        let start = ContinuousClock.now
        try round(false)  // warms caches, pages and the branch predictor
        for number in 0..<rounds {
            guard number < leastRounds || ContinuousClock.now - start < limit else { break }
            try round(true)
        }
    }

    /// Runs all of the ways.
    ///
    /// - Returns: A row for each way, in nanoseconds for one run of it.
    func run() throws -> [Row] {
        var times: [String: [Double]] = [:]
        try Self.repeated { isMeasured in
            for way in ways {
                let time = try ContinuousClock().measure { try way.run(count) }
                guard isMeasured else { continue }
                times[way.name, default: []].append(time / .nanoseconds(count))
            }
        }
        return ways.map { way in
            Row(
                work: work, way: way.name, unit: .nanoseconds, samples: times[way.name] ?? [], against: way.against,
                base: way.against.flatMap { times[$0] }, target: way.target)
        }
    }
}

/// The measurement of one way of doing some work.
struct Row: Codable {
    enum Unit: String, Codable {
        case nanoseconds, kilobytes
    }

    /// The target of a way against another.
    enum Target: Codable {
        /// At most this many times its cost.
        case ratio(Double)
        /// At most this much more.
        case more(Double)
        /// At least this many times its cost, because the other one should be the fast one.
        case atLeast(Double)
        /// At most this time or memory itself.
        case most(Double)
    }

    let work: String
    let way: String
    let unit: Unit
    let median: Double
    let least: Double
    let most: Double
    var against: String?
    /// The median of the rounds' ratios.
    var ratio: Double?
    /// The median of the rounds' differences.
    var difference: Double?
    var target: Target?

    init(
        work: String, way: String, unit: Unit, samples: [Double], against: String? = nil, base: [Double]? = nil,
        target: Target? = nil
    ) {
        self.work = work
        self.way = way
        self.unit = unit
        median = samples.median
        least = samples.min() ?? 0
        most = samples.max() ?? 0
        guard let against, let base else { return }
        self.against = against
        self.target = target
        ratio = zip(samples, base).map { $0 / $1 }.median
        difference = zip(samples, base).map { $0 - $1 }.median
    }

    /// Whether the target is reached; nil if there is none.
    var isReached: Bool? {
        switch target {
        case .ratio(let limit): ratio.map { $0 <= limit }
        case .more(let limit): difference.map { $0 <= limit }
        case .atLeast(let limit): ratio.map { $0 >= limit }
        case .most(let limit): median <= limit
        case nil: nil
        }
    }
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

/// Keeps the optimizer from dropping a result. An empty function in Swift does not: Swift 6.3.1 then releases an array
/// before it is filled.
func keep<Value>(_ value: Value) { withUnsafePointer(to: value) { floor_keep($0) } }
