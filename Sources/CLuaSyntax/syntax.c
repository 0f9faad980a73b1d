#include "CLuaSyntax.h"

#include <lauxlib.h>
#include <stdbool.h>

typedef struct source {
    const char *bytes;
    size_t length, at;
    bool ended;
} source;

/// Returns one byte at a time, so that Lua has asked for no more bytes than it has read.
static const char *next_byte(lua_State *L, void *context, size_t *length) {
    (void)L;
    source *from = context;
    from->ended = from->at == from->length;
    *length = !from->ended;
    return from->ended ? NULL : &from->bytes[from->at++];
}

ptrdiff_t pp_error_offset(const char *bytes, size_t length) {
    source from = {bytes, length, 0, false};
    lua_State *L = luaL_newstate();
    if (!L) return -1;
    int status = lua_load(L, next_byte, &from, "=", "t");
    lua_close(L);
    // The lexer is always one byte ahead of its token.
    return status == LUA_OK ? -1 : (ptrdiff_t)(from.ended ? length : from.at - 1);
}
