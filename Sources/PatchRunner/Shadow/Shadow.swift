internal import PatchCrypto
internal import PatchText
internal import Synchronization

/// A call that was answered, as a patch in shadow sees it. It is used only while the call lasts, on its thread or in
/// its task.
struct AnsweredCall {
    /// An outcome, and the arguments that led to it. The call that is compared reads it, on its thread or in its task.
    /// A task that the app has made in the call may note another one.
    struct Part: @unchecked Sendable {
        let pushArguments: (_PatchStack) -> Void
        /// Pushes the outcome. Returns false if it is an error.
        let pushOutcome: (_PatchStack) -> Bool
    }

    /// How many arguments and results there are.
    let count, results: Int32
    let answer: Part
    /// What `original` does for the script; nil if that is not known, because an older version of the patch has not
    /// called it.
    let original: Part?
    /// Whether the answer is that of `original`: no older version of the patch has given it.
    let isOfOriginal: Bool
    /// The error that the call has thrown; nil if it has returned.
    let error: (any Error)?
}

/// An error of a test's function that says nothing about the app's.
package protocol UnansweredCall: Error {
    /// Why a call that ended with it cannot be compared.
    var reason: String { get }
}

/// The script of a patch in shadow.
protocol ShadowRunner: AnyObject, Sendable {
    var reports: PatchEventSink { get }
    var limits: PatchLimits { get }
    /// The names of fields, which an example may show.
    var fieldNames: Set<String> { get }

    /// Runs the script for a call, and counts how that ended.
    func run(_ shadow: Shadow, beside call: AnsweredCall)
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

    private static let mostExamples = 3
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

    var total: RunnerEvent.Comparison { counts.locked { $0.total } }

    /// Counts a run. The first examples are reported at once, and counts after a minute.
    func count(_ run: RunnerEvent.Comparison) {
        let (due, awaits) = counts.locked { counts -> (RunnerEvent.Comparison?, Bool) in
            counts.total.add(run)
            counts.new.add(run)
            if run.example != nil, counts.examples < Self.mostExamples {
                counts.examples += 1
                return (counts.takeNew(), false)
            }
            counts.new.examples = []
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

    private func report(_ new: RunnerEvent.Comparison) {
        reports.emit(.compared(.init(patch, function: function, new)))
    }
}
