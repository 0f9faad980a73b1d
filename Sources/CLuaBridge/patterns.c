// Lua's patterns, as in its manual (§6.4.1), matched by code that charges for each step. Lua's own matcher would run
// for years on a pattern such as `.-.-.-.-b`, and no hook would run meanwhile.

#include "sandbox.h"

#include <ctype.h>
#include <string.h>

/// `DEEPEST` is how deep `match` may call itself. The last two are lengths of captures, as in Lua.
enum { ESCAPE = '%', MOST_CAPTURES = 32, DEEPEST = 200, UNFINISHED = -1, POSITION = -2 };
/// A pattern without any of these is plain text.
static const char special_characters[] = "^$*+?.([%-";

typedef struct matcher {
    lua_State *L;
    pp_state *state;
    const char *subject, *subject_end, *pattern_end;
    int depth, captures;
    struct {
        const char *start;
        ptrdiff_t length;
    } capture[MOST_CAPTURES];
} matcher;

static inline void step(matcher *m) {
    if (--m->state->budget.until_check <= 0) pp_check_budget(m->L);
}

static const char *match(matcher *m, const char *s, const char *p);

// MARK: single characters

/// The end of the single-character item that begins at `p`.
static const char *item_end(matcher *m, const char *p) {
    char first = *p++;
    if (first == ESCAPE) {
        if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (first != '[') return p;
    if (p < m->pattern_end && *p == '^') p++;
    do { // a `]` in the first place is a character of the set
        if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
        step(m);
        if (*p++ == ESCAPE) {
            if (p == m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
            p++;
        }
    } while (p == m->pattern_end || *p != ']');
    return p + 1;
}

static bool is_in_class(int c, int letter) {
    bool is_in;
    switch (tolower(letter)) {
    case 'a': is_in = isalpha(c); break;
    case 'c': is_in = iscntrl(c); break;
    case 'd': is_in = isdigit(c); break;
    case 'g': is_in = isgraph(c); break;
    case 'l': is_in = islower(c); break;
    case 'p': is_in = ispunct(c); break;
    case 's': is_in = isspace(c); break;
    case 'u': is_in = isupper(c); break;
    case 'w': is_in = isalnum(c); break;
    case 'x': is_in = isxdigit(c); break;
    case 'z': is_in = c == 0; break; // Lua still has it
    default: return letter == c;
    }
    return isupper(letter) ? !is_in : is_in;
}

/// Whether a character is in the set from `[` at `p` to `]` at `last`.
static bool is_in_set(matcher *m, int c, const char *p, const char *last) {
    bool positive = true;
    p++;
    if (*p == '^') {
        positive = false;
        p++;
    }
    for (; p < last; p++) {
        step(m);
        if (*p == ESCAPE) {
            p++;
            if (is_in_class(c, (unsigned char)*p)) return positive;
        } else if (p + 2 < last && p[1] == '-') {
            if ((unsigned char)*p <= c && c <= (unsigned char)p[2]) return positive;
            p += 2;
        } else if ((unsigned char)*p == c) {
            return positive;
        }
    }
    return !positive;
}

/// Whether the item from `p` to `end` matches the character at `s`.
static bool takes(matcher *m, const char *s, const char *p, const char *end) {
    step(m);
    if (s >= m->subject_end) return false;
    int c = (unsigned char)*s;
    switch (*p) {
    case '.': return true;
    case ESCAPE: return is_in_class(c, (unsigned char)p[1]);
    case '[': return is_in_set(m, c, p, end - 1);
    default: return (unsigned char)*p == c;
    }
}

// MARK: captures

static int open_capture(matcher *m) {
    for (int i = m->captures - 1; i >= 0; i--)
        if (m->capture[i].length == UNFINISHED) return i;
    return luaL_error(m->L, "invalid pattern capture");
}

static const char *begin_capture(matcher *m, const char *s, const char *p, ptrdiff_t length) {
    if (m->captures == MOST_CAPTURES) luaL_error(m->L, "too many captures");
    m->capture[m->captures].start = s;
    m->capture[m->captures].length = length;
    m->captures++;
    const char *end = match(m, s, p);
    if (!end) m->captures--;
    return end;
}

static const char *end_capture(matcher *m, const char *s, const char *p) {
    int i = open_capture(m);
    m->capture[i].length = s - m->capture[i].start;
    const char *end = match(m, s, p);
    if (!end) m->capture[i].length = UNFINISHED;
    return end;
}

static int finished_capture(matcher *m, int digit) {
    int i = digit - '1';
    if (i < 0 || i >= m->captures || m->capture[i].length == UNFINISHED)
        return luaL_error(m->L, "invalid capture index %%%d", i + 1);
    return i;
}

/// Matches the text of an earlier capture again. Returns the end of the match, or NULL.
static const char *match_reference(matcher *m, const char *s, int digit) {
    int i = finished_capture(m, digit);
    ptrdiff_t length = m->capture[i].length;
    if (length == POSITION) return NULL; // as in Lua, whose length wraps around
    charge(m->L, (uint64_t)length / 16);
    if (m->subject_end - s < length || memcmp(m->capture[i].start, s, (size_t)length) != 0) return NULL;
    return s + length;
}

// MARK: the longer items

/// Matches a balanced piece, as for `%b()`. Returns the end of the match, or NULL.
static const char *match_balance(matcher *m, const char *s, const char *p) {
    if (m->pattern_end - p < 2) luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->subject_end || *s != p[0]) return NULL;
    int open = 1;
    for (const char *at = s + 1; at < m->subject_end; at++) {
        step(m);
        if (*at == p[1]) {
            if (--open == 0) return at + 1;
        } else if (*at == p[0]) {
            open++;
        }
    }
    return NULL;
}

/// Matches the item as often as possible, and less often as long as the rest does not match.
static const char *match_most(matcher *m, const char *s, const char *p, const char *end) {
    ptrdiff_t count = 0;
    while (takes(m, s + count, p, end)) count++;
    for (; count >= 0; count--) {
        const char *rest = match(m, s + count, end + 1);
        if (rest) return rest;
    }
    return NULL;
}

/// Matches the item as rarely as possible, and more often as long as the rest does not match.
static const char *match_fewest(matcher *m, const char *s, const char *p, const char *end) {
    for (;; s++) {
        const char *rest = match(m, s, end + 1);
        if (rest) return rest;
        if (!takes(m, s, p, end)) return NULL;
    }
}

/// Matches the text at `s` with the pattern from `p`. Returns the end of the match, or NULL.
static const char *match(matcher *m, const char *s, const char *p) {
    if (++m->depth > DEEPEST) luaL_error(m->L, "pattern too complex");
    while (s && p != m->pattern_end) {
        step(m);
        if (*p == '(') {
            s = p + 1 < m->pattern_end && p[1] == ')' ? begin_capture(m, s, p + 2, POSITION)
                                                      : begin_capture(m, s, p + 1, UNFINISHED);
            break;
        }
        if (*p == ')') {
            s = end_capture(m, s, p + 1);
            break;
        }
        if (*p == '$' && p + 1 == m->pattern_end) {
            if (s != m->subject_end) s = NULL;
            break;
        }
        if (*p == ESCAPE && p + 1 < m->pattern_end) {
            if (p[1] == 'b') {
                s = match_balance(m, s, p + 2);
                p += 4;
                continue;
            }
            if (p[1] == 'f') {
                p += 2;
                if (p == m->pattern_end || *p != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
                const char *end = item_end(m, p);
                int before = s == m->subject ? 0 : (unsigned char)s[-1];
                int here = s == m->subject_end ? 0 : (unsigned char)*s;
                if (is_in_set(m, before, p, end - 1) || !is_in_set(m, here, p, end - 1)) s = NULL;
                p = end;
                continue;
            }
            if (isdigit((unsigned char)p[1])) {
                s = match_reference(m, s, (unsigned char)p[1]);
                p += 2;
                continue;
            }
        }
        const char *end = item_end(m, p);
        char repeat = end < m->pattern_end ? *end : 0;
        if (repeat == '*' || repeat == '+') {
            if (repeat == '+' && !takes(m, s, p, end))
                s = NULL;
            else
                s = match_most(m, repeat == '+' ? s + 1 : s, p, end);
            break;
        }
        if (repeat == '-') {
            s = match_fewest(m, s, p, end);
            break;
        }
        if (repeat == '?') {
            const char *rest = takes(m, s, p, end) ? match(m, s + 1, end + 1) : NULL;
            if (rest) {
                s = rest;
                break;
            }
            p = end + 1;
            continue;
        }
        s = takes(m, s, p, end) ? s + 1 : NULL;
        p = end;
    }
    m->depth--;
    return s;
}

// MARK: the functions

static void begin_match(
    matcher *m, lua_State *L, const char *subject, size_t length, const char *pattern, size_t pattern_length) {
    m->L = L;
    m->state = state_of(L);
    m->subject = subject;
    m->subject_end = subject + length;
    m->pattern_end = pattern + pattern_length;
}

static const char *match_at(matcher *m, const char *s, const char *p) {
    m->depth = m->captures = 0;
    step(m); // an empty pattern has no other step
    return match(m, s, p);
}

/// Pushes a capture by its number from 0, or the whole match as the first if the pattern has no captures.
static void push_capture(matcher *m, int i, const char *start, const char *end) {
    if (i >= m->captures) {
        if (i != 0) luaL_error(m->L, "invalid capture index %%%d", i + 1);
        charge_bytes(m->L, (uint64_t)(end - start));
        lua_pushlstring(m->L, start, (size_t)(end - start));
    } else if (m->capture[i].length == POSITION) {
        charge(m->L, 1);
        lua_pushinteger(m->L, m->capture[i].start - m->subject + 1);
    } else if (m->capture[i].length == UNFINISHED) {
        luaL_error(m->L, "unfinished capture");
    } else {
        charge_bytes(m->L, (uint64_t)m->capture[i].length);
        lua_pushlstring(m->L, m->capture[i].start, (size_t)m->capture[i].length);
    }
}

/// Pushes all captures, or the whole match, unless `start` is NULL, if the pattern has none. Returns how many it
/// pushed.
static int push_captures(matcher *m, const char *start, const char *end) {
    int count = m->captures;
    if (count == 0 && start) count = 1;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++) push_capture(m, i, start, end);
    return count;
}

/// The position of a string in another, counted from 0; -1 if it is not in it. Charges for what it searches.
static ptrdiff_t find_plain(lua_State *L, const char *text, size_t length, const char *part, size_t part_length) {
    if (part_length == 0) return 0;
    const char *at = text, *end = text + length;
    while ((size_t)(end - at) >= part_length) {
        const char *candidate = memchr(at, part[0], (size_t)(end - at) - part_length + 1);
        charge_bytes(L, (uint64_t)((candidate ? candidate : end) - at));
        if (!candidate) break;
        size_t same = 1;
        while (same < part_length && candidate[same] == part[same]) same++;
        charge_bytes(L, same);
        if (same == part_length) return candidate - text;
        at = candidate + 1;
    }
    return -1;
}

/// The position from 1 at which the third argument lets a search begin. It may be past the end.
static lua_Integer first_position(lua_State *L, size_t length) {
    lua_Integer init = luaL_optinteger(L, 3, 1);
    if (init > 0) return init;
    if (init == 0 || init < -(lua_Integer)length) return 1;
    return (lua_Integer)length + init + 1;
}

static int find_or_match(lua_State *L, bool find) {
    size_t length, pattern_length;
    const char *subject = luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    lua_Integer init = first_position(L, length);
    pp_check_c_stack(L);
    if ((uint64_t)init > length + 1) {
        lua_pushnil(L);
        return 1;
    }
    const char *start = subject + init - 1;
    bool is_plain = lua_toboolean(L, 4);
    if (find && !is_plain) {
        is_plain = true;
        for (size_t i = 0; i < pattern_length && is_plain; i++)
            is_plain = !memchr(special_characters, pattern[i], sizeof special_characters - 1);
    }
    if (find && is_plain) {
        ptrdiff_t at = find_plain(L, start, length - (size_t)(start - subject), pattern, pattern_length);
        if (at < 0) {
            lua_pushnil(L);
            return 1;
        }
        lua_pushinteger(L, start - subject + at + 1);
        lua_pushinteger(L, start - subject + at + (lua_Integer)pattern_length);
        return 2;
    }
    matcher m;
    bool is_anchored = pattern_length > 0 && *pattern == '^';
    begin_match(&m, L, subject, length, pattern, pattern_length);
    if (is_anchored) pattern++;
    for (const char *s = start; s <= m.subject_end; s++) {
        const char *end = match_at(&m, s, pattern);
        if (end) {
            if (!find) return push_captures(&m, s, end);
            lua_pushinteger(L, s - subject + 1);
            lua_pushinteger(L, end - subject);
            return push_captures(&m, NULL, NULL) + 2;
        }
        if (is_anchored) break;
    }
    lua_pushnil(L);
    return 1;
}

static int sandbox_find(lua_State *L) { return find_or_match(L, true); }
static int sandbox_match(lua_State *L) { return find_or_match(L, false); }

/// The iterator of gmatch. Its upvalues are the subject, the pattern, where to continue, and where the last match
/// ended.
static int next_match(lua_State *L) {
    size_t length, pattern_length;
    const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length);
    const char *pattern = lua_tolstring(L, lua_upvalueindex(2), &pattern_length);
    lua_Integer last_end = lua_tointeger(L, lua_upvalueindex(4));
    pp_check_c_stack(L);
    matcher m;
    begin_match(&m, L, subject, length, pattern, pattern_length);
    for (const char *s = subject + lua_tointeger(L, lua_upvalueindex(3)); s <= m.subject_end; s++) {
        const char *end = match_at(&m, s, pattern);
        if (!end || end - subject == last_end) continue;
        lua_pushinteger(L, end - subject);
        lua_copy(L, -1, lua_upvalueindex(3));
        lua_replace(L, lua_upvalueindex(4));
        return push_captures(&m, s, end);
    }
    return 0;
}

static int sandbox_gmatch(lua_State *L) {
    size_t length;
    luaL_checklstring(L, 1, &length);
    luaL_checkstring(L, 2);
    lua_Integer init = first_position(L, length);
    if ((uint64_t)init > length + 1) init = (lua_Integer)length + 2;
    lua_settop(L, 2);
    lua_pushinteger(L, init - 1);
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

/// Adds the replacement string of gsub with its `%0` to `%9` filled in.
static void add_replacement(matcher *m, luaL_Buffer *buffer, const char *start, const char *end) {
    size_t length;
    const char *text = lua_tolstring(m->L, 3, &length);
    charge_bytes(m->L, length);
    for (size_t i = 0; i < length; i++) {
        if (text[i] != ESCAPE) {
            luaL_addchar(buffer, text[i]);
            continue;
        }
        char digit = ++i < length ? text[i] : 0;
        if (digit == ESCAPE) {
            luaL_addchar(buffer, ESCAPE);
        } else if (digit == '0') {
            charge_bytes(m->L, (uint64_t)(end - start));
            luaL_addlstring(buffer, start, (size_t)(end - start));
        } else if (isdigit((unsigned char)digit)) {
            push_capture(m, digit - '1', start, end);
            luaL_tolstring(m->L, -1, NULL);
            lua_remove(m->L, -2);
            luaL_addvalue(buffer);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
    }
}

/// Adds the replacement of a match: the string, or the result of the table or the function. false and nil keep the
/// match. Returns whether it was replaced.
///
/// - Parameter kind: The Lua type of the replacement, which is the third argument.
static bool add_match(matcher *m, luaL_Buffer *buffer, const char *start, const char *end, int kind) {
    lua_State *L = m->L;
    if (kind == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, start, end), 1);
    } else if (kind == LUA_TTABLE) {
        push_capture(m, 0, start, end);
        lua_gettable(L, 3);
    } else {
        add_replacement(m, buffer, start, end);
        return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(buffer, start, (size_t)(end - start));
        return false;
    }
    if (!lua_isstring(L, -1)) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    charge_bytes(L, lua_rawlen(L, -1));
    luaL_addvalue(buffer);
    return true;
}

static int sandbox_gsub(lua_State *L) {
    size_t length, pattern_length;
    const char *subject = luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    int kind = lua_type(L, 3);
    lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1), count = 0;
    luaL_argexpected(L, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
        "string/function/table");
    pp_check_c_stack(L);
    bool is_anchored = pattern_length > 0 && *pattern == '^', changed = false;
    matcher m;
    luaL_Buffer buffer;
    begin_match(&m, L, subject, length, pattern, pattern_length);
    if (is_anchored) pattern++;
    luaL_buffinit(L, &buffer);
    const char *s = subject, *last_end = NULL;
    while (count < most) {
        const char *end = match_at(&m, s, pattern);
        if (end && end != last_end) {
            count++;
            changed = add_match(&m, &buffer, s, end, kind) || changed;
            s = last_end = end;
        } else if (s < m.subject_end) {
            luaL_addchar(&buffer, *s++);
        } else {
            break;
        }
        if (is_anchored) break;
    }
    if (changed) {
        luaL_addlstring(&buffer, s, (size_t)(m.subject_end - s));
        luaL_pushresult(&buffer);
    } else {
        lua_pushvalue(L, 1);
    }
    lua_pushinteger(L, count);
    return 2;
}

const luaL_Reg pp_pattern_functions[] = {
    {"find", sandbox_find}, {"match", sandbox_match}, {"gmatch", sandbox_gmatch}, {"gsub", sandbox_gsub}, {NULL, NULL}};
