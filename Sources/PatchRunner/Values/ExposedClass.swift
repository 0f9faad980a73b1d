/// A class whose objects' methods scripts may call.
package struct ExposedClass: Sendable {
    /// The Swift type; nil for a class that is known only by its name.
    let type: ObjectIdentifier?
    package let name: String
    let methods: [ExposedMethod]
}

/// A method of an exposed class.
package struct ExposedMethod: Sendable {
    let name: String
    let signature: PatchSignature
    let invoke: @Sendable (PatchStack) -> Int32

    package init(
        name: String, signature: PatchSignature, invoke: @escaping @Sendable (PatchStack) -> Int32
    ) {
        self.name = name
        self.signature = signature
        self.invoke = invoke
    }
}
