// What specs have and apps have not: all of Lua's library. Only the workbench links it.
#ifndef CLUAWORKBENCH_H
#define CLUAWORKBENCH_H

#include <lua.h>

/// Opens every library of Lua, `io` and `os` too.
void pp_open_all_libraries(lua_State *L);

#endif
