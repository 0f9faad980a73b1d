internal import PatchCrypto
internal import PatchText

/// A figure of an active patch, for a system that collects metrics. ``PatchRegistry/metrics`` contains all of them.
public struct PatchMetric: Sendable {
    /// A metric's value.
    ///
    /// A version after 1.0 may add cases. Give a `switch` an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Value: Sendable, Equatable {
        /// A count since the patch was activated, or its shadow began.
        case counter(Int)
        /// The current value.
        case gauge(Int)
        /// Durations since the patch was activated, or its shadow began.
        case histogram(Histogram)
    }

    /// The durations of calls.
    public struct Histogram: Sendable, Equatable {
        /// The calls below a bound, with all calls below smaller ones, as OpenMetrics counts them.
        public struct CumulativeBucket: Sendable, Equatable {
            /// The bound, in seconds.
            public let bound: Double
            /// The number of calls below it.
            public let count: Int
        }

        /// The calls below each bound. The last bound is infinite.
        public let buckets: [CumulativeBucket]
        /// The number of measured calls.
        public let count: Int
        /// Their total time, in seconds.
        public let sum: Double
    }

    /// A label of a metric.
    public struct Label: Sendable, Hashable {
        /// The name, such as `function`.
        public let name: String
        /// The value, such as `Cart.total`.
        public let value: String
    }

    /// The name, such as `patchpack_calls`, without a suffix.
    public let name: String
    /// The meaning of the metric, in a sentence.
    public let help: String
    /// The labels: `patch`, `version`, and for some metrics `function`, `reason` and `outcome`.
    public let labels: [Label]
    /// The value.
    public let value: Value
}

extension PatchRegistry {
    /// Figures of the active patches, and of those in shadow: how often each function of each patch was called, failed,
    /// and was answered by something else, and how long it took. Metrics of the same name follow one another.
    ///
    /// A patch that is activated again counts from 0. Every 64th call is measured.
    public var metrics: [PatchMetric] {
        struct Key: Hashable {
            let patch: PatchID
            let function: String

            var order: (String, Int, String) { (patch.id, patch.version, function) }
        }
        var functions: [Key: (calls: CallStatistics, refusals: [String: Int])] = [:]
        // A patch may be active through several runners, each of which has its own instances.
        var scripts: [PatchID: [ObjectIdentifier: LayerStack.Measure]] = [:]
        var shadows: [PatchMetric] = []
        for slot in names.slots {
            shadows += slot.shadows.flatMap(\.metrics)
            for measure in slot.layers.locked({ $0.active.map(\.measure) }) {
                let patch = measure.reports.patch
                scripts[patch, default: [:]][ObjectIdentifier(measure.reports)] = measure
                let key = Key(patch: patch, function: slot.name)
                functions[key, default: (.init(), [:])].calls.add(measure.calls)
                functions[key]?.refusals.merge(measure.refusals, uniquingKeysWith: +)
            }
        }
        let patches = scripts.sorted { $0.key.pair < $1.key.pair }
        let calls = functions.sorted { $0.key.order < $1.key.order }.map { key, counts in
            (labels: key.patch.labels(function: key.function), calls: counts.calls, refusals: counts.refusals)
        }
        func perPatch(_ name: String, _ help: String, _ value: ([LayerStack.Measure]) -> Int) -> [PatchMetric] {
            patches.map {
                PatchMetric(
                    name: "patchpack_\(name)", help: help, labels: $0.key.labels(),
                    value: .gauge(value(Array($0.value.values))))
            }
        }
        func perFunction(_ name: String, _ help: String, _ value: (CallStatistics) -> PatchMetric.Value)
            -> [PatchMetric]
        {
            calls.map { PatchMetric(name: "patchpack_\(name)", help: help, labels: $0.labels, value: value($0.calls)) }
        }
        let fallbacks: [PatchMetric] = calls.flatMap { labels, calls, refusals -> [PatchMetric] in
            let reasons = refusals.merging(["failed": calls.failures]) { known, _ in known }
            return reasons.sorted { $0.key < $1.key }.map { reason, count in
                PatchMetric(
                    name: "patchpack_fallbacks",
                    help: "Calls that something else than the patch answered, by the reason.",
                    labels: labels + [.init(name: "reason", value: reason)], value: .counter(count))
            }
        }
        return perPatch("running", "Whether the patch is active.") { _ in 1 }
            + perPatch("breaker_open", "Whether a function of the patch has failed too often, so that it is skipped.") {
                $0.contains(where: \.isOpen) ? 1 : 0
            }
            + perPatch("instances", "Lua states of the patch.") { $0.map(\.instances).reduce(0, +) }
            + perPatch("waiting_calls", "Asynchronous calls of the patch that wait.") {
                $0.map(\.waitingCalls).reduce(0, +)
            }
            + perFunction("calls", "Calls of the patch's function.") { .counter($0.count) }
            + perFunction("failures", "Calls that failed.") { .counter($0.failures) }
            + fallbacks
            + perFunction("call_seconds", "Duration of measured calls, including the calls that they made.") {
                .histogram(.init($0))
            } + shadows
    }
}

extension Shadow {
    fileprivate var metrics: [PatchMetric] {
        let total = total
        let counts = [
            ("agreed", total.agreed), ("differed", total.differed), ("failed", total.failed),
            ("incomparable", total.incomparable),
        ]
        return counts.map { outcome, count in
            PatchMetric(
                name: "patchpack_shadow_calls",
                help: "Calls that were compared with a patch in shadow, by the outcome.",
                labels: patch.labels(function: function) + [.init(name: "outcome", value: outcome)],
                value: .counter(count))
        }
    }
}

extension PatchID {
    fileprivate func labels(function: String? = nil) -> [PatchMetric.Label] {
        let patch = [("patch", id), ("version", String(version))] + (function.map { [("function", $0)] } ?? [])
        return patch.map { .init(name: $0, value: $1) }
    }
}

extension PatchMetric.Histogram {
    fileprivate init(_ calls: CallStatistics) {
        let bounds = EventRecord.timeBounds.map { Double($0) / 1e9 } + [.infinity]
        let times = calls.times.isEmpty ? bounds.map { _ in 0 } : calls.times
        var below = 0
        buckets = zip(bounds, times).map { bound, count in
            below.addOrMost(count)
            return CumulativeBucket(bound: bound, count: below)
        }
        // The counts are read one after the other while calls continue, but a reader expects them to agree.
        count = below
        sum = Double(calls.nanoseconds) / 1e9
    }
}

extension PatchMetric {
    /// Metrics in the text format of OpenMetrics 1.0, as Prometheus reads it. Its media type is
    /// `application/openmetrics-text; version=1.0.0; charset=utf-8`.
    ///
    /// - Parameter metrics: The metrics, such as ``PatchRegistry/metrics``. Metrics of the same name follow one
    ///   another.
    /// - Returns: The text, which ends with the line `# EOF`.
    public static func openMetrics(_ metrics: [PatchMetric]) -> String {
        var text = OpenMetricsText()
        var name = ""
        for metric in metrics {
            let labels = metric.labels.map { ($0.name, $0.value) }
            if metric.name != name {
                name = metric.name
                text.begin(name, metric.value.type, help: metric.help)
            }
            switch metric.value {
            case .counter(let value): text.add("\(name)_total", labels, value)
            case .gauge(let value): text.add(name, labels, value)
            case .histogram(let histogram):
                for bucket in histogram.buckets {
                    let bound = bucket.bound.isFinite ? "\(bucket.bound)" : "+Inf"
                    text.add("\(name)_bucket", labels + [("le", bound)], bucket.count)
                }
                text.add("\(name)_count", labels, histogram.count)
                text.add("\(name)_sum", labels, histogram.sum)
            }
        }
        return text.text
    }
}

extension PatchMetric.Value {
    fileprivate var type: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
