// Layers: a patch has one for each name that it replaces, and it lies on that name's stack of replacements.

#include "calls.h"

#include <stdlib.h>
#include <string.h>

/// Resets a layer that is used again. Another thread may still read what it held before.
static void reset(pp_layer *layer) {
    _Atomic(uint64_t) *const counters[] = {
        &layer->calls, &layer->failures, &layer->fallbacks, &layer->measured, &layer->nanoseconds, &layer->longest,
    };
    atomic_store_explicit(&layer->below, 0, memory_order_relaxed);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        atomic_store_explicit(counters[i], 0, memory_order_relaxed);
    for (int i = 0; i <= PP_BOUNDS; i++) atomic_store_explicit(&layer->times[i], 0, memory_order_relaxed);
}

pp_layer *pp_add_layer(lua_State *L, const char *name) {
    pp_state *state = state_of(L);
    charge_bytes(L, strlen(name));
    if (!state->session.loading) luaL_error(L, "'%s' can be replaced only while the script loads", name);
    if (pp_find_layer(state, name)) luaL_error(L, "'%s' is replaced twice", name);
    if (state->layer_count >= state->session.limits.replacements)
        luaL_error(L, "more than %d replacements", (int)state->session.limits.replacements);
    if (state->layer_count == state->layer_capacity) {
        int32_t capacity = state->layer_capacity ? 2 * state->layer_capacity : 4;
        pp_layer **layers = realloc(state->layers, (size_t)capacity * sizeof *layers);
        if (!layers) pp_kill_run(L, PP_MEMORY);
        state->layers = layers;
        while (state->layer_capacity < capacity) {
            pp_layer *layer = calloc(1, sizeof *layer);
            if (!layer) pp_kill_run(L, PP_MEMORY);
            layer->state = state;
            state->layers[state->layer_capacity++] = layer;
        }
    }
    pp_layer *layer = state->layers[state->layer_count];
    char *copy = strdup(name);
    if (!copy) pp_kill_run(L, PP_MEMORY);
    layer->name = copy;
    layer->slot = NULL;
    layer->function = HANDLER + 1 + 2 * state->layer_count;
    layer->first = layer->function + 1;
    reset(layer);
    state->layer_count++;
    return layer;
}

void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method) {
    layer->is_method = is_method;
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->first);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->function);
}

pp_layer *pp_find_layer(pp_state *state, const char *name) {
    for (int32_t i = 0; i < state->layer_count; i++)
        if (strcmp(state->layers[i]->name, name) == 0) return state->layers[i];
    return NULL;
}

int32_t pp_layer_count(pp_state *state) { return state->layer_count; }
pp_layer *pp_layer_at(pp_state *state, int32_t index) { return state->layers[index]; }
const char *pp_layer_name(pp_layer *layer) { return layer->name; }

int32_t pp_layer_line(pp_layer *layer, const char **script) {
    lua_State *L = layer->state->main;
    lua_Debug function;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
    lua_getinfo(L, ">S", &function);
    *script = function.source[0] == '@' ? function.source + 1 : function.source;
    return function.linedefined;
}

// MARK: stacks of layers

void pp_layer_set_slot(pp_layer *layer, const void *slot) {
    layer->slot = slot;
    atomic_fetch_add_explicit(&layer->puts, 1, memory_order_release);
}
void pp_layer_set_below(pp_layer *layer, pp_layer *below) { pp_cell_set(&layer->below, below); }

void pp_cell_set(void *cell, pp_layer *layer) {
    atomic_store_explicit((_Atomic(uintptr_t) *)cell, (uintptr_t)layer, memory_order_release);
}

uintptr_t pp_layer_below(pp_layer *layer) { return atomic_load_explicit(&layer->below, memory_order_acquire); }
pp_state *pp_layer_state(pp_layer *layer) { return layer->state; }

pp_statistics pp_layer_statistics(pp_layer *layer) {
    return (pp_statistics){
        .calls = atomic_load_explicit(&layer->calls, memory_order_relaxed),
        .failures = atomic_load_explicit(&layer->failures, memory_order_relaxed),
        .fallbacks = atomic_load_explicit(&layer->fallbacks, memory_order_relaxed),
        .measured = atomic_load_explicit(&layer->measured, memory_order_relaxed),
        .nanoseconds = atomic_load_explicit(&layer->nanoseconds, memory_order_relaxed),
        .longest = atomic_load_explicit(&layer->longest, memory_order_relaxed),
    };
}

uint64_t pp_layer_times(pp_layer *layer, int32_t bound) {
    return atomic_load_explicit(&layer->times[bound], memory_order_relaxed);
}

void pp_count_fallback(pp_layer *layer) { atomic_fetch_add_explicit(&layer->fallbacks, 1, memory_order_relaxed); }
void pp_count_failure(pp_layer *layer) { atomic_fetch_add_explicit(&layer->failures, 1, memory_order_relaxed); }
