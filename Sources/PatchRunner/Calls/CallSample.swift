internal import CLuaBridge
internal import PatchCrypto

/// A call, as one of the patches in shadow that it is compared with sees it.
struct SampledCall {
    let shadow: Shadow
    /// Whether a patch with a greater id answers the call.
    let isBelow: Bool
    /// If an older version of the patch answers: the address of the cell below that.
    let olderCell: UInt?
}

/// The calls of a function that are compared with its patches in shadow: each of them takes some, until its second
/// ends.
struct CallSample {
    /// The patches, and how many calls each of them takes until its second ends.
    private var members: [(shadow: Shadow, left: Int)] = []
    /// The barriers below older versions of patches in shadow, by the patches' ids. They are kept for calls that are on
    /// their way to one.
    private(set) var lowerBarriers: [String: Layer] = [:]

    var shadows: [Shadow] { members.map(\.shadow) }

    var isEmpty: Bool { members.isEmpty }

    var takesCalls: Bool { members.contains { $0.left > 0 } }

    /// The barrier below an older version of a patch, if calls are compared with the patch now.
    func lowerBarrier(of id: String) -> Layer? {
        members.contains { $0.left > 0 && $0.shadow.patch.id == id } ? lowerBarriers[id] : nil
    }

    mutating func add(_ shadow: Shadow) {
        let id = shadow.patch.id
        if lowerBarriers[id] == nil { lowerBarriers[id] = unsafe pp_new_barrier().map { unsafe Layer($0) } }
        members.append((shadow, shadow.limits.shadowCallsPerSecond))
    }

    mutating func removeShadow(of patch: any ShadowRunner) { members.removeAll { $0.shadow.runner === patch } }

    /// Takes a call.
    ///
    /// - Parameter topmost: The id of the patch that answers it, if there is one.
    /// - Returns: The patches that it is compared with, and those that take no more calls until ``fill(_:)``.
    mutating func take(answeredBy topmost: String?) -> (taken: [SampledCall], full: [Shadow]) {
        var taken: [SampledCall] = []
        var full: [Shadow] = []
        for place in members.indices where members[place].left > 0 {
            let shadow = members[place].shadow
            let id = shadow.patch.id
            let older = topmost == id ? lowerBarriers[id] : nil
            taken.append(
                SampledCall(
                    shadow: shadow, isBelow: topmost.map { id.hasBytes(before: $0) } ?? false,
                    olderCell: older.map { unsafe UInt(bitPattern: $0.cellBelow) }))
            guard members[place].left < .max else { continue }  // it takes all calls
            members[place].left -= 1
            if members[place].left == 0 { full.append(shadow) }
        }
        return (taken, full)
    }

    /// Lets a patch take calls again.
    mutating func fill(_ shadow: Shadow) {
        for place in members.indices where members[place].shadow === shadow {
            members[place].left = shadow.limits.shadowCallsPerSecond
        }
    }
}
