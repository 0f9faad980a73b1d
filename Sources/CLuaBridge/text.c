// Values as text, and lines of the log.

#include "sandbox.h"

const char *pp_to_string(lua_State *L, int index, size_t *length) {
    index = lua_absindex(L, index);
    int type = lua_type(L, index);
    bool is_plain = type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER || type == LUA_TSTRING;
    if (!is_plain && luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
        pp_check_c_stack(L);
        lua_pop(L, 1);
        is_plain = true; // the metamethod is called, and no address is shown
    }
    if (is_plain) return luaL_tolstring(L, index, length);
    int name = luaL_getmetafield(L, index, "__name");
    if (name != LUA_TSTRING) {
        if (name != LUA_TNIL) lua_pop(L, 1);
        lua_pushstring(L, luaL_typename(L, index));
    }
    return lua_tolstring(L, -1, length);
}

void pp_write_log(lua_State *L, int32_t level, const char *text, size_t length) {
    pp_state *state = state_of(L);
    charge_bytes(L, length);
    charge(L, 100);
    WITH_RUNNER(state, state->session.host.log(state->session.context, level, text, length, L));
    host_ends(state);
}
