// The contents of a script's state.

#pragma once

#include "budget.h"

/// A function of the sandbox, and the Lua function that it calls; `PP_LUA_FUNCTIONS` if it calls none.
typedef struct wrapped {
    const char *name;
    lua_CFunction function;
    enum pp_lua_function lua_function;
} wrapped;

/// The wrapped functions of each library. The last row has no name.
extern const wrapped pp_string_functions[], pp_utf8_functions[], pp_math_functions[], pp_table_functions[];
/// find, match, gmatch and gsub, which call no function of Lua's.
extern const luaL_Reg pp_pattern_functions[];

/// The most conversions of a format, and the most results of `table.unpack`, `string.byte` and `utf8.codepoint`.
enum { MOST_VALUES = 250 };

void pp_install_sandbox(lua_State *L);
/// Adds the tables patch, host and log, and the functions `require` and `waxClass`.
void pp_install_script_api(lua_State *L);
void pp_install_host(lua_State *L);
/// As `luaL_tolstring`, but without addresses.
const char *pp_to_string(lua_State *L, int index, size_t *length);
/// Replaces an error at 1 with its text. A value that has none, such as a table without a `__tostring`, is described.
int pp_error_words(lua_State *L);
void pp_write_log(lua_State *L, int32_t level, const char *text, size_t length);
/// `host.call`: calls a registered function, which the script names by the first argument.
int pp_call_host(lua_State *L);
/// Calls a method of a host object, or a function of `pp_add_function`. Its numbers are the upvalues.
int pp_call_method(lua_State *L);
int pp_call_original(lua_State *L);
int pp_wax_class(lua_State *L);
/// Pushes the table of a class's functions, and creates it if it does not exist.
void pp_push_class(lua_State *L, const char *name);

/// Sets a field of the table on top to a function.
static inline void set_function(lua_State *L, const char *name, lua_CFunction function) {
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
}

/// Lets no script get or replace the metatable on top.
static inline void hide_metatable(lua_State *L) {
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable");
}

/// Ends a callback of the host: raises the error that it left, if it left one.
static inline int finish_callback(pp_state *state, lua_State *L, int count) {
    raise_if_killed(L);
    pp_activation *call = state->activation;
    if (__builtin_expect(call && call->refused, 0)) {
        call->refused = false;
        WITH_RUNNER(state, state->session.host.refusal(state->session.context, L));
        return lua_error(L);
    }
    return count < 0 ? lua_error(L) : count;
}

static inline int call_lua(lua_State *L, enum pp_lua_function which) { return state_of(L)->lua_functions[which](L); }

/// Ends the run if no string can be that long.
static inline void check_string_length(lua_State *L, uint64_t bytes) {
    pp_state *state = state_of(L);
    if (bytes > (uint64_t)state->session.limits.string_bytes) pp_kill_run(L, PP_STRING);
    if (bytes > (uint64_t)state->session.limits.hard_memory) pp_kill_run(L, PP_MEMORY);
}

/// Charges for a string of this size, if there can be one.
static inline void reserve(lua_State *L, uint64_t bytes) {
    check_string_length(L, bytes);
    charge_bytes(L, bytes);
}

/// The length of an argument that must be a string.
static inline size_t string_length(lua_State *L, int index) {
    size_t length;
    luaL_checklstring(L, index, &length);
    return length;
}
