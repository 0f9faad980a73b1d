// Where and why a run failed.

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The most lines of a stack, and its most bytes.
enum { FRAMES = 10, STACK_SIZE = 768 };

/// Adds the call at a level to the stack. Returns false if there is no room for it.
static bool add_frame(char *stack, lua_State *L, int level) {
    size_t length = strlen(stack), room = STACK_SIZE - length;
    lua_Debug where;
    lua_getstack(L, level, &where);
    lua_getinfo(L, "Sln", &where);
    // A field may have any string as its name.
    bool has_name = where.name && pp_is_name(where.name, strlen(where.name));
    int more = snprintf(stack + length, room, "%s%s:%d%s%s", length ? "\n" : "", where.source + 1, where.currentline,
        has_name ? ": in " : "", has_name ? where.name : "");
    if (more > 0 && (size_t)more < room) return true;
    stack[length] = 0;
    return false;
}

/// Describes the call at a level and those that led to it, if there are any.
static void describe_stack(pp_state *state, lua_State *L, int level) {
    lua_Debug where;
    int frames = 1;
    for (int caller = level + 1; frames < FRAMES && lua_getstack(L, caller, &where); caller++) {
        lua_getinfo(L, "l", &where);
        if (where.currentline <= 0) continue;
        if (!state->fault_stack && !(state->fault_stack = calloc(1, STACK_SIZE))) return;
        bool is_first = frames++ == 1;
        if (is_first && !add_frame(state->fault_stack, L, level)) return;
        if (!add_frame(state->fault_stack, L, caller)) return;
    }
}

void pp_find_fault(lua_State *L, int level) {
    pp_state *state = state_of(L);
    lua_Debug where;
    state->session.fault_line = 0;
    state->session.fault_script[0] = 0;
    if (state->fault_stack) state->fault_stack[0] = 0;
    for (; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        state->session.fault_line = where.currentline;
        strncpy(state->session.fault_script, where.source + 1, sizeof state->session.fault_script - 1);
        state->session.fault_script[sizeof state->session.fault_script - 1] = 0;
        describe_stack(state, L, level);
        return;
    }
}

int pp_handler(lua_State *L) {
    pp_find_fault(L, 1);
    return 1;
}

void pp_fault_of(lua_State *L, pp_fault *fault) {
    pp_state *state = state_of(L);
    *fault = (pp_fault){.kill = state->budget.kill,
        .line = state->session.fault_line,
        .script = state->session.fault_script,
        .stack = state->fault_stack};
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
