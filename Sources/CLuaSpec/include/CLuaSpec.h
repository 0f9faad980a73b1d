// The parts of Lua that only specs have: all of its libraries, and specs.lua.
#pragma once

#include <lua.h>
#include <stddef.h>

/// Opens all of Lua's libraries, `io` and `os` too (`luaL_openlibs`).
void pp_open_all_libraries(lua_State *L);

/// The bytes of specs.lua.
const unsigned char *pp_specs(size_t *size);
