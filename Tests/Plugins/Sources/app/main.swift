import PatchCrypto
import PatchRunner

// The source written by the build plug-in.
let key = try VerifyingKey(pem: PatchResources.trustedKey)
let registry = PatchRegistry()
let total = try registry.replaceable("Cart.total") { (price: Double, quantity: Int) -> Double in
    price * Double(quantity)
}
print("trusts \(key.algorithm.rawValue), root of \(PatchResources.root.count) bytes, total \(total(2, 3))")
