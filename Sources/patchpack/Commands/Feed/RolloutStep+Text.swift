import PatchPublishing

extension RolloutStep.Reason {
    var text: String {
        switch self {
        case .unreadableEvents: "a file of events cannot be read"
        case .damagedLines(let count, let events): "\(count) lines beside \(events) events are damaged"
        case .young(let age, let soak): "this step is \(age.length) old, and lasts \(soak.length)"
        case .staleEvents(let lag): "the newest event is \(lag.length) old: are events still collected?"
        case .noEvents: "no event has come"
        case .fewDevices(let count, let needed):
            "\(count) of \(needed) new devices have reported since this step began"
        case .undecided(let gate): gate.change
        case .switchedOff: "all patches are switched off: patchpack feed enable"
        }
    }
}

extension Int {
    /// A number of seconds as a duration, in the largest suitable unit.
    var length: String {
        switch self {
        case ..<120: "\(Swift.max(0, self)) s"
        case ..<7200: "\(self / 60) min"
        case ..<172_800: "\(self / 3600) h"
        default: "\(self / 86_400) days"
        }
    }
}
