// The parts of Lua that only the workbench has: all of its libraries, for specs, and the place where its compiler stops.
#ifndef CLUAWORKBENCH_H
#define CLUAWORKBENCH_H

#include <lua.h>
#include <stddef.h>

/// Opens all of Lua's libraries, `io` and `os` too (`luaL_openlibs`).
void pp_open_all_libraries(lua_State *L);

/// The place where Lua's compiler stops in a script with an error: how many bytes its lexer has read as tokens. -1 if there is no
/// error.
///
/// Call it only for a script that has failed within limits: nothing here limits time or memory.
ptrdiff_t pp_error_offset(const char *bytes, size_t length);

/// The bytes of specs.lua.
const unsigned char *pp_specs(size_t *size);

#endif
