internal import CLua

/// The Lua library of this process.
package enum LuaLibrary {
    /// Its release, such as `5.4.4`.
    package static var version: String { "\(LUA_VERSION_MAJOR).\(LUA_VERSION_MINOR).\(LUA_VERSION_RELEASE)" }

    /// Runs a small script in a state of its own.
    ///
    /// - Returns: Whether it gave the right answer, and precompiled code was refused.
    package static func works() -> Bool {
        guard let state = unsafe luaL_newstate() else { return false }
        defer { unsafe lua_close(state) }
        let script = "local sum = 0; for i = 1, 10 do sum = sum + i end; return sum"
        // Loading and protected calls catch their own errors; nothing here can raise.
        guard unsafe luaL_loadbufferx(state, script, script.utf8.count, "doctor", "t") == LUA_OK,
            unsafe lua_pcallk(state, 0, 1, 0, 0, nil) == LUA_OK, unsafe lua_tointegerx(state, -1, nil) == 55
        else { return false }
        let precompiled = "\u{1B}Lua"
        return unsafe luaL_loadbufferx(state, precompiled, precompiled.utf8.count, "doctor", "t") == LUA_ERRSYNTAX
    }
}
