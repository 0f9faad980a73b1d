// The functions for tables, which are rewritten.

#include "sandbox.h"

#include <limits.h>

/// A table's length. Refuses `__len`, with which a script could return another length.
static uint64_t table_length(lua_State *L, int index) {
    luaL_checktype(L, index, LUA_TTABLE);
    if (luaL_getmetafield(L, index, "__len") != LUA_TNIL) luaL_error(L, "a table with '__len' is not allowed here");
    return lua_rawlen(L, index);
}

// Lua's own loops over tables do not check the clock, and a step may call a metamethod of the script. These charge for
// each step.

static int sandbox_insert(lua_State *L) {
    lua_Unsigned end = (lua_Unsigned)table_length(L, 1) + 1;
    lua_Unsigned position = end;
    pp_check_c_stack(L);
    charge(L, 1);
    if (lua_gettop(L) == 3) {
        position = (lua_Unsigned)luaL_checkinteger(L, 2);
        luaL_argcheck(L, position - 1 < end, 2, "position out of bounds");
        for (lua_Unsigned i = end; i > position; i--) {
            charge(L, 1);
            lua_geti(L, 1, (lua_Integer)(i - 1));
            lua_seti(L, 1, (lua_Integer)i);
        }
    } else if (lua_gettop(L) != 2) {
        return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_seti(L, 1, (lua_Integer)position);
    return 0;
}

static int sandbox_remove(lua_State *L) {
    lua_Unsigned length = (lua_Unsigned)table_length(L, 1);
    lua_Unsigned position = (lua_Unsigned)luaL_optinteger(L, 2, (lua_Integer)length);
    pp_check_c_stack(L);
    charge(L, 1);
    if (position != length) luaL_argcheck(L, position - 1 <= length, 2, "position out of bounds");
    lua_geti(L, 1, (lua_Integer)position);
    for (; position < length; position++) {
        charge(L, 1);
        lua_geti(L, 1, (lua_Integer)(position + 1));
        lua_seti(L, 1, (lua_Integer)position);
    }
    lua_pushnil(L);
    lua_seti(L, 1, (lua_Integer)position);
    return 1;
}

static int sandbox_concat(lua_State *L) {
    lua_Integer length = (lua_Integer)table_length(L, 1);
    size_t bytes = 0, separator_length;
    const char *separator = luaL_optlstring(L, 2, "", &separator_length);
    lua_Integer i = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, length);
    pp_check_c_stack(L);
    luaL_Buffer buffer;
    luaL_buffinit(L, &buffer);
    for (bool more = i <= last; more; i += more) {
        charge(L, 1);
        lua_geti(L, 1, i);
        if (!lua_isstring(L, -1))
            return luaL_error(
                L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)i);
        more = i < last;
        size_t piece;
        lua_tolstring(L, -1, &piece);
        bytes += piece + (more ? separator_length : 0);
        charge(L, (piece + separator_length) / 16);
        if (bytes > (size_t)state_of(L)->session.limits.string_bytes) pp_kill_run(L, PP_STRING);
        luaL_addvalue(&buffer);
        if (more) luaL_addlstring(&buffer, separator, separator_length);
    }
    luaL_pushresult(&buffer);
    return 1;
}

static int sandbox_move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, target, LUA_TTABLE);
    pp_check_c_stack(L);
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
        lua_Integer count = last - first + 1;
        luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
        bool is_forward = to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
        for (lua_Integer i = 0; i < count; i++) {
            lua_Integer step = is_forward ? i : count - 1 - i;
            charge(L, 1);
            lua_geti(L, 1, first + step);
            lua_seti(L, target, to + step);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

static int sandbox_unpack(lua_State *L) {
    lua_Integer first = luaL_optinteger(L, 2, 1);
    lua_Integer last = lua_isnoneornil(L, 3) ? (lua_Integer)table_length(L, 1) : luaL_checkinteger(L, 3);
    if (last < first) return 0;
    if ((lua_Unsigned)last - (lua_Unsigned)first >= MOST_VALUES)
        return luaL_error(L, "too many results to unpack: the sandbox allows %d", MOST_VALUES);
    int count = (int)(last - first) + 1;
    pp_check_c_stack(L);
    luaL_checkstack(L, count, "too many results to unpack");
    for (int i = 0; i < count; i++) {
        charge(L, 1);
        lua_geti(L, 1, first + i);
    }
    return count;
}

// MARK: sorting

/// `FEW` values, numbers or strings of up to `SHORT` bytes, are sorted in a few milliseconds, even in the order for which
/// Lua's sort is slowest.
enum { FEW = 1000, SHORT = 64 };

static int pay_and_compare(lua_State *L) {
    pp_check_c_stack(L);
    charge(L, 2);
    if (lua_type(L, 1) == LUA_TSTRING) charge(L, lua_rawlen(L, 1) / SHORT);
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

/// The same for a C function as the comparator, during which no hook runs.
static int pay_and_call(lua_State *L) {
    pp_check_c_stack(L);
    charge(L, 2);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static bool are_few_and_simple(lua_State *L, lua_Unsigned length) {
    if (length > FEW || lua_getmetatable(L, 1)) return false;
    for (lua_Unsigned i = 1; i <= length; i++) {
        int type = lua_rawgeti(L, 1, (lua_Integer)i);
        bool is_simple = type == LUA_TNUMBER || (type == LUA_TSTRING && lua_rawlen(L, -1) <= SHORT);
        lua_pop(L, 1);
        if (!is_simple) return false;
    }
    return true;
}

static int sandbox_sort(lua_State *L) {
    lua_Unsigned length = (lua_Unsigned)table_length(L, 1);
    pp_check_c_stack(L);
    luaL_argcheck(L, length < INT_MAX, 1, "array too big");
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    if (lua_iscfunction(L, 2)) {
        lua_pushcclosure(L, pay_and_call, 1);
    } else if (lua_isnil(L, 2)) {
        if (are_few_and_simple(L, length)) {
            charge(L, length * 10);
        } else {
            lua_pushcfunction(L, pay_and_compare);
            lua_replace(L, 2);
        }
    }
    lua_settop(L, 2);
    return call_lua(L, PP_SORT);
}

const wrapped pp_table_functions[] = {
    {"insert", sandbox_insert, PP_LUA_FUNCTIONS},
    {"remove", sandbox_remove, PP_LUA_FUNCTIONS},
    {"concat", sandbox_concat, PP_LUA_FUNCTIONS},
    {"sort", sandbox_sort, PP_SORT},
    {"move", sandbox_move, PP_LUA_FUNCTIONS},
    {"unpack", sandbox_unpack, PP_LUA_FUNCTIONS},
    {NULL, NULL, 0},
};
