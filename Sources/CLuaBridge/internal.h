#ifndef CLUABRIDGE_INTERNAL_H
#define CLUABRIDGE_INTERNAL_H

#include "CLuaBridge.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdatomic.h>

/// Lua's own functions behind the sandbox's.
enum pp_lua_function {
    PP_FORMAT, PP_REP, PP_LOWER, PP_UPPER, PP_REVERSE,
    PP_TONUMBER, PP_CHAR, PP_UTF8_CHAR,
    PP_SORT,
    PP_UTF8_LEN, PP_UTF8_CODEPOINT, PP_UTF8_OFFSET, PP_UTF8_CODES,
    PP_LUA_FUNCTIONS,
};

/// What a run may still use.
typedef struct pp_budget {
    int64_t fuel;
    /// Steps of C loops until the next look, and how many there were after the last one: they are paid for when it looks.
    int64_t until_look, paced;
    int32_t kill;
    /// When the clock was first looked at, and how long the host has worked since; 0: not looked at yet.
    uint64_t started, excluded;
} pp_budget;

/// A call of a replacement that has not ended.
typedef struct pp_activation {
    struct pp_activation *outer;
    pp_layer *layer;
    const void *slot;
    void *record;
    lua_State *L;
    int base, handler;
    int32_t originals;
    /// Its number; and whether the host keeps something for it.
    int64_t id;
    bool has_references;
    bool has_run;
    /// A value could not be pushed.
    bool refused;
    /// The host's own function is what called it, whose time goes on when this call has ended.
    bool is_of_host;
    /// Its function takes and gives scalars only.
    bool is_scalar;
    /// What an asynchronous call waits for; -1 for a synchronous one.
    int32_t step;
    /// When it began, where this call is one of those that are measured.
    uint64_t began;
    /// An asynchronous call's, while it waits; and that of the call that it goes on in, which is put back.
    pp_budget budget, outer_budget;
    bool has_outer_budget;
    /// Bytes of its coroutine.
    int64_t lent;
    /// Protected calls within each other: as many as C allows without a coroutine.
    int32_t protected_calls;
} pp_activation;

struct pp_layer {
    pp_state *state;
    _Atomic(uintptr_t) below;
    /// The slot it stands on, or NULL; under the state's lock.
    const void *slot;
    /// Where the function and what it gets first (`original`, or the class) stand on the main stack.
    int function, first;
    /// What it gets first is its class, which an object of the class as the first argument takes the place of.
    bool is_method;
    char *name;
    // Written under the lock and read without it.
    _Atomic(uint64_t) calls, failures, fallbacks, measured, nanoseconds, longest;
};

/// The nodes of a table's keys that are no sequence.
typedef struct pp_hash_part {
    const void *nodes;
    size_t size;
} pp_hash_part;

struct pp_state {
    /// The thread that is in it, 0, or the waiter whose turn it is.
    _Atomic(uintptr_t) owner;
    /// How often the lock was taken.
    _Atomic(uint64_t) turns;
    atomic_bool closing;
    /// Somebody has left work to the last call that leaves: `closing`, `abandoned`, or waiters.
    atomic_bool attention;
    _Atomic(struct pp_activation *) abandoned;
    /// Who waits for the lock, the first first; and when the present turn was given. Under `queue`.
    pthread_mutex_t queue;
    pp_waiter *waiters;
    uint64_t turn_given;
    int32_t depth, suspended;
    lua_State *main;
    pp_activation *activation, *calls;
    pp_budget budget;
    pp_limits limits;
    pp_host host;
    void *context;
    int64_t used, refuse_after, seed, last_call, fuel_used;
    /// Bytes of what calls that wait need before their scripts have done anything: they are not the script's.
    int64_t lent;
    /// The host pushes values: nothing is refused, because a refusal would be a jump.
    bool trusted;
    bool loading;
    /// The host's own code runs, and not a conversion; and since when, or 0 while the clock does not run.
    bool host_works;
    uint64_t host_since;
    /// When a spec's own code has had its time; 0 for no limit.
    uint64_t deadline;
    /// Which events the script was told are left out.
    uint32_t left_out;
    /// A call within the present one was refused, and the host was told.
    bool has_refused;
    /// How many instructions, and steps of C loops, lie between two looks at the clock. It falls while there are large blocks or
    /// long chains of `__index`, because one step may take as long as all of that needs to be read.
    int interval;
    /// The longest string and the largest other block that there were since all of them were gone, and links from table to table.
    int64_t longest_string, largest_block, links;
    /// The large hash parts of tables, and how many bytes they are.
    pp_hash_part *hash_parts;
    int32_t hash_part_count, hash_part_capacity;
    int64_t hash_bytes;
    /// Memory was refused because a table's keys collide.
    bool has_collided;
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

/// Ends the run: nothing that the script has can catch it.
int pp_kill_run(lua_State *L, int32_t reason);
static inline void raise_if_killed(lua_State *L) {
    pp_state *state = state_of(L);
    if (state->budget.kill) pp_kill_run(L, state->budget.kill);
}

/// Why a run is ended that was refused memory.
static inline int32_t memory_reason(const pp_state *state) { return state->has_collided ? PP_COLLISIONS : PP_MEMORY; }

/// Looks at fuel, clock and memory, and ends a run that is past a limit.
void pp_look(lua_State *L);

/// Pays for steps of a C loop, each of which counts as an instruction: before it is done, because it may be the last.
static inline void charge(lua_State *L, uint64_t units) {
    pp_budget *budget = &state_of(L)->budget;
    if (units > INT32_MAX) pp_kill_run(L, PP_FUEL);
    if ((budget->until_look -= (int64_t)units) <= 0) pp_look(L);
}
/// The price of copying or reading so many bytes.
static inline void charge_bytes(lua_State *L, uint64_t bytes) { charge(L, bytes / 16 + 1); }

/// Takes what C loops have used since the last look off the fuel, and begins anew.
static inline void settle_fuel(pp_budget *budget, int interval) {
    budget->fuel -= budget->paced - budget->until_look;
    budget->paced = budget->until_look = budget->fuel < interval ? budget->fuel : interval;
}

/// The host's own code begins: its time is not the script's. What a callback does besides is.
static inline void host_begins(pp_state *state) {
    state->host_works = true;
    state->host_since = state->budget.started ? pp_nanoseconds() : 0;
}

static inline void host_ends(pp_state *state) {
    if (state->host_since) state->budget.excluded += pp_nanoseconds() - state->host_since;
    state->host_works = false;
    state->host_since = 0;
}

/// The message handler stands at the bottom of the main stack; layers' functions follow.
enum { HANDLER = 1, HOST_STACK = 256 };

/// Waits for the lock: after so many nanoseconds no longer than until one call has been in the state for a tenth of them.
bool pp_wait_for(pp_state *state, int64_t nanoseconds);
/// Takes the lock where it is the waiter's turn.
bool pp_take_turn(pp_waiter *waiter);
/// Gives the lock to the first waiter, or back.
void pp_hand_over(pp_state *state);
/// Gives the lock back once what was left to the last call in the state is done.
void pp_attend(pp_state *state);
static inline void count_turn(pp_state *state) {
    uint64_t turns = atomic_load_explicit(&state->turns, memory_order_relaxed);
    atomic_store_explicit(&state->turns, turns + 1, memory_order_relaxed);
}
/// Ends an asynchronous call.
void pp_drop(pp_state *state, pp_activation *call);
/// Ends asynchronous calls that wait, each the `outer` of the one before.
void pp_drop_calls(pp_state *state, pp_activation *call);
/// The message handler: notes the place of an error.
int pp_handler(lua_State *L);
/// Notes the innermost line of Lua from a level of calls on.
void pp_find_fault(lua_State *L, int level);
/// Closes the Lua state; the memory around it stays. Under the state's lock.
void pp_empty(pp_state *state);
/// Lua's allocator, which counts and refuses memory.
void *pp_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Sets the hook that looks at the budget.
void pp_set_hook(pp_state *state, lua_State *L);

/// Calls into the runner, whose time is the script's.
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

/// Its address is the thread's name; its value is the lowest address of the thread's C stack, or 0 before that was looked up.
extern FAST_THREAD_LOCAL uintptr_t pp_thread_stack;
void pp_find_thread_stack(void);

static inline bool has_stack(int64_t bytes) {
    if (__builtin_expect(pp_thread_stack == 0, 0)) pp_find_thread_stack();
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true; // locals live on a heap of the sanitizer's, and tell nothing of the stack
#endif
#endif
    char here;
    return (uintptr_t)&here - pp_thread_stack > (uintptr_t)bytes;
}

static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread_stack; }

/// Whether this thread has the lock now; `*outermost` where it had it not before.
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

/// Gives the lock back at the outermost level.
static inline void unlock_state(pp_state *state) {
    if (__builtin_expect(atomic_load_explicit(&state->attention, memory_order_relaxed), 0)) {
        pp_attend(state);
        return;
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
}

static inline void reset_budget(pp_state *state, int64_t fuel) {
    state->budget = (pp_budget){.fuel = fuel};
    state->has_collided = false;
    state->budget.paced = state->budget.until_look = fuel < state->interval ? fuel : state->interval;
}

/// Lets the hook look as rarely again as what is left in memory allows; between runs, so that no script can put off a look.
void pp_relax(pp_state *state);
/// A table was given an `__index` or a `__newindex` that is a table.
void pp_count_link(pp_state *state);

/// Raises an error where a function that calls the script back has not enough of the C stack left: Lua allows 200 of its C calls
/// in each other, and each needs up to 2 KiB.
static inline void pp_check_c_stack(lua_State *L) {
    if (__builtin_expect(!has_stack(96 * 1024), 0)) luaL_error(L, "C stack overflow");
}

/// Whether a block that Lua asks for may be a large hash part.
bool pp_has_size_of_hash_part(size_t size);
/// Moving the keys of a smaller one, of up to 1,024, takes 3 ms however they fall.
static inline bool pp_is_hash_part(size_t size) {
    return __builtin_expect(size > 1024 * 24, 0) && pp_has_size_of_hash_part(size);
}
void pp_add_hash_part(pp_state *state, const void *block, size_t size);
void pp_remove_hash_part(pp_state *state, const void *block);
/// Whether the keys of a table would take too long to move into a hash part of that size.
bool pp_would_collide(pp_state *state, size_t size);

/// Ends a run that has had its time, after work that no hook looks into.
void pp_check_clock(lua_State *L);

/// Adds a replacement, while the script loads.
pp_layer *pp_add_layer(lua_State *L, const char *name);
/// Pops a replacement's function and what it gets first: its original, or the class of which it is a method.
void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method);
pp_layer *pp_find_layer(pp_state *state, const char *name);

/// Puts the sandbox's globals in place of Lua's.
void pp_install_sandbox(lua_State *L);
/// The functions find, match, gmatch and gsub, into the table on top.
void pp_install_patterns(lua_State *L);
/// The tables patch, host and log, `require` and `waxClass`.
void pp_install_script_api(lua_State *L);
/// The table `host` alone.
void pp_install_host(lua_State *L);
/// As `luaL_tolstring`, without addresses.
const char *pp_to_string(lua_State *L, int index, size_t *length);
/// Hands a line to the host's log.
void pp_write_log(lua_State *L, int32_t level, const char *text, size_t length);
/// The table of a class's functions, made where it is not there yet.
void pp_push_class(lua_State *L, const char *name);

/// The name of host errors' metatable.
#define PP_ERROR "error"
/// What marks the metatables of host objects, by its address.
extern const char pp_object_key;

#endif
