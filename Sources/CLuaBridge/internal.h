#ifndef CLUABRIDGE_INTERNAL_H
#define CLUABRIDGE_INTERNAL_H

#include "CLuaBridge.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdatomic.h>

/// Lua's own functions behind the sandbox's.
enum pp_lua_function {
    PP_FORMAT, PP_REP, PP_LOWER, PP_UPPER, PP_REVERSE,
    PP_TONUMBER,
    PP_INSERT, PP_REMOVE, PP_CONCAT, PP_SORT, PP_MOVE, PP_UNPACK,
    PP_UTF8_LEN, PP_UTF8_CODEPOINT, PP_UTF8_OFFSET, PP_UTF8_CODES,
    PP_LUA_FUNCTIONS,
};

/// What a run may still use.
typedef struct pp_budget {
    int64_t fuel;
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
    /// Its function takes and gives scalars only.
    bool is_scalar;
    /// What an asynchronous call waits for; -1 for a synchronous one.
    int32_t step;
    /// When it began, where this call is one of those that are measured.
    uint64_t began;
    /// An asynchronous call's, while it waits.
    pp_budget budget;
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

struct pp_state {
    _Atomic(uintptr_t) owner;
    atomic_bool closing;
    /// Somebody has left work to the last call that leaves: `closing`, or `abandoned`.
    atomic_bool attention;
    _Atomic(struct pp_activation *) abandoned;
    int32_t depth, suspended;
    lua_State *main;
    pp_activation *activation, *calls;
    pp_budget budget;
    pp_limits limits;
    pp_host host;
    void *context;
    int64_t used, refuse_after, seed, last_call, fuel_used;
    /// The host pushes values: nothing is refused, because a refusal would be a jump.
    bool trusted;
    bool loading;
    /// Since when the host works for the innermost run; 0: it does not, or the clock does not run.
    uint64_t host_since;
    bool has_left_out_concat;
    int interval;
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
static inline void charge(lua_State *L, uint64_t units) {
    pp_state *state = state_of(L);
    if (units > INT32_MAX || (state->budget.fuel -= (int64_t)units) <= 0) pp_kill_run(L, PP_FUEL);
}
/// The price of copying or reading so many bytes.
static inline void charge_bytes(lua_State *L, uint64_t bytes) { charge(L, bytes / 16 + 1); }

/// The host's code begins: its time is not the script's, and what it pushes is not refused.
static inline void host_begins(pp_state *state) {
    state->host_since = state->budget.started ? pp_nanoseconds() : 0;
    state->trusted = true;
}

/// The host's code has ended; the time of one that was not even called is the script's.
static inline void host_ends(pp_state *state, bool was_called) {
    state->trusted = false;
    if (state->host_since && was_called) state->budget.excluded += pp_nanoseconds() - state->host_since;
    state->host_since = 0;
}

/// The message handler stands at the bottom of the main stack; layers' functions follow.
enum { HANDLER = 1, HOST_STACK = 256 };

/// Waits for the lock, up to some nanoseconds.
bool pp_wait_for(pp_state *state, int64_t nanoseconds);
/// Gives the lock back once what was left to the last call in the state is done.
void pp_attend(pp_state *state);
/// Ends an asynchronous call that waits.
void pp_drop(pp_state *state, pp_activation *call);
/// The message handler: notes the place of an error.
int pp_handler(lua_State *L);

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
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return true;
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
    state->budget.fuel = fuel;
    state->budget.kill = PP_NOT_KILLED;
    state->budget.started = 0;
    state->budget.excluded = 0;
}

/// Raises an error where a function that calls the script back has not enough of the C stack left: Lua allows 200 of its C calls
/// in each other, and each needs up to 2 KiB.
static inline void pp_check_c_stack(lua_State *L) {
    if (__builtin_expect(!has_stack(96 * 1024), 0)) luaL_error(L, "C stack overflow");
}

/// Ends a run that has had its time, behind work that no hook looks into.
void pp_check_clock(lua_State *L);

/// Adds a replacement; its function and what it gets first are at the two indexes.
void pp_add_layer(lua_State *L, const char *name, int function, int first);
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
/// The table of a class's functions, made where it is not there yet.
void pp_push_class(lua_State *L, const char *name);
/// A closure that calls the original of a layer.
void pp_push_original(lua_State *L, pp_layer *layer);

/// The name of host errors' metatable.
#define PP_ERROR "error"
/// What marks the metatables of host objects, by its address.
extern const char pp_object_key;

#endif
