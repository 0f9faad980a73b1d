internal import CLuaBridge
package import PatchCrypto

package enum LuaLibrary {
    /// The release of the loaded library, such as `5.4.4`, in a text like `$LuaVersion: Lua 5.4.4  Copyright`.
    package static var version: String {
        unsafe String(cString: pp_lua_ident()).split(separator: " ").dropFirst(2).first.map(String.init) ?? "5.4"
    }

    /// Why no patch can run in this process: `unavailable`; nil if patches can.
    ///
    /// Another Lua that is linked into the program, or loaded before it, may take the place of some functions.
    package static let fault: PatchError? = {
        let lua = unsafe pp_find_lua()
        guard unsafe !lua.is_right else { return nil }
        let file = unsafe name(lua.file)
        let message =
            unsafe lua.is_one
            ? "\(file) is not Lua 5.4"
            : "Lua is in two files: \(name(lua.function)) in \(file), and \(name(lua.other_function)) in \(name(lua.other_file))"
        return PatchError(
            .unavailable, message,
            hint:
                "the program has another Lua; put that one into a shared library that hides it, or take it out of LD_PRELOAD"
        )
    }()

    package static func check() throws(PatchError) { if let fault { throw fault } }

    private static func name(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? "an unknown file"
    }
}
