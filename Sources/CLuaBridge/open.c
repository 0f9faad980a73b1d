// Opening and closing states.

#include "calls.h"
#include "sandbox.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pp_pool *pp_pool_make(void) {
    pp_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    return pool;
}

void pp_pool_free(pp_pool *pool) {
    for (pp_state *state = pool->states; state; state = state->next) {
        if (!state->main) continue;
        void *context = state->session.context;
        pp_empty(state);
        state->session.host.closed(context);
    }
    while (pool->states) {
        pp_state *state = pool->states;
        pool->states = state->next;
        for (int32_t i = 0; i < state->layer_capacity; i++) free(state->layers[i]);
        free(state->layers);
        free(state->counters);
        free(state->deep_calls);
        free(state->hash_parts);
        free(state->id);
        free(state);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

static bool is_for(const pp_state *state, const char *id) {
    return id ? state->id && strcmp(state->id, id) == 0 : !state->id;
}

static pp_state *make(const char *id) {
    pp_state *state = calloc(1, sizeof *state);
    if (!state || !id || (state->id = strdup(id))) return state;
    free(state);
    return NULL;
}

/// Takes a state of the pool that is not in use, or makes a new one. One that was a patch's first is never a later one: a thread may
/// still join its queue, which would not be served.
///
/// `id` is NULL for a later state, whose patch has the first state `home`.
static pp_state *take(pp_pool *pool, pp_state *home, const char *id) {
    pthread_mutex_lock(&pool->lock);
    pp_state *first = pool->states;
    pthread_mutex_unlock(&pool->lock);
    // A state whose last call left just as it was being closed is closed here. States are only added, at the front.
    for (pp_state *state = first; state; state = state->next) {
        bool outermost;
        if (!state->free && atomic_load(&state->closing) && lock_state(state, 0, &outermost) && outermost) unlock_state(state);
    }
    pthread_mutex_lock(&pool->lock);
    pthread_mutex_lock(&pool->mutex);
    pp_state *found = pool->states;
    while (found && !(found->free && is_for(found, id))) found = found->next;
    if (!found && (found = make(id))) {
        found->pool = pool;
        found->home = found;
        for (int i = 0; i <= PP_INSTANCES; i++) found->instances[i] = &pp_taken;
        found->next = pool->states;
        pool->states = found;
    }
    if (found) {
        found->free = false;
        atomic_store(&found->home, home ? home : found);
    }
    pthread_mutex_unlock(&pool->mutex);
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
        done = lua_checkstack(L, HOST_STACK + 2 * FEW_LAYERS);
    }
    return done;
}

/// Gives up a state that could not be opened, which this thread has entered.
static void refuse(pp_state *state) {
    pp_state *home = home_of(state);
    if (state->main) {
        pp_empty(state);
    } else {
        if (state != home) state->free = true;
        pp_leave_home(home);
    }
    unlock_state(state);
}

/// Opens a state of the pool, and enters it. The home counts it among its open states already.
static pp_state *open_state(
    pp_pool *pool, pp_state *home, const char *id, const pp_limits *limits, const pp_host *host, int64_t seed) {
    pp_state *state = take(pool, home, id);
    if (!state) {
        if (home) pp_leave_home(home);
        return NULL;
    }
    // A thread that read a layer of this state before it was closed may be checking right now whether the layer is
    // still active.
    bool outermost;
    while (!lock_state(state, INT32_MAX, &outermost)) {}
    // Threads that are too late read it under the lock, or under the mutex.
    pthread_mutex_lock(&pool->mutex);
    state->instance = 0;
    pthread_mutex_unlock(&pool->mutex);
    state->suspended = 0;
    state->seen_call = 0;
    atomic_store(&state->closing, false);
    state->session = (pp_session){
        .limits = *limits,
        .host = *host,
        .kind = limits->open_libraries ? PP_SPEC : PP_SANDBOX,
        .seed = seed,
        .trusted = true,
        .loading = true,
        .interval = limits->instructions_per_check,
        .share = limits->hard_memory / (limits->instances > 0 ? limits->instances : 1),
    };
    reset_budget(state, limits->load_fuel);
    free(state->deep_calls);
    state->deep_calls = NULL;
    state->call_room = limits->call_depth < PP_FIRST_CALLS ? limits->call_depth : PP_FIRST_CALLS;
    if (!home) {
        atomic_store(&state->serves, state);
        state->instances[0] = state;
        state->instance_count = 1;
        state->open_states = 1;
        state->all_suspended = 0;
        state->may_grow = state->is_growing = false;
        state->grows_at = 0;
        state->largest = 0;
    }
    bool has_counters = !home || pp_make_counters(state, home->layer_count);
    if (has_counters && build(state)) return state;
    refuse(state);
    return NULL;
}

pp_state *pp_open(pp_pool *pool, const char *id, const pp_limits *limits, const pp_host *host, int64_t seed) {
    return open_state(pool, NULL, id, limits, host, seed);
}
void pp_set_context(pp_state *state, void *context) { state->session.context = context; }

void pp_leave_opened(pp_state *state) {
    if (state->session.depth > 0)
        state->session.depth--;
    else
        unlock_state(state);
}

/// Closes a state, now or when the last call leaves it.
///
/// A call that is just leaving may already have checked for attention. It is waited for, even if its thread has to wait for a
/// processor.
static void close_state(pp_state *state) {
    enum { LEAVING_NANOSECONDS = 50000000 };
    bool outermost;
    atomic_store(&state->attention, true);
    if (!lock_state(state, LEAVING_NANOSECONDS, &outermost)) return; // the call that is in the state closes it
    if (!outermost && (state->session.loading || is_spec(state))) {
        // The thread that opened the state has never left it.
        outermost = true;
        state->session.depth = 0;
        state->activation = NULL;
    }
    if (outermost) unlock_state(state);
}

void pp_close(pp_state *home) {
    pp_state *others[PP_INSTANCES];
    int32_t count = 0;
    atomic_fetch_add(&home->open_states, 1); // the layers are kept until this is done
    pthread_mutex_lock(&home->pool->mutex);
    atomic_store(&home->may_grow, false);
    atomic_store(&home->serves, NULL);
    atomic_store(&home->closing, true);
    while (atomic_load(&home->instance_count) > 1) {
        others[count] = atomic_load(&home->instances[home->instance_count - 1]);
        pp_part(home, others[count++]);
    }
    pthread_mutex_unlock(&home->pool->mutex);
    for (int32_t i = 0; i < home->layer_count; i++) pp_layer_set_slot(home->layers[i], NULL, false);
    for (int32_t i = 0; i < count; i++) close_state(others[i]);
    close_state(home);
    pp_leave_home(home);
}

void pp_lock(pp_state *home) {
    // A state that joins under the mutex before this is locked below, and none joins afterwards.
    pthread_mutex_lock(&home->pool->mutex);
    atomic_store(&home->may_grow, false);
    pthread_mutex_unlock(&home->pool->mutex);
    uint64_t until = pp_nanoseconds() + (uint64_t)home->session.limits.lock_nanoseconds;
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(home, i)); i++) {
        bool outermost;
        uint64_t now = pp_nanoseconds();
        state->hold = PP_NOT_HELD;
        if (!lock_state(state, now < until ? (int64_t)(until - now) : 0, &outermost)) continue;
        state->hold = outermost ? PP_HELD : PP_HELD_WITHIN;
        if (!outermost) state->session.depth++;
    }
}

void pp_unlock(pp_state *home) {
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(home, i)); i++) {
        enum pp_hold hold = state->hold;
        if (hold == PP_NOT_HELD) continue;
        state->hold = PP_NOT_HELD;
        if (hold == PP_HELD_WITHIN)
            state->session.depth--;
        else
            unlock_state(state);
    }
}

// MARK: instances

int32_t pp_processors(void) {
#if defined(__linux__)
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}

int32_t pp_instance_count(pp_state *home) { return atomic_load(&home->instance_count); }

void pp_let_grow(pp_state *home) {
    if (home->session.limits.instances > 1) atomic_store(&home->may_grow, true);
}

/// Lets no more states be made: for a while, or for good.
static void stop_growing(pp_state *home, bool for_good) {
    enum { PAUSE = 1000000000 };
    if (for_good)
        atomic_store(&home->may_grow, false);
    else
        atomic_store(&home->grows_at, pp_nanoseconds() + PAUSE);
    atomic_store(&home->is_growing, false);
}

pp_state *pp_open_instance(pp_state *home) {
    pthread_mutex_lock(&home->pool->mutex);
    bool may = pp_may_grow(home) && !atomic_load(&home->closing);
    if (may) {
        atomic_store(&home->is_growing, true);
        atomic_fetch_add(&home->open_states, 1);
    }
    pthread_mutex_unlock(&home->pool->mutex);
    if (!may) return NULL;
    const pp_session *first = &home->session;
    pp_limits limits = first->limits;
    // A call waits for it.
    if (limits.load_nanoseconds > limits.call_nanoseconds) limits.load_nanoseconds = limits.call_nanoseconds;
    pp_state *state = open_state(home->pool, home, NULL, &limits, &first->host, first->seed);
    if (state) return state;
    stop_growing(home, false);
    return NULL;
}

/// Closes a state that this thread has opened.
static void give_up_instance(pp_state *state) {
    atomic_store(&state->closing, true);
    atomic_store(&state->attention, true);
    pp_leave_opened(state);
}

void pp_drop_instance(pp_state *home, pp_state *state, bool for_good) {
    stop_growing(home, for_good);
    give_up_instance(state);
}

bool pp_add_instance(pp_state *home, pp_state *state, bool reserves, const char **why) {
    for (int32_t i = 0; i < home->layer_count; i++) {
        bool is_there = lua_rawgetp(state->main, LUA_REGISTRYINDEX, &home->layers[i]->function) != LUA_TNIL;
        lua_pop(state->main, 1);
        if (is_there) continue;
        *why = home->layers[i]->name;
        pp_drop_instance(home, state, true);
        return false;
    }
    if (!pp_join(home, state)) {
        give_up_instance(state);
        return false;
    }
    if (!reserves) {
        pp_leave_opened(state);
        return true;
    }
    pp_release_reserved(); // the call goes on in another patch, or in a new version
    // Its next call tries this place first, and then finds that the state is its own.
    if (pp_thread.inside == 1) pp_thread.instance = (uint32_t)state->instance;
    pp_thread.reserved = state;
    return true;
}

void pp_release_reserved(void) {
    pp_state *state = pp_thread.reserved;
    pp_thread.reserved = NULL;
    if (state) unlock_state(state);
}
