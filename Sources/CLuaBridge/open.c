// Opening and closing patches and their states.

#include "calls.h"
#include "sandbox.h"

#include <stdlib.h>
#include <string.h>

pp_pool *pp_pool_make(void) {
    pp_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->states_mutex, NULL);
    pthread_mutex_init(&pool->queues_mutex, NULL);
    return pool;
}

void pp_pool_free(pp_pool *pool) {
    for (pp_patch *patch = pool->patches; patch; patch = patch->next) {
        for (pp_state *state = patch->states; state; state = state->next) {
            if (!state->main) continue;
            void *context = state->session.context;
            pp_empty(state);
            state->session.host.closed(context);
        }
    }
    for (pp_patch *patch = pool->patches, *next; patch; patch = next) {
        next = patch->next;
        for (pp_state *state = patch->states, *after; state; state = after) {
            after = state->next;
            free(state->counters);
            free(state);
        }
        for (int32_t i = 0; i < patch->layer_capacity; i++) free(patch->layers[i]);
        free(patch->layers);
        free(patch->id);
        free(patch);
    }
    pthread_mutex_destroy(&pool->states_mutex);
    pthread_mutex_destroy(&pool->queues_mutex);
    free(pool);
}

static pp_patch *make_patch(pp_pool *pool, const char *id) {
    pp_patch *patch = calloc(1, sizeof *patch);
    if (!patch || !(patch->id = strdup(id))) {
        free(patch);
        return NULL;
    }
    patch->pool = pool;
    patch->queue.patch = patch;
    for (int i = 0; i <= PP_INSTANCES; i++) patch->instances[i] = &pp_no_state;
    patch->next = pool->patches;
    pool->patches = patch;
    return patch;
}

/// Takes the patch of an id that is not in use, or makes a new one. NULL without memory.
static pp_patch *take_patch(pp_pool *pool, const char *id) {
    pthread_mutex_lock(&pool->states_mutex);
    pp_patch *patch = pool->patches;
    while (patch && !(atomic_load(&patch->is_free) && strcmp(patch->id, id) == 0)) patch = patch->next;
    if (!patch) patch = make_patch(pool, id);
    if (patch) patch->is_free = false;
    pthread_mutex_unlock(&pool->states_mutex);
    return patch;
}

/// Takes a state of the patch that is not in use, or makes a new one. NULL without memory.
static pp_state *take_state(pp_patch *patch) {
    pthread_mutex_lock(&patch->pool->states_mutex);
    pp_state *state = patch->states;
    while (state && !atomic_load(&state->is_free)) state = state->next;
    if (!state && (state = calloc(1, sizeof *state))) {
        state->patch = state->queue.patch = patch;
        state->queue.state = state;
        state->next = patch->states;
        patch->states = state;
    }
    if (state) state->is_free = false;
    pthread_mutex_unlock(&patch->pool->states_mutex);
    return state;
}

/// Closes the states whose last call left just as they were being closed.
static void close_left_behind(pp_pool *pool) {
    for (pp_patch *patch = pool->patches; patch; patch = patch->next) {
        for (pp_state *state = patch->states; state; state = state->next) {
            bool outermost;
            if (!atomic_load(&state->is_free) && atomic_load(&state->closing) && lock_state(state, 0, &outermost)
                && outermost)
                unlock_state(state);
        }
    }
}

/// Fills the Lua state, in a protected call.
static int install(lua_State *L) {
    pp_state *state = state_of(L);
    // These errors may be raised when there is no memory left, so they are made now. Lua makes the second itself, and
    // finds it here.
    lua_pushliteral(L, "the run was ended");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &pp_killed_key);
    lua_pushliteral(L, "error in error handling");
    luaL_ref(L, LUA_REGISTRYINDEX);
    if (is_spec(state)) {
        state->session.limits.open_libraries(L);
        pp_install_host(L);
    } else {
        pp_install_sandbox(L);
        pp_install_script_api(L);
    }
    return 0;
}

/// Makes the Lua state. Returns false without memory.
static bool build(pp_state *state) {
    lua_State *L = lua_newstate(pp_allocate, state);
    if (!L) return false;
    state->main = L;
    *(pp_state **)lua_getextraspace(L) = state;
    lua_pushcfunction(L, install);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) return false;
    lua_pushcfunction(L, pp_handler);
    pp_set_hook(state, L);
    return lua_checkstack(L, HOST_STACK + 2 * FEW_LAYERS);
}

/// Opens a state of the patch, which counts it among its open states already, and enters it. NULL if there is not
/// enough memory; it is no longer counted then.
static pp_state *open_state(pp_patch *patch, const pp_limits *limits, bool adds_layers) {
    close_left_behind(patch->pool);
    pp_state *state = take_state(patch);
    if (!state) {
        pp_leave_patch(patch);
        return NULL;
    }
    // A thread that read a layer of this state before it was closed may be checking right now whether the layer is
    // still active.
    bool outermost;
    while (!lock_state(state, INT32_MAX, &outermost)) {}
    pthread_mutex_lock(&patch->pool->queues_mutex);
    state->instance = 0;
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    state->suspended = 0;
    atomic_store(&state->closing, false);
    state->session = (pp_session){
        .limits = *limits,
        .host = patch->host,
        .seed = patch->seed,
        .adds_layers = adds_layers,
        .trusted = true,
        .loading = true,
        .interval = limits->instructions_per_check,
        .share = limits->hard_memory / (limits->instances > 0 ? limits->instances : 1),
    };
    reset_budget(state, limits->load_fuel);
    state->call_room = limits->call_depth < PP_FIRST_CALLS ? limits->call_depth : PP_FIRST_CALLS;
    if (pp_make_counters(state, 0, patch->layer_count) && build(state)) return state;
    pp_empty(state);
    unlock_state(state);
    return NULL;
}

pp_state *pp_open(pp_pool *pool, const char *id, const pp_limits *limits, const pp_host *host, int64_t seed) {
    pp_patch *patch = take_patch(pool, id);
    if (!patch) return NULL;
    pthread_mutex_lock(&pool->queues_mutex);
    patch->generation = ++pool->numbers;
    patch->limits = *limits;
    patch->lock_nanoseconds = limits->lock_nanoseconds;
    patch->wait_nanoseconds = limits->wait_nanoseconds;
    patch->stack_bytes = limits->stack_bytes;
    patch->hard_memory = limits->hard_memory;
    patch->most_instances = limits->instances;
    patch->most_waiting = limits->waiting_calls;
    patch->host = *host;
    patch->seed = seed;
    patch->holds = 1;
    patch->all_suspended = 0;
    patch->closing = patch->may_grow = patch->is_growing = false;
    patch->grows_at = 0;
    patch->largest = 0;
    pthread_mutex_unlock(&pool->queues_mutex);
    pp_state *state = open_state(patch, limits, true);
    if (!state) return NULL;
    pthread_mutex_lock(&pool->queues_mutex);
    atomic_store(&state->is_serving, true);
    atomic_store_explicit(&patch->instances[0], state, memory_order_release);
    atomic_store(&patch->instance_count, 1);
    pthread_mutex_unlock(&pool->queues_mutex);
    return state;
}

lua_State *pp_main(pp_state *state) { return state->main; }
void *pp_context(lua_State *L) { return state_of(L)->session.context; }
void pp_set_context(pp_state *state, void *context) { state->session.context = context; }

void pp_leave_opened(pp_state *state) {
    if (state->session.depth > 0)
        state->session.depth--;
    else
        unlock_state(state);
}

/// Closes a state, now or when the last call leaves it.
///
/// A call that is just leaving may already have checked for work. It is waited for, even if its thread has to wait for
/// a processor.
static void close_state(pp_state *state) {
    enum { LEAVING_NANOSECONDS = 50000000 };
    bool outermost;
    atomic_store(&state->has_leaving_work, true);
    if (!lock_state(state, LEAVING_NANOSECONDS, &outermost)) return; // the call that is in the state closes it
    if (!outermost && (state->session.loading || is_spec(state))) {
        // The thread that opened the state has never left it.
        outermost = true;
        state->session.depth = 0;
        state->activation = NULL;
    }
    if (outermost) unlock_state(state);
}

void pp_close(pp_patch *patch) {
    pp_state *states[PP_INSTANCES];
    int32_t count = 0;
    atomic_fetch_add(&patch->holds, 1); // the layers are kept until this is done
    pthread_mutex_lock(&patch->pool->queues_mutex);
    atomic_store(&patch->may_grow, false);
    atomic_store(&patch->closing, true);
    while (atomic_load(&patch->instance_count) > 1) {
        states[count] = instance_at(patch, atomic_load(&patch->instance_count) - 1);
        pp_remove_from_patch(states[count++]);
    }
    // The first keeps its place: a call that comes late waits there, and finds that the patch is closed.
    pp_state *first = states[count++] = instance_at(patch, 0);
    atomic_store(&first->is_serving, false);
    atomic_store(&first->closing, true);
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    for (int32_t i = 0; i < patch->layer_count; i++) pp_refuse_calls(patch->layers[i]);
    for (int32_t i = 0; i < count; i++) close_state(states[i]);
    pp_leave_patch(patch);
}

bool pp_lock(pp_handle handle) {
    pp_patch *patch = handle.patch;
    // A state that joins under the mutex before this is locked below, and none joins afterwards.
    if (!pp_lock_version(handle)) return false;
    atomic_store(&patch->may_grow, false);
    pp_unlock_version(handle);
    uint64_t until = pp_nanoseconds() + (uint64_t)atomic_load_explicit(&patch->lock_nanoseconds, memory_order_relaxed);
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(patch, i)); i++) {
        bool outermost;
        uint64_t now = pp_nanoseconds();
        if (!lock_state(state, now < until ? (int64_t)(until - now) : 0, &outermost)) continue;
        state->held_locks++;
        if (!outermost) state->session.depth++;
    }
    return true;
}

void pp_unlock(pp_patch *patch) {
    // Of all states: one that `pp_lock` waited for may have been closed, and has no place among the instances any more.
    for (pp_state *state = patch->states; state; state = state->next) {
        if (atomic_load_explicit(&state->owner, memory_order_relaxed) != this_thread() || state->held_locks == 0)
            continue;
        state->held_locks--;
        pp_leave_opened(state);
    }
}

// MARK: the later states of a patch

/// Lets no more states be made: for a while, or for good.
static void stop_growing(pp_patch *patch, bool for_good) {
    enum { PAUSE = 1000000000 };
    if (for_good)
        atomic_store(&patch->may_grow, false);
    else
        atomic_store(&patch->grows_at, pp_nanoseconds() + PAUSE);
    atomic_store(&patch->is_growing, false);
}

pp_state *pp_open_instance(pp_handle handle) {
    pp_patch *patch = handle.patch;
    if (!pp_lock_version(handle)) return NULL;
    bool may = pp_may_grow(patch) && !atomic_load(&patch->closing);
    if (may) {
        atomic_store(&patch->is_growing, true);
        atomic_fetch_add(&patch->holds, 2); // the new state, and this function
    }
    pp_unlock_version(handle);
    if (!may) return NULL;
    pp_limits limits = patch->limits;
    // A call waits for it.
    if (limits.load_nanoseconds > limits.call_nanoseconds) limits.load_nanoseconds = limits.call_nanoseconds;
    pp_state *state = open_state(patch, &limits, false);
    if (!state) stop_growing(patch, false);
    pp_leave_patch(patch);
    return state;
}

/// Closes a state that this thread has opened.
static void give_up_instance(pp_state *state) {
    atomic_store(&state->closing, true);
    atomic_store(&state->has_leaving_work, true);
    pp_leave_opened(state);
}

void pp_drop_instance(pp_state *state, bool for_good) {
    stop_growing(state->patch, for_good);
    give_up_instance(state);
}

/// Adds another state, which this thread has locked, to the states that calls enter. Returns false if the patch is
/// closing, takes no more states (`pp_lock`), or has as many as there can be.
static bool add_to_patch(pp_state *state) {
    pp_patch *patch = state->patch;
    pthread_mutex_lock(&patch->pool->queues_mutex);
    atomic_store(&patch->is_growing, false);
    bool joins = atomic_load(&patch->may_grow) && !atomic_load(&patch->closing)
        && atomic_load(&patch->instance_count) < PP_INSTANCES;
    if (joins) {
        state->instance = atomic_load(&patch->instance_count);
        atomic_store(&state->is_serving, true);
        atomic_store_explicit(&patch->instances[state->instance], state, memory_order_release);
        atomic_store(&patch->instance_count, state->instance + 1);
        atomic_store(&state->has_leaving_work, true); // a thread may wait
    }
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    return joins;
}

const char *pp_missing_name(pp_state *state) {
    pp_patch *patch = state->patch;
    for (int32_t i = 0; i < patch->layer_count; i++) {
        bool is_there = lua_rawgetp(state->main, LUA_REGISTRYINDEX, &patch->layers[i]->function) != LUA_TNIL;
        lua_pop(state->main, 1);
        if (!is_there) return patch->layers[i]->name;
    }
    return NULL;
}

void pp_add_instance(pp_state *state) {
    if (!add_to_patch(state)) return give_up_instance(state);
    pp_release_reserved(); // the call goes on in another patch, or in a new version
    // Its next call tries this place first, and then finds that the state is its own.
    if (pp_thread.inside == 1) pp_thread.instance = (uint32_t)state->instance;
    pp_thread.reserved = state;
}

void pp_release_reserved(void) {
    pp_state *state = pp_thread.reserved;
    pp_thread.reserved = NULL;
    if (state) unlock_state(state);
}
