// A root package builds all of its targets, whatever its traits are, so without the trait this is a program that does
// nothing.
#if !Macros
    @main struct NoPlugin {
        static func main() {}
    }
#elseif canImport(SwiftCompilerPlugin)
    import SwiftCompilerPlugin
    import SwiftSyntaxMacros

    @main struct Plugin: CompilerPlugin {
        let providingMacros: [any Macro.Type] = [
            PatchableMacro.self, PatchesMacro.self, PatchStructMacro.self, PatchOmittedMacro.self,
        ]
    }
#endif
