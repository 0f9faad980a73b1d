public import PatchCrypto

/// Tests expect errors by their codes.
extension PatchError: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
