// The Lua library of this process.

#include "CLuaBridge.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <lualib.h>

/// A function of each of Lua's object files that this module uses, and a function that only 5.4 has. Another Lua takes
/// the place of whole object files or of a whole library, and each function here has to be found at every start of a
/// program. LuaLibraryTests compares these object files with the object files of the functions that the tool imports.
static const struct function {
    const char *name;
    const void *address;
} functions[] = {
// clang-format off
#define FUNCTION(name) {#name, (const void *)name}
    // clang-format on
    FUNCTION(lua_newuserdatauv), // only in 5.4
    FUNCTION(lua_gettop), FUNCTION(luaL_error), FUNCTION(lua_getinfo), FUNCTION(lua_newstate), FUNCTION(lua_resume),
    FUNCTION(luaopen_base), FUNCTION(luaopen_math), FUNCTION(luaopen_string), FUNCTION(luaopen_table),
    FUNCTION(luaopen_utf8)};

const char *pp_lua_ident(void) { return lua_ident; }

pp_lua pp_find_lua(void) {
    // A file is loaded in one piece. So all functions are in one file if the lowest and the highest are.
    const struct function *lowest = functions, *highest = functions;
    for (const struct function *one = functions; one < functions + sizeof functions / sizeof *functions; one++) {
        if (one->address < lowest->address) lowest = one;
        if (one->address > highest->address) highest = one;
    }
    Dl_info low = {0}, high = {0};
    dladdr(lowest->address, &low);
    dladdr(highest->address, &high);
    bool is_one = low.dli_fbase == high.dli_fbase;
    return (pp_lua){
        .function = lowest->name,
        .other_function = highest->name,
        .file = low.dli_fname,
        .other_file = high.dli_fname,
        .is_one = is_one,
        // The `lua_version` of Lua 5.3 returns a pointer, but 5.3 lacks a function of the table.
        .is_right = is_one && lua_version(NULL) == LUA_VERSION_NUM,
    };
}
