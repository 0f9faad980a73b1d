// What a script finds in its state.

#ifndef CLUABRIDGE_SANDBOX_H
#define CLUABRIDGE_SANDBOX_H

#include "budget.h"

/// Replaces Lua's globals by those of the sandbox.
void pp_install_sandbox(lua_State *L);
/// Adds find, match, gmatch and gsub to the table on top.
void pp_install_patterns(lua_State *L);
/// Adds the tables patch, host and log, and the functions `require` and `waxClass`.
void pp_install_script_api(lua_State *L);
/// Adds only the table `host`.
void pp_install_host(lua_State *L);
/// As `luaL_tolstring`, but without addresses.
const char *pp_to_string(lua_State *L, int index, size_t *length);
/// Writes a line to the host's log.
void pp_write_log(lua_State *L, int32_t level, const char *text, size_t length);
/// Pushes the table of a class's functions, and creates it if it does not exist.
void pp_push_class(lua_State *L, const char *name);

#endif
