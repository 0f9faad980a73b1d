internal import CLuaBridge

/// A layer as a cell holds it: its address, or 0, and its number, which no later layer at this address has.
@frozen @usableFromInline
package struct LayerReference: Equatable, Sendable {
    @usableFromInline let address: UInt
    @usableFromInline let number: UInt

    init(address: UInt = 0, number: UInt = 0) {
        self.address = address
        self.number = number
    }
    init(_ place: pp_place) {
        address = place.layer
        number = place.number
    }
}

/// A patch's replacement of one name. It lies on that name's stack of replacements while the patch is active.
@safe package struct Layer: Sendable, Equatable {
    nonisolated(unsafe) let pointer: OpaquePointer
    /// The next version of the patch has a layer at the same address, with another number.
    let number: UInt

    init(_ pointer: OpaquePointer) { unsafe self.init(pointer, number: pp_layer_number(pointer)) }

    init(_ pointer: OpaquePointer, number: UInt) {
        unsafe self.pointer = unsafe pointer
        self.number = number
    }

    package static func == (left: Layer, right: Layer) -> Bool { left.reference == right.reference }

    package var name: String { unsafe String(cString: pp_layer_name(pointer)) }

    /// The script and the line on which its function begins; nil for a function of the Lua library.
    package func place(in lua: LuaState) -> (script: String, line: Int)? { unsafe place(in: lua.main) }

    /// The same, in a state that this thread is in.
    @unsafe func place(in state: OpaquePointer) -> (script: String, line: Int)? {
        var script: UnsafePointer<CChar>?
        let line = unsafe pp_layer_line(state, pointer, &script)
        guard line > 0, let script = unsafe script else { return nil }
        return unsafe (String(cString: script), Int(line))
    }

    /// The number of parameters of its function, without `...`; 0 for a function of the Lua library.
    package func parameters(in lua: LuaState) -> Int { unsafe Int(pp_layer_parameters(lua.main, pointer)) }

    var address: UInt { unsafe UInt(bitPattern: pointer) }
    var reference: LayerReference { LayerReference(address: address, number: number) }

    /// Pushes the `otherwise`; for an error, its message and its code. Returns whether it is an error.
    func pushOtherwise() -> Bool { unsafe pp_push_otherwise(pointer) }

    package var hasOtherwise: Bool { unsafe pp_has_otherwise(pointer) }

    var statistics: pp_statistics { unsafe pp_layer_statistics(pointer) }
    /// How many asynchronous calls of its patch wait, including calls of other functions.
    var waitingCalls: Int { Int(clamping: unsafe pp_waiting_calls(pp_layer_patch(pointer))) }
    /// The queue for an instance of its patch.
    @unsafe var queue: OpaquePointer? { unsafe pp_patch_queue(pp_layer_patch(pointer)) }
    /// How many instances its patch has.
    var instances: Int { unsafe Int(pp_instance_count(pp_layer_patch(pointer))) }
    /// Closes instances of its patch, until its memory is enough for the others. A call of this thread is in the patch.
    func shrink() { unsafe pp_shrink(pp_layer_handle(pointer)) }
    /// Counts a failure, and that something else answers. Returns false and counts nothing if it is on no name any
    /// more.
    func countFailure() -> Bool { unsafe pp_count_failure(pointer) }
    /// Counts that something else answers.
    func countFallback() { unsafe pp_count_fallback(pointer) }

    /// Whether it is a barrier: a layer above the layers of patches that refuses each call.
    var isBarrier: Bool { unsafe pp_is_barrier(pointer) }

    /// The cell that holds the layer below it. It lives as long as this layer.
    @unsafe var cellBelow: UnsafeMutableRawPointer { unsafe pp_cell_below(pointer) }

    /// The layer below it, which may be closed by now.
    var below: LayerReference { unsafe LayerReference(pp_cell_get(cellBelow)) }

    /// Lets calls enter it, unless its breaker is open.
    func admit(isOpen: Bool) { unsafe pp_layer_admit(pointer, isOpen) }

    /// Lets the next call of this thread enter it, although its breaker is open.
    func allowTry() { unsafe pp_layer_try(pointer) }
    /// Ends that. Returns whether a call has entered it.
    func endTry() -> Bool { unsafe pp_layer_end_try(pointer) }

    /// Puts it on a layer, to which its calls go on; with nil on the original.
    func put(above below: Layer?) { unsafe pp_cell_set(cellBelow, below?.pointer) }
}
