internal import PatchCrypto
internal import PatchText

extension RunnerEvent {
    /// What a patch in shadow would have changed: in an event, since the last one of this kind; elsewhere, since the
    /// shadow began.
    public struct Comparison: Sendable {
        /// How many of its runs ended as the call that was answered.
        public package(set) var agreed: Int
        /// How many ended otherwise.
        public package(set) var differed: Int
        /// How many failed.
        public package(set) var failed: Int
        /// How many calls of the sample could not be compared.
        public package(set) var incomparable: Int
        /// How many of these for each reason.
        package var reasons: [String: Int]
        /// ``totalTime`` in nanoseconds.
        package var nanoseconds: Int
        /// The time that the script took in all of its runs.
        public var totalTime: Duration { .nanoseconds(nanoseconds) }
        /// Runs that would have changed an answer: one in an event, and the first ones since a shadow began.
        package var examples: [Example]
        /// The first of them; nil if there was none, or if there were enough examples.
        public var example: Example? { examples.first }

        /// Why calls could not be compared, the most frequent reason first.
        public var incomparableReasons: [Reason] {
            reasons.map { Reason(text: $0, count: $1) }.sorted {
                $0.count == $1.count ? $0.text.hasBytes(before: $1.text) : $0.count > $1.count
            }
        }

        /// A reason why calls could not be compared.
        public struct Reason: Sendable, Hashable {
            /// A row of the table in docs/shadow.md, such as `no-room` or `host.call Mail.send`. `other` stands for all
            /// that came after 16 reasons.
            public let text: String
            /// The number of calls.
            public let count: Int
        }

        package init(
            agreed: Int = 0, differed: Int = 0, failed: Int = 0, incomparable: Int = 0, reasons: [String: Int] = [:],
            nanoseconds: Int = 0, example: Example? = nil
        ) {
            self.agreed = agreed
            self.differed = differed
            self.failed = failed
            self.incomparable = incomparable
            self.reasons = reasons
            self.nanoseconds = nanoseconds
            examples = example.map { [$0] } ?? []
        }
    }

    /// A run of a patch in shadow that would have changed an answer.
    ///
    /// It describes values by their types and sizes, such as `string of 12 bytes`, and numbers by their values. It has
    /// no text of the app unless ``PatchLimits/shadowTextBytes`` allows it.
    public struct Example: Sendable {
        /// How the call ended, such as `19.0`, or `error: sold out`.
        public let answer: String
        /// How the script ended; nil if it failed.
        public let result: String?
        /// Why it failed; nil if it ended otherwise than the call.
        public let failure: Failure?
        /// The script and the line on which its function begins; nil for a function of the Lua library.
        package let place: (script: String, line: Int)?
    }
}

extension RunnerEvent.Comparison {
    var attributes: EventRecord.Members {
        let counts: [(EventRecord.Key, Int)] = [
            (.agreed, agreed), (.differed, differed), (.failed, failed), (.incomparable, incomparable),
            (.nanoseconds, nanoseconds),
        ]
        var members: EventRecord.Members = counts.map { ($0, .integer($1)) }
        if !reasons.isEmpty {
            let sorted = reasons.sorted { $0.key.hasBytes(before: $1.key) }
            members.append((.reasons, .object(sorted.map { (key: $0.key, value: .integer($0.value)) })))
        }
        guard let example else { return members }
        members.append((.answer, .string(example.answer)))
        if let result = example.result { members.append((.result, .string(result))) }
        if let failure = example.failure {
            members += failure.error.attributes + failure.stackMembers
        } else if let place = example.place {
            members += [(.file, .string(place.script)), (.line, .integer(place.line))]
        }
        return members
    }
}

extension RunnerEvent.Comparison {
    // How one run ended.
    static var agreed: Self { .init(agreed: 1) }
    static func differed(_ example: RunnerEvent.Example) -> Self { .init(differed: 1, example: example) }
    static func failed(_ example: RunnerEvent.Example) -> Self { .init(failed: 1, example: example) }
    static func incomparable(_ reason: String) -> Self { .init(incomparable: 1, reasons: [reason: 1]) }

    var runs: Int { agreed.addingOrMost(differed).addingOrMost(failed).addingOrMost(incomparable) }

    private static let mostExamples = 10
    private static let mostReasons = 16

    /// Adds other counts, as many of their examples as there is room for, and further reasons as `other`.
    package mutating func add(_ more: RunnerEvent.Comparison) {
        agreed.addOrMost(more.agreed)
        differed.addOrMost(more.differed)
        failed.addOrMost(more.failed)
        incomparable.addOrMost(more.incomparable)
        nanoseconds.addOrMost(more.nanoseconds)
        examples += more.examples.prefix(Self.mostExamples - examples.count)
        for (reason, count) in more.reasons {
            let hasRoom = reasons[reason] != nil || reasons.count < Self.mostReasons
            reasons[hasRoom ? reason : "other", default: 0].addOrMost(count)
        }
    }
}

extension RunnerEvent.Comparison: CustomStringConvertible {
    /// The counts, such as `98 agreed, 2 differed`.
    package var summary: String {
        var counts = ["\(agreed) agreed"]
        for (count, word) in [(differed, "differed"), (failed, "failed"), (incomparable, "could not be compared")]
        where count > 0 { counts.append("\(count) \(word)") }
        return counts.joined(separator: ", ")
    }

    /// The counts, and the example if there is one: `98 agreed, 2 differed: 19.0 would be 20.0`. Characters that a
    /// terminal would act on are escaped.
    public var description: String {
        guard let example else { return summary }
        if let failure = example.failure { return Escape.comment("\(summary): \(failure.text)") }
        return Escape.comment("\(summary): \(example.answer) would be \(example.result ?? "")")
    }
}
