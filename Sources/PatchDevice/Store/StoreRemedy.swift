import PatchCrypto

/// A remedy for an error of a device's folder. A tool words it in terms of its own verbs.
package enum StoreRemedy: PatchError.Remedy {
    /// Sync, which makes the state.
    case sync
}
