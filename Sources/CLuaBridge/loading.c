// Compiling and running scripts, and calling a spec's own functions.

#include "calls.h"

#include <stdio.h>
#include <string.h>

pp_marks pp_count_marks(const void *source, size_t length) {
    pp_marks marks = {0};
    const char *bytes = source;
    // Counters of one byte, so that the compiler counts many characters with one instruction.
    for (size_t begin = 0; begin < length; begin += UINT8_MAX) {
        size_t end = length - begin < UINT8_MAX ? length : begin + UINT8_MAX;
        uint8_t indexings = 0, brackets = 0, jumps = 0, breaks = 0;
        for (size_t at = begin; at < end; at++) {
            indexings += (bytes[at] == '[') | (bytes[at] == '.') | (bytes[at] == ':');
            brackets += (bytes[at] == '[') | (bytes[at] == '(') | (bytes[at] == '{');
            jumps += bytes[at] == 'g';
            breaks += bytes[at] == 'k';
        }
        marks.indexings += indexings;
        marks.brackets += brackets;
        marks.jumps += jumps;
        marks.breaks += breaks;
    }
    return marks;
}

/// A source that is passed to the compiler in small pieces, because no hook runs while it compiles some code for a long
/// time.
typedef struct source {
    const char *bytes;
    size_t left;
} source;
enum { PIECE = 64 };

static const char *next_piece(lua_State *L, void *context, size_t *length) {
    source *from = context;
    charge(L, PIECE);
    pp_check_clock(L);
    *length = from->left < PIECE ? from->left : PIECE;
    const char *piece = from->bytes;
    from->bytes += *length;
    from->left -= *length;
    return *length ? piece : NULL;
}

bool pp_compile(lua_State *L, const char *bytes, size_t length, const char *name) {
    pp_state *state = state_of(L);
    source from = {bytes ? bytes : "", length};
    size_t name_length = strlen(name);
    // Of a longer name, which lint may meet, the end is kept: Lua shows only that in its messages.
    char chunk[sizeof "@" + LONGEST_NAME];
    snprintf(chunk, sizeof chunk, "@%s", name_length > LONGEST_NAME ? name + name_length - LONGEST_NAME : name);
    script_begins(state);
    int status = lua_load(L, next_piece, &from, chunk, "t");
    script_ends(state);
    if (status == LUA_ERRMEM && !state->budget.kill) state->budget.kill = memory_reason(state);
    return status == LUA_OK;
}

typedef struct dump {
    void (*write)(void *context, const void *bytes, size_t length);
    void *context;
    // Lua writes a few bytes at a time.
    size_t count;
    char bytes[4096];
} dump;

static int write_dump(lua_State *L, const void *bytes, size_t length, void *context) {
    (void)L;
    dump *to = context;
    if (length > sizeof to->bytes - to->count) {
        to->write(to->context, to->bytes, to->count);
        to->count = 0;
    }
    if (length > sizeof to->bytes) {
        to->write(to->context, bytes, length);
    } else {
        memcpy(to->bytes + to->count, bytes, length);
        to->count += length;
    }
    return 0;
}

void pp_dump(lua_State *L, void (*write)(void *context, const void *bytes, size_t length), void *context) {
    dump to;
    to.write = write;
    to.context = context;
    to.count = 0;
    lua_dump(L, write_dump, &to, false);
    write(context, to.bytes, to.count);
}

void pp_set_field(lua_State *L, const char *table, const char *field) {
    lua_getglobal(L, table);
    lua_insert(L, -2);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
}

/// The free C stack that a handler of events may need, which is the app's code, such as a logger that formats a line.
/// Without it, no call is compared with patches in shadow either.
enum { EVENT_STACK = 64 * 1024 };

void pp_begin_loading(pp_state *state) { reset_budget(state, state->session.limits.load_fuel); }
bool pp_has_stack_for_events(void) { return has_stack(EVENT_STACK); }
bool pp_has_stack(pp_state *state) { return is_spec(state) || has_stack(state->session.limits.stack_bytes); }

bool pp_run_script(pp_state *state, pp_fault *fault) {
    lua_State *L = state->main;
    if (is_spec(state) && !state->activation) {
        // A test's own script may call the host at any time, as if in a call that never ends.
        pp_activation *base = &state->calls[state->session.depth++];
        *base = (pp_activation){.L = L, .step = -1};
        state->activation = base;
    }
    script_begins(state);
    int status = lua_pcall(L, 0, 0, HANDLER);
    script_ends(state);
    if (status == LUA_OK && !lua_checkstack(L, HOST_STACK + 2 * state->patch->layer_count)) {
        lua_pushliteral(L, "not enough memory");
        status = LUA_ERRMEM;
    }
    if (status == LUA_ERRMEM && !state->budget.kill)
        state->budget.kill = memory_reason(state); // the handler did not run
    if (status != LUA_OK) {
        pp_describe_error(L, L);
        pp_fault_of(L, fault);
        return false;
    }
    state->session.loading = false;
    pp_patch *patch = state->patch;
    for (int32_t i = 0; i < patch->layer_count; i++) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &patch->layers[i]->function);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &patch->layers[i]->first);
    }
    state->bottom = lua_gettop(L);
    note_held(state, script_bytes(state));
    return true;
}

int64_t pp_fuel_used(pp_state *state) { return state->fuel_used; }

int32_t pp_hold(lua_State *L) { return luaL_ref(L, LUA_REGISTRYINDEX); }
lua_State *pp_running(pp_state *state) { return state->activation ? state->activation->L : state->main; }

/// Removes the position from a message that `error` raised: the caller gets the message that the app's function would
/// use. It is the position of the function that called `error`, or of that one's caller if its level is 2.
static int message_of(lua_State *L) {
    lua_Debug thrower;
    if (lua_type(L, 1) != LUA_TSTRING || !lua_getstack(L, 1, &thrower)) return 1;
    lua_getinfo(L, "f", &thrower);
    lua_getglobal(L, "error");
    bool is_error = lua_rawequal(L, -1, -2);
    lua_settop(L, 1);
    if (!is_error) return 1;
    size_t all, length = 0;
    const char *text = lua_tolstring(L, 1, &all);
    for (int level = 2; level <= 3 && !length; level++) {
        luaL_where(L, level);
        const char *place = lua_tolstring(L, -1, &length);
        if (strncmp(text, place, length) != 0) length = 0;
    }
    lua_pushlstring(L, text + length, all - length);
    return 1;
}

bool pp_call_function(lua_State *L, int32_t arguments, int32_t results) {
    pp_state *state = state_of(L);
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, message_of);
    lua_insert(L, handler);
    script_begins(state);
    int status = lua_pcall(L, arguments, results, handler);
    script_ends(state);
    lua_remove(L, handler);
    if (status != LUA_OK) pp_describe_error(L, L);
    return status == LUA_OK;
}
