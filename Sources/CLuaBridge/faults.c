// Where and why a run failed.

#include "internal.h"

#include <string.h>

/// Finds where an error was raised: the innermost line of Lua code.
void pp_find_fault(lua_State *L, int level) {
    pp_state *state = state_of(L);
    lua_Debug where;
    state->fault_line = 0;
    state->fault_script[0] = 0;
    for (; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        state->fault_line = where.currentline;
        strncpy(state->fault_script, where.source + 1, sizeof state->fault_script - 1);
        state->fault_script[sizeof state->fault_script - 1] = 0;
        return;
    }
}

int pp_handler(lua_State *L) {
    pp_find_fault(L, 1);
    return 1;
}

void pp_fault_of(lua_State *L, pp_fault *fault) {
    pp_state *state = state_of(L);
    *fault = (pp_fault){.kill = state->budget.kill, .line = state->fault_line, .script = state->fault_script};
    void *error = luaL_testudata(L, -1, PP_ERROR);
    if (error) fault->host_error = *(int64_t *)error;
}
