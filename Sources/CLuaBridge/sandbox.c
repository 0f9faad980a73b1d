// The Lua library as a script sees it. Functions that can neither run for long nor reach out of the sandbox are Lua's
// own. The others are wrapped in functions that charge for their work before they do it.

#include "sandbox.h"

#include <string.h>

// MARK: protected calls

/// Lua's own limit, if protected calls are nested C calls.
enum { MOST_PROTECTED_CALLS = 190 };

static void begin_protected(lua_State *L) {
    charge(L, 10);
    pp_check_c_stack(L);
    // In a coroutine they need no C stack, but unwinding thousands of them takes quadratic time.
    pp_activation *call = state_of(L)->activation;
    if (call && call->protected_calls >= MOST_PROTECTED_CALLS) luaL_error(L, "C stack overflow");
    if (call) call->protected_calls++;
}

/// Whether the protected call succeeded. Does not return if the run was ended.
static bool end_protected(lua_State *L, int status) {
    pp_state *state = state_of(L);
    if (state->activation) state->activation->protected_calls--;
    if (status == LUA_OK || status == LUA_YIELD) return true;
    if (state->budget.kill) pp_kill_run(L, state->budget.kill);
    if (status == LUA_ERRMEM) pp_kill_run(L, memory_reason(state));
    pp_check_clock(L); // making an error's message may have taken a long time
    return false;
}

static int end_pcall(lua_State *L, int status, lua_KContext context) {
    (void)context;
    if (end_protected(L, status)) return lua_gettop(L);
    lua_pushboolean(L, false);
    lua_insert(L, -2);
    return 2;
}

static int sandbox_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    begin_protected(L);
    lua_pushboolean(L, true);
    lua_insert(L, 1);
    return end_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, end_pcall), 0);
}

static int end_handler(lua_State *L, int status, lua_KContext context) {
    (void)context;
    end_protected(L, status);
    return 2; // false, and the handler's result or error
}

/// Calls the handler after the stack is unwound. The sandbox has no `debug` that could show the difference, and the
/// handler has the same limits as everything else.
static int end_xpcall(lua_State *L, int status, lua_KContext context) {
    (void)context;
    if (end_protected(L, status)) return lua_gettop(L) - 2;
    begin_protected(L);
    lua_pushboolean(L, false);
    lua_pushvalue(L, 2);
    lua_rotate(L, -3, 2); // false, handler, error
    return end_handler(L, lua_pcallk(L, 1, 1, 0, 0, end_handler), 0);
}

static int sandbox_xpcall(lua_State *L) {
    int arguments = lua_gettop(L) - 2;
    luaL_checktype(L, 2, LUA_TFUNCTION);
    begin_protected(L);
    lua_pushboolean(L, true);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); // function, handler, true, function, arguments
    return end_xpcall(L, lua_pcallk(L, arguments, LUA_MULTRET, 0, 0, end_xpcall), 0);
}

// MARK: metatables

// A script's own table is never the metatable of an object, because a `__mode` or `__concat` that is added later can
// corrupt Lua 5.4.4. The metatable is a copy. It holds the allowed events, and the script's table for `getmetatable`.
// If the script's table has no `__index` or `__call` yet, the copy has a function that looks for one there when it is
// needed, because classes are often completed late.

static const char index_event[] = "__index", call_event[] = "__call", newindex_event[] = "__newindex";
static const char *const events[] = {index_event, call_event, newindex_event, "__tostring", "__name", "__metatable",
    "__pairs", "__len", "__eq", "__lt", "__le", "__unm", "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__idiv",
    "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot"};
static const char *const refused_events[] = {"__gc", "__close"};
enum { EVENT_COUNT = sizeof events / sizeof *events, RECENT = 8, LONGEST_WALK = 100 };

/// `original_key`: in a copy, the script's own metatable. `recent_key`: in the registry, the copies of the metatables
/// that were set last.
static const char original_key, recent_key;

/// Pushes an event of the value at 1 from the script's own metatable, which is below it. Returns its type.
static int push_late_event(lua_State *L, const char *event) {
    pp_check_c_stack(L);
    charge(L, 2);
    lua_getmetatable(L, 1);
    lua_rawgetp(L, -1, &original_key);
    return raw_field(L, -1, event);
}

/// Returns the results of an event's function, which are above this many values. It may have waited for the app.
static int end_late(lua_State *L, int status, lua_KContext below) {
    (void)status;
    return lua_gettop(L) - (int)below;
}

static int late_index(lua_State *L) {
    int type = push_late_event(L, index_event), below = lua_gettop(L) - 1;
    switch (type) {
    case LUA_TNIL: return 1;
    case LUA_TFUNCTION:
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_callk(L, 2, 1, below, end_late);
        return 1;
    default:
        lua_pushvalue(L, 2);
        lua_gettable(L, -2);
        return 1;
    }
}

static int late_call(lua_State *L) {
    if (push_late_event(L, call_event) != LUA_TFUNCTION) return luaL_error(L, "attempt to call a table value");
    lua_replace(L, -3);
    lua_pop(L, 1);
    lua_insert(L, 1);
    lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, end_late);
    return lua_gettop(L);
}

/// Updates the copy on top from the script's metatable at 2, which has been checked.
static void update_copy(lua_State *L) {
    int copy = lua_gettop(L);
    for (int i = 0; i < EVENT_COUNT; i++) {
        lua_pushstring(L, events[i]);
        lua_pushvalue(L, -1);
        int type = lua_rawget(L, 2);
        if (type == LUA_TTABLE && (events[i] == index_event || events[i] == newindex_event)) pp_count_link(state_of(L));
        if (type == LUA_TNIL && (events[i] == index_event || events[i] == call_event)) {
            lua_pop(L, 1);
            lua_pushcfunction(L, events[i] == index_event ? late_index : late_call);
        }
        lua_rawset(L, copy);
    }
}

/// Pushes the copy of the script's metatable at 2, with the events that it had when it was last set: none if it is new.
static void push_copy(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &recent_key);
    int recent = lua_gettop(L);
    for (int i = 1; i <= 2 * RECENT; i += 2) {
        lua_rawgeti(L, recent, i);
        bool same = lua_rawequal(L, -1, 2);
        lua_pop(L, 1);
        if (!same) continue;
        lua_rawgeti(L, recent, i + 1);
        lua_remove(L, recent);
        return;
    }
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, 2);
    lua_rawsetp(L, -2, &original_key);
    lua_rawgeti(L, recent, 0);
    lua_Integer next = lua_tointeger(L, -1) % RECENT;
    lua_pushinteger(L, next + 1);
    lua_rawseti(L, recent, 0);
    lua_pop(L, 1);
    lua_pushvalue(L, 2);
    lua_rawseti(L, recent, 2 * next + 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, recent, 2 * next + 2);
    lua_remove(L, recent);
}

/// Events that are ignored but not refused, because libraries define them along with others that work. Each is logged
/// once.
static const struct {
    const char *event, *text;
} reported_removals[] = {
    {"__concat", "the sandbox has no '__concat': `..` works on strings and numbers only"},
    {"__mode", "the sandbox has no '__mode': its tables are not weak"},
};

/// Warns of each of these events that the metatable at 2 has. Its copy will not have them.
static void report_removals(lua_State *L) {
    pp_state *state = state_of(L);
    for (unsigned i = 0; i < sizeof reported_removals / sizeof *reported_removals; i++) {
        uint32_t bit = 1u << i;
        if (state->session.reported_removals & bit) continue;
        if (raw_field(L, 2, reported_removals[i].event) != LUA_TNIL) {
            state->session.reported_removals |= bit;
            pp_write_log(L, PP_LOG_WARNING, reported_removals[i].text, strlen(reported_removals[i].text));
        }
        lua_pop(L, 1);
    }
}

/// Refuses the metatable at 2 for the table at 1 if its event makes a loop, which one access follows two thousand
/// times. Its copy at 3 may be the metatable of other tables already, so it does not have the event yet.
static void refuse_loops(lua_State *L, const char *event) {
    lua_pushvalue(L, 2); // 4: a metatable in the chain
    for (int links = 0;; links++) {
        charge(L, 1);
        if (raw_field(L, 4, event) != LUA_TTABLE) break;
        bool goes_on = lua_getmetatable(L, 5);
        if (links == LONGEST_WALK || lua_rawequal(L, 5, 1) || (goes_on && lua_rawequal(L, 6, 3)))
            luaL_error(L, "the chain of '%s' is a loop, or has more than %d tables", event, LONGEST_WALK);
        if (!goes_on) break;
        lua_replace(L, 4);
        lua_settop(L, 4);
    }
    lua_settop(L, 3);
}

static int sandbox_setmetatable(lua_State *L) {
    charge(L, 30);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnoneornil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        for (size_t i = 0; i < sizeof refused_events / sizeof *refused_events; i++) {
            if (raw_field(L, 2, refused_events[i]) != LUA_TNIL)
                return luaL_error(L, "the sandbox has no '%s'", refused_events[i]);
            lua_pop(L, 1);
        }
        report_removals(L);
        push_copy(L);
        refuse_loops(L, index_event);
        refuse_loops(L, newindex_event);
        int type = raw_field(L, 2, call_event);
        if (type != LUA_TNIL && type != LUA_TFUNCTION) return luaL_error(L, "'%s' must be a function", call_event);
        lua_pop(L, 1);
        update_copy(L);
        lua_replace(L, 2);
    }
    lua_setmetatable(L, 1);
    return 1;
}

static int sandbox_getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    if (!lua_getmetatable(L, 1))
        lua_pushnil(L);
    else if (luaL_getmetafield(L, 1, "__metatable") == LUA_TNIL)
        lua_rawgetp(L, -1, &original_key);
    return 1;
}

// MARK: text

static int sandbox_tostring(lua_State *L) {
    luaL_checkany(L, 1);
    pp_to_string(L, 1, NULL);
    return 1;
}

static int sandbox_print(lua_State *L) {
    int count = lua_gettop(L);
    size_t length = 0;
    pp_check_c_stack(L);
    luaL_Buffer line;
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) luaL_addchar(&line, '\t');
        size_t bytes;
        charge(L, 10);
        pp_to_string(L, i, &bytes);
        length += bytes + 1;
        check_string_length(L, length);
        charge_bytes(L, bytes);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    const char *text = lua_tolstring(L, -1, &length);
    pp_write_log(L, PP_LOG_INFO, text, length);
    return 0;
}

static int sandbox_tonumber(lua_State *L) {
    if (lua_type(L, 1) == LUA_TSTRING) charge_bytes(L, lua_rawlen(L, 1));
    return call_lua(L, PP_TONUMBER);
}

// MARK: the library

/// Opens a library of Lua, which stays on top, and puts the functions that the sandbox keeps, and its own, into the
/// table below it.
static void fill(
    lua_State *L, const char *library, lua_CFunction open, const char *const *kept, const wrapped *functions) {
    int table = lua_gettop(L);
    luaL_requiref(L, library, open, false);
    for (; *kept; kept++) {
        lua_getfield(L, -1, *kept);
        lua_setfield(L, table, *kept);
    }
    for (; functions->name; functions++) {
        if (functions->lua_function != PP_LUA_FUNCTIONS) {
            lua_getfield(L, -1, functions->name);
            state_of(L)->lua_functions[functions->lua_function] = lua_tocfunction(L, -1);
            lua_pop(L, 1);
        }
        lua_pushcfunction(L, functions->function);
        lua_setfield(L, table, functions->name);
    }
}

/// The same for a table of the library's name, at 2, in the globals at 1.
static void add_library(
    lua_State *L, const char *library, lua_CFunction open, const char *const *kept, const wrapped *functions) {
    lua_settop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, 2);
    lua_setfield(L, 1, library);
    fill(L, library, open, kept, functions);
}

static const char *const kept_base[] = {"assert", "error", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen",
    "rawset", "select", "type", "_VERSION", NULL};
static const wrapped base_functions[] = {
    {"pcall", sandbox_pcall, PP_LUA_FUNCTIONS},
    {"xpcall", sandbox_xpcall, PP_LUA_FUNCTIONS},
    {"setmetatable", sandbox_setmetatable, PP_LUA_FUNCTIONS},
    {"getmetatable", sandbox_getmetatable, PP_LUA_FUNCTIONS},
    {"tostring", sandbox_tostring, PP_LUA_FUNCTIONS},
    {"print", sandbox_print, PP_LUA_FUNCTIONS},
    {"tonumber", sandbox_tonumber, PP_TONUMBER},
    {NULL, NULL, 0},
};
static const char *const kept_math[] = {"abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod",
    "huge", "log", "max", "maxinteger", "mininteger", "modf", "pi", "rad", "random", "sin", "sqrt", "tan", "tointeger",
    "type", "ult", NULL};
static const char *const kept_string[] = {"len", "sub", NULL};
static const char *const kept_table[] = {"pack", NULL};
static const char *const kept_utf8[] = {"charpattern", NULL};

void pp_install_sandbox(lua_State *L) {
    lua_settop(L, 0);
    lua_createtable(L, 2 * RECENT, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &recent_key);
    lua_newtable(L); // the script's globals, at 1
    fill(L, LUA_GNAME, luaopen_base, kept_base, base_functions);
    add_library(L, LUA_MATHLIBNAME, luaopen_math, kept_math, pp_math_functions);
    // Lua's own seed is made from an address, which a script could compute from the random numbers.
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, state_of(L)->session.seed);
    lua_call(L, 1, 0);
    add_library(L, LUA_TABLIBNAME, luaopen_table, kept_table, pp_table_functions);
    add_library(L, LUA_UTF8LIBNAME, luaopen_utf8, kept_utf8, pp_utf8_functions);
    add_library(L, LUA_STRLIBNAME, luaopen_string, kept_string, pp_string_functions);
    lua_settop(L, 2);
    luaL_setfuncs(L, pp_pattern_functions, 0);
    // String methods are found through the metatable of strings, which would lead to Lua's own table.
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "__index");
    // `getmetatable` returns another table for a string. A script that changes it changes no string.
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "__index");
    lua_setfield(L, -2, "__metatable");
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, 1, LUA_GNAME);
    lua_pushvalue(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    // Lua's messages look up the names of functions here. No script can reach it.
    lua_newtable(L);
    for (const char *const *name = (const char *const[]){LUA_GNAME, "string", "table", "math", "utf8", NULL}; *name;
         name++) {
        lua_getfield(L, 1, *name);
        lua_setfield(L, -2, *name);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_settop(L, 0);
}
