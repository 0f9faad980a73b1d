// Patches in shadow: their runs, and the comparison of values.

#include "calls.h"

int32_t pp_states_entered(void) { return (int32_t)pp_thread.inside; }
void pp_set_host(pp_state *state, const pp_host *host) { state->session.host = *host; }
void *pp_record(lua_State *L) { return state_of(L)->activation->record; }
void pp_end_run(lua_State *L) { state_of(L)->budget.kill = PP_EFFECT; }

bool pp_run_shadow(lua_State *L, int32_t arguments, int32_t results) {
    if (state_of(L)->activation->step < 0) return pp_run(L, arguments, results);
    return pp_resume(L, arguments, results) == PP_DONE;
}

// MARK: comparison

/// The bytes of a string that count as one element, and the bytes of C stack that must be free for nested tables.
enum { PIECE = 64, STACK_FOR_TABLES = 16 * 1024 };

typedef struct pp_comparing {
    lua_State *L;
    /// The elements and pieces of strings that may still be compared, and how deep tables may be nested.
    int64_t budget;
    int32_t deepest;
    pp_difference *found;
    pp_is_float is_float;
    void *context;
} pp_comparing;

static enum pp_comparison compare(pp_comparing *comparing, int32_t left, int32_t right, int32_t depth);

static bool is_nan(lua_State *L, int32_t index) {
    return lua_type(L, index) == LUA_TNUMBER && lua_tonumber(L, index) != lua_tonumber(L, index);
}

/// Whether two values that are not both tables are the same, at the end of `depth` keys.
static bool are_same(pp_comparing *comparing, int32_t left, int32_t right, int32_t depth) {
    lua_State *L = comparing->L;
    int64_t object, other;
    if (lua_rawequal(L, left, right) || (is_nan(L, left) && is_nan(L, right))) return true;
    if (lua_type(L, left) == LUA_TNUMBER && lua_type(L, right) == LUA_TNUMBER)
        return depth <= PP_KEYS && (float)lua_tonumber(L, left) == (float)lua_tonumber(L, right)
            && comparing->is_float(comparing->context, comparing->found->keys, depth);
    return pp_read_object(L, left, &object) && pp_read_object(L, right, &other) && object == other;
}

/// Compares each pair of a table with the other table. With `only_missing`, looks only for keys that the other table
/// lacks.
static enum pp_comparison compare_pairs(
    pp_comparing *comparing, int32_t table, int32_t other, int32_t depth, bool only_missing) {
    lua_State *L = comparing->L;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (--comparing->budget < 0) return PP_TOO_LARGE;
        int32_t key = lua_gettop(L) - 1;
        lua_pushvalue(L, key);
        lua_rawget(L, other);
        if (depth < PP_KEYS) comparing->found->keys[depth] = key;
        enum pp_comparison result = PP_SAME;
        if (!only_missing)
            result = compare(comparing, key + 1, key + 2, depth + 1);
        else if (lua_isnil(L, -1))
            result = compare(comparing, key + 2, key + 1, depth + 1);
        if (result != PP_SAME) return result;
        lua_pop(L, 2);
    }
    return PP_SAME;
}

static enum pp_comparison compare(pp_comparing *comparing, int32_t left, int32_t right, int32_t depth) {
    lua_State *L = comparing->L;
    if (lua_type(L, left) == LUA_TTABLE && lua_type(L, right) == LUA_TTABLE) {
        if (depth > comparing->deepest || !has_stack(STACK_FOR_TABLES) || !lua_checkstack(L, 8)) return PP_TOO_LARGE;
        enum pp_comparison result = compare_pairs(comparing, left, right, depth, false);
        return result == PP_SAME ? compare_pairs(comparing, right, left, depth, true) : result;
    }
    if (lua_type(L, left) == LUA_TSTRING) comparing->budget -= (int64_t)lua_rawlen(L, left) / PIECE;
    if (comparing->budget < 0) return PP_TOO_LARGE;
    if (are_same(comparing, left, right, depth)) return PP_SAME;
    comparing->found->left = left;
    comparing->found->right = right;
    comparing->found->depth = depth;
    return PP_DIFFERENT;
}

enum pp_comparison pp_compare(
    lua_State *L, int32_t left, int32_t right, pp_difference *found, pp_is_float is_float, void *context) {
    const pp_limits *limits = &state_of(L)->session.limits;
    *found = (pp_difference){0};
    if (!lua_checkstack(L, 8)) return PP_TOO_LARGE;
    // Each element is visited from both sides, and the strings of an answer are within the limit of memory.
    int64_t elements = limits->table_elements < INT64_MAX / 4 ? limits->table_elements : INT64_MAX / 4;
    pp_comparing comparing = {
        L, 2 * elements + limits->hard_memory / PIECE, limits->table_depth, found, is_float, context};
    return compare(&comparing, lua_absindex(L, left), lua_absindex(L, right), 0);
}
