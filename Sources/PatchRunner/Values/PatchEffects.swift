/// What a function does besides answering.
public enum PatchEffects: Sendable {
    /// It may change anything.
    case any
    /// It changes nothing that anyone can observe, nor does anything that it calls. A patch in shadow may call it.
    case pure
}
