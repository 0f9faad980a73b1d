// A state and its parts.

#pragma once

#include "thread.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>

/// The most bytes of the name of a function, a class or a script (`NameForm.longest`).
enum { LONGEST_NAME = 128 };

/// Lua's own functions that functions of the sandbox call.
enum pp_lua_function {
    PP_FORMAT,
    PP_REP,
    PP_LOWER,
    PP_UPPER,
    PP_REVERSE,
    PP_TONUMBER,
    PP_CHAR,
    PP_BYTE,
    PP_UTF8_CHAR,
    PP_SORT,
    PP_UTF8_LEN,
    PP_UTF8_CODEPOINT,
    PP_UTF8_OFFSET,
    PP_UTF8_CODES,
    PP_LUA_FUNCTIONS,
};

typedef struct pp_budget {
    /// What was left at the last check. It may be below 0.
    int64_t fuel;
    /// Steps of C loops left until the next check, and after the last one. The difference is charged at the next check.
    int64_t until_check, paced;
    /// A `pp_kill`.
    int32_t kill;
    /// Whether a refusal within the current call was already reported to the host.
    bool has_refused;
    /// When the clock was first checked (0: not yet), and how long the host has worked since.
    uint64_t started, excluded;
    /// The thread's processor time is read next when the run has taken this long (budget.c); 0 before it is first read.
    int64_t ask_at;
    /// The thread's processor time at which the run had used none, corrected for the host's time.
    uint64_t cpu_began;
} pp_budget;

/// The size of the tables that the host reads now: how deep they are nested, and the elements and bytes of all of them.
typedef struct pp_reading {
    int32_t depth;
    int64_t elements, bytes;
} pp_reading;

/// A call of a replacement that has not ended.
typedef struct pp_activation {
    /// The call that it is nested in, or that it has continued in.
    struct pp_activation *outer;
    pp_layer *layer;
    const void *slot;
    void *record;
    lua_State *L;
    /// The top of the Lua stack below it, and the place of its message handler.
    int base, handler;
    /// How often it has called its original.
    int32_t originals;
    /// Its number, and whether the host keeps something for it.
    int64_t id;
    bool has_references;
    /// Its last run returned.
    bool has_run;
    /// A value could not be pushed.
    bool refused;
    /// It was called by the host's own function, whose time continues when this call has ended.
    bool is_of_host;
    /// Its function takes and returns only scalars.
    bool is_scalar;
    /// The host has given it a number that is NaN or infinite, so it may give the host one.
    bool has_non_finite;
    /// The step that an asynchronous call waits for; -1 for a synchronous one.
    int32_t step;
    /// When it began, if this call is measured; else 0.
    uint64_t began;
    /// The budget of an asynchronous call while it waits, and that of the call it continues in, which is restored
    /// later.
    pp_budget budget, outer_budget;
    bool has_outer_budget;
    /// The bytes of its coroutine before its script ran.
    int64_t coroutine_bytes;
    /// How deep protected calls are nested: at most as deep as C allows without a coroutine.
    int32_t protected_calls;
} pp_activation;

/// How a layer was called in one state. Written under the state's lock, and read without it.
typedef struct pp_counters {
    _Atomic(uint64_t) calls, measured, nanoseconds, longest, times[PP_BOUNDS + 1];
} pp_counters;

/// A `pp_place` that threads read while it changes. No layer admits one that is read half changed.
typedef struct pp_cell {
    _Atomic(uintptr_t) layer, number;
} pp_cell;

/// A layer admits this if it lies on no name, or if its breaker is open.
#define PP_NO_NUMBER UINTPTR_MAX

struct pp_layer {
    pp_patch *patch;
    pp_cell below;
    /// It is used again for the next version of its patch, with another number. Calls enter it by cells with the number
    /// that it admits: its own, or PP_NO_NUMBER.
    _Atomic(uintptr_t) number, admits;
    /// The places on the main stack of the function and of its first argument (`original`, or the class). Both values
    /// are also in the registry of each state, under the addresses of these members.
    int function, first;
    /// Whether its first argument is its class, whose place an object of the class takes as the call's first argument.
    bool is_method;
    /// The script has given an `otherwise`. Its value is in the registry of each state, under the address of this
    /// member.
    bool has_otherwise;
    char *name;
    /// Its place among the patch's layers, and among the counters of each state.
    int32_t index;
    _Atomic(uint64_t) failures, fallbacks;
    /// How it was called in states that are closed. Guarded by the `queues_mutex`.
    pp_counters ended;
    /// Whether its breaker is open: only a call of the thread that tries it enters.
    atomic_bool is_open;
    _Atomic(uintptr_t) tried_by;
};

/// The part of a table for the keys that are not a sequence.
typedef struct pp_hash_part {
    const void *nodes;
    size_t size;
} pp_hash_part;

/// The data that lives as long as a script. A new script begins from scratch.
typedef struct pp_session {
    pp_limits limits;
    pp_host host;
    void *context;
    /// How deep its calls are nested now.
    int32_t depth;
    /// Whether the script adds the patch's layers. In any later state, it replaces the same names again.
    bool adds_layers;
    /// Up to this many bytes, the memory of the patch's other states need not be known.
    int64_t share;
    /// The bytes of all of Lua's blocks.
    int64_t used;
    /// For `pp_refuse_allocation`: 0 if no allocation of the script is refused, 1 if each is; else one more than the
    /// number of the first that is, counted from now on.
    int64_t refuse_after;
    int64_t seed;
    /// Bytes that the coroutines of asynchronous calls need before their scripts run. They do not count as the
    /// script's.
    int64_t coroutine_bytes;
    /// Whether the host pushes values. No memory is refused then, because a refusal would be a longjmp.
    bool trusted;
    /// Whether the script has not loaded yet.
    bool loading;
    pp_reading reading;
    /// Whether the host's own code runs, and not a conversion of values; and when it began by both clocks, or 0 for a
    /// clock that does not run.
    bool host_works;
    uint64_t host_since, host_cpu_since;
    /// The thread's processor time at which the time of a spec's own code is over; 0 for no limit.
    uint64_t deadline;
    /// The ignored events that were already reported to the script's log, a bit for each.
    uint32_t reported_removals;
    /// How many instructions, or steps of C loops, there are between two checks of the clock. It is lower while there
    /// are large blocks or long chains of `__index`, because one step may have to read all of that.
    int interval;
    /// The longest string and the largest other block so far, each at most the memory in use between runs; and the
    /// number of links from table to table.
    int64_t longest_string, largest_block, links;
    /// The steps of moving keys into new hash parts since the clock was last checked for them.
    int64_t moves;
    /// How many large hash parts of tables there are, and their size in bytes.
    int32_t hash_part_count;
    int64_t hash_bytes;
    /// Why memory was last refused in this run: a `pp_kill`.
    int32_t refusal;
    /// Where the last run failed. The line is 0 if that is not known.
    int32_t fault_line;
    char fault_script[LONGEST_NAME + 1];
} pp_session;

/// Waiters for one state, or for any state of a patch: first come, first served. Guarded by the pool's `queues_mutex`.
struct pp_queue {
    pp_waiter *first, *last;
    pp_patch *patch;
    /// NULL in the queue for any state of the patch.
    pp_state *state;
    /// When a waiter last checked whether to give up, how often the locks had been released then, and when that number
    /// last changed.
    uint64_t last_check, last_turns, last_progress;
    /// The tasks among the waiters that have not entered. Whether a clock serves them.
    int64_t tasks;
    bool has_clock;
};

enum { PP_FIRST_CALLS = 4 };

struct pp_state {
    /// The thread that is in the state, the waiter whose turn it is, or 0.
    _Atomic(uintptr_t) owner;
    pp_patch *patch;
    /// Whether calls of the patch may begin in it.
    atomic_bool is_serving;
    /// How often the lock was released while there was a queue, or other work for the last call. Guarded by the
    /// `queues_mutex`.
    uint64_t turns;
    atomic_bool closing;
    /// Whether there is work for the last call that leaves, such as `closing`, `abandoned`, or waiters.
    atomic_bool has_leaving_work;
    /// The asynchronous calls that ended while they waited, each of which is the `outer` of the one before.
    _Atomic(struct pp_activation *) abandoned;
    /// The waiters for this state: threads, and asynchronous calls that continue in it. When its current turn was
    /// given.
    pp_queue queue;
    uint64_t turn_given;
    /// The asynchronous calls that have left the state while they wait. Written under the lock.
    _Atomic(int32_t) suspended;
    /// Its place among the patch's states, which is written under the lock and the `queues_mutex`.
    int32_t instance;
    /// The place that a thread in another patch tried first before it took this state, plus 1; or 0.
    uint32_t outer_instance;
    /// The bytes that its script held when that was last looked at.
    _Atomic(int64_t) held;
    /// How the patch's layers were called in it.
    pp_counters *counters;
    int32_t counter_capacity;
    /// How often the owner holds it by `pp_lock`.
    int32_t held_locks;
    lua_State *main;
    pp_activation *activation;
    /// The calls that are in the state, by their depth; `call_room` is how deep they may get before more room is made.
    pp_activation calls[PP_FIRST_CALLS], *deep_calls;
    int32_t call_room;
    /// An asynchronous call that has ended, whose coroutine the next one uses; or NULL.
    pp_activation *spare;
    pp_budget budget;
    pp_session session;
    /// The locale that is restored for the host's functions on the thread that runs a script now; 0 if it was not
    /// switched.
    locale_t host_locale;
    /// The number of the last call, which also grows when one resumes. The fuel that the last outermost call has used.
    int64_t last_call, fuel_used;
    /// The large hash parts of tables.
    pp_hash_part *hash_parts;
    int32_t hash_part_capacity;
    /// The line of the last failure and those that called it (`pp_fault.stack`); NULL before there were any.
    char *fault_stack;
    /// The main stack's top between calls.
    int bottom;
    /// The next of the states that the patch has had.
    pp_state *next;
    atomic_bool is_free;
    /// Lua's own functions that the sandbox calls once it has charged for them.
    lua_CFunction lua_functions[PP_LUA_FUNCTIONS];
};

/// A patch's memory is used again for the next version of its id, and with it its states, layers and queue. A call may
/// still hold an address of a version that is gone. This is who holds one across a lock, and where it is compared:
///
///     LuaState (Swift)            its `pp_handle`: `pp_lock_version` (patch.c), under the `queues_mutex`:
///                                 pp_open_instance, pp_lock, pp_let_grow, pp_shrink, pp_memory. pp_close is called
///                                 once, by the version itself
///     a state that is opening     keeps the patch by `holds` until it has joined, or is given up
///     a state that is reserved    the same; `is_serving` is checked under its lock
///     a cell, or a copy of one    has the layer's number: `admits` and `is_serving`, under the lock of the state
///                                 (calls.c, lock_layer)
///     a layer that has refused    `Layer ==` compares the number under the slot's mutex (LayerStack.swift: place(of:),
///                                 known(_:))
///     a call in a state, or one   keeps its state open, and so the patch, by `depth` or `suspended`
///     that waits in its script
///     a waiter in the queue       enters only by a cell, as above; reads limits of the patch, which are atomic
///     a clock of a queue          serves whoever waits there now; the memory lives as long as the pool
///     names and shadows (Swift)   ScriptState copies them when it has loaded
struct pp_patch {
    char *id;
    pp_pool *pool;
    pp_patch *next;
    atomic_bool is_free;
    /// The number of its opening among those of all patches. Written under the `queues_mutex`.
    _Atomic(uint64_t) generation;
    /// Read only by calls that keep the version open. The limits that any call may read follow.
    pp_limits limits;
    _Atomic(int64_t) lock_nanoseconds, wait_nanoseconds, stack_bytes, hard_memory;
    _Atomic(int32_t) most_instances, most_waiting;
    pp_host host;
    int64_t seed;
    pp_layer **layers;
    int32_t layer_count, layer_capacity;
    /// The states that calls enter. A place without one has a state that is always taken, as has the place after the
    /// last. `pp_thread.instance` is the place that a thread tries first. Written under the `queues_mutex`.
    pp_state *_Atomic instances[PP_INSTANCES + 1];
    _Atomic(int32_t) instance_count;
    /// The states that it has had, in use or not. They are only added, at the front.
    pp_state *_Atomic states;
    /// Its open states, and the functions that need its layers: these are kept until there is none.
    _Atomic(int32_t) holds;
    atomic_bool closing;
    /// Whether a call that finds all states taken may make another one, and whether one is being made.
    _Atomic(bool) may_grow, is_growing;
    /// Until when no other state is made, because one could not be made for want of something that the patch has no
    /// part in; or 0.
    _Atomic(uint64_t) grows_at;
    /// The most bytes that one of the states has held, or has needed.
    _Atomic(int64_t) largest;
    pp_queue queue;
    /// The suspended calls of all states.
    _Atomic(int32_t) all_suspended;
};

struct pp_pool {
    /// Guards which patches and states are in use. It is locked before the other.
    pthread_mutex_t states_mutex;
    /// Patches are only added, at the front.
    pp_patch *_Atomic patches;
    /// Guards the queues of all patches and states, and the numbers of patches and layers.
    pthread_mutex_t queues_mutex;
    /// The last of these numbers.
    uint64_t numbers;
};

static inline pp_state *state_of(lua_State *L) { return *(pp_state **)lua_getextraspace(L); }

/// Pushes a field of a table on the stack, without a metamethod. Returns its type.
static inline int raw_field(lua_State *L, int table, const char *name) {
    lua_pushstring(L, name);
    return lua_rawget(L, table < 0 ? table - 1 : table);
}

/// A state that is always taken.
extern pp_state pp_no_state;
/// A state of a patch by its place, from 0; NULL after the last.
static inline pp_state *instance_at(pp_patch *patch, int32_t place) {
    pp_state *state = atomic_load_explicit(&patch->instances[place], memory_order_acquire);
    return state == &pp_no_state ? NULL : state;
}

/// Whether a spec's code runs in a state, with all of Lua's libraries, and not a patch's code in the sandbox.
static inline bool is_spec(const pp_state *state) { return state->session.limits.open_libraries; }

/// The bytes that a state's script holds, without the coroutines of asynchronous calls.
static inline int64_t script_bytes(const pp_state *state) {
    return state->session.used - state->session.coroutine_bytes;
}

/// The reason to end a run that was refused memory.
static inline int32_t memory_reason(const pp_state *state) {
    return state->session.refusal ? state->session.refusal : PP_MEMORY;
}

/// Makes room for the counters of `count` layers. Those after the first `known` ones begin at 0. Returns false without
/// memory.
bool pp_make_counters(pp_state *state, int32_t known, int32_t count);
void pp_add_counters(pp_counters *sum, const pp_counters *more);
void pp_reset_counters(pp_counters *counters);
/// Adds to a counter that no other thread writes now.
static inline void increase(_Atomic(uint64_t) *counter, uint64_t more) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

/// The message handler is at the bottom of the main stack. The functions of the layers follow; if the layers are few,
/// there is room for them from the start. The host may push as much as HOST_STACK.
enum { HANDLER = 1, HOST_STACK = 256, FEW_LAYERS = 4 };

/// Marks that a script's code runs from now on, or the host's. The host may call `setlocale` and `uselocale`.
static inline void script_begins(pp_state *state) {
    state->host_locale = __builtin_expect(has_c_locale(), 1) ? (locale_t)0 : uselocale(pp_c_locale);
    state->session.trusted = false;
}

static inline void script_ends(pp_state *state) {
    state->session.trusted = true;
    if (__builtin_expect(state->host_locale != (locale_t)0, 0)) uselocale(state->host_locale);
}

/// Calls into the runner. The time of this call is the script's.
#define WITH_RUNNER(state, call) \
    do {                         \
        script_ends(state);      \
        call;                    \
        script_begins(state);    \
    } while (0)

/// The name of the metatable of host errors.
#define PP_ERROR "error"
/// Marks the metatables of host objects by its address.
extern const char pp_object_key;
