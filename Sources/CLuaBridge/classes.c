// Classes as scripts see them: tables with the functions that the app has registered, and the dialect of Wax and mPaaS,
// which replaces functions by assigning them.

#include "calls.h"
#include "sandbox.h"

#include <string.h>

/// In a class's table: its name.
static const char class_name_key;

/// Calls a registered function as a method. The class itself is not passed; an object is the first argument.
static int call_as_method(lua_State *L) {
    if (lua_rawequal(L, 1, lua_upvalueindex(2))) lua_remove(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    return pp_call_host(L);
}

/// Pushes the registered name of a class's function, `Class.name` or `Class:name`. The class's name and the function's
/// are strings at absolute indexes. Returns false, and pushes nothing, if there is none.
static bool push_registered_name(lua_State *L, int class_name, int name) {
    pp_state *state = state_of(L);
    size_t length = (size_t)lua_rawlen(L, class_name) + 1 + (size_t)lua_rawlen(L, name);
    for (int i = 0; i < 2; i++) {
        charge(L, 20);
        if (length > LONGEST_NAME) return false;
        lua_pushvalue(L, class_name);
        lua_pushstring(L, i == 0 ? "." : ":");
        lua_pushvalue(L, name);
        lua_concat(L, 3);
        const char *full = lua_tostring(L, -1);
        bool has = false;
        WITH_RUNNER(state, has = state->session.host.has(state->session.context, full, length));
        if (has) return true;
        lua_pop(L, 1);
    }
    return false;
}

/// Looks up a key that a class's table does not hold: the name of a registered function of the class.
static int find_in_class(lua_State *L) {
    if (lua_type(L, 2) != LUA_TSTRING) return 0;
    lua_settop(L, 2);
    lua_rawgetp(L, 1, &class_name_key); // 3
    if (!push_registered_name(L, 3, 2)) return 0;
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, call_as_method, 2);
    if (state_of(L)->session.loading) return 1; // the script may still replace it, but not if the table holds it
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    return 1;
}

static int assign_in_class(lua_State *L);

void pp_push_class(lua_State *L, const char *name) {
    luaL_checkstack(L, 8, NULL);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "classes");
    if (raw_field(L, -1, name) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushstring(L, name);
        lua_rawsetp(L, -2, &class_name_key);
        lua_createtable(L, 0, 3);
        set_function(L, "__index", find_in_class);
        set_function(L, "__newindex", assign_in_class);
        hide_metatable(L);
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, name);
    }
    lua_remove(L, -2);
}

// MARK: Wax

/// Calls the original of a method. The class itself is not passed as an argument; an object is passed as the first.
static int call_original_of_method(lua_State *L) {
    if (lua_rawequal(L, 1, lua_upvalueindex(2))) lua_remove(L, 1);
    return pp_call_original(L);
}

/// Replaces the function of a class whose name is at 2 with the function at 3. Returns false if nothing is replaced:
/// the app does not have it, the script has loaded, or it is not a function with a name.
static bool replace_in_class(lua_State *L, int class) {
    pp_state *state = state_of(L);
    if (!state->session.loading || lua_type(L, 2) != LUA_TSTRING || lua_type(L, 3) != LUA_TFUNCTION) return false;
    lua_rawgetp(L, class, &class_name_key);
    if (!push_registered_name(L, lua_gettop(L), 2)) return false;
    size_t length;
    const char *name = lua_tolstring(L, -1, &length);
    pp_layer *layer = pp_add_layer(L, name, length);
    lua_pushvalue(L, 3);
    lua_pushvalue(L, class);
    pp_set_functions(L, layer, true);
    lua_pushfstring(L, "ORIG%s", lua_tostring(L, 2));
    lua_pushlightuserdata(L, layer);
    lua_pushvalue(L, class);
    lua_pushcclosure(L, call_original_of_method, 2);
    lua_rawset(L, class);
    return true;
}

/// Handles `function Cart:total()` and `Cart.total = function(self) … end`. While the script loads, this replaces
/// `Cart.total` if the app has it. Any other assignment sets a member of the class in this patch alone.
static int assign_in_class(lua_State *L) {
    lua_settop(L, 3);
    if (replace_in_class(L, 1)) return 0;
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

/// Handles assignments after `waxClass{"Cart"}`. While the script loads, a function that the app has is replaced, and
/// any other function becomes a method of the class and a global. Every other assignment sets a global. A `waxClass` in
/// another script does not change the class.
static int assign(lua_State *L) {
    lua_settop(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1)); // 4
    if (replace_in_class(L, 4)) return 0;
    lua_settop(L, 4);
    if (state_of(L)->session.loading && lua_type(L, 2) == LUA_TSTRING && lua_type(L, 3) == LUA_TFUNCTION) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 3);
        lua_rawset(L, 4);
    }
    lua_pushglobaltable(L);
    lua_replace(L, 1);
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

/// Puts an environment before the globals of the function that called, whose assignments then go to the class on top.
/// If `waxClass` was called through `pcall`, that is not the script, and its assignments stay those of globals.
static void watch_assignments(lua_State *L) {
    int class = lua_gettop(L);
    lua_Debug caller;
    if (!lua_getstack(L, 1, &caller)) return;
    lua_getinfo(L, "f", &caller);
    const char *name;
    int upvalue = 1;
    while ((name = lua_getupvalue(L, class + 1, upvalue)) && strcmp(name, "_ENV") != 0) {
        lua_pop(L, 1);
        upvalue++;
    }
    if (name) {
        lua_newtable(L);
        lua_createtable(L, 0, 3);
        lua_pushglobaltable(L);
        lua_setfield(L, -2, "__index");
        lua_pushvalue(L, class);
        lua_pushcclosure(L, assign, 1);
        lua_setfield(L, -2, "__newindex");
        hide_metatable(L);
        lua_setmetatable(L, -2);
        lua_setupvalue(L, class + 1, upvalue);
    }
    lua_settop(L, class);
}

/// Makes the class on top a global with its own name, which is at an index, as Wax does, unless there is one.
static void set_global_class(lua_State *L, int name) {
    int class = lua_gettop(L);
    lua_pushglobaltable(L);
    lua_pushvalue(L, name);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pushvalue(L, name);
        lua_pushvalue(L, class);
        lua_rawset(L, class + 1);
    }
    lua_settop(L, class);
}

/// `waxClass{"Cart"}`: from here on, the script's assignments go through `assign`.
int pp_wax_class(lua_State *L) {
    pp_state *state = state_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    if (lua_rawgeti(L, 1, 1) != LUA_TSTRING)
        return luaL_error(L, "waxClass needs a class name, as in waxClass{\"Cart\"}");
    charge(L, 30);
    if (!state->session.loading) return luaL_error(L, "waxClass works only while the script loads");
    int index = lua_gettop(L);
    size_t length;
    const char *name = lua_tolstring(L, index, &length);
    if (length > LONGEST_NAME) return luaL_error(L, "a class name has at most %d bytes", LONGEST_NAME);
    if (strlen(name) != length) return luaL_error(L, "a class name has no zero byte");
    pp_push_class(L, name);
    set_global_class(L, index);
    watch_assignments(L);
    return 1;
}
