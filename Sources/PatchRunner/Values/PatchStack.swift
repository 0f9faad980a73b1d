/// The stack on which a call's values are passed between Swift and a script.
///
/// A stack is valid only while the function that received it runs.
@frozen @safe
public struct _PatchStack {
    @usableFromInline package let state: OpaquePointer

    @usableFromInline
    package init(_ state: OpaquePointer) { unsafe self.state = unsafe state }
}
