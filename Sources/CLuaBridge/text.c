// Values and errors as text, and lines of the log.

#include "sandbox.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// MARK: errors

/// Values are shown as in specs (specs.lua), but within limits: the fields of a table that `next` finds first, tables
/// up to this depth in it, and the first bytes of a string, which may be a key, and of all of it.
enum { MOST_FIELDS = 20, DEEPEST_SHOWN = 4, LONGEST_STRING = 200, LONGEST_VALUE = 1000 };

typedef struct shown {
    size_t length;
    bool is_full;
    char bytes[LONGEST_VALUE];
} shown;

/// A table that is being shown, and the one that it is in.
typedef struct nesting {
    const void *table;
    const struct nesting *outer;
    int depth;
} nesting;

static bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

static void add(shown *text, const char *bytes, size_t length) {
    static const char more[] = "…";
    if (text->is_full) return;
    if (length <= sizeof text->bytes - strlen(more) - text->length) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        return;
    }
    text->is_full = true;
    // The last character may be cut off.
    while (text->length > 0 && continues_character(text->bytes[text->length - 1])) text->length--;
    if (text->length > 0 && text->bytes[text->length - 1] & 0x80) text->length--;
    memcpy(text->bytes + text->length, more, strlen(more));
    text->length += strlen(more);
}

static void add_text(shown *text, const char *more) { add(text, more, strlen(more)); }

static void add_quoted(shown *text, const char *bytes, size_t length) {
    size_t end = length;
    if (length > LONGEST_STRING)
        for (end = LONGEST_STRING; end > 0 && continues_character(bytes[end]);) end--;
    add_text(text, "\"");
    for (size_t i = 0; i < end; i++) {
        char escaped[8] = {bytes[i]};
        int count = 1;
        if (bytes[i] == '\n')
            count = snprintf(escaped, sizeof escaped, "\\n");
        else if (bytes[i] == '"' || bytes[i] == '\\')
            count = snprintf(escaped, sizeof escaped, "\\%c", bytes[i]);
        else if (iscntrl((unsigned char)bytes[i]))
            count = snprintf(escaped, sizeof escaped, "\\%03d", bytes[i]);
        add(text, escaped, (size_t)count);
    }
    add_text(text, end < length ? "…\"" : "\"");
}

bool pp_is_name(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (!isalpha(byte) && byte != '_' && (i == 0 || !isdigit(byte))) return false;
    }
    return length > 0;
}

/// The order in which keys are shown: by their types, and then numbers and the beginnings of strings by their values.
static bool comes_before(lua_State *L, int key, int other) {
    int type = lua_type(L, key);
    if (type != lua_type(L, other)) return strcmp(luaL_typename(L, key), luaL_typename(L, other)) < 0;
    if (type != LUA_TSTRING) return type == LUA_TNUMBER && lua_compare(L, key, other, LUA_OPLT);
    // Lua's comparison takes as long as the strings are.
    size_t left, right;
    const char *bytes = lua_tolstring(L, key, &left), *others = lua_tolstring(L, other, &right);
    if (left > LONGEST_STRING) left = LONGEST_STRING;
    if (right > LONGEST_STRING) right = LONGEST_STRING;
    int order = memcmp(bytes, others, left < right ? left : right);
    return order < 0 || (order == 0 && left < right);
}

static void show_table(lua_State *L, shown *text, const nesting *outer);

/// Shows the value on top, without a call of the script.
static void show(lua_State *L, shown *text, const nesting *outer) {
    size_t length;
    const char *bytes;
    switch (lua_type(L, -1)) {
    case LUA_TTABLE: show_table(L, text, outer); break;
    case LUA_TSTRING:
        bytes = lua_tolstring(L, -1, &length);
        add_quoted(text, bytes, length);
        break;
    default:
        bytes = pp_to_string(L, -1, &length);
        add(text, bytes, length);
        lua_pop(L, 1);
    }
}

/// Pushes the keys that `next` finds first in a table, in order. Returns how many; `*has_more` is whether the table has
/// others.
static int push_keys(lua_State *L, int table, bool *has_more) {
    int count = 0;
    *has_more = false;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        if (count == MOST_FIELDS) {
            lua_pop(L, 1);
            *has_more = true;
            break;
        }
        // The key is copied to its place in order.
        int place = table + 1;
        while (place <= table + count && comes_before(L, place, -1)) place++;
        lua_pushvalue(L, -1);
        lua_insert(L, place);
        count++;
    }
    return count;
}

/// Shows the key on top and ` = `, unless the value that follows is an element of the table's sequence.
static void show_key(lua_State *L, shown *text, int table, const nesting *here) {
    bool is_element = lua_isinteger(L, -1) && (lua_Unsigned)lua_tointeger(L, -1) - 1 < lua_rawlen(L, table);
    if (is_element) return;
    size_t length;
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
    if (name && length <= LONGEST_STRING && pp_is_name(name, length)) {
        add(text, name, length);
    } else {
        add_text(text, "[");
        show(L, text, here);
        add_text(text, "]");
    }
    add_text(text, " = ");
}

static void show_table(lua_State *L, shown *text, const nesting *outer) {
    nesting here = {lua_topointer(L, -1), outer, outer ? outer->depth + 1 : 0};
    for (const nesting *table = outer; table; table = table->outer)
        if (table->table == here.table) return add_text(text, "<cycle>");
    if (here.depth > DEEPEST_SHOWN) return add_text(text, "{…}");
    luaL_checkstack(L, MOST_FIELDS + 8, NULL);
    pp_check_clock(L);
    int table = lua_gettop(L);
    bool has_more;
    int count = push_keys(L, table, &has_more);
    add_text(text, "{");
    for (int i = 0; i < count && !text->is_full; i++) {
        if (i > 0) add_text(text, ", ");
        lua_pushvalue(L, table + 1 + i);
        show_key(L, text, table, &here);
        lua_rawget(L, table);
        show(L, text, &here);
        lua_pop(L, 1);
    }
    add_text(text, has_more ? ", …}" : "}");
    lua_settop(L, table);
}

/// Replaces an error with its description. Does not call the script.
static int show_error(lua_State *L) {
    shown text = {0};
    lua_settop(L, 1);
    add_text(&text, "an error that is ");
    show(L, &text, NULL);
    lua_pushlstring(L, text.bytes, text.length);
    return 1;
}

int pp_error_words(lua_State *L) {
    lua_settop(L, 1);
    if (lua_type(L, 1) != LUA_TSTRING && lua_type(L, 1) != LUA_TNUMBER
        && luaL_getmetafield(L, 1, "__tostring") == LUA_TNIL)
        return show_error(L);
    pp_to_string(L, 1, NULL);
    return 1;
}

void pp_describe_error(lua_State *L, lua_State *runner) {
    pp_state *state = state_of(L);
    if (state->budget.kill || lua_type(L, -1) == LUA_TSTRING || luaL_testudata(L, -1, PP_ERROR)) return;
    int32_t line = state->session.fault_line;
    char script[sizeof state->session.fault_script];
    memcpy(script, state->session.fault_script, sizeof script);
    char *stack = state->fault_stack;
    state->fault_stack = NULL;
    lua_checkstack(runner, 8);
    // Its own `__tostring` may fail, and so may a replacement that it calls.
    const lua_CFunction ways[] = {pp_error_words, show_error};
    for (int way = 0, status = LUA_ERRRUN; way < 2 && status != LUA_OK && !state->budget.kill; way++) {
        lua_pushvalue(L, -1);
        if (runner != L) lua_xmove(L, runner, 1);
        lua_pushcfunction(runner, ways[way]);
        lua_insert(runner, -2);
        script_begins(state);
        status = lua_pcall(runner, 1, 1, 0);
        script_ends(state);
        if (runner != L) lua_xmove(runner, L, 1);
        if (status == LUA_OK)
            lua_remove(L, -2);
        else
            lua_pop(L, 1);
    }
    state->session.fault_line = line;
    memcpy(state->session.fault_script, script, sizeof script);
    free(state->fault_stack);
    state->fault_stack = stack;
}
