import PatchDevice

extension StoreRemedy {
    /// The remedy in terms of the command line.
    var hint: String {
        switch self {
        case .sync: "patchpack sync makes one"
        }
    }
}
