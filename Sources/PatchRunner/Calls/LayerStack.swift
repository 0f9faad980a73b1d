internal import CLuaBridge
internal import PatchCrypto
internal import PatchText

/// An active patch, to which layers belong.
protocol LayerOwner: AnyObject, Sendable {
    var reports: PatchEventSink { get }

    /// Makes another instance for the next call of this thread, which found the others taken.
    func makeInstance()
}

/// The patches that replace a name, and what is known of the layers that were put on it. Its ``Slot`` locks it.
struct LayerStack {
    struct ActiveLayer {
        let layer: Layer
        let patch: any LayerOwner
        let activation: Int
        /// How often calls could not enter it, by the reason.
        var refusals: [String: Int] = [:]
        /// Whether its breaker is open.
        var isOpen = false
        /// Whether calls do not meet it, because its breaker is open and it has no `otherwise`.
        var isOff = false

        var patchID: PatchID { patch.reports.patch }
        var id: String { patchID.id }

        /// Whether its place is below another layer. The closed version of a patch is above an older one.
        func isBelow(_ other: ActiveLayer) -> Bool {
            if id.isByteEqual(to: other.id) { return patchID.version < other.patchID.version }
            return id.hasBytes(before: other.id)
        }

        var total: Total { (patchID, activation, CallStatistics(layer.statistics)) }

        var measure: Measure {
            Measure(
                reports: patch.reports, calls: total.calls, refusals: refusals, waitingCalls: layer.waitingCalls,
                instances: layer.instances, isOpen: patch.reports.breaker.isOpen)
        }

        func state(on name: String) -> ReplaceableState.ActivePatch {
            let calls = total.calls
            return ReplaceableState.ActivePatch(
                patch: patchID, calls: calls.count, failures: calls.failures, fallbacks: calls.fallbacks,
                isBreakerOpen: patch.reports.breaker.isOpen(name),
                meanTime: calls.measured == 0 ? nil : .nanoseconds(calls.nanoseconds / calls.measured),
                longestTime: .nanoseconds(calls.longest))
        }
    }

    /// What is known of a layer that was put on the name.
    struct KnownLayer {
        let layer: Layer
        let patch: PatchID
        /// nil after the end of its runner.
        weak var listener: EventListener?
        /// The answer in its place when its script cannot answer.
        let otherwise: Otherwise?
    }

    /// The calls of a patch from an activation until now, or until its deactivation.
    typealias Total = (patch: PatchID, activation: Int, calls: CallStatistics)

    /// What metrics tell of an active patch.
    struct Measure {
        let reports: PatchEventSink
        let calls: CallStatistics
        let refusals: [String: Int]
        /// How many asynchronous calls of the patch wait, including calls of other functions.
        let waitingCalls: Int
        let instances: Int
        /// Whether the breaker of any of its functions is open.
        let isOpen: Bool
    }

    /// How many deactivated patches are remembered, so that the next query still finds their last calls.
    private static let mostEnded = 4

    let name: String
    /// The cell in which calls find the topmost layer.
    let top: LayerCell
    var isInstrumented = false
    /// The layers on the name, by the bytes of the patches' ids, the topmost last.
    private(set) var active: [ActiveLayer] = []
    /// How often the patches that were deactivated last were called, the newest last.
    private var ended: [Total] = []
    private(set) var sample = CallSample()
    private var activations = 0
    /// The layers that were put on the name, by their addresses. They are kept for calls that are in a layer that is
    /// gone, or on their way to one. The memory of a layer is used again only for a patch of the same id.
    private var known: [UInt: KnownLayer] = [:]
    /// Is above the layers if calls are instrumented, or compared with a patch in shadow, so that other calls have
    /// nothing to check.
    private var barrier: Layer?

    init(name: String, top: LayerCell) {
        self.name = name
        self.top = top
    }

    func freeBarriers() {
        for barrier in sample.lowerBarriers.values { unsafe pp_free_barrier(barrier.pointer) }
        unsafe pp_free_barrier(barrier?.pointer)
    }

    /// Puts a layer on the name. Returns what was known of the layer at its address, which is to end without the lock.
    mutating func put(
        _ layer: Layer, of patch: any LayerOwner, replacing old: (any LayerOwner)?, otherwise: Otherwise?
    ) -> KnownLayer? {
        if isInstrumented { makeBarrier() }
        activations += 1
        let new = ActiveLayer(layer: layer, patch: patch, activation: activations)
        let forgotten = known.updateValue(
            KnownLayer(layer: layer, patch: new.patchID, listener: patch.reports.listener, otherwise: otherwise),
            forKey: layer.address)
        if let old, let place = active.firstIndex(where: { $0.patch === old }) {
            end(active[place])
            active[place] = new
        } else {
            active.insert(new, at: active.firstIndex(where: new.isBelow) ?? active.count)
        }
        _ = follow(patch)
        return forgotten
    }

    /// Takes a patch's layer off. The layer above it then lies on the layer below it.
    mutating func remove(_ patch: any LayerOwner) {
        guard let place = active.firstIndex(where: { $0.patch === patch }) else { return }
        end(active.remove(at: place))
        link()
    }

    /// Lets calls enter a patch's layer, or not, as its breaker has it now. Returns the uptime until which calls do not
    /// meet it, if any.
    mutating func follow(_ patch: any LayerOwner) -> Duration? {
        guard let place = active.firstIndex(where: { $0.patch === patch }) else { return nil }
        var isOpen = true
        var pauseEnd: Duration?
        switch patch.reports.breaker.position(of: name) {
        case .closed: isOpen = false
        case .open(let end): if otherwise(at: active[place].layer.address) == nil { pauseEnd = end }
        case .halfOpen: break
        }
        active[place].isOpen = isOpen
        active[place].isOff = pauseEnd != nil
        link()
        return pauseEnd
    }

    mutating func put(_ shadow: Shadow) {
        makeBarrier()
        shadow.layer.admit(isOpen: false)
        sample.add(shadow)
        link()
    }

    mutating func removeShadow(of patch: any ShadowRunner) {
        sample.removeShadow(of: patch)
        link()
    }

    /// Takes a call into the samples of the patches in shadow, and returns those that are full now.
    mutating func takeSample() -> (taken: [SampledCall], full: [Shadow]) {
        let sampled = sample.take(answeredBy: active.last { !$0.isOff }?.id)
        if !sampled.full.isEmpty { link() }
        return sampled
    }

    mutating func fill(_ shadow: Shadow) {
        sample.fill(shadow)
        link()
    }

    private mutating func makeBarrier() {
        if barrier == nil { barrier = unsafe pp_new_barrier().map { unsafe Layer($0) } }
    }

    /// Puts each layer on the next one below it that calls meet, and the calls of the name on the topmost one.
    private func link() {
        var below: Layer?
        for (id, barrier) in sample.lowerBarriers {
            barrier.put(above: active.last { !$0.isOff && $0.id.hasBytes(before: id) }?.layer)
        }
        for each in active {
            each.layer.put(above: sample.lowerBarrier(of: each.id) ?? below)
            each.layer.admit(isOpen: each.isOpen)
            if !each.isOff { below = each.layer }
        }
        barrier?.put(above: below)
        let isObserved = sample.takesCalls || (isInstrumented && below != nil)
        let observer = isObserved ? barrier : nil
        unsafe pp_cell_set(top.address, (observer ?? below)?.pointer)
    }

    // MARK: what is known of layers

    /// What is known of a layer; nil if its memory is that of a later version now.
    private func known(_ layer: Layer) -> KnownLayer? {
        guard let latest = known[layer.address], latest.layer == layer else { return nil }
        return latest
    }

    /// The answer in place of the layer at an address that a call is in; nil if its script gives no `otherwise`.
    func otherwise(at address: UInt) -> Otherwise? { known[address]?.otherwise }

    /// The patch of an active layer, the layer below it, and the answer in its place.
    ///
    /// They are read at once. When the layer is gone, a later version of the patch may use its memory, which is another
    /// layer.
    func place(of layer: Layer) -> (owner: any LayerOwner, below: LayerReference, otherwise: Otherwise?)? {
        active.first { $0.layer == layer }.map { ($0.patch, layer.below, known(layer)?.otherwise) }
    }

    /// The layer in place of one that was taken off: of another version of its patch, or the next one below; nil if
    /// there is none.
    func replacement(of layer: Layer) -> Layer? {
        guard let id = known[layer.address]?.patch.id else { return nil }
        return active.last { !id.hasBytes(before: $0.id) }?.layer
    }

    /// Whether a cell is that of the barrier above all layers.
    func isAboveAll(_ cell: LayerCell) -> Bool { unsafe barrier?.cellBelow == cell.address }

    // MARK: counts

    /// The calls of the patches on the name, including the patches that were deactivated last.
    var totals: [Total] { ended + active.map(\.total) }

    /// Counts that a layer was entered in vain, or not at all, and returns what is known of it.
    mutating func countFallback(of layer: Layer, _ refusal: Refusal) -> KnownLayer? {
        if let place = active.firstIndex(where: { $0.layer == layer }) {
            layer.countFallback()
            if let reason = refusal.metricReason { active[place].refusals[reason, default: 0] += 1 }
        } else {
            countEnded(layer, failures: 0)
        }
        return known(layer)
    }

    /// Counts a call that a layer did not answer which is no longer active.
    mutating func countEnded(_ layer: Layer, failures: Int) {
        guard let patch = known(layer)?.patch, let place = ended.lastIndex(where: { $0.patch == patch }) else { return }
        ended[place].calls.failures.addOrMost(failures)
        ended[place].calls.fallbacks.addOrMost(1)
    }

    /// Remembers how often a layer was called that is no longer active.
    private mutating func end(_ layer: ActiveLayer) {
        if ended.count == Self.mostEnded { ended.removeFirst() }
        ended.append(layer.total)
    }
}

extension CallStatistics {
    fileprivate init(_ statistics: pp_statistics) {
        self.init()
        count = Int(clamping: statistics.calls)
        failures = Int(clamping: statistics.failures)
        fallbacks = Int(clamping: statistics.fallbacks)
        measured = Int(clamping: statistics.measured)
        nanoseconds = Int(clamping: statistics.nanoseconds)
        longest = Int(clamping: statistics.longest)
        guard measured > 0 else { return }
        times = unsafe withUnsafeBytes(of: statistics.times) {
            unsafe $0.bindMemory(to: UInt64.self).map { Int(clamping: $0) }
        }
    }
}
