// The functions that patchpack offers to a script: `patch`, `host`, `log`, `require` and the original.

#include "calls.h"
#include "sandbox.h"

#include <string.h>

/// In the registry: the scripts that `require` has loaded, and the metatable of the errors that `host.error` makes.
static const char loaded_key, error_key;

/// Ends a callback of the host: raises the error that it left, if it left one.
static inline int finish(pp_state *state, lua_State *L, int count) {
    raise_if_killed(L);
    pp_activation *call = state->activation;
    if (__builtin_expect(call && call->refused, 0)) {
        call->refused = false;
        WITH_RUNNER(state, state->session.host.refusal(state->session.context, L));
        return lua_error(L);
    }
    return count < 0 ? lua_error(L) : count;
}

/// The most bytes of an error's text that are passed to the host.
enum { LONGEST_MESSAGE = 4096 };

// MARK: the original

/// Raises an error if less than half of the promised C stack is left for the host's own function.
static inline void leave_c_stack(lua_State *L) {
    if (__builtin_expect(!has_stack(state_of(L)->session.limits.stack_bytes / 2), 0)) luaL_error(L, "C stack overflow");
}

/// Makes room on the stacks for a callback of the host, which cannot raise an error itself.
static void make_room(lua_State *L) {
    if (__builtin_expect(!lua_checkstack(L, HOST_STACK), 0)) luaL_error(L, "stack overflow");
    leave_c_stack(L);
}

/// Makes this Lua stack the one on which the host calls back into the state. Returns the one before it.
static inline lua_State *enter_host(pp_state *state, lua_State *L) {
    lua_State *outer = state->activation->L;
    state->activation->L = L;
    script_ends(state);
    return outer;
}

/// Charges for a callback that called no function of the host: it read the arguments, and made a message about them.
static void refuse_arguments(pp_state *state, lua_State *L) {
    state->session.host_since = state->session.host_cpu_since = 0;
    charge(L, 100);
}

/// Undoes `enter_host`. Checks the memory, which now includes the values that the host returned.
static inline void leave_host(pp_state *state, lua_State *L, lua_State *outer) {
    script_begins(state);
    host_ends(state);
    state->activation->L = outer;
    if (__builtin_expect(state->session.used - state->session.lent > state->session.limits.soft_memory, 0)) pp_look(L);
}

static int wait_ended(lua_State *L, int status, lua_KContext context) {
    (void)status;
    (void)context;
    bool succeeded = lua_toboolean(L, 1);
    lua_remove(L, 1);
    return succeeded ? lua_gettop(L) : lua_error(L);
}

static int wait_for_host(lua_State *L, pp_activation *call, int32_t step) {
    if (!lua_isyieldable(L))
        return luaL_error(L, "an asynchronous function cannot be called inside sort, gsub or a callback");
    call->step = step;
    return lua_yieldk(L, lua_gettop(L), 0, wait_ended);
}

int pp_call_original(lua_State *L) {
    pp_layer *layer = lua_touserdata(L, lua_upvalueindex(1));
    pp_state *state = state_of(L);
    raise_if_killed(L);
    pp_activation *call = state->activation;
    while (call && call->layer != layer) call = call->outer;
    if (!call) return luaL_error(L, "the original of '%s' can be called only while its replacement runs", layer->name);
    if (call->originals >= state->session.limits.original_calls)
        return luaL_error(L, "the original of '%s' was already called: it runs once per call", layer->name);
    if (call->step >= 0) {
        if (call != state->activation) return luaL_error(L, "the original of '%s' cannot run in a nested call", layer->name);
        return wait_for_host(L, call, PP_ORIGINAL);
    }
    // A function of scalars needs no more Lua stack than every C function has.
    if (call->is_scalar)
        leave_c_stack(L);
    else
        make_room(L);
    lua_State *outer = enter_host(state, L);
    if (call->is_scalar) host_begins(state);
    int count = state->session.host.original(state->session.context, call->slot, &layer->below, call->record, L);
    if (count == PP_NOT_CALLED)
        refuse_arguments(state, L);
    else
        call->originals++;
    leave_host(state, L, outer);
    return finish(state, L, count);
}

static void push_original(lua_State *L, pp_layer *layer) {
    lua_pushlightuserdata(L, layer);
    lua_pushcclosure(L, pp_call_original, 1);
}

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
    lua_pushliteral(L, "otherwise");
    lua_rawget(L, 3);
}

static int patch_replace(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    bool has_options = !lua_isnoneornil(L, 3);
    if (has_options) luaL_checktype(L, 3, LUA_TTABLE);
    pp_layer *layer = pp_add_layer(L, luaL_checkstring(L, 1));
    lua_pushvalue(L, 2);
    push_original(L, layer);
    pp_set_functions(L, layer, false);
    if (has_options) {
        push_otherwise(L);
        pp_set_otherwise(L, layer);
    }
    return 0;
}

/// Calls the registered function whose name is at 1. Its arguments follow the name.
int pp_call_host(lua_State *L) {
    pp_state *state = state_of(L);
    size_t length;
    const char *name = luaL_checklstring(L, 1, &length);
    raise_if_killed(L);
    charge(L, 20);
    if (length > LONGEST_NAME) return luaL_error(L, "the host has no function with a name of %d bytes", (int)length);
    make_room(L);
    if (!state->activation) return luaL_error(L, "host.call works only in a replacement, not while the script loads");
    pp_activation *call = state->activation;
    lua_State *outer = enter_host(state, L);
    int count = state->session.host.call(state->session.context, name, length, L);
    if (count == PP_NOT_CALLED) refuse_arguments(state, L);
    leave_host(state, L, outer);
    if (count == PP_ASYNCHRONOUS) {
        if (call->step < 0)
            return luaL_error(L, "'%s' is asynchronous, but this replacement is not", name);
        return wait_for_host(L, call, PP_CALL);
    }
    return finish(state, L, count);
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
    lua_rawgetp(L, LUA_REGISTRYINDEX, &error_key);
    lua_setmetatable(L, 1);
    return 1;
}

bool pp_push_error_parts(lua_State *L) {
    if (lua_type(L, -1) != LUA_TTABLE || !lua_getmetatable(L, -1)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &error_key);
    bool is_error = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    if (!is_error) return false;
    lua_pushliteral(L, "message");
    lua_rawget(L, -2);
    lua_pushliteral(L, "code");
    lua_rawget(L, -3);
    lua_remove(L, -3);
    return true;
}

static int host_throw(lua_State *L) {
    pp_state *state = state_of(L);
    read_error(L);
    // While the script loads, there is no call that could throw an error of the host.
    if (!state->activation) return luaL_error(L, "%s", lua_tostring(L, 1));
    WITH_RUNNER(state, state->session.host.throws(state->session.context, L));
    return lua_error(L);
}

static int write_log(lua_State *L) {
    luaL_checkany(L, 1);
    pp_check_c_stack(L);
    size_t length;
    const char *text = pp_to_string(L, 1, &length);
    pp_state *state = state_of(L);
    if (state->session.loading && home_of(state) != state) return 0; // the first instance has logged it
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
    lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key); // 2
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
    finish(state, L, count);
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

static int call_method(lua_State *L) {
    pp_state *state = state_of(L);
    raise_if_killed(L);
    charge(L, 20);
    if (!state->activation) return luaL_error(L, "host methods can be called only in a replacement");
    int32_t class_index = (int32_t)lua_tointeger(L, lua_upvalueindex(1));
    int32_t method = (int32_t)lua_tointeger(L, lua_upvalueindex(2));
    make_room(L);
    pp_activation *call = state->activation;
    lua_State *outer = enter_host(state, L);
    int count = state->session.host.method(state->session.context, class_index, method, L);
    if (count == PP_NOT_CALLED) refuse_arguments(state, L);
    leave_host(state, L, outer);
    if (count == PP_ASYNCHRONOUS) {
        if (call->step < 0) return luaL_error(L, "this method is asynchronous, but this replacement is not");
        lua_pushinteger(L, method);
        lua_insert(L, 1);
        lua_pushinteger(L, class_index);
        lua_insert(L, 1);
        return wait_for_host(L, call, PP_CALL);
    }
    return finish(state, L, count);
}

void pp_add_function(lua_State *L, const char *table, const char *name, int32_t function) {
    if (lua_getglobal(L, table) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setglobal(L, table);
    }
    lua_pushinteger(L, -1);
    lua_pushinteger(L, function);
    lua_pushcclosure(L, call_method, 2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void pp_add_method(lua_State *L, const char *class_name, const char *name, int32_t class_index, int32_t method) {
    pp_push_class(L, class_name);
    lua_pushstring(L, name);
    lua_pushinteger(L, class_index);
    lua_pushinteger(L, method);
    lua_pushcclosure(L, call_method, 2);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

// MARK: installation

static void set_function(lua_State *L, const char *name, lua_CFunction function) {
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
}

void pp_install_host(lua_State *L) {
    pp_install_classes(L);
    lua_newtable(L);
    set_function(L, "call", pp_call_host);
    set_function(L, "has", host_has);
    set_function(L, "throw", host_throw);
    set_function(L, "error", host_error);
    lua_setglobal(L, "host");
    lua_newtable(L);
    lua_pushboolean(L, false);
    lua_setfield(L, -2, "__metatable"); // so that a script cannot make one, or change one
    lua_rawsetp(L, LUA_REGISTRYINDEX, &error_key);
}

void pp_install_script_api(lua_State *L) {
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
    lua_newtable(L);
    set_function(L, "replace", patch_replace);
    lua_setglobal(L, "patch");
    pp_install_host(L);
    lua_newtable(L);
    static const char *const levels[] = {"debug", "info", "warn", "error"};
    for (int i = 0; i < 4; i++) {
        lua_pushinteger(L, i);
        lua_pushcclosure(L, write_log, 1);
        lua_setfield(L, -2, levels[i]);
    }
    lua_setglobal(L, "log");
    lua_register(L, "require", require);
    lua_register(L, "waxClass", pp_wax_class);
}
