// The functions for strings and numbers that are wrapped: they take a long time for long strings.

#include "sandbox.h"

#include <string.h>

/// Replaces a string that is a number with the number, and charges for that, because reading a long string takes a long
/// time.
static void make_number(lua_State *L, int argument) {
    charge(L, 1);
    if (lua_type(L, argument) != LUA_TSTRING) return;
    size_t length;
    const char *text = lua_tolstring(L, argument, &length);
    charge_bytes(L, length);
    // It pushes the number also if there is more behind a zero byte.
    size_t read = lua_stringtonumber(L, text);
    if (read == length + 1)
        lua_replace(L, argument);
    else if (read)
        lua_pop(L, 1);
}

static int make_numbers(lua_State *L, enum pp_lua_function which) {
    for (int i = 1; i <= lua_gettop(L); i++) make_number(L, i);
    return call_lua(L, which);
}
static int sandbox_char(lua_State *L) { return make_numbers(L, PP_CHAR); }
static int sandbox_utf8_char(lua_State *L) { return make_numbers(L, PP_UTF8_CHAR); }

/// Pushes the least or the largest argument by `<`, and charges for each comparison, which takes a long time for long
/// strings.
static int extreme(lua_State *L, bool is_largest) {
    int count = lua_gettop(L), found = 1;
    luaL_argcheck(L, count >= 1, 1, "value expected");
    pp_check_c_stack(L);
    for (int i = 2; i <= count; i++) {
        charge(L, 1);
        int less = is_largest ? found : i, more = is_largest ? i : found;
        if (lua_compare(L, less, more, LUA_OPLT)) found = i;
    }
    lua_pushvalue(L, found);
    return 1;
}
static int sandbox_max(lua_State *L) { return extreme(L, true); }
static int sandbox_min(lua_State *L) { return extreme(L, false); }

static int sandbox_format(lua_State *L) {
    enum { BYTES_PER_CONVERSION = 128 }; // few numbers are longer
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
        if (++argument > MOST_VALUES + 1)
            return luaL_error(L, "too many conversions: the sandbox allows %d", MOST_VALUES);
        size_t precision = SIZE_MAX;
        for (; format < end && strchr("-+ #0123456789.", *format); format++) {
            if (*format == '.')
                precision = 0;
            else if (precision < 100)
                precision = 10 * precision + (size_t)(*format - '0');
        }
        if (format == end) break;
        bytes += BYTES_PER_CONVERSION;
        char conversion = *format++;
        if (conversion == 'p') return luaL_error(L, "the sandbox has no '%%p': it shows addresses");
        if (!strchr("sqp", conversion)) make_number(L, argument);
        if (conversion == 's' && argument <= lua_gettop(L)) {
            size_t text;
            pp_to_string(L, argument, &text);
            lua_replace(L, argument);
            if (text > precision) charge_bytes(L, text); // Lua reads all of it
            bytes += text < precision ? text : precision;
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
    if (length + separator == 0) { // Lua would loop as often as it is asked to
        lua_pushliteral(L, "");
        return 1;
    }
    if (times > 0) {
        uint64_t bytes, between;
        if (__builtin_mul_overflow(length, (uint64_t)times, &bytes)
            || __builtin_mul_overflow(separator, (uint64_t)times - 1, &between)
            || __builtin_add_overflow(bytes, between, &bytes))
            pp_kill_run(L, PP_STRING);
        reserve(L, bytes);
        charge(L, (uint64_t)times / 16);
    }
    return call_lua(L, PP_REP);
}

#define CHARGED_BY_LENGTH(name, which)   \
    static int name(lua_State *L) {      \
        reserve(L, string_length(L, 1)); \
        return call_lua(L, which);       \
    }
CHARGED_BY_LENGTH(sandbox_lower, PP_LOWER)
CHARGED_BY_LENGTH(sandbox_upper, PP_UPPER)
CHARGED_BY_LENGTH(sandbox_reverse, PP_REVERSE)
CHARGED_BY_LENGTH(sandbox_utf8_len, PP_UTF8_LEN)
CHARGED_BY_LENGTH(sandbox_utf8_offset, PP_UTF8_OFFSET)
CHARGED_BY_LENGTH(sandbox_utf8_codes, PP_UTF8_CODES)

/// Bytes of a string. If `count` is 0, `start` is NULL.
typedef struct slice {
    const unsigned char *start;
    lua_Integer count;
} slice;

/// The bytes of the first argument from the second to the third one, as the functions of Lua understand these.
static slice sliced(lua_State *L) {
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    lua_Integer first = luaL_optinteger(L, 2, 1), last = luaL_optinteger(L, 3, first);
    lua_Integer from = first < 0 ? first + (lua_Integer)length + 1 : first;
    lua_Integer to = last < 0 ? last + (lua_Integer)length + 1 : last;
    if (from < 1) from = 1;
    if (to > (lua_Integer)length) to = (lua_Integer)length;
    slice slice = {NULL, to >= from ? to - from + 1 : 0};
    if (slice.count > 0) slice.start = (const unsigned char *)text + from - 1;
    return slice;
}

/// Refuses to return many values: the stack would grow in a single step.
static void check_results(lua_State *L, lua_Integer results) {
    if (results > MOST_VALUES) luaL_error(L, "too many results: the sandbox allows %d", MOST_VALUES);
}

static int sandbox_byte(lua_State *L) {
    slice slice = sliced(L);
    check_results(L, slice.count);
    charge(L, slice.count > 0 ? (uint64_t)slice.count : 1);
    return call_lua(L, PP_BYTE);
}

static int sandbox_utf8_codepoint(lua_State *L) {
    enum { LONGEST_CHARACTER = 6 }; // in bytes, as Lua reads UTF-8 if it is lax
    slice slice = sliced(L);
    // Lua makes room for as many values as there are bytes, so many bytes are too many whatever they are.
    if (slice.count > LONGEST_CHARACTER * MOST_VALUES) check_results(L, slice.count);
    charge(L, slice.count > 0 ? (uint64_t)slice.count : 1);
    lua_Integer characters = 0;
    for (lua_Integer i = 0; i < slice.count; i++)
        if ((slice.start[i] & 0xC0) != 0x80) characters++; // not a byte that continues a character
    check_results(L, characters);
    return call_lua(L, PP_UTF8_CODEPOINT);
}

const wrapped pp_string_functions[] = {
    {"byte", sandbox_byte, PP_BYTE},
    {"char", sandbox_char, PP_CHAR},
    {"format", sandbox_format, PP_FORMAT},
    {"rep", sandbox_rep, PP_REP},
    {"lower", sandbox_lower, PP_LOWER},
    {"upper", sandbox_upper, PP_UPPER},
    {"reverse", sandbox_reverse, PP_REVERSE},
    {NULL, NULL, 0},
};

const wrapped pp_utf8_functions[] = {
    {"char", sandbox_utf8_char, PP_UTF8_CHAR},
    {"len", sandbox_utf8_len, PP_UTF8_LEN},
    {"codepoint", sandbox_utf8_codepoint, PP_UTF8_CODEPOINT},
    {"offset", sandbox_utf8_offset, PP_UTF8_OFFSET},
    {"codes", sandbox_utf8_codes, PP_UTF8_CODES},
    {NULL, NULL, 0},
};

const wrapped pp_math_functions[] = {
    {"max", sandbox_max, PP_LUA_FUNCTIONS}, {"min", sandbox_min, PP_LUA_FUNCTIONS}, {NULL, NULL, 0}};
