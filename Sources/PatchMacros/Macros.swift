#if Macros
    import PatchRunner

    /// Lets patches replace the function that it is attached to. Its type registers it: see ``Patches()``.
    ///
    ///     @Patches final class Cart {
    ///         @Patchable func total(price: Double, quantity: Int) -> Double { price * Double(quantity) }
    ///     }
    ///
    /// The function keeps its labels, default arguments, isolation and errors. Its original body answers while no patch
    /// is active on its name. The macro adds a static `PatchPoint` to the type: `$` and the last part of the name, here
    /// `Cart.$total`.
    ///
    /// - Parameter name: The name that patches use. By default, it is the name of the type and the function:
    ///   `Cart.total`. Functions with the same name, and overrides, need names of their own, which differ in their last
    ///   part.
    @attached(body)
    @attached(peer, names: arbitrary)
    public macro Patchable(_ name: String? = nil) = #externalMacro(module: "PatchMacroPlugin", type: "PatchableMacro")

    /// Adds `registerPatches(in:)` to a type, which registers each of its functions that is `@Patchable`.
    ///
    ///     try Cart.registerPatches(in: registry)
    ///
    /// Functions in an extension are registered manually: `try registry.register(Cart.$total, Cart.$title)`. One that
    /// only some versions of a platform have (`@available(iOS 26, *)`) must be in one.
    @attached(member, names: named(registerPatches))
    public macro Patches() = #externalMacro(module: "PatchMacroPlugin", type: "PatchesMacro")

    /// Lets patches see a struct as a table: declares its stored properties as the fields of a `PatchStruct`, in their
    /// order.
    ///
    ///     @PatchStruct struct Item {
    ///         var name: String
    ///         var price: Double
    ///         @PatchOmitted var id = UUID()
    ///     }
    ///
    /// In a module whose default isolation is an actor, write `@PatchStruct nonisolated struct Item`.
    @attached(extension, conformances: PatchStruct, names: named(patchFields))
    public macro PatchStruct() = #externalMacro(module: "PatchMacroPlugin", type: "PatchStructMacro")

    /// Leaves a property of a `@PatchStruct` out of the fields. It needs a default value, which it has after each
    /// patched call.
    @attached(peer)
    public macro PatchOmitted() = #externalMacro(module: "PatchMacroPlugin", type: "PatchOmittedMacro")

    /// The error of a `@Patchable` function with a typed error. It has a value for the errors that a patch throws.
    public protocol ExpressibleByScriptError: Error {
        /// Makes the error from an error that a patch has thrown: a `ScriptError`, or one of a function that its script
        /// called.
        init(thrownByPatch: any Error)
    }
#endif
