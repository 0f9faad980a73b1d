// The functions that patchpack offers to a script: `patch`, `host`, `log`, `require` and the original.

#include "calls.h"
#include "sandbox.h"

#include <string.h>

enum { LONGEST_MESSAGE = 4096 };

// MARK: patch and host

/// Pushes the only option, `otherwise`, of the table at 3. It may be nil.
static void push_otherwise(lua_State *L) {
    lua_pushnil(L);
    while (lua_next(L, 3)) {
        charge(L, 10);
        bool is_otherwise = lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "otherwise") == 0;
        if (!is_otherwise) luaL_error(L, "the third argument of patch.replace has only one member, `otherwise`");
        lua_pop(L, 1);
    }
    raw_field(L, 3, "otherwise");
}

static int patch_replace(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    bool has_options = !lua_isnoneornil(L, 3);
    if (has_options) luaL_checktype(L, 3, LUA_TTABLE);
    size_t length;
    const char *name = luaL_checklstring(L, 1, &length);
    pp_layer *layer = pp_add_layer(L, name, length);
    lua_pushvalue(L, 2);
    lua_pushlightuserdata(L, layer);
    lua_pushcclosure(L, pp_call_original, 1);
    pp_set_functions(L, layer, false);
    if (has_options) {
        push_otherwise(L);
        pp_set_otherwise(L, layer);
    }
    return 0;
}

static int host_has(lua_State *L) {
    pp_state *state = state_of(L);
    size_t length;
    const char *name = luaL_checklstring(L, 1, &length);
    charge(L, 20);
    bool has = false;
    if (length <= LONGEST_NAME) WITH_RUNNER(state, has = state->session.host.has(state->session.context, name, length));
    lua_pushboolean(L, has);
    return 1;
}

/// Leaves the message of an error of the host at 1, and its code or nil at 2.
static void read_error(lua_State *L) {
    lua_settop(L, 2);
    luaL_argexpected(L, lua_isnil(L, 2) || pp_read_integer(L, 2).is_there, 2, "integer");
    lua_pushcfunction(L, pp_error_words);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_replace(L, 1);
    size_t length = lua_rawlen(L, 1);
    raise_if_killed(L);
    charge_bytes(L, length);
    charge(L, 100);
    if (length > LONGEST_MESSAGE) {
        lua_pushlstring(L, lua_tostring(L, 1), LONGEST_MESSAGE);
        lua_replace(L, 1);
    }
}

/// Makes an error that a replacement's `otherwise` throws.
static int host_error(lua_State *L) {
    read_error(L);
    lua_createtable(L, 0, 2);
    lua_insert(L, 1);
    lua_setfield(L, 1, "code");
    lua_setfield(L, 1, "message");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &pp_error_key);
    lua_setmetatable(L, 1);
    return 1;
}

static int host_throw(lua_State *L) {
    pp_state *state = state_of(L);
    read_error(L);
    // While the script loads, there is no call that could throw an error of the host.
    if (!state->activation) return luaL_error(L, "%s", lua_tostring(L, 1));
    WITH_RUNNER(state, state->session.host.throws(state->session.context, L));
    return lua_error(L);
}

/// Writes a line to the log. Its level is the upvalue.
static int write_log(lua_State *L) {
    luaL_checkany(L, 1);
    pp_check_c_stack(L);
    size_t length;
    const char *text = pp_to_string(L, 1, &length);
    pp_state *state = state_of(L);
    if (state->session.loading && !state->session.adds_layers) return 0; // the first instance has logged it
    pp_write_log(L, (int32_t)lua_tointeger(L, lua_upvalueindex(1)), text, length);
    return 0;
}

// MARK: require

static int require(lua_State *L) {
    static const char loading;
    pp_state *state = state_of(L);
    size_t length;
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    if (lua_rawlen(L, 1) > LONGEST_NAME)
        return luaL_error(L, "the patch has no script with a name of %d bytes", (int)lua_rawlen(L, 1));
    charge_bytes(L, lua_rawlen(L, 1));
    luaL_gsub(L, lua_tostring(L, 1), ".", "/"); // a.b and a/b are the same script
    lua_replace(L, 1);
    const char *name = lua_tolstring(L, 1, &length);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "scripts"); // 2: those that are loaded
    lua_pushvalue(L, 1);
    if (lua_rawget(L, 2) != LUA_TNIL) {
        if (lua_touserdata(L, -1) == &loading) return luaL_error(L, "'%s' requires itself", name);
        return 1;
    }
    lua_pop(L, 1);
    charge(L, 100);
    pp_check_c_stack(L);
    int count;
    WITH_RUNNER(state, count = state->session.host.script(state->session.context, name, length, L));
    finish_callback(state, L, count);
    lua_pushvalue(L, 1);
    lua_pushlightuserdata(L, (void *)&loading);
    lua_rawset(L, 2);
    lua_pushvalue(L, 1);
    int status = lua_pcall(L, 1, 1, 0);
    if (status == LUA_OK && lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, true);
    }
    // A script that fails, or is ended, can be required again.
    lua_pushvalue(L, 1);
    if (status == LUA_OK)
        lua_pushvalue(L, -2);
    else
        lua_pushnil(L);
    lua_rawset(L, 2); // the key exists, so this needs no memory
    raise_if_killed(L);
    if (status == LUA_ERRMEM) pp_kill_run(L, memory_reason(state));
    return status == LUA_OK ? 1 : lua_error(L);
}

// MARK: methods

void pp_add_function(lua_State *L, const char *table, const char *name, int32_t function) {
    if (lua_getglobal(L, table) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setglobal(L, table);
    }
    lua_pushinteger(L, -1);
    lua_pushinteger(L, function);
    lua_pushcclosure(L, pp_call_method, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void pp_add_method(lua_State *L, const char *class_name, const char *name, int32_t class_index, int32_t method) {
    pp_push_class(L, class_name);
    lua_pushstring(L, name);
    lua_pushinteger(L, class_index);
    lua_pushinteger(L, method);
    lua_pushcclosure(L, pp_call_method, 2);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// MARK: installation

void pp_install_host(lua_State *L) {
    lua_newtable(L);
    set_function(L, "call", pp_call_host);
    set_function(L, "has", host_has);
    set_function(L, "throw", host_throw);
    set_function(L, "error", host_error);
    lua_setglobal(L, "host");
    lua_newtable(L);
    hide_metatable(L); // so that a script cannot make one, or change one
    lua_rawsetp(L, LUA_REGISTRYINDEX, &pp_error_key);
}

void pp_install_script_api(lua_State *L) {
    lua_newtable(L);
    set_function(L, "replace", patch_replace);
    lua_setglobal(L, "patch");
    pp_install_host(L);
    lua_newtable(L);
    static const char *const levels[] = {
        [PP_LOG_DEBUG] = "debug", [PP_LOG_INFO] = "info", [PP_LOG_WARNING] = "warn", [PP_LOG_ERROR] = "error"};
    for (int level = PP_LOG_DEBUG; level <= PP_LOG_ERROR; level++) {
        lua_pushinteger(L, level);
        lua_pushcclosure(L, write_log, 1);
        lua_setfield(L, -2, levels[level]);
    }
    lua_setglobal(L, "log");
    lua_register(L, "require", require);
    lua_register(L, "waxClass", pp_wax_class);
}
