/// A class whose objects' methods scripts may call.
package struct ExposedClass: Sendable {
    /// The Swift type; nil for a class that is known only by its name.
    let type: ObjectIdentifier?
    /// The type's own name for scripts, if it is not the name under which it is exposed.
    let typeName: String?
    package let name: String
    let methods: [ExposedMethod]
}

package struct ExposedMethod: Sendable {
    let name: String
    /// The types of the arguments without the object, and of the result.
    let signature: FunctionType
    let body: Body

    enum Body: Sendable {
        /// Calls the method with the object at 1, and returns how many results it has pushed, or a ``CallbackResult``.
        case synchronous(@Sendable (_PatchStack) -> Int32)
        /// Reads the object and the arguments, beginning at the place of the object, and returns a function to await;
        /// nil after it has pushed an error.
        case asynchronous(@Sendable (_PatchStack, Int32) -> (@Sendable () async -> @Sendable (_PatchStack) -> Bool)?)
    }
}

extension ExposedMethod {
    package init(name: String, signature: FunctionType, invoke: @escaping @Sendable (_PatchStack) -> Int32) {
        self.init(name: name, signature: signature, body: .synchronous(invoke))
    }
}
