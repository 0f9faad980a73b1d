internal import CLuaBridge

/// The reason why a layer was not entered, so that something else must answer.
@usableFromInline struct Refusal {
    /// The layer that refused; nil if none was on the name.
    let layer: Layer?
    /// A `pp_refusal`; nil if the layer was taken off while a call was in a patch above it.
    let reason: UInt32?

    init(_ reason: pp_refusal?, by layer: Layer?) {
        self.layer = layer
        self.reason = reason?.rawValue
    }

    /// Decodes the bridge's form, on the thread that was refused: the address of a `pp_layer`, with a `pp_refusal` in
    /// its three lowest bits.
    init(bits: UInt) {
        layer = unsafe OpaquePointer(bitPattern: bits & ~7).map {
            unsafe Layer($0, number: pp_refused_number())
        }
        reason = UInt32(bits & 7)
    }

    /// Whether all instances of the patch are taken, and another one may be made.
    var mayGrow: Bool { reason == PP_MAY_GROW.rawValue }

    /// Whether the layer was no longer on the name.
    var isStale: Bool { reason == PP_UNPATCHED.rawValue }

    /// Whether the layer's breaker is open.
    var isOpen: Bool { reason == PP_OPEN.rawValue }

    /// Whether another call is in the patch, and this one may wait.
    var isTransient: Bool { reason == PP_BUSY.rawValue }

    /// The reason to report to the host; nil if it was already reported, or if no patch is on the name.
    var reported: RunnerEvent.Fallback.Reason? {
        switch reason {
        case PP_BUSY.rawValue: .busy
        case PP_NO_ROOM.rawValue: .noRoom
        case PP_CROWDED.rawValue: .waiting
        case PP_KILLED.rawValue: .ended
        case PP_OPEN.rawValue: .otherwise
        case nil: .deactivated
        default: nil
        }
    }

    /// The reason in metrics, which also count refusals that are not reported to the host.
    var metricReason: String? { reason == PP_REFUSED_AGAIN.rawValue ? "nested" : reported?.rawValue }
}
