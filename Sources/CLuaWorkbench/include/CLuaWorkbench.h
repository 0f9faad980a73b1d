// All of Lua's libraries, which specs have and apps do not have. Only the workbench links them.
#ifndef CLUAWORKBENCH_H
#define CLUAWORKBENCH_H

#include <lua.h>
#include <stddef.h>

/// Opens all of Lua's libraries, `io` and `os` too (`luaL_openlibs`).
void pp_open_all_libraries(lua_State *L);

/// The bytes of specs.lua.
const unsigned char *pp_specs(size_t *size);

#endif
