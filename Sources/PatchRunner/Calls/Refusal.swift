internal import CLuaBridge

/// Why a layer was not entered, so that what is below it answers.
struct Refusal {
    /// The layer that refused; nil if none was on the name.
    let layer: Layer?
    /// A `pp_refusal`.
    let reason: UInt32

    init(_ reason: pp_refusal, by layer: Layer?) {
        self.layer = layer
        self.reason = reason.rawValue
    }

    /// The bridge's form: the address of a `pp_layer`, with a `pp_refusal` in its three lowest bits.
    init(bits: UInt) {
        layer = unsafe OpaquePointer(bitPattern: bits & ~7).map { unsafe Layer($0) }
        reason = UInt32(bits & 7)
    }

    /// Whether all instances of the patch are taken, and there may be another one.
    var mayGrow: Bool { reason == PP_MAY_GROW.rawValue }

    /// Whether another call is in the patch, and this one may wait.
    var isTransient: Bool { reason == PP_BUSY.rawValue }

    /// What the host is told of it; nil if it was told before, or no patch is on the name.
    var event: RunnerEvent.Fallback? {
        switch reason {
        case PP_BUSY.rawValue: .busy
        case PP_NO_ROOM.rawValue: .noRoom
        case PP_CROWDED.rawValue: .waiting
        case PP_KILLED.rawValue: .ended
        case PP_OPEN.rawValue: .otherwise
        default: nil
        }
    }

    /// The reason in metrics, which count those too that the host is not told of.
    var metricReason: String? { event?.rawValue ?? (isRepeated ? "nested" : nil) }

    /// Whether an earlier call in the same run was refused, and the host was told.
    var isRepeated: Bool { reason == PP_REFUSED_AGAIN.rawValue }
}
