import Foundation
import PatchRunner
import TestSupport
import Testing

@Suite(.ownThreads) struct LuaLibraryTests {
    @Test func luaLibraryThisProcessHasNoFault() { #expect(LuaLibrary.fault == nil) }

    #if os(Linux)
        /// The table of library.c has a function of each object file that the tool uses, also by Lua's macros, and of
        /// no other. Lua's archive tells which functions a file has. `luaL_openlibs` belongs to PatchSpec, and
        /// `lua_ident` is no function.
        @Test(.enabled(if: Tool.beside("patchpack") != nil, "the tool is not built with these tests"))
        func luaLibraryUsedObjectFilesAreChecked() throws {
            let source = try String(contentsOfFile: Tool.root + "/Sources/CLuaBridge/library.c", encoding: .utf8)
            let known = source.matches(of: /FUNCTION\((lua\w+)\)/).map { String($0.1) }
            let used = try Tool.shell(#"nm -D --undefined-only "$1" | grep -oE '\blua(L|open)?_\w+'"#, Tool.patchpack)
                .lines
            let archive = try Tool.shell("nm -A --defined-only /usr/lib/*/liblua5.4.a").text
            let objects = Dictionary(
                archive.matches(of: /:(\w+\.o):\w+ T (\w+)/).map { (String($0.2), String($0.1)) },
                uniquingKeysWith: { first, _ in first })
            #expect(known.count > 1 && used.count > 50 && objects.count > 100)
            #expect(
                Set(known.map { objects[$0] })
                    == Set(used.filter { !["luaL_openlibs", "lua_ident"].contains($0) }.map { objects[$0] }))
        }
    #endif
}
