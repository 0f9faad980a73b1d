// Where and why a run failed.

#include "calls.h"

#include <stdio.h>
#include <string.h>

/// Finds where an error was raised: the innermost line of Lua code.
void pp_find_fault(lua_State *L, int level) {
    pp_state *state = state_of(L);
    lua_Debug where;
    state->session.fault_line = 0;
    state->session.fault_script[0] = 0;
    for (; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        state->session.fault_line = where.currentline;
        strncpy(state->session.fault_script, where.source + 1, sizeof state->session.fault_script - 1);
        state->session.fault_script[sizeof state->session.fault_script - 1] = 0;
        return;
    }
}

int pp_handler(lua_State *L) {
    pp_find_fault(L, 1);
    return 1;
}

void pp_fault_of(lua_State *L, pp_fault *fault) {
    pp_state *state = state_of(L);
    *fault = (pp_fault){.kill = state->budget.kill, .line = state->session.fault_line, .script = state->session.fault_script};
    void *error = luaL_testudata(L, -1, PP_ERROR);
    if (error) fault->host_error = *(int64_t *)error;
}

int32_t pp_kill_of(lua_State *L) { return state_of(L)->budget.kill; }

const char *pp_fault_message(lua_State *L, size_t *length) {
    const pp_state *state = state_of(L);
    char line[32];
    const char *message = pp_read_string(L, -1, length);
    if (!message || state->session.fault_line <= 0) return message;
    size_t name = strlen(state->session.fault_script);
    size_t rest = (size_t)snprintf(line, sizeof line, ":%d: ", (int)state->session.fault_line);
    if (*length < name + rest || memcmp(message, state->session.fault_script, name) != 0
        || memcmp(message + name, line, rest) != 0)
        return message;
    *length -= name + rest;
    return message + name + rest;
}
