// A script calls the host: the original of its replacement, a registered function, or a method.

#include "sandbox.h"

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

/// Undoes `enter_host`. Checks the memory, which now includes the values that the host returned.
static inline void leave_host(pp_state *state, lua_State *L, lua_State *outer) {
    script_begins(state);
    host_ends(state);
    state->activation->L = outer;
    if (__builtin_expect(script_bytes(state) > state->session.limits.soft_memory, 0)) pp_check_budget(L);
}

/// The same after a callback that called no function of the host: it read the arguments, and made a message about them.
static void refuse_arguments(pp_state *state, lua_State *L, lua_State *outer) {
    state->session.host_since = state->session.host_cpu_since = 0;
    leave_host(state, L, outer);
    charge(L, 100);
}

/// Continues a script that has waited: with results after true at 1, or with an error to raise after false.
static int wait_ended(lua_State *L, int status, lua_KContext context) {
    (void)status;
    (void)context;
    bool succeeded = lua_toboolean(L, 1);
    lua_remove(L, 1);
    return succeeded ? lua_gettop(L) : lua_error(L);
}

/// Raises an error where an asynchronous call cannot wait.
static void check_waits(lua_State *L) {
    if (!lua_isyieldable(L)) luaL_error(L, "an asynchronous function cannot be called inside sort, gsub or a callback");
}

/// Lets the script wait for what `step` says, with all values on the stack for the host.
static int wait_for_host(lua_State *L, pp_activation *call, int32_t step) {
    check_waits(L);
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
    if (call->originals >= state->session.limits.original_calls) {
        int most = state->session.limits.original_calls;
        if (most == 1)
            return luaL_error(L, "the original of '%s' was already called: it runs once per call", layer->name);
        return luaL_error(L, "the original of '%s' may run at most %d times per call", layer->name, most);
    }
    if (call->step >= 0) {
        if (call != state->activation)
            return luaL_error(L, "the original of '%s' cannot run in a nested call", layer->name);
        if (!call->record) return wait_for_host(L, call, PP_ORIGINAL);
        check_waits(L); // in shadow, the answer is known
    }
    // A function of scalars needs no more Lua stack than every C function has.
    if (call->is_scalar)
        leave_c_stack(L);
    else
        make_room(L);
    lua_State *outer = enter_host(state, L);
    if (call->is_scalar) host_begins(state);
    call->originals++; // before it runs, because what it calls may ask for it again
    int count = state->session.host.original(state->session.context, call->slot, &layer->below, call->record, L);
    if (count == PP_NOT_CALLED) {
        call->originals--;
        refuse_arguments(state, L, outer);
    } else {
        leave_host(state, L, outer);
    }
    return finish_callback(state, L, count);
}

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
    if (count == PP_NOT_CALLED)
        refuse_arguments(state, L, outer);
    else
        leave_host(state, L, outer);
    if (count == PP_ASYNCHRONOUS) {
        if (call->step < 0) return luaL_error(L, "'%s' is asynchronous, but this replacement is not", name);
        return wait_for_host(L, call, PP_CALL);
    }
    return finish_callback(state, L, count);
}

int pp_call_method(lua_State *L) {
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
    if (count == PP_NOT_CALLED)
        refuse_arguments(state, L, outer);
    else
        leave_host(state, L, outer);
    if (count == PP_ASYNCHRONOUS) {
        if (call->step < 0) return luaL_error(L, "this method is asynchronous, but this replacement is not");
        lua_pushinteger(L, method);
        lua_insert(L, 1);
        lua_pushinteger(L, class_index);
        lua_insert(L, 1);
        return wait_for_host(L, call, PP_CALL);
    }
    return finish_callback(state, L, count);
}
