#include "CLuaWorkbench.h"

#include <lualib.h>

void pp_open_all_libraries(lua_State *L) { luaL_openlibs(L); }
