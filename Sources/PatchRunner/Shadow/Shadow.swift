internal import CLuaBridge
internal import PatchText
internal import Synchronization

/// A call that was answered, as a patch in shadow sees it. It is used only while the call lasts, on its thread or in its task.
struct AnsweredCall {
    /// An outcome, and the arguments that led to it.
    struct Part {
        let pushArguments: (PatchStack) -> Void
        /// Pushes the outcome. Returns false if it is an error.
        let pushOutcome: (PatchStack) -> Bool
    }

    /// How many arguments and results there are.
    let count, results: Int32
    let whole: Part
    /// What `original` does for the script; nil if that is not known, because an older version of the patch has not called it.
    var original: Part?
    /// Whether that is the outcome of the call.
    var isOriginal = false
    /// The error that the call threw.
    let error: (any Error)?
    /// Replaces the result on top with the value that the app would read. Returns false if it does not fit.
    let readResult: (PatchStack) -> Bool
    /// Describes a result that does not fit.
    let mismatch: (PatchStack) -> String
    /// Whether the function can throw an error.
    let canThrow: (any Error) -> Bool
}

/// Runs the script of a patch in shadow.
protocol ShadowRunner: AnyObject, Sendable {
    var reports: PatchEventSink { get }
    var limits: PatchLimits { get }
    /// The names of fields, which an example may show.
    var fieldNames: Set<String> { get }

    /// Runs a function of the script, and counts the outcome.
    func run(_ shadow: Shadow, beside call: AnsweredCall)

    /// The same for an asynchronous function, in the task of the call.
    func runAsynchronously(_ shadow: Shadow, beside call: AnsweredCall) async
}

/// A patch in shadow of a function: its script runs beside the code that answers, and its answers are only compared.
final class Shadow: Sendable {
    let runner: any ShadowRunner
    let layer: Layer
    let function: String
    private let counts = Mutex(Counts())

    private struct Counts {
        /// Since the shadow began, and since the last event.
        var total = RunnerEvent.Comparison()
        var new = RunnerEvent.Comparison()
        var examples = 0
        /// Whether a task waits for the end of a minute.
        var isAwaited = false

        mutating func takeNew() -> RunnerEvent.Comparison {
            defer { new = RunnerEvent.Comparison() }
            return new
        }
    }

    /// How many examples are reported, and how many reasons are told apart.
    private static let mostExamples = 3
    private static let mostReasons = 16
    private static let interval = Duration.seconds(60)

    init(_ layer: Layer, of runner: any ShadowRunner, function: String) {
        self.layer = layer
        self.runner = runner
        self.function = function
    }

    /// A run may have ended after the shadow.
    deinit { report() }

    var reports: PatchEventSink { runner.reports }
    var patch: PatchID { reports.patch }
    var limits: PatchLimits { runner.limits }
    var uptime: Uptime { reports.breaker.uptime }

    /// The counts since the shadow began.
    var total: RunnerEvent.Comparison { counts.locked { $0.total } }

    /// How a run ended.
    enum Outcome {
        case agreed
        case differed(RunnerEvent.Example)
        case failed(RunnerEvent.Example)
        /// It could not be compared, for a reason.
        case incomparable(String)
    }

    /// Counts a run. The first examples are reported at once, and counts after a minute.
    func count(_ outcome: Outcome, nanoseconds: Int = 0) {
        let (due, awaits) = counts.locked { counts -> (RunnerEvent.Comparison?, Bool) in
            counts.total.add(outcome, nanoseconds, mostReasons: Self.mostReasons)
            counts.new.add(outcome, nanoseconds, mostReasons: Self.mostReasons)
            if let example = outcome.example, counts.examples < Self.mostExamples {
                counts.examples += 1
                counts.new.example = example
                return (counts.takeNew(), false)
            }
            defer { counts.isAwaited = true }
            return (nil, !counts.isAwaited)
        }
        if let due { report(due) }
        guard awaits else { return }
        Task.detached(priority: .utility) { [weak self, uptime, end = uptime.now() + Self.interval] in
            try? await uptime.sleep(end)
            self?.counts.locked { $0.isAwaited = false }
            self?.report()
        }
    }

    /// Reports what was counted since the last event.
    func report() {
        let new = counts.locked { $0.takeNew() }
        if new.runs > 0 { report(new) }
    }

    private func report(_ new: RunnerEvent.Comparison) { reports.emit(.compared(patch, function: function, new)) }
}

extension Shadow {
    /// Lets a run begin, if the breaker is closed, or if the run may try the script.
    ///
    /// - Returns: nil if it may not begin.
    func probe() -> Probe? {
        let breaker = reports.breaker
        guard breaker.isOpen(function) else { return Probe(probe: nil) }
        return breaker.probe(function).map(Probe.init)
    }

    /// A run that may try the script.
    struct Probe {
        let probe: Breaker.Probe?

        func ended(succeeded: Bool?) { probe?.ended(succeeded: succeeded) }
    }
}

extension Shadow.Outcome {
    fileprivate var example: RunnerEvent.Example? {
        switch self {
        case .differed(let example), .failed(let example): example
        case .agreed, .incomparable: nil
        }
    }
}

extension RunnerEvent.Comparison {
    /// All calls of the sample.
    var runs: Int { agreed.addingOrMost(differed).addingOrMost(failed).addingOrMost(incomparable) }

    fileprivate mutating func add(_ outcome: Shadow.Outcome, _ nanoseconds: Int, mostReasons: Int) {
        self.nanoseconds.addOrMost(nanoseconds)
        switch outcome {
        case .agreed: agreed.addOrMost(1)
        case .differed: differed.addOrMost(1)
        case .failed: failed.addOrMost(1)
        case .incomparable(let reason):
            incomparable.addOrMost(1)
            let known = reasons[reason] != nil || reasons.count < mostReasons ? reason : "other"
            reasons[known, default: 0].addOrMost(1)
        }
    }
}
