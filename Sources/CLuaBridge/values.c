// The values that the host pushes and reads. What the host calls raises no error: the allocator refuses nothing while
// the host works, and tables are read and written raw. Once a script may have changed a table, its next pair is read in
// a protected call. Only what a script calls may raise one: the metamethods of objects and errors.

#include "sandbox.h"

/// While a script loads, there is no call that could be refused, and the value that it was to receive is nil.
void pp_refuse_run(lua_State *L) {
    if (state_of(L)->activation) state_of(L)->activation->refused = true;
}

bool pp_is_refused(lua_State *L) { return state_of(L)->activation && state_of(L)->activation->refused; }

bool pp_may_be_non_finite(lua_State *L) {
    pp_state *state = state_of(L);
    return is_spec(state) || (state->activation && state->activation->has_non_finite);
}

void pp_note_non_finite(lua_State *L) {
    pp_activation *call = state_of(L)->activation;
    if (call) call->has_non_finite = true;
}

const char pp_object_key;

void pp_push_string(lua_State *L, const char *bytes, size_t length) { lua_pushlstring(L, bytes ? bytes : "", length); }

bool pp_give_string(lua_State *L, const char *bytes, size_t length) {
    if (length > (size_t)state_of(L)->session.limits.string_bytes || !pp_pay(L, 1 + length / 64, length)) return false;
    pp_push_string(L, bytes, length);
    return true;
}

void pp_push_numbers(lua_State *L, const double *values, size_t count) {
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        pp_push_number(L, values[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

void pp_push_integers(lua_State *L, const int64_t *values, size_t count) {
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushinteger(L, values[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static int object_equals(lua_State *L) {
    int64_t left, right;
    lua_pushboolean(L, pp_read_object(L, 1, &left) && pp_read_object(L, 2, &right) && left == right);
    return 1;
}

static int object_text(lua_State *L) {
    luaL_getmetafield(L, 1, "__name");
    return 1;
}

/// Pushes the metatable of a class's objects, and creates it if it does not exist.
static void push_object_metatable(lua_State *L, const char *class_name) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &pp_object_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &pp_object_key);
    }
    if (raw_field(L, -1, class_name) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 6);
        pp_push_class(L, class_name);
        lua_setfield(L, -2, "__index");
        set_function(L, "__eq", object_equals);
        set_function(L, "__tostring", object_text);
        lua_pushstring(L, class_name);
        lua_setfield(L, -2, "__name");
        hide_metatable(L);
        lua_pushboolean(L, true);
        lua_rawsetp(L, -2, &pp_object_key);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, class_name);
    }
    lua_remove(L, -2);
}

bool pp_push_object(lua_State *L, const char *class_name, int64_t id) {
    if (!lua_checkstack(L, 12)) return false;
    int64_t *value = lua_newuserdatauv(L, sizeof *value, 0);
    *value = id;
    push_object_metatable(L, class_name);
    lua_setmetatable(L, -2);
    return true;
}

bool pp_read_object(lua_State *L, int32_t index, int64_t *id) {
    int64_t *value = lua_touserdata(L, index);
    if (!value || !lua_getmetatable(L, index)) return false;
    bool is_object = lua_rawgetp(L, -1, &pp_object_key) == LUA_TBOOLEAN;
    lua_pop(L, 2);
    if (!is_object) return false;
    *id = *value;
    return true;
}

static int error_text(lua_State *L) {
    pp_state *state = state_of(L);
    int64_t id = *(int64_t *)luaL_checkudata(L, 1, PP_ERROR);
    WITH_RUNNER(state, state->session.host.error_text(state->session.context, id, L));
    charge_bytes(L, lua_rawlen(L, -1));
    return 1;
}

/// Looks up a field of an error: `failure.message` is the text, `failure.code` the code, and there is no other.
static int error_field(lua_State *L) {
    pp_state *state = state_of(L);
    if (lua_rawequal(L, 2, lua_upvalueindex(1))) return error_text(L);
    int64_t id = *(int64_t *)luaL_checkudata(L, 1, PP_ERROR);
    if (lua_rawequal(L, 2, lua_upvalueindex(2)))
        WITH_RUNNER(state, state->session.host.error_code(state->session.context, id, L));
    else
        lua_pushnil(L);
    return 1;
}

void pp_push_host_error(lua_State *L, int64_t id) {
    lua_checkstack(L, 6);
    int64_t *value = lua_newuserdatauv(L, sizeof *value, 0);
    *value = id;
    if (luaL_newmetatable(L, PP_ERROR)) {
        set_function(L, "__tostring", error_text);
        lua_pushliteral(L, "message");
        lua_pushliteral(L, "code");
        lua_pushcclosure(L, error_field, 2);
        lua_setfield(L, -2, "__index");
        hide_metatable(L);
    }
    lua_setmetatable(L, -2);
}

void pp_push_message(lua_State *L, const char *bytes, size_t length) {
    lua_Debug where;
    lua_checkstack(L, 4);
    for (int level = 0; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        lua_pushfstring(L, "%s:%d: ", where.source + 1, where.currentline);
        lua_pushlstring(L, bytes, length);
        lua_concat(L, 2);
        return;
    }
    lua_pushlstring(L, bytes, length);
}

const char *pp_read_string(lua_State *L, int32_t index, size_t *length) {
    return lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, length) : NULL;
}

const char *pp_take_string(lua_State *L, int32_t index, size_t *length) {
    pp_state *state = state_of(L);
    const char *bytes = pp_read_string(L, index, length);
    if (!bytes || *length > (size_t)state->session.limits.string_bytes || !pp_pay(L, 1 + *length / 64, 0)) return NULL;
    if (state->session.reading.depth > 0) {
        if (pp_fits_table(L, *length) != PP_WITHIN) return NULL;
        state->session.reading.bytes += (int64_t)*length;
    }
    return bytes;
}

enum pp_within pp_enter_table(lua_State *L, int64_t elements) {
    pp_state *state = state_of(L);
    pp_reading *reading = &state->session.reading;
    if (reading->depth >= state->session.limits.table_depth) return PP_TOO_DEEP;
    if (reading->depth == 0) reading->elements = reading->bytes = 0;
    if (elements > state->session.limits.table_elements - reading->elements) return PP_TOO_MANY;
    reading->elements += elements;
    reading->depth++;
    return PP_WITHIN;
}

void pp_leave_table(lua_State *L) { state_of(L)->session.reading.depth--; }

enum pp_within pp_begin_struct(lua_State *L, int32_t index, int32_t fields) {
    bool is_read =
        lua_type(L, index) == LUA_TTABLE && lua_checkstack(L, fields + 16) && pp_pay(L, (uint64_t)fields + 1, 0);
    return is_read ? pp_enter_table(L, fields) : PP_NOT_READ;
}

void pp_end_struct(lua_State *L, int32_t top) {
    lua_settop(L, top);
    pp_leave_table(L);
}

bool pp_push_struct(lua_State *L, int32_t fields) {
    enum { BYTES_PER_FIELD = 80 }; // the number of fields is rounded up to a power of two
    bool has_room = lua_checkstack(L, 8);
    if (!has_room) pp_refuse_run(L);
    if (!has_room || !pp_pay(L, (uint64_t)fields + 1, BYTES_PER_FIELD * (uint64_t)fields)) {
        lua_pushnil(L);
        return false;
    }
    lua_createtable(L, 0, fields);
    return true;
}

enum pp_within pp_count_element(lua_State *L) {
    pp_state *state = state_of(L);
    if (state->session.reading.elements >= state->session.limits.table_elements) return PP_TOO_MANY;
    state->session.reading.elements++;
    return PP_WITHIN;
}

enum pp_within pp_fits_table(lua_State *L, size_t length) {
    pp_state *state = state_of(L);
    if (state->session.reading.depth == 0) return PP_WITHIN;
    return (int64_t)length > state->session.limits.hard_memory - state->session.reading.bytes ? PP_TOO_LONG : PP_WITHIN;
}

bool pp_read_numbers(lua_State *L, int32_t index, double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        pp_number number = pp_read_number(L, -1);
        values[i] = number.value;
        lua_pop(L, 1);
        if (!number.is_there) return false;
    }
    return true;
}

bool pp_read_integers(lua_State *L, int32_t index, int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int is_integer = 0;
        if (lua_rawgeti(L, index, (lua_Integer)i + 1) == LUA_TNUMBER) values[i] = lua_tointegerx(L, -1, &is_integer);
        lua_pop(L, 1);
        if (!is_integer) return false;
    }
    return true;
}

int64_t pp_sequence_length(lua_State *L, int32_t index) {
    if (lua_type(L, index) != LUA_TTABLE) return -1;
    int64_t length = (int64_t)lua_rawlen(L, index);
    if (length > 0) return length;
    index = lua_absindex(L, index);
    lua_pushnil(L);
    if (!lua_next(L, index)) return 0;
    lua_pop(L, 2);
    return -1;
}

const char *pp_type_name(lua_State *L, int32_t index) {
    if (lua_isinteger(L, index)) return "integer";
    if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
        raw_field(L, -1, "__name");
        const char *name = lua_tostring(L, -1);
        lua_pop(L, 2); // the metatable keeps the name
        if (name) return name;
    }
    return lua_type(L, index) == LUA_TNONE ? "nothing" : luaL_typename(L, index);
}

void pp_set_pair(lua_State *L, int32_t table) {
    // A value that could not be pushed is nil, which cannot be a key.
    if (lua_isnil(L, -2))
        lua_pop(L, 2);
    else
        lua_rawset(L, table);
}

void pp_get_field(lua_State *L, int32_t table, const char *name) {
    lua_pushstring(L, name);
    lua_rawget(L, table);
}

static int next_pair(lua_State *L) { return lua_next(L, 1) ? 2 : 0; }

enum pp_next_pair pp_next(lua_State *L, int32_t table, int64_t since) {
    if (state_of(L)->last_call == since) return lua_next(L, table) ? PP_PAIR : PP_NO_PAIR;
    int key = lua_gettop(L);
    lua_pushcfunction(L, next_pair);
    lua_pushvalue(L, table);
    lua_pushvalue(L, key);
    bool is_found = lua_pcall(L, 2, LUA_MULTRET, 0) == LUA_OK;
    lua_remove(L, key);
    if (is_found) return lua_gettop(L) > key ? PP_PAIR : PP_NO_PAIR;
    lua_settop(L, key - 1);
    return PP_CHANGED;
}
