internal import CLuaBridge
public import Synchronization

/// A place that holds a ``LayerReference``: to a slot's topmost layer, or to the layer below another one. The bridge
/// reads it.
@frozen @safe @usableFromInline
package struct LayerCell {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable package init(_ address: UnsafeMutableRawPointer) { unsafe self.address = unsafe address }

    @inlinable @inline(__always) package var isEmpty: Bool {
        unsafe address.assumingMemoryBound(to: Atomic<UInt>.self).pointee.load(ordering: .acquiring) == 0
    }

    var bits: UInt { unsafe UInt(bitPattern: address) }

    /// The layer in it, which may be closed by now.
    var content: LayerReference { unsafe LayerReference(pp_cell_get(address)) }
}

/// Where an asynchronous call finds the layer to enter.
@frozen @usableFromInline
package enum LayerPlace {
    case cell(LayerCell)
    case layer(LayerReference)

    func withCell<Value>(_ body: (LayerCell) -> Value) -> Value {
        switch self {
        case .cell(let cell): body(cell)
        case .layer(var layer): unsafe withUnsafeMutablePointer(to: &layer) { unsafe body(LayerCell($0)) }
        }
    }
}

/// The record of a running call, as the bridge holds it.
@frozen @safe @usableFromInline
package struct CallReference {
    @usableFromInline let address: UnsafeMutableRawPointer

    @inlinable package init(_ address: UnsafeMutableRawPointer) { unsafe self.address = unsafe address }
}

/// The data that a running call keeps for the bridge: its original, and the original's outcome after it has run.
@frozen @safe @usableFromInline
package struct CallRecord<Function, Value, Failure: Error> {
    /// A pointer to the caller's variable. A reference of the record's own would be counted for each call.
    @usableFromInline let original: UnsafePointer<Function>
    @usableFromInline package var outcome: Result<Value, Failure>?

    @inlinable package init(_ original: UnsafePointer<Function>) { unsafe self.original = unsafe original }

    @inlinable package static func at(_ reference: CallReference?) -> UnsafeMutablePointer<CallRecord>? {
        unsafe reference?.address.assumingMemoryBound(to: CallRecord.self)
    }
}
