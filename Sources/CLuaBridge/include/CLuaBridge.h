// The parts of the runner that may raise a Lua error, or that several threads use at once.
//
// A patch has one state or more. A thread enters one (`pp_enter`), pushes arguments, runs the replacement (`pp_run`),
// reads the result and leaves (`pp_leave`). Lua errors stay between `pp_run` and the host's callbacks: a callback
// returns first, and then this code raises its error. So no longjmp crosses a frame of the host.
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A patch: its layers, and its Lua states, each of which has loaded the same script. Its memory is stable: see
/// `pp_pool`.
typedef struct pp_patch pp_patch;
/// A Lua state of a patch, with its lock and its budget.
typedef struct pp_state pp_state;
/// One replacement of a patch. It lies on its name's stack of replacements.
typedef struct pp_layer pp_layer;
/// The patches of a registry. A closed patch is used again for the next version of the same patch, and so are its
/// states. They are freed only with the pool. So a thread that has just read the address of a layer may read the layer
/// without a lock or a reference. It checks what it finds under the lock of a state. If it comes late, it enters
/// another version of the patch that it wanted, or finds that its layer is on no slot, but it never enters another
/// patch.
typedef struct pp_pool pp_pool;

/// A patch has at most this many states, its instances.
enum { PP_INSTANCES = 16 };

/// The limits of a patch. All memory is in bytes.
typedef struct pp_limits {
    /// Instructions, and steps of C loops.
    int64_t load_fuel, call_fuel;
    /// The most that a state may hold after a collection, and the most that all states of the patch may ever hold.
    int64_t soft_memory, hard_memory;
    /// Processor time.
    int64_t load_nanoseconds, call_nanoseconds;
    /// How long a call waits while no other call gets a state, and the longest time that it waits.
    int64_t lock_nanoseconds, wait_nanoseconds;
    /// The C stack that must be free where a script begins to run.
    int64_t stack_bytes;
    /// The longest string that a script may make. A longer one is refused like memory past the limit.
    int64_t string_bytes;
    /// The most elements in the tables of one value that the host reads, and how deep the tables may be nested.
    int64_t table_elements;
    int32_t table_depth;
    int32_t instructions_per_check;
    /// How often a call may call its original.
    int32_t original_calls;
    /// How deep calls may be nested in a state.
    int32_t call_depth;
    int32_t replacements;
    /// How many asynchronous calls of the patch may wait.
    int32_t waiting_calls;
    /// How many states a patch may have, from 1 to PP_INSTANCES.
    int32_t instances;
    /// Opens the libraries for a test's own script, which is not limited in fuel and time. NULL means a sandbox.
    void (*open_libraries)(lua_State *L);
    /// Whether `pp_host.line` is called for each line that runs.
    bool tells_lines;
} pp_limits;

/// Why the sandbox ended a script's run. PP_TIME: it used more processor time than the limit. PP_STALLED: it waited for
/// the processor for many times the limit. PP_COLLISIONS: the keys of a table would take too long to move. PP_MACHINE:
/// the process got no memory from the system. PP_OTHERS: the patch's other states hold the memory that it needs.
/// PP_EFFECT: it is in shadow, and was about to call the app.
enum pp_kill {
    PP_NOT_KILLED,
    PP_FUEL,
    PP_MEMORY,
    PP_TIME,
    PP_COLLISIONS,
    PP_STRING,
    PP_STALLED,
    PP_MACHINE,
    PP_OTHERS,
    PP_EFFECT
};
/// Whether a run was ended for something that is not the script's fault.
static inline bool pp_is_circumstance(int32_t kill) {
    return kill == PP_STALLED || kill == PP_MACHINE || kill == PP_OTHERS;
}

/// Why a state could not be entered.
enum pp_refusal {
    /// The layer is on no name any more, or the cell holds none.
    PP_UNPATCHED,
    /// Other threads were in the patch's states for longer than the limit.
    PP_BUSY,
    /// The thread's C stack is nearly used up, or too many calls are nested.
    PP_NO_ROOM,
    /// The run that this call is nested in was ended.
    PP_KILLED,
    /// Too many asynchronous calls are waiting.
    PP_CROWDED,
    /// An earlier refusal in the same run was already reported to the host.
    PP_REFUSED_AGAIN,
    /// All states of the patch are taken, and another one may be opened (`pp_open_instance`).
    PP_MAY_GROW,
    /// The layer's breaker is open (`pp_layer_admit`).
    PP_OPEN,
};

/// The values that a callback returns instead of a count of results.
enum pp_callback_result {
    /// The value on top is an error to raise.
    PP_RAISE = -1,
    /// The same, and no function of the host was called.
    PP_NOT_CALLED = -2,
    /// The function is asynchronous.
    PP_ASYNCHRONOUS = -3,
};

enum pp_log_level { PP_LOG_DEBUG, PP_LOG_INFO, PP_LOG_WARNING, PP_LOG_ERROR };

/// The host's callbacks for a script. Their time counts as the script's, except between `pp_host_begins` and
/// `pp_host_ends`. A callback that returns `int` returns the number of results on top of the stack, or a
/// `pp_callback_result`. `context` is the pointer that `pp_set_context` was given.
typedef struct pp_host {
    /// Calls the layer that the cell holds, or the original if it holds none, for the call of `record`. The arguments
    /// are at 1 and up. In a call of `pp_call_scalars` all of its time counts as the host's.
    int (*original)(void *context, const void *slot, void *cell, void *record, lua_State *L);
    /// Calls a registered function by its name. The arguments are at 2 and up.
    int (*call)(void *context, const char *name, size_t length, lua_State *L);
    bool (*has)(void *context, const char *name, size_t length);
    /// Compiles a script of the envelope, and pushes the function or a message.
    int (*script)(void *context, const char *name, size_t length, lua_State *L);
    /// Calls a method of a host object, or a function of `pp_add_function` if `class_index` is -1. The arguments begin
    /// at 1.
    int (*method)(void *context, int32_t class_index, int32_t method, lua_State *L);
    /// Pushes the error value for `host.throw`. The message is at 1, and its code or nil at 2.
    int (*throws)(void *context, lua_State *L);
    /// Pushes the text of a host error, by the number that `pp_push_host_error` was given.
    int (*error_text)(void *context, int64_t id, lua_State *L);
    /// Pushes the code that a host error was thrown with, or nil.
    int (*error_code)(void *context, int64_t id, lua_State *L);
    /// Called for a line of the log, with its `pp_log_level`.
    void (*log)(void *context, int32_t level, const char *text, size_t length, lua_State *L);
    /// Called for each line that runs, if the limits ask for it.
    void (*line)(void *context, const char *script, int32_t line);
    /// Called when a call of `pp_note_call`, or for which the host keeps something, has ended. `has_run`: its last run
    /// returned.
    void (*call_ended)(void *context, int64_t call, bool has_run);
    /// Pushes a message that explains why a value could not be pushed.
    void (*refusal)(void *context, lua_State *L);
    /// Called when the state is closed. `context` is not used again.
    void (*closed)(void *context);
} pp_host;

/// The bounds in nanoseconds by which measured calls are counted, as in `EventRecord.timeBounds`. A call counts at the
/// first bound that it is below, or at PP_BOUNDS.
enum { PP_BOUNDS = 10 };
uint64_t pp_bound(int32_t place);

/// How a layer was called. Some of the calls are measured.
typedef struct pp_statistics {
    uint64_t calls, failures, fallbacks, measured;
    /// The wall time of all measured calls, and the longest time of a call.
    uint64_t nanoseconds, longest;
    /// How many measured calls took less than each bound, but not less than the one before it.
    uint64_t times[PP_BOUNDS + 1];
} pp_statistics;

/// Where a run failed and why. The text of the error, or the host's error, is on top of the stack.
typedef struct pp_fault {
    /// A `pp_kill`.
    int32_t kill;
    /// 0 if no line is known. Then the script and the stack say nothing either.
    int32_t line;
    /// The host error that the script did not catch, or 0.
    int64_t host_error;
    const char *script;
    /// The line and those that called it, the innermost first, each in a line of text (`cart.lua:3: in tax`). NULL or
    /// "" if none called it.
    const char *stack;
} pp_fault;

// MARK: states

pp_pool *pp_pool_make(void);
void pp_pool_free(pp_pool *pool);

/// Opens the patch with an id and its first state, and enters that (`lua_newstate`) until `pp_leave_opened`. NULL
/// without memory. `seed` is that of `math.random`.
pp_state *pp_open(pp_pool *pool, const char *id, const pp_limits *limits, const pp_host *host, int64_t seed);
/// A version of a patch. Its memory is used again for the next version with the same id, which has another generation.
typedef struct pp_handle {
    pp_patch *patch;
    uint64_t generation;
} pp_handle;
pp_handle pp_handle_of(pp_state *state);
/// Sets the `context` of the host's callbacks. Must be called before anything runs.
void pp_set_context(pp_state *state, void *context);
/// Opens another state of a patch, and enters it with this thread. NULL if the version is gone or closing, or if none
/// can be opened now, such as because another one is being opened. The memory must be enough for as many states, each
/// as large as the largest was. The script may take as long to load as a call may take.
pp_state *pp_open_instance(pp_handle handle);
/// A name that the first state replaces, and this one, which is loaded, does not; or NULL.
const char *pp_missing_name(pp_state *state);
/// Makes the loaded state one of the patch's states, and reserves it for the next call that this thread makes to the
/// patch. It is closed if the patch is closing, or takes no more states (`pp_lock`).
void pp_add_instance(pp_state *state);
/// Leaves the state that is reserved for this thread, if the call has not used it.
void pp_release_reserved(void);
/// Closes the state that could not be loaded. No more states are opened for the patch: for a while, or for good.
void pp_drop_instance(pp_state *state, bool for_good);
/// Closes the last states, except the first, until the memory is enough for the others as `pp_open_instance` counts it.
/// One that a call is in is closed when the call leaves.
void pp_shrink(pp_handle handle);
/// Lets no call enter a version's layers, and closes its states now or when the last call leaves (`lua_close`). Called
/// once.
void pp_close(pp_patch *patch);
/// Takes the locks of a patch's states as calls do, so that several layers can be put on their names, or taken off, at
/// once. It leaves out those that it cannot have within `lock_nanoseconds`. The patch takes no more states until
/// `pp_let_grow`. Returns false, and takes none, if the version is gone.
bool pp_lock(pp_handle handle);
/// Releases them, while the host holds no other lock: calls may have left work to this thread, with which objects of
/// the host end.
void pp_unlock(pp_patch *patch);
/// Leaves the state that `pp_open` has entered.
void pp_leave_opened(pp_state *state);
/// From now on, a call that finds all states taken may make another one.
void pp_let_grow(pp_handle handle);
int32_t pp_instance_count(pp_patch *patch);
/// How many processors this process may use.
int32_t pp_processors(void);
/// The main Lua stack, to push to outside of a call while the state is locked.
lua_State *pp_main(pp_state *state);
void *pp_context(lua_State *L);
/// The bytes that the version's states hold; 0 if it is gone.
int64_t pp_memory(pp_handle handle);
/// The nanoseconds of a monotonic clock.
uint64_t pp_nanoseconds(void);
/// The processor time that this thread has used.
uint64_t pp_cpu_nanoseconds(void);
/// For tests: how many calls that want to enter are in the queue for the patch.
int32_t pp_queue_length(pp_patch *patch);
/// For tests: called when a call has found a layer that is no longer on its slot, before it looks again; or NULL.
typedef void (*pp_pause)(void);
void pp_when_stale(pp_pause pause);
/// For tests: refuses the n-th allocation of a script from now on, and all that follow, as without memory; 0 for none.
void pp_refuse_allocation(pp_state *state, int64_t n);
/// For tests: counts as processor time that this thread has used.
void pp_add_processor_time(uint64_t nanoseconds);

// MARK: loading

/// Ends a spec's own code (`open_libraries`) after this many nanoseconds of processor time (`lua_sethook`); 0 for no
/// limit.
void pp_limit_time(lua_State *L, int64_t nanoseconds);

/// How many characters of a source can begin an indexing or a bracket, or belong to a `goto` or a `break`.
typedef struct pp_marks {
    size_t indexings, brackets, jumps, breaks;
} pp_marks;
pp_marks pp_count_marks(const void *source, size_t length);
/// Compiles source code within the script's limits, and pushes the function or a message (`lua_load`). Returns whether
/// it is the function. `name` is the script's.
bool pp_compile(lua_State *L, const char *source, size_t length, const char *name);
/// Writes the precompiled form of the function on top, with its lines and names (`lua_dump`).
void pp_dump(lua_State *L, void (*write)(void *context, const void *bytes, size_t length), void *context);
/// Sets a field of a global table to the value on top, and pops it (`lua_setfield`).
void pp_set_field(lua_State *L, const char *table, const char *field);
/// Adds a method to the table of a class, for which `pp_host.method` is called with these places.
void pp_add_method(lua_State *L, const char *class_name, const char *name, int32_t class_index, int32_t method);
/// Adds a function of the host to a global table, and creates the table if it does not exist. `pp_host.method` is
/// called with -1 and this number.
void pp_add_function(lua_State *L, const char *table, const char *name, int32_t function);
static inline void pp_push_global(lua_State *L, const char *name) {
    lua_pushglobaltable(L);
    lua_pushstring(L, name);
    lua_rawget(L, -2); // a metatable of the globals is the script's
    lua_remove(L, -2);
}
/// The address that identifies a table (`lua_topointer`).
static inline uintptr_t pp_pointer(lua_State *L, int32_t index) { return (uintptr_t)lua_topointer(L, index); }
/// Pops a value and keeps it (`luaL_ref`). Returns the number by which `pp_push_held` pushes it.
int32_t pp_hold(lua_State *L);
static inline void pp_push_held(lua_State *L, int32_t held) { lua_rawgeti(L, LUA_REGISTRYINDEX, held); }
/// The Lua stack that the script runs on now. For a state with `open_libraries`.
lua_State *pp_running(pp_state *state);
/// Calls the function below this many arguments (`lua_pcall`). Returns false and leaves the error if the call failed.
bool pp_call_function(lua_State *L, int32_t arguments, int32_t results);
/// The fuel that the last call has used, with those that were nested in it.
int64_t pp_fuel_used(pp_state *state);
/// Begins the budget for compiling and running a script.
void pp_begin_loading(pp_state *state);
/// Whether this thread has the free C stack that a script may need.
bool pp_has_stack(pp_state *state);
/// Whether it has as much as a handler of events may need.
bool pp_has_stack_for_events(void);
/// Runs the function on top with the budget for loading, and drops its results (`lua_pcall`). Called once for a script.
/// If it fails, returns false, describes the failure, and leaves the error on top.
bool pp_run_script(pp_state *state, pp_fault *fault);
int32_t pp_layer_count(pp_patch *patch);
pp_layer *pp_layer_at(pp_patch *patch, int32_t index);
const char *pp_layer_name(pp_layer *layer);
/// The line on which a layer's function begins, and its script (`lua_getinfo`); -1 and `=[C]` for a function in C.
int32_t pp_layer_line(lua_State *L, pp_layer *layer, const char **script);
/// The number of parameters of a layer's function, without `...`; 0 for a function in C.
int32_t pp_layer_parameters(lua_State *L, pp_layer *layer);
bool pp_has_otherwise(pp_layer *layer);
/// Pushes the layer's `otherwise` on the main stack of the first state; for an error, its message and its code. Returns
/// whether it is one.
bool pp_push_otherwise(pp_layer *layer);

// MARK: stacks of layers

/// A layer as a cell holds it: its address, or 0, and its number. Its memory is used again for a later version, which
/// has another number.
typedef struct pp_place {
    uintptr_t layer, number;
} pp_place;

/// Lets calls enter a layer, unless its breaker is open.
void pp_layer_admit(pp_layer *layer, bool is_open);
/// Lets the next call of this thread enter a layer whose breaker is open.
void pp_layer_try(pp_layer *layer);
/// Ends that, if no call has entered it. Returns whether one has.
bool pp_layer_end_try(pp_layer *layer);
/// Puts a layer in a cell, which has room for a `pp_place`.
void pp_cell_set(void *cell, pp_layer *layer);
/// The layer in a cell, which may be closed by now.
pp_place pp_cell_get(const void *cell);
void *pp_cell_below(pp_layer *layer);
/// Makes a layer that refuses each call (`PP_OPEN`), so that the host sees the calls of the layers below it. NULL
/// without memory.
pp_layer *pp_new_barrier(void);
void pp_free_barrier(pp_layer *barrier);
bool pp_is_barrier(const pp_layer *layer);
pp_patch *pp_layer_patch(pp_layer *layer);
/// The version that a call is in.
pp_handle pp_layer_handle(const pp_layer *layer);
uintptr_t pp_layer_number(const pp_layer *layer);
/// The number of the layer that has refused this thread's last call, as the call has found it.
uintptr_t pp_refused_number(void);
pp_statistics pp_layer_statistics(pp_layer *layer);
/// How many asynchronous calls of a patch's scripts wait, for a lock or for the functions that they have called.
int64_t pp_waiting_calls(pp_patch *patch);
void pp_count_fallback(pp_layer *layer);
/// Counts a failure, and that something else answers. Returns false and counts nothing if the layer is on no name any
/// more.
bool pp_count_failure(pp_layer *layer);

// MARK: calls

/// The Lua state that was entered. If none was: NULL, and the address of the layer that refused, with a `pp_refusal` in
/// its three lowest bits; 0 if the cell holds no layer, or if calls enter none (`pp_enter_shadow`).
typedef struct pp_entry {
    lua_State *L;
    uintptr_t refused;
} pp_entry;

/// Enters the state of the layer that `cell` holds, and pushes its function and its `original`.
///
/// `slot` and `record` are passed to `pp_host.original` when the script calls the original.
pp_entry pp_enter(void *cell, const void *slot, void *record);
/// The kind of a scalar, whose 64 bits are an integer, a double, or 0 or 1.
enum pp_scalar { PP_INTEGER = 1, PP_NUMBER, PP_BOOLEAN, PP_NOTHING };
typedef struct pp_answer {
    /// PP_ANSWERED: the result's bits. PP_NOT_ENTERED: as `pp_entry.refused`. PP_NO_ANSWER: the address of the Lua
    /// state.
    uint64_t bits;
    enum pp_outcome { PP_ANSWERED, PP_NOT_ENTERED, PP_NO_ANSWER } outcome;
} pp_answer;

/// Calls a function of scalars in one step: `pp_enter`, pushing the arguments, `pp_run`, reading the result and
/// `pp_leave`. Most of the time of such a call is spent on entering C and returning. PP_NO_ANSWER means that the run
/// failed, or that the result is another value; the call has not ended then.
///
/// `kinds` holds a `pp_scalar` of four bits for each argument, the first in the lowest bits, and the result's from bit
/// 32.
pp_answer pp_call_scalars(void *cell, const void *slot, void *record, const uint64_t *arguments, uint64_t kinds);
/// Reads scalars of these kinds from `first` up to the top. Returns false for other values, or another number of them.
bool pp_read_scalars(lua_State *L, int32_t first, uint64_t *values, uint64_t kinds);
/// Calls the function that `pp_enter` pushed, with the arguments that were pushed after it (`lua_pcall`). Returns false
/// and leaves the error on top if that failed.
bool pp_run(lua_State *L, int32_t arguments, int32_t results);
/// Whether the last run of the innermost call returned true.
bool pp_has_run(lua_State *L);
/// Describes the failure of the run that has just returned false.
void pp_fault_of(lua_State *L, pp_fault *fault);
/// Why the run was ended: a `pp_kill`.
int32_t pp_kill_of(lua_State *L);
/// The text of the error on top, without its position. NULL for an error of the host, or without memory for the text.
const char *pp_fault_message(lua_State *L, size_t *length);
void pp_host_begins(lua_State *L);
void pp_host_ends(lua_State *L);
/// Charges for steps of work that is done for the script, and checks that there is room for this many more bytes.
/// Returns false if the run must end; it ends when the host returns.
bool pp_pay(lua_State *L, uint64_t steps, uint64_t bytes);
/// Makes the run fail that was to receive a value, because the value could not be pushed.
void pp_refuse_run(lua_State *L);
/// Whether `pp_refuse_run` was called for the innermost call.
bool pp_is_refused(lua_State *L);
/// Lets `pp_host.call_ended` be called for the call that owns the values that the script receives now. Returns its
/// number; 0 outside of a call.
int64_t pp_note_owning_call(lua_State *L);
pp_layer *pp_current_layer(lua_State *L);
/// The layer below that of the innermost call, now.
pp_place pp_current_below(lua_State *L);
/// Lets `pp_host.call_ended` be called for the innermost call. Returns the call's number.
int64_t pp_note_call(lua_State *L);
/// The number of the innermost call.
int64_t pp_current_call(lua_State *L);
/// Ends the call: drops its values and releases the lock.
void pp_leave(lua_State *L);

// MARK: asynchronous calls

/// The queue for a state, or for any state of a patch.
typedef struct pp_queue pp_queue;
pp_queue *pp_patch_queue(pp_patch *patch);
typedef struct pp_waiter pp_waiter;
/// Wakes a task. `keep` retains the context, and `wake`, which may come late, releases it. Both are called on any
/// thread.
typedef struct pp_alarm {
    void (*keep)(void *context);
    void (*wake)(void *context);
    void *context;
} pp_alarm;
/// Joins a queue: a state's to continue in it, or a patch's to enter with a new call. The alarm wakes the task when it
/// is this waiter's turn, or when it has waited for too long. NULL if there is not enough memory, or if too many calls
/// already wait to enter. If `*needs_clock`, the caller must call `pp_serve_tasks` every few milliseconds until it
/// returns false.
pp_waiter *pp_wait(pp_queue *queue, pp_alarm alarm, bool *needs_clock);
/// Gives the tasks in a queue the turns that they have missed. Returns false if no task waits any more.
bool pp_serve_tasks(pp_queue *queue);
/// PP_GAVE_UP: it has waited for too long, and is in the queue no more.
typedef enum pp_turn { PP_NO_TURN, PP_TURN, PP_GAVE_UP } pp_turn;
/// Whether it is this waiter's turn. A waiter that comes late may lose its turn, and then continues to wait.
pp_turn pp_turn_of(pp_waiter *waiter);
/// The queue that a waiter has joined.
pp_queue *pp_waiter_queue(pp_waiter *waiter);
/// Leaves the queue, and frees the waiter. A turn that was not taken goes to the next waiter.
void pp_stop_waiting(pp_waiter *waiter);

/// As `pp_enter`, with a coroutine for this call (`lua_newthread`). It does not wait: if the lock is taken, it refuses
/// with PP_BUSY, unless it is the waiter's turn. `waiter` may be NULL.
pp_entry pp_enter_async(void *cell, const void *slot, pp_waiter *waiter);
enum pp_step { PP_DONE, PP_FAILED, PP_ORIGINAL, PP_CALL };
/// Runs the script until it ends or waits (`lua_resume`). Returns a `pp_step`. PP_ORIGINAL: the arguments are at 1 and
/// up. PP_CALL: the name is at 1, and the arguments are at 2 and up; or, for a method, its class and its place in that
/// are at 1 and 2, and the arguments at 3 and up.
///
/// `values` is the number of pushed values: first the arguments; later true and results, or false and an error to
/// raise.
int32_t pp_resume(lua_State *L, int32_t values, int32_t results);
/// Suspends a call that will wait: keeps its budget, and releases the lock. Returns the argument for `pp_continue`.
void *pp_suspend(lua_State *L);
/// The queue of the state in which a call continues.
pp_queue *pp_call_queue(void *waiting);
/// Continues a call after its wait: takes the lock again, even if the patch is closing. NULL if the patch is busy. If
/// the call cannot continue, because calls are nested too deep, it is ended, `is_over` is true and the result is NULL.
lua_State *pp_continue(void *waiting, pp_waiter *waiter, bool *is_over);
/// Ends a call that waits and cannot continue.
void pp_abandon(void *waiting);

// MARK: patches in shadow

/// As `pp_enter`, for a patch in shadow, with a coroutine if `is_async`. If the lock is taken, it refuses at once with
/// PP_BUSY.
///
/// Until `pp_leave_shadow`, calls of this thread enter no patch: those that the host's own code makes while a value is
/// passed or compared have their originals' answers.
pp_entry pp_enter_shadow(void *cell, void *record, bool is_async);
/// Runs what `pp_enter_shadow` has entered, as `pp_run`.
bool pp_run_shadow(lua_State *L, int32_t arguments, int32_t results);
/// Ends what `pp_enter_shadow` has entered, as `pp_leave`.
void pp_leave_shadow(lua_State *L);
/// How many states this thread is in.
int32_t pp_states_entered(void);
/// Sets the host's callbacks. Nothing may run meanwhile.
void pp_set_host(pp_state *state, const pp_host *host);
/// The `record` of the innermost call.
void *pp_record(lua_State *L);
/// Ends the run with PP_EFFECT when the host returns.
void pp_end_run(lua_State *L);

enum { PP_KEYS = 8 };
/// The places on the stack of two values that differ, and of the `depth` keys that lead to them, of which the first are
/// known.
typedef struct pp_difference {
    int32_t left, right, depth, keys[PP_KEYS];
} pp_difference;
/// Called for two numbers that differ, with the places of the keys that lead to them: whether the host reads them with
/// single precision. It is not called if there are more keys than PP_KEYS.
typedef bool (*pp_is_float)(void *context, const int32_t *keys, int32_t depth);
/// PP_TOO_LARGE: the values are past the limits of an answer's tables.
enum pp_comparison { PP_SAME, PP_DIFFERENT, PP_TOO_LARGE };
/// Compares two values by content: numbers by value, and objects of the host by identity. A NaN is the same as another
/// one. If the result is not PP_SAME, values stay above them on the stack. It calls nothing of a script.
enum pp_comparison pp_compare(
    lua_State *L, int32_t left, int32_t right, pp_difference *found, pp_is_float is_float, void *context);

// MARK: values

static inline void pp_push_nil(lua_State *L) { lua_pushnil(L); }
static inline void pp_push_bool(lua_State *L, bool value) { lua_pushboolean(L, value); }
static inline void pp_push_integer(lua_State *L, int64_t value) { lua_pushinteger(L, value); }
/// Records that the running call received a number that is NaN or infinite.
__attribute__((cold)) void pp_note_non_finite(lua_State *L);
/// Whether the running call received such a number. A spec may always have one.
__attribute__((cold)) bool pp_may_be_non_finite(lua_State *L);
static inline void pp_push_number(lua_State *L, double value) {
    if (__builtin_expect(!__builtin_isfinite(value), 0)) pp_note_non_finite(L);
    lua_pushnumber(L, value);
}
/// Pushes a string (`lua_pushlstring`) that the script does not pay for.
void pp_push_string(lua_State *L, const char *bytes, size_t length);
/// Charges for a string, and pushes it. Returns false and pushes nothing if it is past a limit.
bool pp_give_string(lua_State *L, const char *bytes, size_t length);
/// Pushes a sequence, for which the caller has paid (`pp_pay`).
void pp_push_numbers(lua_State *L, const double *values, size_t count);
void pp_push_integers(lua_State *L, const int64_t *values, size_t count);
/// Pushes an object of the host (`lua_newuserdatauv`). It has the methods that `pp_add_method` added to its class.
/// Returns false and pushes nothing if there is no room.
bool pp_push_object(lua_State *L, const char *class_name, int64_t id);
/// Pushes an error of the host by its number (`lua_newuserdatauv`).
void pp_push_host_error(lua_State *L, int64_t id);
/// Pushes a message with the script's position before it, as `error` does (`lua_getinfo`).
void pp_push_message(lua_State *L, const char *bytes, size_t length);

// These results are returned in registers: a variable whose address is taken costs a stack check in every caller.
typedef struct pp_number {
    double value;
    bool is_there;
} pp_number;
typedef struct pp_integer {
    int64_t value;
    bool is_there;
} pp_integer;

static inline pp_integer pp_read_bool(lua_State *L, int32_t index) {
    return (pp_integer){lua_toboolean(L, index), lua_type(L, index) == LUA_TBOOLEAN};
}

/// A float without a fraction counts as an integer; a string does not.
static inline pp_integer pp_read_integer(lua_State *L, int32_t index) {
    int is_integer = 0;
    if (lua_type(L, index) != LUA_TNUMBER) return (pp_integer){0, false};
    int64_t value = lua_tointegerx(L, index, &is_integer);
    return (pp_integer){value, is_integer};
}

/// A number that is NaN or infinite is read only in a call that received one. The result holds its value even if it is
/// not read.
static inline pp_number pp_read_number(lua_State *L, int32_t index) {
    if (lua_type(L, index) != LUA_TNUMBER) return (pp_number){0, false};
    double value = lua_tonumberx(L, index, NULL);
    return (pp_number){value, __builtin_expect(__builtin_isfinite(value), 1) || pp_may_be_non_finite(L)};
}

/// A string's bytes, which live as long as the value is on the stack (`lua_tolstring`). NULL for another value.
const char *pp_read_string(lua_State *L, int32_t index, size_t *length);
/// Charges for reading a string, and returns its bytes. NULL for another value, and for a string past a limit.
const char *pp_take_string(lua_State *L, int32_t index, size_t *length);
static inline bool pp_are_equal(const void *left, const void *right, size_t length) {
    return memcmp(left, right, length) == 0;
}
/// Whether the values that the host reads are within the limits, or which limit they are past.
enum pp_within { PP_WITHIN, PP_TOO_DEEP, PP_TOO_MANY, PP_TOO_LONG, PP_NOT_READ };
/// Begins to read a table with at least this many elements. If the result is PP_WITHIN, `pp_leave_table` must follow.
enum pp_within pp_enter_table(lua_State *L, int64_t elements);
void pp_leave_table(lua_State *L);
/// Charges for reading a table as a struct, and makes room for all of its fields. PP_NOT_READ: it is another value, or
/// the run must end. If the result is PP_WITHIN, `pp_end_struct` must follow.
enum pp_within pp_begin_struct(lua_State *L, int32_t index, int32_t fields);
/// Ends that, and drops the values that were pushed above `top`.
void pp_end_struct(lua_State *L, int32_t top);
/// Charges for a struct, and pushes a table for it. Returns false and pushes nil if the run must end.
bool pp_push_struct(lua_State *L, int32_t fields);
/// Counts an element of the table that is being read.
enum pp_within pp_count_element(lua_State *L);
/// Whether the strings of the table that is being read, with another string of this length, are within the limit.
enum pp_within pp_fits_table(lua_State *L, size_t length);
/// Reads the number of a host object (`lua_touserdata`). Returns false for another value.
bool pp_read_object(lua_State *L, int32_t index, int64_t *id);
/// Copies the first `count` numbers of a sequence, which has as many (`lua_rawgeti`). Returns false for another
/// element.
bool pp_read_numbers(lua_State *L, int32_t index, double *values, size_t count);
bool pp_read_integers(lua_State *L, int32_t index, int64_t *values, size_t count);
/// A table's length as a sequence (`lua_rawlen`). -1 for another value, and for a table that has keys but no sequence.
int64_t pp_sequence_length(lua_State *L, int32_t index);
static inline bool pp_is_nil(lua_State *L, int32_t index) { return lua_type(L, index) <= LUA_TNIL; }
static inline bool pp_is_table(lua_State *L, int32_t index) { return lua_type(L, index) == LUA_TTABLE; }
/// The name of a value's type (`luaL_typename`), but `integer` for an integer, and the class's name for an object.
const char *pp_type_name(lua_State *L, int32_t index);

static inline int32_t pp_top(lua_State *L) { return lua_gettop(L); }
static inline int32_t pp_absolute(lua_State *L, int32_t index) { return lua_absindex(L, index); }
static inline void pp_set_top(lua_State *L, int32_t index) { lua_settop(L, index); }
static inline void pp_push_copy(lua_State *L, int32_t index) { lua_pushvalue(L, index); }
static inline bool pp_check_stack(lua_State *L, int32_t count) { return lua_checkstack(L, count); }
static inline void pp_push_table(lua_State *L, int32_t elements, int32_t fields) {
    lua_createtable(L, elements, fields);
}
/// Pops a value, and makes it an element of a table (`lua_rawseti`).
static inline void pp_set_element(lua_State *L, int32_t table, int64_t index) { lua_rawseti(L, table, index); }
/// Pops a value and the key below it, and puts them into a table (`lua_rawset`). A key that is nil is dropped.
void pp_set_pair(lua_State *L, int32_t table);
/// Pushes a field's name (`lua_pushstring`). The same name should always be at the same address.
static inline void pp_push_name(lua_State *L, const char *name) { lua_pushstring(L, name); }
/// Pushes a field of a table (`lua_rawget`), whose index is absolute.
void pp_get_field(lua_State *L, int32_t table, const char *name);
static inline void pp_get_element(lua_State *L, int32_t table, int64_t index) { lua_rawgeti(L, table, index); }
/// Replaces the key on top with its value (`lua_rawget`).
static inline void pp_get_value(lua_State *L, int32_t table) { lua_rawget(L, table); }
/// A number that changes with each call. While it is the same, no other call has run a script.
int64_t pp_calls(lua_State *L);
enum pp_next_pair { PP_NO_PAIR, PP_PAIR, PP_CHANGED };
/// Replaces the key on top with the next key and its value, or pops it (`lua_next`). The index of the table is
/// absolute. `since` is the result of `pp_calls` when the first pair was read. If a script has run since and Lua no
/// longer finds the key, the result is PP_CHANGED.
enum pp_next_pair pp_next(lua_State *L, int32_t table, int64_t since);
/// Moves the value on top to an index, and the values from there upwards (`lua_insert`).
static inline void pp_insert(lua_State *L, int32_t index) { lua_insert(L, index); }
static inline void pp_replace(lua_State *L, int32_t index) { lua_replace(L, index); }

// MARK: the thread sanitizer

/// Notifies the thread sanitizer of a lock that it does not see, which is taken or released. Without the sanitizer,
/// these functions do nothing.
void pp_note_lock(const void *address);
void pp_note_unlock(const void *address);

// MARK: the library

/// The text in the library that names its release.
const char *pp_lua_ident(void);

/// Where the Lua functions are that this process uses. Another Lua in the process may take the place of some of them.
typedef struct pp_lua {
    /// Two of them, and the files that they are in; NULL if a file is unknown.
    const char *function, *other_function, *file, *other_file;
    /// Whether all functions are in one file.
    bool is_one;
    /// Whether that file has the version that this code was built for (`lua_version`).
    bool is_right;
} pp_lua;
/// Calls nothing that needs a state.
pp_lua pp_find_lua(void);
