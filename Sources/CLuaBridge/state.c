// Opening and closing states.

#include "calls.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

struct pp_pool {
    pthread_mutex_t lock;
    pp_state *states;
};

bool pp_lock(pp_state *state) {
    bool outermost;
    return lock_state(state, state->session.limits.lock_nanoseconds, &outermost) && (outermost || (state->session.depth++, true));
}

void pp_unlock(pp_state *state) {
    if (state->session.depth > 0)
        state->session.depth--;
    else
        unlock_state(state);
}

pp_pool *pp_pool_make(void) {
    pp_pool *pool = calloc(1, sizeof *pool);
    if (pool) pthread_mutex_init(&pool->lock, NULL);
    return pool;
}

void pp_pool_free(pp_pool *pool) {
    while (pool->states) {
        pp_state *state = pool->states;
        pool->states = state->next;
        if (state->main) {
            void *context = state->session.context;
            pp_empty(state);
            state->session.host.closed(context);
        }
        for (int32_t i = 0; i < state->layer_capacity; i++) free(state->layers[i]);
        free(state->layers);
        free(state->calls);
        free(state->hash_parts);
        pthread_mutex_destroy(&state->queue);
        free(state);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/// Takes a state of the pool that is not in use, or makes a new one.
static pp_state *take(pp_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pp_state *first = pool->states;
    pthread_mutex_unlock(&pool->lock);
    // A state whose last call left just as it was being closed is closed here. States are only added, at the front.
    for (pp_state *state = first; state; state = state->next) {
        bool outermost;
        if (!state->free && atomic_load(&state->closing) && lock_state(state, 0, &outermost) && outermost) unlock_state(state);
    }
    pthread_mutex_lock(&pool->lock);
    pp_state *found = pool->states;
    while (found && !found->free) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        pthread_mutex_init(&found->queue, NULL);
        found->pool = pool;
        found->next = pool->states;
        pool->states = found;
    }
    if (found) found->free = false;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

static int install(lua_State *L) {
    pp_state *state = state_of(L);
    // These errors may be raised when there is no memory left, so they are made now.
    lua_pushliteral(L, "the run was ended");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &state->budget);
    lua_pushliteral(L, "error in error handling");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &state->session.fault_line);
    if (is_spec(state)) {
        state->session.limits.open_libraries(L);
        pp_install_host(L);
    } else {
        pp_install_sandbox(L);
        pp_install_script_api(L);
    }
    return 0;
}

static bool build(pp_state *state) {
    lua_State *L = lua_newstate(pp_allocate, state);
    if (!L) return false;
    state->main = L;
    *(pp_state **)lua_getextraspace(L) = state;
    lua_pushcfunction(L, install);
    bool done = lua_pcall(L, 0, 0, 0) == LUA_OK;
    if (done) {
        lua_pushcfunction(L, pp_handler);
        pp_set_hook(state, L);
        done = lua_checkstack(L, 2 * state->session.limits.replacements + 64);
    }
    return done;
}

pp_state *pp_open(pp_pool *pool, const pp_limits *limits, const pp_host *host, int64_t seed) {
    pp_state *state = take(pool);
    if (!state) return NULL;
    // A thread that read a layer of this state before it was closed may be checking right now whether the layer is
    // still active.
    bool outermost;
    while (!lock_state(state, INT32_MAX, &outermost)) {}
    atomic_store(&state->closing, false);
    state->suspended = 0;
    state->session = (pp_session){
        .limits = *limits,
        .host = *host,
        .kind = limits->open_libraries ? PP_SPEC : PP_SANDBOX,
        .seed = seed,
        .trusted = true,
        .loading = true,
        .interval = limits->instructions_per_check,
    };
    reset_budget(state, limits->load_fuel);
    free(state->calls);
    state->calls = calloc((size_t)limits->call_depth, sizeof *state->calls);
    if (state->calls && build(state)) return state;
    if (state->main) pp_empty(state);
    state->free = true;
    pp_hand_over(state);
    return NULL;
}

void pp_set_context(pp_state *state, void *context) { state->session.context = context; }

void pp_close(pp_state *state) {
    bool outermost;
    atomic_store(&state->closing, true);
    atomic_store(&state->attention, true);
    if (!lock_state(state, 1000000, &outermost)) return; // the call that is in the state closes it
    if (!outermost && (state->session.loading || is_spec(state))) {
        // The thread that opened the state has never left it.
        outermost = true;
        state->session.depth = 0;
        state->activation = NULL;
    }
    for (int32_t i = 0; i < state->layer_count; i++) state->layers[i]->slot = NULL;
    if (outermost) unlock_state(state);
}

lua_State *pp_main(pp_state *state) { return state->main; }
void *pp_context(lua_State *L) { return state_of(L)->session.context; }
