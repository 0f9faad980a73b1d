#include "CFloor.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct floor_state {
    lua_State *L;
    int64_t fuel;
    int fault_line;
    pthread_mutex_t lock;
};

static void hook(lua_State *L, lua_Debug *where) {
    (void)where;
    floor_state *state = *(floor_state **)lua_getextraspace(L);
    if ((state->fuel -= 1000) <= 0) luaL_error(L, "no fuel");
}

/// Records where an error was raised.
static int handler(lua_State *L) {
    floor_state *state = *(floor_state **)lua_getextraspace(L);
    lua_Debug where;
    for (int level = 1; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        state->fault_line = where.currentline;
        break;
    }
    return 1;
}

double __attribute__((noinline)) floor_original(double price, int64_t quantity) { return price + (double)quantity; }

static int original(lua_State *L) {
    lua_pushnumber(L, floor_original(luaL_checknumber(L, 1), luaL_checkinteger(L, 2)));
    return 1;
}

floor_state *floor_open(const char *source) {
    floor_state *state = calloc(1, sizeof *state);
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&state->lock, &recursive);
    state->L = luaL_newstate();
    *(floor_state **)lua_getextraspace(state->L) = state;
    luaL_openlibs(state->L);
    lua_pushcfunction(state->L, handler);
    if (luaL_dostring(state->L, source)) abort();
    lua_pushcfunction(state->L, original);
    lua_sethook(state->L, hook, LUA_MASKCOUNT, 1000);
    return state;
}

void floor_close(floor_state *state) {
    lua_close(state->L);
    free(state);
}

double __attribute__((noinline)) floor_call(floor_state *state, double price, int64_t quantity) {
    lua_State *L = state->L;
    state->fuel = 1000000;
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_pushnumber(L, price);
    lua_pushinteger(L, quantity);
    if (lua_pcall(L, 3, 1, 1) || lua_type(L, -1) != LUA_TNUMBER) return -1;
    double result = lua_tonumber(L, -1);
    lua_settop(L, 3);
    return result;
}

double floor_calls(floor_state *state, double price, int64_t count) {
    for (int64_t i = 0; i < count; i++) price = floor_call(state, price, i & 7);
    return price;
}

double floor_locked_calls(floor_state *state, double price, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        pthread_mutex_lock(&state->lock);
        price = floor_call(state, price, i & 7);
        pthread_mutex_unlock(&state->lock);
    }
    return price;
}

/// Runs the function that was pushed with `original` and its other arguments.
static bool run(lua_State *L, int arguments) { return lua_pcall(L, arguments + 1, 1, 1) == LUA_OK; }

static inline lua_State *begin(floor_state *state) {
    pthread_mutex_lock(&state->lock);
    state->fuel = 1000000;
    lua_pushvalue(state->L, 2);
    lua_pushvalue(state->L, 3);
    return state->L;
}

static inline void end(floor_state *state) {
    lua_settop(state->L, 3);
    pthread_mutex_unlock(&state->lock);
}

static inline __attribute__((always_inline)) const char *begin_string(
    floor_state *state, const char *text, size_t given, size_t *length) {
    lua_State *L = begin(state);
    lua_pushlstring(L, text, given);
    if (!run(L, 1) || lua_type(L, -1) != LUA_TSTRING) abort();
    return lua_tolstring(L, -1, length);
}

const char *floor_begin_string(floor_state *state, const char *text, size_t given, size_t *length) {
    return begin_string(state, text, given, length);
}

void floor_end(floor_state *state) { end(state); }

int64_t floor_string_calls(floor_state *state, const char *text, int64_t count) {
    int64_t sum = 0;
    size_t length, given = strlen(text);
    for (int64_t i = 0; i < count; i++) {
        char *result = strdup(begin_string(state, text, given, &length));
        sum += (int64_t)length;
        free(result);
        end(state);
    }
    return sum;
}

int64_t floor_array_calls(floor_state *state, const double *values, int64_t size, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        lua_State *L = begin(state);
        lua_createtable(L, (int)size, 0);
        for (int64_t k = 0; k < size; k++) {
            lua_pushnumber(L, values[k]);
            lua_rawseti(L, -2, k + 1);
        }
        if (!run(L, 1) || lua_type(L, -1) != LUA_TTABLE) abort();
        int64_t length = (int64_t)lua_rawlen(L, -1);
        double *result = malloc((size_t)length * sizeof *result);
        for (int64_t k = 0; k < length; k++) {
            if (lua_rawgeti(L, -1, k + 1) != LUA_TNUMBER) abort();
            result[k] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
        sum += length;
        free(result);
        end(state);
    }
    return sum;
}

int64_t floor_strings_calls(floor_state *state, const char *text, int64_t size, int64_t count) {
    int64_t sum = 0;
    size_t length, given = strlen(text);
    for (int64_t i = 0; i < count; i++) {
        lua_State *L = begin(state);
        lua_createtable(L, (int)size, 0);
        for (int64_t k = 0; k < size; k++) {
            lua_pushlstring(L, text, given);
            lua_rawseti(L, -2, k + 1);
        }
        if (!run(L, 1) || lua_type(L, -1) != LUA_TTABLE) abort();
        int64_t found = (int64_t)lua_rawlen(L, -1);
        char **result = malloc((size_t)found * sizeof *result);
        for (int64_t k = 0; k < found; k++) {
            if (lua_rawgeti(L, -1, k + 1) != LUA_TSTRING) abort();
            result[k] = strdup(lua_tolstring(L, -1, &length));
            sum += (int64_t)length;
            lua_pop(L, 1);
        }
        for (int64_t k = 0; k < found; k++) free(result[k]);
        free(result);
        end(state);
    }
    return sum;
}

/// Pushes a table in the form of the struct.
static void push_item(lua_State *L, const char *name, double price, int64_t quantity) {
    lua_createtable(L, 0, 3);
    // Without its length, Lua would find a string that it has seen at this address, which an app's strings are not.
    lua_pushlstring(L, name, strlen(name));
    lua_setfield(L, -2, "name");
    lua_pushnumber(L, price);
    lua_setfield(L, -2, "price");
    lua_pushinteger(L, quantity);
    lua_setfield(L, -2, "quantity");
}

typedef struct item {
    char *name;
    double price;
    int64_t quantity;
} item;

/// Reads the table on top, and pops it.
static item read_item(lua_State *L) {
    item item;
    if (lua_type(L, -1) != LUA_TTABLE || lua_getfield(L, -1, "name") != LUA_TSTRING) abort();
    item.name = strdup(lua_tostring(L, -1));
    if (lua_getfield(L, -2, "price") != LUA_TNUMBER) abort();
    item.price = lua_tonumber(L, -1);
    if (lua_getfield(L, -3, "quantity") != LUA_TNUMBER) abort();
    item.quantity = lua_tointeger(L, -1);
    lua_pop(L, 4);
    return item;
}

double floor_structs_calls(floor_state *state, const char *name, int64_t size, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        lua_State *L = begin(state);
        lua_createtable(L, (int)size, 0);
        for (int64_t k = 0; k < size; k++) {
            push_item(L, name, 9.5, 3);
            lua_rawseti(L, -2, k + 1);
        }
        if (!run(L, 1) || lua_type(L, -1) != LUA_TTABLE) abort();
        int64_t found = (int64_t)lua_rawlen(L, -1);
        item *result = malloc((size_t)found * sizeof *result);
        for (int64_t k = 0; k < found; k++) {
            lua_rawgeti(L, -1, k + 1);
            result[k] = read_item(L);
            sum += result[k].price;
        }
        for (int64_t k = 0; k < found; k++) free(result[k].name);
        free(result);
        end(state);
    }
    return sum;
}

double floor_struct_calls(floor_state *state, const char *name, double price, int64_t quantity, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        lua_State *L = begin(state);
        push_item(L, name, price, quantity);
        if (!run(L, 1)) abort();
        item result = read_item(L);
        sum += result.price;
        free(result.name);
        end(state);
    }
    return sum;
}

double floor_failing_calls(floor_state *state, double price, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        lua_State *L = begin(state);
        lua_pushnumber(L, price);
        lua_pushinteger(L, i & 7);
        if (run(L, 2)) abort();
        end(state);
        price = floor_original(price, i & 7);
    }
    return price;
}

void floor_load(const char *source) {
    // The libraries that a sandbox has parts of.
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},
        {LUA_MATHLIBNAME, luaopen_math},
        {LUA_TABLIBNAME, luaopen_table},
        {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_STRLIBNAME, luaopen_string},
    };
    lua_State *L = luaL_newstate();
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, true);
        lua_pop(L, 1);
    }
    // The floor does not do the work of `patch.replace`. A function that takes its arguments is enough.
    luaL_dostring(L, "patch = {replace = function() end}");
    if (luaL_dostring(L, source)) abort();
    lua_close(L);
}

bool floor_compile(const char *source, size_t size) {
    static lua_State *L;
    if (!L) L = luaL_newstate();
    bool is_compiled = luaL_loadbufferx(L, source, size, "script", "t") == LUA_OK;
    lua_settop(L, 0);
    return is_compiled;
}

void floor_keep(const void *value) { (void)value; }
