#include "CLuaSpec.h"

#include <lualib.h>

void pp_open_all_libraries(lua_State *L) { luaL_openlibs(L); }

/* A resource that SwiftPM embeds is a literal of 40,000 numbers, for which Swift's compiler needs eight seconds. */
#pragma clang diagnostic ignored "-Wc23-extensions"
static const unsigned char specs[] = {
#embed "specs.lua"
};

const unsigned char *pp_specs(size_t *size) {
    *size = sizeof specs;
    return specs;
}
