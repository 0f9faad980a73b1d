// States: their memory, budgets and locks; opening and closing.

#include "internal.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pp_pool {
    pthread_mutex_t lock;
    pp_state *states;
};

enum { LARGE_BLOCK = 16 * 1024, FINEST_INTERVAL = 8 };

uint64_t pp_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// MARK: the running thread

/// Its address is the thread's name; its value is the lowest address of the thread's C stack.
FAST_THREAD_LOCAL uintptr_t pp_thread_stack;

void pp_find_thread_stack(void) {
#if defined(__APPLE__)
    pp_thread_stack = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
    pp_thread_stack = (uintptr_t)lowest;
#endif
    if (pp_thread_stack == 0) pp_thread_stack = 1;
}

// MARK: the lock

#if __has_feature(thread_sanitizer)
void __tsan_acquire(const void *address);
void __tsan_release(const void *address);
#else
static void __tsan_acquire(const void *address) { (void)address; }
static void __tsan_release(const void *address) { (void)address; }
#endif

void pp_lock_is_taken(const void *address) { __tsan_acquire(address); }
void pp_lock_is_given_back(const void *address) { __tsan_release(address); }

/// Waiting is rare and short, and giving back must cost nothing: a plain store, so waiters look again by themselves.
bool pp_wait_for(pp_state *state, int64_t nanoseconds) {
    uint64_t deadline = pp_nanoseconds() + (uint64_t)nanoseconds;
    for (int round = 0;; round++) {
        uintptr_t nobody = 0;
        if (atomic_compare_exchange_weak_explicit(
                &state->owner, &nobody, this_thread(), memory_order_acquire, memory_order_relaxed))
            return true;
        if (round < 64) continue;
        if (pp_nanoseconds() >= deadline) return false;
        if (round < 128) {
            sched_yield();
        } else {
            struct timespec nap = {0, round < 256 ? 10000 : 100000};
            nanosleep(&nap, NULL);
        }
    }
}

static void empty(pp_state *state);

/// Gives the lock back once what was left to the last call in the state is done: dropping calls, and closing.
void pp_attend(pp_state *state) {
    void *closed = NULL;
    void (*tell)(void *) = state->host.closed;
    if (state->main) {
        state->trusted = true;
        pp_activation *call = atomic_exchange(&state->abandoned, NULL);
        while (call) {
            pp_activation *next = call->outer;
            pp_drop(state, call);
            state->suspended--;
            call = next;
        }
        if (atomic_load(&state->closing) && state->suspended == 0) {
            closed = state->context;
            empty(state);
        }
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
    if (closed) tell(closed);
}

bool pp_lock(pp_state *state) {
    bool outermost;
    return lock_state(state, state->limits.lock_nanoseconds, &outermost) && (outermost || (state->depth++, true));
}

void pp_unlock(pp_state *state) {
    if (state->depth > 0)
        state->depth--;
    else
        unlock_state(state);
}

// MARK: memory and budgets

static void hook(lua_State *L, lua_Debug *where);

static inline int hook_mask(pp_state *state) {
    return state->limits.is_free ? 0 : LUA_MASKCOUNT | (state->limits.tells_lines ? LUA_MASKLINE : 0);
}

/// Operations on large blocks take long, and the hook counts instructions: it looks more often from here on.
static void look_more_often(pp_state *state, int64_t size) {
    int64_t interval = (int64_t)state->limits.instructions_per_check * LARGE_BLOCK / size;
    if (interval < FINEST_INTERVAL) interval = FINEST_INTERVAL;
    if (interval >= state->interval || !state->main) return;
    state->interval = (int)interval;
    lua_sethook(state->main, hook, hook_mask(state), state->interval);
    if (state->activation) lua_sethook(state->activation->L, hook, hook_mask(state), state->interval);
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
    pp_state *state = context;
    int64_t before = block ? (int64_t)old_size : 0;
    if (new_size == 0) {
        state->used -= before;
        free(block);
        return NULL;
    }
    if ((int64_t)new_size > before) {
        if (!state->trusted) {
            if (state->used + (int64_t)new_size - before > state->limits.hard_memory) return NULL;
            if (state->refuse_after && (state->refuse_after == 1 || --state->refuse_after == 1)) return NULL;
        }
        if (new_size >= LARGE_BLOCK) look_more_often(state, (int64_t)new_size);
    }
    void *moved = realloc(block, new_size);
    if (!moved) return (int64_t)new_size <= before ? block : NULL;
    state->used += (int64_t)new_size - before;
    return moved;
}

void pp_refuse_allocation(pp_state *state, int64_t n) { state->refuse_after = n ? n + 1 : 0; }

int pp_kill_run(lua_State *L, int32_t reason) {
    pp_state *state = state_of(L);
    state->budget.kill = reason;
    // A string that is there already: a memory kill must not need memory.
    lua_rawgetp(L, LUA_REGISTRYINDEX, &state->budget);
    return lua_error(L);
}

void pp_check_clock(lua_State *L) {
    pp_state *state = state_of(L);
    pp_budget *budget = &state->budget;
    uint64_t now = pp_nanoseconds();
    if (!budget->started) budget->started = now;
    int64_t allowed = state->loading ? state->limits.load_nanoseconds : state->limits.call_nanoseconds;
    if ((int64_t)(now - budget->started - budget->excluded) > allowed) pp_kill_run(L, PP_TIME);
}

static void hook(lua_State *L, lua_Debug *where) {
    pp_state *state = state_of(L);
    if (where->event == LUA_HOOKLINE) {
        lua_getinfo(L, "S", where);
        WITH_RUNNER(state, state->host.line(state->context, where->source + 1, where->currentline));
        return;
    }
    pp_budget *budget = &state->budget;
    int interval = lua_gethookcount(L); // a coroutine's may be another
    budget->fuel -= interval;
    if (budget->kill) pp_kill_run(L, budget->kill);
    if (budget->fuel <= 0) pp_kill_run(L, PP_FUEL);
    pp_check_clock(L);
    if (state->used > state->limits.soft_memory) {
        budget->fuel -= state->used / 256;
        lua_gc(L, LUA_GCCOLLECT);
        if (state->used > state->limits.soft_memory) pp_kill_run(L, PP_MEMORY);
    }
    if (state->used < state->limits.soft_memory / 16) state->interval = state->limits.instructions_per_check;
    if (interval != state->interval) lua_sethook(L, hook, hook_mask(state), state->interval);
}

int64_t pp_memory(pp_state *state) { return state->used; }

// MARK: opening and closing

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
            void *context = state->context;
            empty(state);
            state->host.closed(context);
        }
        for (int32_t i = 0; i < state->layer_capacity; i++) free(state->layers[i]);
        free(state->layers);
        free(state->calls);
        free(state);
    }
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/// A state that nobody uses, or a new one.
static pp_state *take(pp_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pp_state *first = pool->states;
    pthread_mutex_unlock(&pool->lock);
    // One whose last call left just as it was being closed is closed here. States are only ever added, at the front.
    for (pp_state *state = first; state; state = state->next) {
        bool outermost;
        if (!state->free && atomic_load(&state->closing) && lock_state(state, 0, &outermost) && outermost) unlock_state(state);
    }
    pthread_mutex_lock(&pool->lock);
    pp_state *found = pool->states;
    while (found && !found->free) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        found->pool = pool;
        found->next = pool->states;
        pool->states = found;
    }
    if (found) found->free = false;
    pthread_mutex_unlock(&pool->lock);
    return found;
}

/// Closes the Lua state; the memory around it stays. Under the state's lock.
static void empty(pp_state *state) {
    state->trusted = true;
    lua_close(state->main);
    state->main = NULL;
    state->activation = NULL;
    for (int32_t i = 0; i < state->layer_count; i++) {
        pp_layer *layer = state->layers[i];
        layer->slot = NULL;
        free(layer->name);
        layer->name = NULL;
    }
    state->layer_count = 0;
    state->free = true;
}

static int install(lua_State *L) {
    pp_state *state = state_of(L);
    // What may have to be raised when memory is gone is made now.
    lua_pushliteral(L, "the run was ended");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &state->budget);
    lua_pushliteral(L, "error in error handling");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &state->fault_line);
    if (state->limits.is_free) {
        luaL_openlibs(L);
        pp_install_host(L);
    } else {
        pp_install_sandbox(L);
        pp_install_script_api(L);
    }
    return 0;
}

static bool build(pp_state *state) {
    lua_State *L = lua_newstate(allocate, state);
    if (!L) return false;
    state->main = L;
    *(pp_state **)lua_getextraspace(L) = state;
    lua_pushcfunction(L, install);
    bool done = lua_pcall(L, 0, 0, 0) == LUA_OK;
    if (done) {
        lua_pushcfunction(L, pp_handler);
        lua_sethook(L, hook, hook_mask(state), state->interval);
        done = lua_checkstack(L, 2 * state->limits.replacements + 64);
    }
    return done;
}

pp_state *pp_open(pp_pool *pool, const pp_limits *limits, const pp_host *host, int64_t seed) {
    pp_state *state = take(pool);
    if (!state) return NULL;
    // Somebody who read a layer of this state's last life may just be looking whether it still stands.
    bool outermost;
    while (!lock_state(state, INT32_MAX, &outermost)) {}
    atomic_store(&state->closing, false);
    atomic_store(&state->attention, false);
    state->depth = state->suspended = 0;
    state->host_since = 0;
    state->used = state->refuse_after = 0;
    state->seed = seed;
    state->trusted = state->loading = true;
    state->has_left_out_concat = false;
    state->limits = *limits;
    state->interval = limits->instructions_per_check;
    state->host = *host;
    state->context = NULL;
    reset_budget(state, limits->load_fuel);
    free(state->calls);
    state->calls = calloc((size_t)limits->call_depth, sizeof *state->calls);
    if (state->calls && build(state)) return state;
    if (state->main) empty(state);
    state->free = true;
    atomic_store_explicit(&state->owner, 0, memory_order_release);
    return NULL;
}

void pp_set_context(pp_state *state, void *context) { state->context = context; }

void pp_close(pp_state *state) {
    bool outermost;
    atomic_store(&state->closing, true);
    atomic_store(&state->attention, true);
    if (!lock_state(state, 1000000, &outermost)) return; // the call that is in it closes it
    if (!outermost && (state->loading || state->limits.is_free)) {
        // The thread that opened it has never left it.
        outermost = true;
        state->depth = 0;
        state->activation = NULL;
    }
    for (int32_t i = 0; i < state->layer_count; i++) state->layers[i]->slot = NULL;
    if (outermost) unlock_state(state);
}

lua_State *pp_main(pp_state *state) { return state->main; }
void *pp_context(lua_State *L) { return state_of(L)->context; }
