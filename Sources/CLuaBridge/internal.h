#ifndef CLUABRIDGE_INTERNAL_H
#define CLUABRIDGE_INTERNAL_H

#include "CLuaBridge.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdatomic.h>

/// Lua's own functions that functions of the sandbox call.
enum pp_lua_function {
    PP_FORMAT, PP_REP, PP_LOWER, PP_UPPER, PP_REVERSE,
    PP_TONUMBER, PP_CHAR, PP_BYTE, PP_UTF8_CHAR,
    PP_SORT,
    PP_UTF8_LEN, PP_UTF8_CODEPOINT, PP_UTF8_OFFSET, PP_UTF8_CODES,
    PP_LUA_FUNCTIONS,
};

/// What is left for a run to use.
typedef struct pp_budget {
    int64_t fuel;
    /// Steps of C loops that are left until the next check, and how many were left after the last one. The difference is
    /// charged at the next check.
    int64_t until_look, paced;
    int32_t kill;
    /// When the clock was first checked (0: not yet), and how long the host has worked since.
    uint64_t started, excluded;
} pp_budget;

/// What the tables have that the host reads now: how deep they are nested, and the elements and bytes of all of them.
typedef struct pp_reading {
    int32_t depth;
    int64_t elements, bytes;
} pp_reading;

/// A call of a replacement that has not ended.
typedef struct pp_activation {
    struct pp_activation *outer;
    pp_layer *layer;
    const void *slot;
    void *record;
    lua_State *L;
    int base, handler;
    int32_t originals;
    /// Its number, and whether the host keeps something for it.
    int64_t id;
    bool has_references;
    bool has_run;
    /// A value could not be pushed.
    bool refused;
    /// It was called by the host's own function, whose time goes on when this call has ended.
    bool is_of_host;
    /// Its function takes and returns only scalars.
    bool is_scalar;
    /// What an asynchronous call waits for; -1 for a synchronous one.
    int32_t step;
    /// When it began, if this call is one of those that are measured; else 0.
    uint64_t began;
    /// The budget of an asynchronous call while it waits, and that of the call that it continues in, which is restored
    /// later.
    pp_budget budget, outer_budget;
    bool has_outer_budget;
    /// Bytes of its coroutine.
    int64_t lent;
    /// How deep protected calls are nested: at most as deep as C allows without a coroutine.
    int32_t protected_calls;
} pp_activation;

struct pp_layer {
    pp_state *state;
    _Atomic(uintptr_t) below;
    /// The slot that it lies on, or NULL. Guarded by the state's lock.
    const void *slot;
    /// The places on the main stack of the function and of its first argument (`original`, or the class).
    int function, first;
    /// Whether its first argument is its class. An object of the class as the call's first argument takes the place of
    /// the class.
    bool is_method;
    char *name;
    // Written under the lock and read without it.
    _Atomic(uint64_t) calls, failures, fallbacks, measured, nanoseconds, longest;
};

/// The part of a table for the keys that are not a sequence.
typedef struct pp_hash_part {
    const void *nodes;
    size_t size;
} pp_hash_part;

struct pp_state {
    /// The thread that is in the state, the waiter whose turn it is, or 0.
    _Atomic(uintptr_t) owner;
    /// How often the lock was taken.
    _Atomic(uint64_t) turns;
    atomic_bool closing;
    /// Whether there is work for the last call that leaves: `closing`, `abandoned`, or waiters.
    atomic_bool attention;
    _Atomic(struct pp_activation *) abandoned;
    /// The queue for the lock, and when the current turn was given. Guarded by `queue`.
    pthread_mutex_t queue;
    pp_waiter *waiters, *last_waiter;
    uint64_t turn_given;
    /// The waiters that are tasks', those of them that want to enter with a new call, and whether a clock looks after them.
    int64_t waiting_tasks, entering_tasks;
    bool has_clock;
    int32_t depth;
    /// The asynchronous calls that have left the state while they wait. Written under the lock.
    _Atomic(int32_t) suspended;
    lua_State *main;
    pp_activation *activation, *calls;
    pp_budget budget;
    pp_limits limits;
    pp_host host;
    void *context;
    int64_t used, refuse_after, seed, last_call, fuel_used;
    /// Bytes that the coroutines of asynchronous calls need before their scripts run. They do not count as the script's.
    int64_t lent;
    /// Whether the host pushes values. No memory is refused then, because a refusal would be a longjmp.
    bool trusted;
    bool loading;
    pp_reading reading;
    /// Whether the host's own code runs, and not a conversion of values; and since when, or 0 if the clock does not run.
    bool host_works;
    uint64_t host_since;
    /// When the time of a spec's own code is over; 0 for no limit.
    uint64_t deadline;
    /// The events that the script was told are left out, a bit for each.
    uint32_t left_out;
    /// Whether a call within the current one was refused, and the host was told.
    bool has_refused;
    /// How many instructions, or steps of C loops, there are between two checks of the clock. It is lower while there
    /// are large blocks or long chains of `__index`, because one step may have to read all of that.
    int interval;
    /// The longest string and the largest other block so far, each at most the memory in use between runs; and the
    /// number of links from table to table.
    int64_t longest_string, largest_block, links;
    /// The large hash parts of tables, and their size in bytes.
    pp_hash_part *hash_parts;
    int32_t hash_part_count, hash_part_capacity;
    int64_t hash_bytes;
    /// Whether memory was refused because a table's keys collide, or because a string would be too long.
    bool has_collided, has_long_string;
    /// The main stack's top between calls.
    int bottom;
    pp_layer **layers;
    int32_t layer_count, layer_capacity;
    pp_pool *pool;
    pp_state *next;
    atomic_bool free;
    int32_t fault_line;
    char fault_script[132];
    /// Lua's own functions that the sandbox calls once it has charged for them.
    lua_CFunction lua_functions[PP_LUA_FUNCTIONS];
};

static inline pp_state *state_of(lua_State *L) { return *(pp_state **)lua_getextraspace(L); }

/// Ends the run. The script cannot catch this.
int pp_kill_run(lua_State *L, int32_t reason);
static inline void raise_if_killed(lua_State *L) {
    pp_state *state = state_of(L);
    if (state->budget.kill) pp_kill_run(L, state->budget.kill);
}

/// The reason to end a run that was refused memory.
static inline int32_t memory_reason(const pp_state *state) {
    return state->has_collided ? PP_COLLISIONS : state->has_long_string ? PP_STRING : PP_MEMORY;
}

/// Checks fuel, clock and memory, and ends a run that is past a limit.
void pp_look(lua_State *L);

/// Charges for steps of a C loop, each of which counts as an instruction. Called before the work, because it may end
/// the run.
static inline void charge(lua_State *L, uint64_t units) {
    pp_budget *budget = &state_of(L)->budget;
    if (units > INT32_MAX) pp_kill_run(L, PP_FUEL);
    if ((budget->until_look -= (int64_t)units) <= 0) pp_look(L);
}
/// Charges for copying or reading this many bytes.
static inline void charge_bytes(lua_State *L, uint64_t bytes) { charge(L, bytes / 16 + 1); }

/// Subtracts what C loops have used since the last check from the fuel, and starts counting again.
static inline void settle_fuel(pp_budget *budget, int interval) {
    budget->fuel -= budget->paced - budget->until_look;
    budget->paced = budget->until_look = budget->fuel < interval ? budget->fuel : interval;
}

/// Says that the host's own code begins. Its time is not the script's; the time of the rest of a callback is.
static inline void host_begins(pp_state *state) {
    state->host_works = true;
    state->host_since = state->budget.started ? pp_nanoseconds() : 0;
}

static inline void host_ends(pp_state *state) {
    if (state->host_since) state->budget.excluded += pp_nanoseconds() - state->host_since;
    state->host_works = false;
    state->host_since = 0;
}

/// The message handler is at the bottom of the main stack; the functions of the layers follow.
enum { HANDLER = 1, HOST_STACK = 256 };

/// Waits for the lock. After this many nanoseconds it gives up as soon as a single call has been in the state for a tenth
/// of them.
bool pp_wait_for(pp_state *state, int64_t nanoseconds);
/// Takes the lock if it is the waiter's turn.
bool pp_take_turn(pp_waiter *waiter);
/// Hands the lock to the first waiter, or releases it.
void pp_hand_over(pp_state *state);
/// Does the work that is left to the last call in the state, and releases the lock.
void pp_attend(pp_state *state);
static inline void count_turn(pp_state *state) {
    uint64_t turns = atomic_load_explicit(&state->turns, memory_order_relaxed);
    atomic_store_explicit(&state->turns, turns + 1, memory_order_relaxed);
}
/// Ends an asynchronous call.
void pp_drop(pp_state *state, pp_activation *call);
/// Ends asynchronous calls that wait, each of which is the `outer` of the one before.
void pp_drop_calls(pp_state *state, pp_activation *call);
/// The message handler: records where an error was raised.
int pp_handler(lua_State *L);
/// Records the innermost line of Lua code, starting at a level of calls.
void pp_find_fault(lua_State *L, int level);
/// Closes the Lua state; the `pp_state` stays. The caller holds the state's lock.
void pp_empty(pp_state *state);
/// Lua's allocator, which counts and refuses memory.
void *pp_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Sets the hook that checks the budget.
void pp_set_hook(pp_state *state, lua_State *L);

/// Calls into the runner. The time of this call is the script's.
#define WITH_RUNNER(state, call)                                                                                        \
    do {                                                                                                                \
        (state)->trusted = true;                                                                                        \
        call;                                                                                                           \
        (state)->trusted = false;                                                                                       \
    } while (0)

#if defined(__linux__)
#define FAST_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define FAST_THREAD_LOCAL _Thread_local
#endif

/// Its address identifies the thread. Its value is the lowest address of the thread's C stack, or 0 before it is looked
/// up.
extern FAST_THREAD_LOCAL uintptr_t pp_thread_stack;
void pp_find_thread_stack(void);

static inline bool has_stack(int64_t bytes) {
    if (__builtin_expect(pp_thread_stack == 0, 0)) pp_find_thread_stack();
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true; // locals are on the sanitizer's heap, so that their addresses say nothing about the stack
#endif
#endif
    char here;
    return (uintptr_t)&here - pp_thread_stack > (uintptr_t)bytes;
}

static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread_stack; }

/// Takes the lock. Returns whether this thread has it now; `*outermost` says whether it did not have it before.
static inline bool lock_state(pp_state *state, int64_t nanoseconds, bool *outermost) {
    uintptr_t owner = 0;
    *outermost = true;
    if (atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed)) {
        count_turn(state);
        return true;
    }
    if (owner == this_thread()) {
        *outermost = false;
        return true;
    }
    return pp_wait_for(state, nanoseconds);
}

/// Releases the lock at the outermost level.
static inline void unlock_state(pp_state *state) {
    if (__builtin_expect(atomic_load_explicit(&state->attention, memory_order_relaxed), 0)) {
        pp_attend(state);
        return;
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
}

static inline void reset_budget(pp_state *state, int64_t fuel) {
    state->budget = (pp_budget){.fuel = fuel};
    state->has_collided = state->has_long_string = false;
    state->budget.paced = state->budget.until_look = fuel < state->interval ? fuel : state->interval;
}

/// Lets the hook check as rarely again as the values in memory allow. Called between runs, so that no script can delay
/// a check.
void pp_relax(pp_state *state);
/// Counts that a table was given an `__index` or a `__newindex` that is a table.
void pp_count_link(pp_state *state);

/// Raises an error if a function that calls the script back has too little C stack left. Lua allows 200 nested C calls,
/// and each needs up to 2 KiB.
static inline void pp_check_c_stack(lua_State *L) {
    if (__builtin_expect(!has_stack(96 * 1024), 0)) luaL_error(L, "C stack overflow");
}

/// Whether a block that Lua asks for may be a hash part.
bool pp_has_size_of_hash_part(size_t size);
/// Whether a block may be a large hash part. To move the keys of a smaller one (up to 1,024) takes 3 ms at most.
static inline bool pp_is_hash_part(size_t size) {
    return __builtin_expect(size > 1024 * 24, 0) && pp_has_size_of_hash_part(size);
}
void pp_add_hash_part(pp_state *state, const void *block, size_t size);
void pp_remove_hash_part(pp_state *state, const void *block);
/// Whether the keys of a table would take too long to move into a hash part of that size.
bool pp_would_collide(pp_state *state, size_t size);

/// Ends a run whose time is over. Called after work during which no hook runs.
void pp_check_clock(lua_State *L);

/// Adds a replacement, while the script loads.
pp_layer *pp_add_layer(lua_State *L, const char *name);
/// Pops a replacement's function and its first argument: its original, or the class of which it is a method.
void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method);
pp_layer *pp_find_layer(pp_state *state, const char *name);

/// Replaces Lua's globals by those of the sandbox.
void pp_install_sandbox(lua_State *L);
/// Adds find, match, gmatch and gsub to the table on top.
void pp_install_patterns(lua_State *L);
/// Adds the tables patch, host and log, and the functions `require` and `waxClass`.
void pp_install_script_api(lua_State *L);
/// Adds only the table `host`.
void pp_install_host(lua_State *L);
/// As `luaL_tolstring`, but without addresses.
const char *pp_to_string(lua_State *L, int index, size_t *length);
/// Writes a line to the host's log.
void pp_write_log(lua_State *L, int32_t level, const char *text, size_t length);
/// Pushes the table of a class's functions, and creates it if it does not exist.
void pp_push_class(lua_State *L, const char *name);

/// The name of the metatable of host errors.
#define PP_ERROR "error"
/// Marks the metatables of host objects by its address.
extern const char pp_object_key;

#endif
