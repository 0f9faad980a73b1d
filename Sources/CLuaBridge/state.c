// States: memory, budgets, locks, and the way in and out of a call.

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

/// The message handler stands at the bottom of the main stack; layers' functions follow.
enum { HANDLER = 1, HOST_STACK = 256, LARGE_BLOCK = 16 * 1024, FINEST_INTERVAL = 8, MEASURED_CALLS = 64 };

uint64_t pp_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void count(_Atomic(uint64_t) *counter, uint64_t more) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

// MARK: the running thread

/// Its address is the thread's name; its value is the lowest address of the thread's C stack.
FAST_THREAD_LOCAL uintptr_t pp_thread_stack;

static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread_stack; }

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

/// Waiting is rare and short, and giving back must cost nothing: a plain store, so waiters look again by themselves.
static __attribute__((noinline)) bool wait_for(pp_state *state, int64_t nanoseconds) {
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

/// Whether this thread has the lock now; `*outermost` where it had it not before.
static inline bool lock(pp_state *state, int64_t nanoseconds, bool *outermost) {
    uintptr_t owner = 0;
    *outermost = true;
    if (atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return true;
    if (owner == this_thread()) {
        *outermost = false;
        return true;
    }
    return wait_for(state, nanoseconds);
}

static void empty(pp_state *state);
static void drop(pp_state *state, pp_activation *call);

/// Gives the lock back once what was left to the last call in the state is done: dropping calls, and closing.
static __attribute__((noinline)) void attend(pp_state *state) {
    void *closed = NULL;
    void (*tell)(void *) = state->host.closed;
    if (state->main) {
        state->trusted = true;
        pp_activation *call = atomic_exchange(&state->abandoned, NULL);
        while (call) {
            pp_activation *next = call->outer;
            drop(state, call);
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

/// Gives the lock back at the outermost level.
static inline void unlock(pp_state *state) {
    if (__builtin_expect(atomic_load_explicit(&state->attention, memory_order_relaxed), 0)) {
        attend(state);
        return;
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
}

bool pp_lock(pp_state *state) {
    bool outermost;
    return lock(state, state->limits.lock_nanoseconds, &outermost) && (outermost || (state->depth++, true));
}

void pp_unlock(pp_state *state) {
    if (state->depth > 0)
        state->depth--;
    else
        unlock(state);
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

static void reset_budget(pp_state *state, int64_t fuel) {
    state->budget.fuel = fuel;
    state->budget.kill = PP_NOT_KILLED;
    state->budget.started = 0;
    state->budget.excluded = 0;
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
        if (!state->free && atomic_load(&state->closing) && lock(state, 0, &outermost) && outermost) unlock(state);
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

static int handler(lua_State *L);

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
        lua_pushcfunction(L, handler);
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
    while (!lock(state, INT32_MAX, &outermost)) {}
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
    if (!lock(state, 1000000, &outermost)) return; // the call that is in it closes it
    for (int32_t i = 0; i < state->layer_count; i++) state->layers[i]->slot = NULL;
    if (outermost) unlock(state);
}

lua_State *pp_main(pp_state *state) { return state->main; }
void *pp_context(lua_State *L) { return state_of(L)->context; }

// MARK: loading

bool pp_compile(lua_State *L, const char *source, size_t length, const char *name) {
    pp_state *state = state_of(L);
    bool trusted = state->trusted;
    char chunk[140];
    chunk[0] = '@';
    strncpy(chunk + 1, name, sizeof chunk - 2);
    chunk[sizeof chunk - 1] = 0;
    state->trusted = false;
    int status = luaL_loadbufferx(L, source ? source : "", length, chunk, "t");
    state->trusted = trusted;
    // No hook looks while Lua compiles; who compiles again and again pays for it.
    state->budget.fuel -= (int64_t)length;
    if (status == LUA_ERRMEM) state->budget.kill = PP_MEMORY;
    return status == LUA_OK;
}

typedef struct dump {
    void (*write)(void *context, const void *bytes, size_t length);
    void *context;
} dump;

static int write_dump(lua_State *L, const void *bytes, size_t length, void *context) {
    (void)L;
    dump *to = context;
    to->write(to->context, bytes, length);
    return 0;
}

void pp_dump(lua_State *L, void (*write)(void *context, const void *bytes, size_t length), void *context) {
    dump to = {write, context};
    lua_dump(L, write_dump, &to, false);
}

void pp_push_function(lua_State *L, pp_layer *layer) { lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function); }

void pp_set_field(lua_State *L, const char *table, const char *field) {
    lua_getglobal(L, table);
    lua_insert(L, -2);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
}

void pp_add_layer(lua_State *L, const char *name, int function, int first) {
    pp_state *state = state_of(L);
    function = lua_absindex(L, function);
    first = first ? lua_absindex(L, first) : 0;
    charge_bytes(L, strlen(name));
    if (!state->loading) luaL_error(L, "'%s' can be replaced only while the script loads", name);
    if (pp_find_layer(state, name)) luaL_error(L, "'%s' is replaced twice", name);
    if (state->layer_count >= state->limits.replacements)
        luaL_error(L, "more than %d replacements", (int)state->limits.replacements);
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
    layer->is_method = first != 0;
    atomic_store_explicit(&layer->below, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->calls, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->failures, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->fallbacks, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->measured, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->nanoseconds, 0, memory_order_relaxed);
    atomic_store_explicit(&layer->longest, 0, memory_order_relaxed);
    state->layer_count++;
    lua_pushvalue(L, function);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->function);
    if (first)
        lua_pushvalue(L, first);
    else
        pp_push_original(L, layer);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &layer->first);
}

pp_layer *pp_find_layer(pp_state *state, const char *name) {
    for (int32_t i = 0; i < state->layer_count; i++)
        if (strcmp(state->layers[i]->name, name) == 0) return state->layers[i];
    return NULL;
}

bool pp_run_script(pp_state *state, pp_fault *fault) {
    lua_State *L = state->main;
    if (state->limits.is_free && !state->activation) {
        // A test's script calls the host all the time, as if in a call that never ends.
        pp_activation *base = &state->calls[state->depth++];
        *base = (pp_activation){.L = L, .step = -1};
        state->activation = base;
    }
    state->trusted = false;
    bool done = lua_pcall(L, 0, 0, HANDLER) == LUA_OK;
    state->trusted = true;
    if (!done) {
        pp_fault_of(L, fault);
        return false;
    }
    state->loading = false;
    for (int32_t i = 0; i < state->layer_count; i++) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &state->layers[i]->function);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &state->layers[i]->first);
    }
    state->bottom = lua_gettop(L);
    return true;
}

int64_t pp_fuel_used(pp_state *state) { return state->fuel_used; }

void pp_push_global(lua_State *L, const char *name) { lua_getglobal(L, name); }
uintptr_t pp_pointer(lua_State *L, int32_t index) { return (uintptr_t)lua_topointer(L, index); }
int32_t pp_hold(lua_State *L) { return luaL_ref(L, LUA_REGISTRYINDEX); }
void pp_push_held(lua_State *L, int32_t held) { lua_rawgeti(L, LUA_REGISTRYINDEX, held); }
lua_State *pp_running(pp_state *state) { return state->activation ? state->activation->L : state->main; }

static int trace(lua_State *L) {
    if (lua_type(L, 1) == LUA_TSTRING) luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

bool pp_call_function(lua_State *L, int32_t arguments, int32_t results) {
    pp_state *state = state_of(L);
    bool trusted = state->trusted;
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, trace);
    lua_insert(L, handler);
    state->trusted = false;
    int status = lua_pcall(L, arguments, results, handler);
    state->trusted = trusted;
    lua_remove(L, handler);
    return status == LUA_OK;
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

void pp_layer_set_slot(pp_layer *layer, const void *slot) { layer->slot = slot; }
void pp_layer_set_below(pp_layer *layer, pp_layer *below) { pp_cell_set(&layer->below, below); }

void pp_cell_set(void *cell, pp_layer *layer) {
    atomic_store_explicit((_Atomic(uintptr_t) *)cell, (uintptr_t)layer, memory_order_release);
}

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

void pp_count_fallback(pp_layer *layer) { atomic_fetch_add_explicit(&layer->fallbacks, 1, memory_order_relaxed); }
void pp_count_failure(pp_layer *layer) { atomic_fetch_add_explicit(&layer->failures, 1, memory_order_relaxed); }

// MARK: calls

/// Where an error was raised: the innermost line of Lua.
static void find_fault(lua_State *L, int level) {
    pp_state *state = state_of(L);
    lua_Debug where;
    state->fault_line = 0;
    state->fault_script[0] = 0;
    for (; lua_getstack(L, level, &where); level++) {
        lua_getinfo(L, "Sl", &where);
        if (where.currentline <= 0) continue;
        state->fault_line = where.currentline;
        strncpy(state->fault_script, where.source + 1, sizeof state->fault_script - 1);
        state->fault_script[sizeof state->fault_script - 1] = 0;
        return;
    }
}

static int handler(lua_State *L) {
    find_fault(L, 1);
    return 1;
}

void pp_fault_of(lua_State *L, pp_fault *fault) {
    pp_state *state = state_of(L);
    *fault = (pp_fault){.kill = state->budget.kill, .line = state->fault_line, .script = state->fault_script};
    void *error = luaL_testudata(L, -1, PP_ERROR);
    if (error) fault->host_error = *(int64_t *)error;
}

/// Locks the state of the cell's layer, where that still stands on the slot.
static __attribute__((noinline)) pp_layer *lock_layer_slowly(
    void *cell, const void *slot, bool *outermost, int32_t *refusal, pp_layer **refused) {
    for (pp_layer *seen = NULL;;) {
        pp_layer *layer = (pp_layer *)atomic_load_explicit((_Atomic(uintptr_t) *)cell, memory_order_acquire);
        *refused = layer;
        if (!layer || layer == seen) {
            *refusal = PP_UNPATCHED;
            return NULL;
        }
        pp_state *state = layer->state;
        if (!lock(state, state->limits.lock_nanoseconds, outermost)) {
            *refusal = PP_BUSY;
            return NULL;
        }
        if (layer->slot == slot && !atomic_load_explicit(&state->closing, memory_order_relaxed)) return layer;
        // It was taken off meanwhile, and a slot's cell has changed; a copy of one has not, and leads nowhere.
        if (*outermost) unlock(state);
        seen = layer;
    }
}

static inline pp_layer *lock_layer(
    void *cell, const void *slot, bool *outermost, int32_t *refusal, pp_layer **refused) {
    pp_layer *layer = (pp_layer *)atomic_load_explicit((_Atomic(uintptr_t) *)cell, memory_order_acquire);
    uintptr_t nobody = 0;
    if (__builtin_expect(
            layer
                && atomic_compare_exchange_strong_explicit(
                    &layer->state->owner, &nobody, this_thread(), memory_order_acquire, memory_order_relaxed),
            1)) {
        *outermost = true;
        if (__builtin_expect(
                layer->slot == slot && !atomic_load_explicit(&layer->state->closing, memory_order_relaxed), 1))
            return layer;
        unlock(layer->state);
    }
    return lock_layer_slowly(cell, slot, outermost, refusal, refused);
}

static inline bool admit(pp_state *state, pp_layer *layer, bool outermost, int32_t *refusal, pp_layer **refused) {
    *refused = layer;
    if (__builtin_expect(outermost, 1)) {
        reset_budget(state, state->limits.call_fuel);
    } else if (state->budget.kill) {
        *refusal = PP_KILLED;
        return false;
    }
    if (__builtin_expect(state->depth >= state->limits.call_depth || !has_stack(state->limits.stack_bytes), 0)) {
        *refusal = PP_NO_ROOM;
        if (outermost) unlock(state);
        return false;
    }
    return true;
}

static inline void begin(
    pp_state *state, pp_activation *call, pp_layer *layer, const void *slot, void *record, lua_State *L) {
    uint64_t calls = atomic_load_explicit(&layer->calls, memory_order_relaxed);
    atomic_store_explicit(&layer->calls, calls + 1, memory_order_relaxed);
    call->outer = state->activation;
    call->layer = layer;
    call->slot = slot;
    call->record = record;
    call->L = L;
    call->originals = 0;
    call->has_run = call->has_references = false;
    call->id = ++state->last_call;
    call->refused = false;
    call->step = -1;
    call->began = __builtin_expect(calls % MEASURED_CALLS == 0, 0) ? pp_nanoseconds() : 0;
    state->activation = call;
    state->depth++;
    state->trusted = true;
}

lua_State *pp_enter(void *cell, const void *slot, void *record, int32_t *refusal, pp_layer **refused) {
    bool outermost;
    pp_layer *layer = lock_layer(cell, slot, &outermost, refusal, refused);
    if (!layer) return NULL;
    pp_state *state = layer->state;
    if (!admit(state, layer, outermost, refusal, refused)) return NULL;
    pp_activation *call = &state->calls[state->depth], *outer = state->activation;
    lua_State *L = outer ? outer->L : state->main;
    if (__builtin_expect(outer != NULL, 0) && !lua_checkstack(L, HOST_STACK)) {
        *refusal = PP_NO_ROOM;
        return NULL;
    }
    begin(state, call, layer, slot, record, L);
    if (__builtin_expect(outer != NULL, 0)) {
        call->base = lua_gettop(L);
        lua_pushcfunction(L, handler);
        call->handler = call->base + 1;
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->first);
    } else {
        call->base = state->bottom;
        call->handler = HANDLER;
        lua_pushvalue(L, layer->function);
        lua_pushvalue(L, layer->first);
    }
    return L;
}

/// Whether a value is an object of the class whose table is at the other index.
static bool is_object_of(lua_State *L, int value, int class_table) {
    value = lua_absindex(L, value);
    class_table = lua_absindex(L, class_table);
    if (lua_type(L, value) != LUA_TUSERDATA || !lua_getmetatable(L, value)) return false;
    lua_pushliteral(L, "__index");
    lua_rawget(L, -2);
    bool is_object = lua_rawequal(L, -1, class_table);
    lua_pop(L, 2);
    return is_object;
}

/// How many arguments the function gets: those of the call and, in front, `original` or the class, unless an object is there.
static inline int all_arguments(lua_State *L, pp_layer *layer, int32_t arguments) {
    if (!layer->is_method || arguments == 0 || !is_object_of(L, -arguments, -arguments - 1)) return arguments + 1;
    lua_remove(L, -arguments - 1);
    return arguments;
}

bool pp_has_run(lua_State *L) { return state_of(L)->activation->has_run; }
void pp_refuse_run(lua_State *L) { state_of(L)->activation->refused = true; }
bool pp_is_refused(lua_State *L) { return state_of(L)->activation->refused; }

int64_t pp_owning_call(lua_State *L) {
    // What a script is given lasts as long as the call of the host that it is in: the outermost, or an asynchronous one.
    pp_activation *call = state_of(L)->activation;
    while (call->step < 0 && call->outer) call = call->outer;
    call->has_references = true;
    return call->id;
}

pp_layer *pp_current_layer(lua_State *L) { return state_of(L)->activation->layer; }
uintptr_t pp_current_below(lua_State *L) {
    return atomic_load_explicit(&state_of(L)->activation->layer->below, memory_order_acquire);
}

/// Takes the innermost call off, and gives the lock back behind the outermost.
static inline void take_off(pp_state *state, pp_activation *call) {
    state->activation = call->outer;
    if (--state->depth == 0) {
        state->fuel_used = state->limits.call_fuel - state->budget.fuel;
        unlock(state);
    }
}

static inline void measure(pp_state *state, pp_activation *call) {
    // A call that ran long enough for the clock to be looked at may be the longest.
    uint64_t began = call->began ? call->began : call->outer ? 0 : state->budget.started;
    if (!began) return;
    pp_layer *layer = call->layer;
    uint64_t took = pp_nanoseconds() - began;
    if (call->began) {
        count(&layer->measured, 1);
        count(&layer->nanoseconds, took);
    }
    if (took > atomic_load_explicit(&layer->longest, memory_order_relaxed))
        atomic_store_explicit(&layer->longest, took, memory_order_relaxed);
}

static inline bool run(pp_state *state, pp_activation *call, lua_State *L, int32_t arguments, int32_t results) {
    if (__builtin_expect(call->refused, 0)) {
        lua_pushnil(L);
        return false;
    }
    int count = all_arguments(L, call->layer, arguments);
    state->trusted = false;
    if (call->outer && state->host_since) {
        state->budget.excluded += pp_nanoseconds() - state->host_since;
        state->host_since = 0;
    }
    int status = lua_pcall(L, count, results, call->handler);
    state->trusted = true;
    if (call->outer) state->host_since = state->budget.started ? pp_nanoseconds() : 0;
    if (__builtin_expect(status == LUA_OK, 1)) {
        call->has_run = true;
        return true;
    }
    if (status == LUA_ERRMEM && !state->budget.kill) {
        state->budget.kill = PP_MEMORY; // no handler ran
        state->fault_line = 0;
        state->fault_script[0] = 0;
    }
    return false;
}

bool pp_run(lua_State *L, int32_t arguments, int32_t results) {
    pp_state *state = state_of(L);
    return run(state, state->activation, L, arguments, results);
}

/// Ends a synchronous call.
static inline void leave(pp_state *state, pp_activation *call, lua_State *L) {
    measure(state, call);
    lua_settop(L, call->base);
    if (__builtin_expect(call->has_references, 0)) state->host.call_ended(state->context, call->id);
    take_off(state, call);
}

void pp_leave(lua_State *L) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    if (call->step < 0) {
        leave(state, call, L);
    } else {
        measure(state, call);
        pp_activation ended = *call;
        drop(state, call);
        take_off(state, &ended);
    }
}

bool pp_finish_number(lua_State *L, int32_t arguments, double *result) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    if (!run(state, call, L, arguments, 1) || !pp_read_number(L, -1, result)) return false;
    leave(state, call, L);
    return true;
}

bool pp_finish_integer(lua_State *L, int32_t arguments, int64_t *result) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    if (!run(state, call, L, arguments, 1) || !pp_read_integer(L, -1, result)) return false;
    leave(state, call, L);
    return true;
}

// MARK: asynchronous calls

lua_State *pp_enter_async(void *cell, const void *slot, int32_t *refusal, pp_layer **refused) {
    bool outermost;
    pp_layer *layer = lock_layer(cell, slot, &outermost, refusal, refused);
    if (!layer) return NULL;
    pp_state *state = layer->state;
    if (!admit(state, layer, outermost, refusal, refused)) return NULL;
    pp_activation *call = calloc(1, sizeof *call);
    if (!call) {
        *refusal = PP_NO_ROOM;
        if (outermost) unlock(state);
        return NULL;
    }
    state->trusted = true;
    lua_State *outer = state->activation ? state->activation->L : state->main;
    if (!lua_checkstack(outer, HOST_STACK)) {
        *refusal = PP_NO_ROOM;
        free(call);
        if (outermost) unlock(state);
        return NULL;
    }
    lua_State *L = lua_newthread(outer);
    lua_checkstack(L, HOST_STACK);
    lua_rawsetp(outer, LUA_REGISTRYINDEX, call); // keeps it until the call ends
    begin(state, call, layer, slot, NULL, L);
    call->step = PP_DONE;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->first);
    return L;
}

int32_t pp_resume(lua_State *L, int32_t values, int32_t results) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    if (lua_status(L) == LUA_OK) values = all_arguments(L, call->layer, values);
    call->step = PP_DONE;
    if (call->refused) {
        call->refused = false;
        lua_pushnil(L);
        return PP_FAILED;
    }
    state->trusted = false;
    int count;
    int status = lua_resume(L, call->outer ? call->outer->L : state->main, values, &count);
    state->trusted = true;
    if (status == LUA_YIELD) return call->step;
    if (status == LUA_OK) {
        lua_settop(L, lua_gettop(L) - count + results);
        call->has_run = true;
        return PP_DONE;
    }
    if (status == LUA_ERRMEM) state->budget.kill = PP_MEMORY;
    find_fault(L, 0);
    return PP_FAILED;
}

void *pp_suspend(lua_State *L) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    call->budget = state->budget;
    if (call->budget.started) call->budget.excluded -= pp_nanoseconds();
    state->suspended++;
    if (call->step == PP_ORIGINAL) call->originals++;
    take_off(state, call);
    return call;
}

/// Ends an asynchronous call that waits. Under the state's lock.
static void drop(pp_state *state, pp_activation *call) {
    lua_pushnil(state->main);
    lua_rawsetp(state->main, LUA_REGISTRYINDEX, call);
    if (call->has_references) state->host.call_ended(state->context, call->id);
    free(call);
}

lua_State *pp_continue(void *waiting) {
    pp_activation *call = waiting;
    pp_state *state = call->layer->state;
    bool outermost;
    if (!lock(state, state->limits.lock_nanoseconds, &outermost)) {
        // Whoever leaves the state next drops it.
        call->outer = atomic_load(&state->abandoned);
        while (!atomic_compare_exchange_weak(&state->abandoned, &call->outer, call)) {}
        atomic_store(&state->attention, true);
        return NULL;
    }
    state->suspended--;
    if (atomic_load_explicit(&state->closing, memory_order_relaxed) || state->depth >= state->limits.call_depth) {
        state->trusted = true;
        drop(state, call);
        if (outermost) unlock(state);
        return NULL;
    }
    call->outer = state->activation;
    state->activation = call;
    state->depth++;
    state->trusted = true;
    state->budget = call->budget;
    if (state->budget.started) state->budget.excluded += pp_nanoseconds();
    return call->L;
}
