// Layers: a patch has one for each name that it replaces, and it lies on that name's stack of replacements.

#include "calls.h"

#include <stdlib.h>
#include <string.h>

const char pp_error_key;

/// The patch of all barriers. Its only state is one that is always taken.
static pp_patch no_patch = {.instances = {[0 ... PP_INSTANCES] = &pp_no_state}};

/// The layer of a name; NULL if the patch does not replace it.
static pp_layer *find_layer(pp_patch *patch, const char *name) {
    for (int32_t i = 0; i < patch->layer_count; i++)
        if (strcmp(patch->layers[i]->name, name) == 0) return patch->layers[i];
    return NULL;
}

/// The layer of a name in another instance of the patch. Raises an error if the instance replaces other names than the
/// first.
static pp_layer *find_again(lua_State *L, pp_patch *patch, const char *name) {
    pp_layer *layer = find_layer(patch, name);
    bool is_new = layer && lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function) == LUA_TNIL;
    if (layer) lua_pop(L, 1);
    if (!is_new)
        luaL_error(L, "'%s' is replaced %s: the script does not do the same each time that it loads", name,
            layer ? "twice" : "this time only");
    return layer;
}

/// Makes room for more layers. Returns false without memory.
static bool grow(pp_patch *patch) {
    int32_t capacity = patch->layer_capacity ? 2 * patch->layer_capacity : 4;
    pp_layer **layers = realloc(patch->layers, (size_t)capacity * sizeof *layers);
    if (!layers) return false;
    patch->layers = layers;
    while (patch->layer_capacity < capacity) {
        pp_layer *layer = calloc(1, sizeof *layer);
        if (!layer) return false;
        layer->patch = patch;
        layer->index = patch->layer_capacity;
        layer->function = HANDLER + 1 + 2 * layer->index;
        layer->first = layer->function + 1;
        patch->layers[patch->layer_capacity++] = layer;
    }
    return true;
}

pp_layer *pp_add_layer(lua_State *L, const char *name, size_t length) {
    pp_state *state = state_of(L);
    pp_patch *patch = state->patch;
    charge_bytes(L, length);
    if (!state->session.loading) luaL_error(L, "'%s' can be replaced only while the script loads", name);
    if (strlen(name) != length) luaL_error(L, "the host has no function with a zero byte in its name");
    if (!state->session.adds_layers) return find_again(L, patch, name);
    if (find_layer(patch, name)) luaL_error(L, "'%s' is replaced twice", name);
    if (patch->layer_count >= patch->limits.replacements)
        luaL_error(L, "more than %d replacements", (int)patch->limits.replacements);
    bool has_room = patch->layer_count < patch->layer_capacity || grow(patch);
    if (!has_room || !pp_make_counters(state, patch->layer_count, patch->layer_count + 1)) pp_kill_run(L, PP_MEMORY);
    pp_layer *layer = patch->layers[patch->layer_count];
    char *copy = strdup(name);
    if (!copy) pp_kill_run(L, PP_MEMORY);
    // Another thread may still read the values of an earlier version.
    pthread_mutex_lock(&patch->pool->queues_mutex);
    atomic_store(&layer->number, (uintptr_t)++patch->pool->numbers);
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    pp_refuse_calls(layer);
    pp_cell_set(&layer->below, NULL);
    layer->name = copy;
    layer->has_otherwise = false;
    layer->tried_by = layer->failures = layer->fallbacks = 0;
    pp_reset_counters(&layer->ended);
    patch->layer_count++;
    return layer;
}

void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method) {
    if (state_of(L)->session.adds_layers)
        layer->is_method = is_method;
    else if (layer->is_method != is_method)
        luaL_error(L, "'%s' is replaced in another way than when the script loaded first", layer->name);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->first);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->function);
}

void pp_set_otherwise(lua_State *L, pp_layer *layer) {
    if (state_of(L)->session.adds_layers) layer->has_otherwise = true;
    if (!layer->has_otherwise)
        luaL_error(L, "'%s' has `otherwise` this time only: the script does not do the same each time that it loads",
            layer->name);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->has_otherwise);
}

bool pp_has_otherwise(pp_layer *layer) { return layer->has_otherwise; }

bool pp_push_otherwise(pp_layer *layer) {
    lua_State *L = instance_at(layer->patch, 0)->main;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->has_otherwise);
    if (lua_type(L, -1) != LUA_TTABLE || !lua_getmetatable(L, -1)) return false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &pp_error_key);
    bool is_error = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    if (!is_error) return false;
    raw_field(L, -1, "message");
    raw_field(L, -2, "code");
    lua_remove(L, -3);
    return true;
}

int32_t pp_layer_count(pp_patch *patch) { return patch->layer_count; }
pp_layer *pp_layer_at(pp_patch *patch, int32_t index) { return patch->layers[index]; }
const char *pp_layer_name(pp_layer *layer) { return layer->name; }

int32_t pp_layer_line(lua_State *L, pp_layer *layer, const char **script) {
    lua_Debug function;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
    lua_getinfo(L, ">S", &function);
    *script = function.source[0] == '@' ? function.source + 1 : function.source;
    return function.linedefined;
}

int32_t pp_layer_parameters(lua_State *L, pp_layer *layer) {
    lua_Debug function;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
    lua_getinfo(L, ">u", &function);
    return function.nparams;
}

// MARK: stacks of layers

pp_layer *pp_new_barrier(void) {
    pp_layer *barrier = calloc(1, sizeof *barrier);
    if (!barrier) return NULL;
    barrier->patch = &no_patch;
    barrier->is_open = true;
    return barrier;
}

void pp_free_barrier(pp_layer *barrier) { free(barrier); }
bool pp_is_barrier(const pp_layer *layer) { return layer->patch == &no_patch; }
void *pp_cell_below(pp_layer *layer) { return &layer->below; }

void pp_layer_admit(pp_layer *layer, bool is_open) {
    // A call that is not admitted then finds that the breaker is open.
    if (is_open) atomic_store(&layer->is_open, true);
    atomic_store(&layer->admits, is_open ? PP_NO_NUMBER : pp_layer_number(layer));
    if (!is_open) atomic_store(&layer->is_open, false);
}

void pp_refuse_calls(pp_layer *layer) {
    atomic_store(&layer->admits, PP_NO_NUMBER);
    atomic_store(&layer->is_open, false);
}

void pp_layer_try(pp_layer *layer) { atomic_store(&layer->tried_by, this_thread()); }

bool pp_layer_end_try(pp_layer *layer) {
    uintptr_t thread = this_thread();
    return !atomic_compare_exchange_strong(&layer->tried_by, &thread, 0);
}

void pp_cell_set(void *address, pp_layer *layer) {
    pp_cell *cell = address;
    atomic_store_explicit(&cell->number, layer ? pp_layer_number(layer) : 0, memory_order_relaxed);
    atomic_store_explicit(&cell->layer, (uintptr_t)layer, memory_order_release);
}

pp_place pp_cell_get(const void *address) {
    const pp_cell *cell = address;
    uintptr_t layer = atomic_load_explicit(&cell->layer, memory_order_acquire);
    return (pp_place){layer, atomic_load_explicit(&cell->number, memory_order_relaxed)};
}

pp_patch *pp_layer_patch(pp_layer *layer) { return layer->patch; }
pp_handle pp_layer_handle(const pp_layer *layer) {
    return (pp_handle){layer->patch, atomic_load(&layer->patch->generation)};
}
uintptr_t pp_layer_number(const pp_layer *layer) { return atomic_load_explicit(&layer->number, memory_order_acquire); }
uintptr_t pp_refused_number(void) { return pp_thread.refused; }

pp_statistics pp_layer_statistics(pp_layer *layer) {
    pp_counters sum = {0};
    pthread_mutex_t *mutex = &layer->patch->pool->queues_mutex;
    pthread_mutex_lock(mutex);
    pp_add_counters(&sum, &layer->ended);
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(layer->patch, i)); i++)
        pp_add_counters(&sum, &state->counters[layer->index]);
    pthread_mutex_unlock(mutex);
    pp_statistics statistics = {
        .calls = sum.calls,
        .failures = atomic_load_explicit(&layer->failures, memory_order_relaxed),
        .fallbacks = atomic_load_explicit(&layer->fallbacks, memory_order_relaxed),
        .measured = sum.measured,
        .nanoseconds = sum.nanoseconds,
        .longest = sum.longest,
    };
    for (int i = 0; i <= PP_BOUNDS; i++) statistics.times[i] = sum.times[i];
    return statistics;
}

void pp_count_fallback(pp_layer *layer) { atomic_fetch_add_explicit(&layer->fallbacks, 1, memory_order_relaxed); }
bool pp_count_failure(pp_layer *layer) {
    bool is_on = atomic_load_explicit(&layer->admits, memory_order_relaxed) != PP_NO_NUMBER;
    if (!is_on && !atomic_load_explicit(&layer->is_open, memory_order_relaxed)) return false;
    atomic_fetch_add_explicit(&layer->failures, 1, memory_order_relaxed);
    pp_count_fallback(layer);
    return true;
}
