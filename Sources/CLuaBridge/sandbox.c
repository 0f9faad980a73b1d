// The Lua library as a script sees it. Functions that can neither run for long nor reach out of the sandbox are Lua's
// own. The others are wrapped in functions that charge for their work before they do it.

#include "sandbox.h"

#include <limits.h>
#include <string.h>

static int call_lua(lua_State *L, enum pp_lua_function which) { return state_of(L)->lua_functions[which](L); }

/// Charges for a string of this size. Ends the run if no string can be that long.
static void reserve(lua_State *L, uint64_t bytes) {
    pp_state *state = state_of(L);
    if (bytes > (uint64_t)state->session.limits.string_bytes) pp_kill_run(L, PP_STRING);
    if (bytes > (uint64_t)state->session.limits.hard_memory) pp_kill_run(L, PP_MEMORY);
    charge_bytes(L, bytes);
}

static size_t string_length(lua_State *L, int index) {
    size_t length;
    luaL_checklstring(L, index, &length);
    return length;
}

// MARK: protected calls

/// Lua's own limit if they are nested C calls.
enum { MOST_PROTECTED_CALLS = 190 };

static void begin_protected(lua_State *L) {
    charge(L, 10);
    pp_check_c_stack(L);
    // In a coroutine they need no C stack, but to unwind thousands of them takes quadratic time.
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
    pp_check_clock(L); // to make an error's message may have taken long
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

static const char index_event[] = "__index", newindex_event[] = "__newindex";
static const char *const events[] = {
    index_event, "__call", newindex_event, "__tostring", "__name", "__metatable", "__pairs", "__len", "__eq", "__lt",
    "__le", "__unm", "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__idiv", "__band", "__bor", "__bxor",
    "__shl", "__shr", "__bnot",
};
static const char *const refused_events[] = {"__gc", "__close"};
enum { EVENT_COUNT = sizeof events / sizeof *events, RECENT = 8, LONGEST_WALK = 100 };

/// `original_key`: in a copy, the script's own metatable. `recent_key`: in the registry, the copies of the metatables
/// that were set last.
static const char original_key, recent_key;

static int late_index(lua_State *L) {
    pp_check_c_stack(L);
    charge(L, 2);
    lua_getmetatable(L, 1);
    lua_rawgetp(L, -1, &original_key);
    lua_pushliteral(L, "__index");
    switch (lua_rawget(L, -2)) {
    case LUA_TNIL: return 1;
    case LUA_TFUNCTION:
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_call(L, 2, 1);
        return 1;
    default:
        lua_pushvalue(L, 2);
        lua_gettable(L, -2);
        return 1;
    }
}

static int late_call(lua_State *L) {
    pp_check_c_stack(L);
    charge(L, 2);
    lua_getmetatable(L, 1);
    lua_rawgetp(L, -1, &original_key);
    lua_pushliteral(L, "__call");
    if (lua_rawget(L, -2) != LUA_TFUNCTION) return luaL_error(L, "attempt to call a table value");
    lua_replace(L, -3);
    lua_pop(L, 1);
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/// Updates the copy on top from the script's metatable at 2.
static void update_copy(lua_State *L) {
    int copy = lua_gettop(L);
    for (int i = 0; i < EVENT_COUNT; i++) {
        lua_pushstring(L, events[i]);
        lua_pushvalue(L, -1);
        int type = lua_rawget(L, 2);
        if (type == LUA_TTABLE && (events[i] == index_event || events[i] == newindex_event)) pp_count_link(state_of(L));
        if (i == 1 && type != LUA_TNIL && type != LUA_TFUNCTION) luaL_error(L, "'__call' must be a function");
        if (i < 2 && type == LUA_TNIL) {
            lua_pop(L, 1);
            lua_pushcfunction(L, i == 0 ? late_index : late_call);
        }
        lua_rawset(L, copy);
    }
}

/// Pushes the copy of the script's metatable at 2.
static void push_copy(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &recent_key);
    int recent = lua_gettop(L);
    for (int i = 1; i <= 2 * RECENT; i += 2) {
        lua_rawgeti(L, recent, i);
        bool same = lua_rawequal(L, -1, 2);
        lua_pop(L, 1);
        if (!same) continue;
        lua_rawgeti(L, recent, i + 1);
        update_copy(L);
        return;
    }
    lua_createtable(L, 0, 4);
    update_copy(L);
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
}

/// Events that are left out, but not refused, because libraries define them along with others that work. The log says
/// so once for each.
static const struct {
    const char *event, *text;
} left_out[] = {
    {"__concat", "the sandbox has no '__concat': `..` works on strings and numbers only"},
    {"__mode", "the sandbox has no '__mode': its tables are not weak"},
};

static void leave_out(lua_State *L) {
    pp_state *state = state_of(L);
    for (unsigned i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (state->session.left_out & 1u << i) continue;
        lua_pushstring(L, left_out[i].event);
        if (lua_rawget(L, 2) != LUA_TNIL) {
            state->session.left_out |= 1u << i;
            pp_write_log(L, 2, left_out[i].text, strlen(left_out[i].text));
        }
        lua_pop(L, 1);
    }
}

/// Refuses the metatable at 2 for the table at 1 if its event makes a loop: one access would follow the loop two
/// thousand times.
static void refuse_loops(lua_State *L, const char *event) {
    lua_pushvalue(L, 2); // 3: a metatable in the chain
    for (int links = 0;; links++) {
        charge(L, 1);
        lua_pushstring(L, event);
        if (lua_rawget(L, 3) != LUA_TTABLE) break;
        if (links == LONGEST_WALK || lua_rawequal(L, 4, 1)) {
            // The copy may already be the metatable of another table.
            lua_pushstring(L, event);
            lua_pushnil(L);
            lua_rawset(L, 2);
            luaL_error(L, "the chain of '%s' is a loop, or has more than %d tables", event, LONGEST_WALK);
        }
        if (!lua_getmetatable(L, 4)) break;
        lua_replace(L, 3);
        lua_settop(L, 3);
    }
    lua_settop(L, 2);
}

static int sandbox_setmetatable(lua_State *L) {
    charge(L, 30);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnoneornil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
    if (lua_istable(L, 2)) {
        for (size_t i = 0; i < sizeof refused_events / sizeof *refused_events; i++) {
            lua_pushstring(L, refused_events[i]);
            if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "the sandbox has no '%s'", refused_events[i]);
            lua_pop(L, 1);
        }
        leave_out(L);
        push_copy(L);
        lua_replace(L, 2);
        lua_settop(L, 2);
        refuse_loops(L, index_event);
        refuse_loops(L, newindex_event);
    }
    lua_setmetatable(L, 1);
    return 1;
}

static int sandbox_getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    if (!lua_getmetatable(L, 1)) {
        lua_pushnil(L);
    } else if (luaL_getmetafield(L, 1, "__metatable") == LUA_TNIL) {
        lua_rawgetp(L, -1, &original_key);
    }
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
        reserve(L, length += bytes + 1);
        luaL_addvalue(&line);
    }
    luaL_pushresult(&line);
    const char *text = lua_tolstring(L, -1, &length);
    pp_write_log(L, 1, text, length);
    return 0;
}

/// The most conversions of a format, and the most results of `table.unpack`, `string.byte` and `utf8.codepoint`.
enum { MOST_VALUES = 250 };

/// Replaces a string that is a number by the number, and charges for that: to read a long string takes long.
static void make_number(lua_State *L, int argument) {
    charge(L, 1);
    if (lua_type(L, argument) != LUA_TSTRING) return;
    size_t length;
    const char *text = lua_tolstring(L, argument, &length);
    charge_bytes(L, length);
    if (lua_stringtonumber(L, text) == length + 1) lua_replace(L, argument);
}

static int make_numbers(lua_State *L, enum pp_lua_function which) {
    for (int i = 1; i <= lua_gettop(L); i++) make_number(L, i);
    return call_lua(L, which);
}
static int sandbox_char(lua_State *L) { return make_numbers(L, PP_CHAR); }
static int sandbox_utf8_char(lua_State *L) { return make_numbers(L, PP_UTF8_CHAR); }

/// Pushes the least or the largest argument by `<`, and charges for each comparison, which takes long for long strings.
static int extreme(lua_State *L, bool is_largest) {
    int count = lua_gettop(L), found = 1;
    luaL_argcheck(L, count >= 1, 1, "value expected");
    pp_check_c_stack(L);
    for (int i = 2; i <= count; i++) {
        charge(L, 1);
        if (is_largest ? lua_compare(L, found, i, LUA_OPLT) : lua_compare(L, i, found, LUA_OPLT)) found = i;
    }
    lua_pushvalue(L, found);
    return 1;
}
static int sandbox_max(lua_State *L) { return extreme(L, true); }
static int sandbox_min(lua_State *L) { return extreme(L, false); }

static int sandbox_format(lua_State *L) {
    pp_check_c_stack(L);
    size_t length;
    const char *format = luaL_checklstring(L, 1, &length), *end = format + length;
    uint64_t bytes = length;
    int argument = 1;
    while (format < end) {
        if (*format++ != '%') continue;
        if (format < end && *format == '%') {
            format++;
            continue;
        }
        if (++argument > MOST_VALUES + 1) return luaL_error(L, "too many conversions: the sandbox allows %d", MOST_VALUES);
        while (format < end && strchr("-+ #0123456789.", *format)) format++;
        if (format == end) break;
        bytes += 128;
        char conversion = *format++;
        if (conversion == 'p') return luaL_error(L, "the sandbox has no '%%p': it shows addresses");
        if (!strchr("sqp", conversion)) make_number(L, argument);
        if (conversion == 's' && argument <= lua_gettop(L)) {
            size_t text;
            pp_to_string(L, argument, &text);
            lua_replace(L, argument);
            bytes += text;
        } else if (conversion == 'q' && lua_type(L, argument) == LUA_TSTRING) {
            // Lua looks at each byte, and writes up to four for it.
            charge(L, 8 * (uint64_t)lua_rawlen(L, argument));
            bytes += 4 * (uint64_t)lua_rawlen(L, argument);
        }
    }
    reserve(L, bytes);
    return call_lua(L, PP_FORMAT);
}

static int sandbox_rep(lua_State *L) {
    uint64_t length = string_length(L, 1);
    lua_Integer times = luaL_checkinteger(L, 2);
    size_t separator = 0;
    luaL_optlstring(L, 3, "", &separator);
    uint64_t bytes;
    if (length + separator == 0) { // Lua would loop as often as it is asked to
        lua_pushliteral(L, "");
        return 1;
    }
    if (times > 0) {
        if (__builtin_mul_overflow(length + separator, (uint64_t)times, &bytes)) pp_kill_run(L, PP_STRING);
        reserve(L, bytes);
        charge(L, (uint64_t)times / 16);
    }
    return call_lua(L, PP_REP);
}

#define CHARGED_BY_LENGTH(name, which)                                                                                  \
    static int name(lua_State *L) {                                                                                     \
        reserve(L, string_length(L, 1));                                                                                \
        return call_lua(L, which);                                                                                      \
    }
CHARGED_BY_LENGTH(sandbox_lower, PP_LOWER)
CHARGED_BY_LENGTH(sandbox_upper, PP_UPPER)
CHARGED_BY_LENGTH(sandbox_reverse, PP_REVERSE)
CHARGED_BY_LENGTH(sandbox_utf8_len, PP_UTF8_LEN)
CHARGED_BY_LENGTH(sandbox_utf8_offset, PP_UTF8_OFFSET)
CHARGED_BY_LENGTH(sandbox_utf8_codes, PP_UTF8_CODES)

/// Refuses to return a value for each of many bytes: the stack would grow in a single step.
static int as_many_values(lua_State *L, enum pp_lua_function which) {
    size_t length = string_length(L, 1);
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, first);
    lua_Integer from = first < 0 ? first + (lua_Integer)length + 1 : first;
    lua_Integer to = last < 0 ? last + (lua_Integer)length + 1 : last;
    if (from < 1) from = 1;
    if (to > (lua_Integer)length) to = (lua_Integer)length;
    if (to >= from && to - from >= MOST_VALUES)
        return luaL_error(L, "too many results: the sandbox allows %d", MOST_VALUES);
    charge(L, to >= from ? (uint64_t)(to - from) + 1 : 1);
    return call_lua(L, which);
}
static int sandbox_byte(lua_State *L) { return as_many_values(L, PP_BYTE); }
static int sandbox_utf8_codepoint(lua_State *L) { return as_many_values(L, PP_UTF8_CODEPOINT); }

static int sandbox_tonumber(lua_State *L) {
    if (lua_type(L, 1) == LUA_TSTRING) charge_bytes(L, lua_rawlen(L, 1));
    return call_lua(L, PP_TONUMBER);
}

// MARK: tables

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
    switch (lua_gettop(L)) {
    case 2: break;
    case 3:
        position = (lua_Unsigned)luaL_checkinteger(L, 2);
        luaL_argcheck(L, position - 1 < end, 2, "position out of bounds");
        for (lua_Unsigned i = end; i > position; i--) {
            charge(L, 1);
            lua_geti(L, 1, (lua_Integer)(i - 1));
            lua_seti(L, 1, (lua_Integer)i);
        }
        break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
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

// MARK: the library

typedef struct wrapped {
    const char *name;
    lua_CFunction function;
    enum pp_lua_function lua_function;
} wrapped;

/// Replaces the library on top by a table with the functions that it keeps and with functions of the sandbox.
static void fill(lua_State *L, const char *library, const char *const *kept, const wrapped *functions) {
    pp_state *state = state_of(L);
    int source = lua_gettop(L);
    lua_newtable(L);
    for (; *kept; kept++) {
        lua_getfield(L, source, *kept);
        lua_setfield(L, -2, *kept);
    }
    for (; functions->name; functions++) {
        if (functions->lua_function != PP_LUA_FUNCTIONS) {
            lua_getfield(L, source, functions->name);
            state->lua_functions[functions->lua_function] = lua_tocfunction(L, -1);
            lua_pop(L, 1);
        }
        lua_pushcfunction(L, functions->function);
        lua_setfield(L, -2, functions->name);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, 1, library);
    lua_replace(L, source);
}

static const char *const kept_base[] = {
    "assert", "error", "ipairs", "next", "pairs", "rawequal", "rawget", "rawlen", "rawset", "select", "type", "_VERSION", NULL,
};
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
static const char *const kept_math[] = {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log", "max", "maxinteger", "mininteger", "modf", "pi", "rad", "random", "sin", "sqrt", "tan", "tointeger", "type", "ult", NULL,
};
static const char *const kept_string[] = {"len", "sub", NULL};
static const wrapped string_functions[] = {
    {"byte", sandbox_byte, PP_BYTE},
    {"char", sandbox_char, PP_CHAR},
    {"format", sandbox_format, PP_FORMAT},
    {"rep", sandbox_rep, PP_REP},
    {"lower", sandbox_lower, PP_LOWER},
    {"upper", sandbox_upper, PP_UPPER},
    {"reverse", sandbox_reverse, PP_REVERSE},
    {NULL, NULL, 0},
};
static const char *const kept_table[] = {"pack", NULL};
static const wrapped table_functions[] = {
    {"insert", sandbox_insert, PP_LUA_FUNCTIONS},
    {"remove", sandbox_remove, PP_LUA_FUNCTIONS},
    {"concat", sandbox_concat, PP_LUA_FUNCTIONS},
    {"sort", sandbox_sort, PP_SORT},
    {"move", sandbox_move, PP_LUA_FUNCTIONS},
    {"unpack", sandbox_unpack, PP_LUA_FUNCTIONS},
    {NULL, NULL, 0},
};
static const char *const kept_utf8[] = {"charpattern", NULL};
static const wrapped utf8_functions[] = {
    {"char", sandbox_utf8_char, PP_UTF8_CHAR},
    {"len", sandbox_utf8_len, PP_UTF8_LEN},
    {"codepoint", sandbox_utf8_codepoint, PP_UTF8_CODEPOINT},
    {"offset", sandbox_utf8_offset, PP_UTF8_OFFSET},
    {"codes", sandbox_utf8_codes, PP_UTF8_CODES},
    {NULL, NULL, 0},
};
static const wrapped math_functions[] = {
    {"max", sandbox_max, PP_LUA_FUNCTIONS}, {"min", sandbox_min, PP_LUA_FUNCTIONS}, {NULL, NULL, 0}};

void pp_install_sandbox(lua_State *L) {
    pp_state *state = state_of(L);
    lua_settop(L, 0);
    lua_createtable(L, 2 * RECENT, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &recent_key);
    lua_newtable(L); // the script's globals, at 1
    luaL_requiref(L, LUA_GNAME, luaopen_base, false);
    for (const char *const *name = kept_base; *name; name++) {
        lua_getfield(L, -1, *name);
        lua_setfield(L, 1, *name);
    }
    for (const wrapped *function = base_functions; function->name; function++) {
        if (function->lua_function != PP_LUA_FUNCTIONS) {
            lua_getfield(L, -1, function->name);
            state->lua_functions[function->lua_function] = lua_tocfunction(L, -1);
            lua_pop(L, 1);
        }
        lua_pushcfunction(L, function->function);
        lua_setfield(L, 1, function->name);
    }
    lua_pop(L, 1);
    luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, false);
    // Lua's own seed is made from an address, which a script could compute from the random numbers.
    lua_getfield(L, -1, "randomseed");
    lua_pushinteger(L, state->session.seed);
    lua_call(L, 1, 0);
    fill(L, LUA_MATHLIBNAME, kept_math, math_functions);
    lua_pop(L, 1);
    luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, false);
    fill(L, LUA_TABLIBNAME, kept_table, table_functions);
    lua_pop(L, 1);
    luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, false);
    fill(L, LUA_UTF8LIBNAME, kept_utf8, utf8_functions);
    lua_pop(L, 1);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, false);
    fill(L, LUA_STRLIBNAME, kept_string, string_functions);
    pp_install_patterns(L);
    // String methods are found through the metatable of strings, which would lead to Lua's own table.
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    // `getmetatable` returns another table for a string. A script that changes it changes no string.
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -4);
    lua_setfield(L, -2, "__index");
    lua_setfield(L, -2, "__metatable");
    lua_settop(L, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, 1, LUA_GNAME);
    lua_pushvalue(L, 1);
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    // Lua's messages look up the names of functions here. No script can reach it.
    lua_newtable(L);
    for (const char *const *name = (const char *const[]){LUA_GNAME, "string", "table", "math", "utf8", NULL}; *name; name++) {
        lua_getfield(L, 1, *name);
        lua_setfield(L, -2, *name);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_settop(L, 0);
}
