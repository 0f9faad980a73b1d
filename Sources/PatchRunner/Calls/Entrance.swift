/// The outcome of an attempt to enter a patch.
@frozen @usableFromInline
package enum Entrance {
    /// The patch was entered. Its script has not answered, and the call has not ended.
    case entered(_PatchStack)
    /// The script's answer to a call of scalars, which has ended.
    case value(UInt64)
    /// The patch was not entered. The original must answer.
    case original
    /// The patch was not entered. Its script's `otherwise` answers: a reference for ``Otherwise/outcome(_:_:_:)``.
    case otherwise(UInt)
    /// The patch was not entered, because the call is instrumented. The cell holds the layer to be entered.
    case instrumented(LayerCell)
}
