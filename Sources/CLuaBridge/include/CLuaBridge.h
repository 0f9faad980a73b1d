// Everything of the runner that may raise a Lua error, or that many threads touch at once.
//
// A patch has one state. A thread enters it (`pp_enter`), pushes arguments, runs the replacement (`pp_run`), reads the
// result and leaves (`pp_leave`). Lua errors stay between `pp_run` and the host's callbacks: a callback returns, and this
// code raises behind it, so that no longjmp crosses a frame of the host.
#ifndef CLUABRIDGE_H
#define CLUABRIDGE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A patch's Lua state with its lock, budgets and layers. Its memory is stable: see `pp_pool`.
typedef struct pp_state pp_state;
/// One replacement of a patch, standing on a name's stack of replacements.
typedef struct pp_layer pp_layer;
/// The states of a registry. A state that closes is used again and never freed before the pool, so that a thread that
/// has just read a layer may look at it without a lock or a reference; what it finds is checked under the state's lock.
typedef struct pp_pool pp_pool;

typedef struct pp_limits {
    int64_t load_fuel, call_fuel;
    int64_t soft_memory, hard_memory;
    int64_t load_nanoseconds, call_nanoseconds;
    int64_t lock_nanoseconds;
    int64_t stack_bytes;
    /// Of a string that a script makes; others are refused as memory beyond the limit is.
    int64_t string_bytes;
    int32_t instructions_per_check;
    int32_t original_calls;
    int32_t call_depth;
    int32_t replacements;
    /// Asynchronous calls that wait at a time.
    int32_t waiting_calls;
    /// Opens the libraries of a test's own script, which none of these limits hold for; NULL: a sandbox.
    void (*open_libraries)(lua_State *L);
    /// The host is told of each line that runs.
    bool tells_lines;
} pp_limits;

/// What ends a script's run, besides an error of its own.
enum pp_kill { PP_NOT_KILLED, PP_FUEL, PP_MEMORY, PP_TIME, PP_COLLISIONS };

/// Why a state could not be entered.
enum pp_refusal {
    /// Nothing stands on the name.
    PP_UNPATCHED,
    /// Another thread is in the state, and stayed longer than the limit.
    PP_BUSY,
    /// The thread's C stack is nearly used up, or too many calls are nested.
    PP_NO_ROOM,
    /// The run around this call was killed.
    PP_KILLED,
    /// Too many asynchronous calls wait.
    PP_CROWDED,
    /// A call of the same run was refused before, and the host was told.
    PP_REFUSED_AGAIN,
};

/// What a callback returns instead of a count of results.
enum pp_callback_result {
    /// The value on top is an error, which is then raised.
    PP_RAISE = -1,
    /// The same, and nothing of the host was called.
    PP_NOT_CALLED = -2,
    /// The function is asynchronous.
    PP_ASYNCHRONOUS = -3,
};

/// What the host does for a script. Its time counts as the script's, except between `pp_host_begins` and `pp_host_ends`. A callback
/// that returns `int` returns how many results are on top of the stack, or a `pp_callback_result`. `context` is the state's.
typedef struct pp_host {
    /// Calls what the cell leads to, for the call of `record`; the arguments are at 1 and up. For a call of
    /// `pp_call_scalars` all of its time is the host's.
    int (*original)(void *context, const void *slot, void *cell, void *record, lua_State *L);
    /// Calls a registered function by its name; the arguments are at 2 and up.
    int (*call)(void *context, const char *name, size_t length, lua_State *L);
    bool (*has)(void *context, const char *name, size_t length);
    /// Compiles a script of the envelope; leaves the function, or a message.
    int (*script)(void *context, const char *name, size_t length, lua_State *L);
    /// Calls a method of a host object, or with a class of -1 a function of `pp_add_function`; the arguments are at 1 and up.
    int (*method)(void *context, int32_t class_index, int32_t method, lua_State *L);
    /// Makes the error value for `host.throw`; the message is at 1.
    int (*throws)(void *context, lua_State *L);
    /// The text of a host error.
    int (*error_text)(void *context, int64_t id, lua_State *L);
    void (*log)(void *context, int32_t level, const char *text, size_t length, lua_State *L);
    void (*line)(void *context, const char *script, int32_t line);
    /// A call has ended for which the host keeps objects or errors.
    void (*call_ended)(void *context, int64_t call);
    /// Pushes why a value could not be pushed.
    void (*refusal)(void *context, lua_State *L);
    /// The state is closed and `context` is not used again.
    void (*closed)(void *context);
} pp_host;

typedef struct pp_statistics {
    uint64_t calls, failures, fallbacks, measured, nanoseconds, longest;
} pp_statistics;

/// Where a run failed and why; the error value is on top of the stack.
typedef struct pp_fault {
    int32_t kill;
    int32_t line;
    /// The host error that nobody caught, or 0.
    int64_t host_error;
    const char *script;
} pp_fault;

// MARK: states

pp_pool *pp_pool_make(void);
void pp_pool_free(pp_pool *pool);

/// A state with the sandbox in it, entered by this thread; NULL where memory is short.
pp_state *pp_open(pp_pool *pool, const pp_limits *limits, const pp_host *host, int64_t seed);
/// Sets what the host's callbacks are given; before anything is run.
void pp_set_context(pp_state *state, void *context);
/// Unlinks the state's layers from their slots, and closes it now or when the last call leaves.
void pp_close(pp_state *state);
/// Takes the state's lock as a call does; for installing several layers as one.
bool pp_lock(pp_state *state);
void pp_unlock(pp_state *state);
/// The Lua state to push to outside of a call, while the state is locked.
lua_State *pp_main(pp_state *state);
void *pp_context(lua_State *L);
/// Bytes that Lua holds now.
int64_t pp_memory(pp_state *state);
/// A monotonic clock.
uint64_t pp_nanoseconds(void);
/// From now on the n-th allocation of a script is refused, for tests; 0: none.
void pp_refuse_allocation(pp_state *state, int64_t n);

// MARK: loading

/// Ends a spec's own code after so many nanoseconds; 0 for no limit. In a free state.
void pp_limit_time(lua_State *state, int64_t nanoseconds);

/// Compiles a text chunk, in the time that the script has; pushes the function or a message.
bool pp_compile(lua_State *L, const char *source, size_t length, const char *name);
/// Hands out the precompiled form of the function on top, with its lines and names.
void pp_dump(lua_State *L, void (*write)(void *context, const void *bytes, size_t length), void *context);
/// Pushes a layer's function.
void pp_push_function(lua_State *L, pp_layer *layer);
/// Sets a field of a global table to the value on top, and pops it.
void pp_set_field(lua_State *L, const char *table, const char *field);
/// Names a method of a class of host objects.
void pp_add_method(lua_State *L, const char *class_name, const char *name, int32_t class_index, int32_t method);
/// Puts a function of the host's into a global table, which is made where it is not there.
void pp_add_function(lua_State *L, const char *table, const char *name, int32_t function);
void pp_push_global(lua_State *L, const char *name);
/// What tells a table from every other.
uintptr_t pp_pointer(lua_State *L, int32_t index);
/// Pops a value and keeps it; `pp_push_held` pushes it.
int32_t pp_hold(lua_State *L);
void pp_push_held(lua_State *L, int32_t held);
/// The Lua stack that a free state's script runs on now.
lua_State *pp_running(pp_state *state);
/// Calls the function below so many arguments; false leaves the error's text with a traceback.
bool pp_call_function(lua_State *L, int32_t arguments, int32_t results);
/// Fuel that the last call used.
int64_t pp_fuel_used(pp_state *state);
/// Begins the budget for loading anew.
void pp_begin_loading(pp_state *state);
/// Whether this thread has the C stack that a script may need.
bool pp_has_stack(pp_state *state);
/// Runs the function on top, once, with the budget for loading; its results are dropped.
bool pp_run_script(pp_state *state, pp_fault *fault);
/// How many replacements the script asked for.
int32_t pp_layer_count(pp_state *state);
pp_layer *pp_layer_at(pp_state *state, int32_t index);
const char *pp_layer_name(pp_layer *layer);
/// The line on which a layer's function begins, and its script.
int32_t pp_layer_line(pp_layer *layer, const char **script);

// MARK: stacks of layers

/// Puts a layer on a slot; a layer of slot NULL is not entered.
void pp_layer_set_slot(pp_layer *layer, const void *slot);
void pp_layer_set_below(pp_layer *layer, pp_layer *below);
void pp_cell_set(void *cell, pp_layer *layer);
/// What lies below a layer, as a cell holds it; the layer may be gone by now.
uintptr_t pp_layer_below(pp_layer *layer);
pp_state *pp_layer_state(pp_layer *layer);
pp_statistics pp_layer_statistics(pp_layer *layer);
void pp_count_fallback(pp_layer *layer);
void pp_count_failure(pp_layer *layer);

// MARK: calls

/// A state that was entered; else NULL, and the layer that refused with a `pp_refusal` in the low bits of its address.
typedef struct pp_entry {
    lua_State *L;
    uintptr_t refused;
} pp_entry;

/// Enters the state of the layer that `cell` holds for `slot`, and pushes its function and its `original`.
///
/// `record` is handed to the host when the script calls the original.
pp_entry pp_enter(void *cell, const void *slot, void *record);
/// What a scalar is: an integer's bits, a double's, or 0 and 1.
enum pp_scalar { PP_INTEGER = 1, PP_NUMBER, PP_BOOLEAN, PP_NOTHING };
typedef struct pp_answer {
    /// The result's bits; what `pp_entry.refused` holds; or the state's address.
    uint64_t bits;
    enum pp_outcome { PP_ANSWERED, PP_NOT_ENTERED, PP_NO_ANSWER } outcome;
} pp_answer;

/// `pp_enter`, the arguments, `pp_run`, the result and `pp_leave` in one, for a function of scalars: there is little more to
/// such a call than going to and fro. PP_NO_ANSWER: the run failed, or the result is another value; the call has not ended.
///
/// `kinds` has a `pp_scalar` in four bits for each argument from the lowest on, and the result's in bits 32 to 35.
pp_answer pp_call_scalars(void *cell, const void *slot, void *record, const uint64_t *arguments, uint64_t kinds);
/// Reads scalars of these kinds from `first` up to the top; false where one is another value, or there are more or fewer.
bool pp_read_scalars(lua_State *L, int32_t first, uint64_t *values, uint64_t kinds);
/// Runs what `pp_enter` pushed with the arguments that were pushed after it.
bool pp_run(lua_State *L, int32_t arguments, int32_t results);
/// Whether the last run of the innermost call returned true.
bool pp_has_run(lua_State *L);
/// What went wrong in the run that just returned false.
void pp_fault_of(lua_State *L, pp_fault *fault);
/// The host's own function begins, and has ended.
void pp_host_begins(lua_State *L);
void pp_host_ends(lua_State *L);
/// Pays for steps of work that is done for the script, and looks whether there is room for some bytes more; false once the run has to
/// end, which it does when the host returns.
bool pp_pay(lua_State *L, uint64_t steps, uint64_t bytes);
/// Makes the run that follows fail: a value could not be pushed.
void pp_refuse_run(lua_State *L);
/// Whether that was so.
bool pp_is_refused(lua_State *L);
/// The call that what is given to a script now belongs to; the host is told when it has ended.
int64_t pp_owning_call(lua_State *L);
/// The layer of the innermost call.
pp_layer *pp_current_layer(lua_State *L);
/// What lies below it now, as a cell holds it.
uintptr_t pp_current_below(lua_State *L);
/// Ends the call: drops its values and gives the lock back.
void pp_leave(lua_State *L);

// MARK: asynchronous calls

/// Where a task stands in line for a state's lock.
typedef struct pp_waiter pp_waiter;
/// What wakes a task. `keep` holds the context until `wake`, which lets it go; both may come on any thread, and `wake` may come late.
typedef struct pp_alarm {
    void (*keep)(void *context);
    void (*wake)(void *context);
    void *context;
} pp_alarm;
/// Queues for the lock; the alarm goes when it is this waiter's turn. NULL: no memory.
pp_waiter *pp_wait(pp_state *state, pp_alarm alarm);
/// Whether it is neither this waiter's turn nor time to give up. To be asked now and then.
bool pp_goes_on_waiting(pp_waiter *waiter);
bool pp_has_turn(pp_waiter *waiter);
/// The state that it waits for.
pp_state *pp_waits_for(pp_waiter *waiter);
/// Leaves the queue; a turn that was not taken goes to the next.
void pp_stop_waiting(pp_waiter *waiter);

/// As `pp_enter`, with a coroutine for this call. It does not wait: PP_BUSY, unless it is the waiter's turn, which may be NULL.
pp_entry pp_enter_async(void *cell, const void *slot, pp_waiter *waiter);
enum pp_step { PP_DONE, PP_FAILED, PP_ORIGINAL, PP_CALL };
/// Runs until the script ends or waits. PP_ORIGINAL: the arguments are at 1 and up. PP_CALL: the name at 1, then they.
///
/// `values` counts what was pushed: the arguments at first, later a boolean (false raises what follows) and results.
int32_t pp_resume(lua_State *L, int32_t values, int32_t results);
/// The call will wait: gives the lock back, and keeps the budget. Returns what `pp_continue` takes.
void *pp_suspend(lua_State *L);
/// The state of a call that waits.
pp_state *pp_waiting_in(void *waiting);
/// The wait is over: takes the lock again. NULL: the patch is busy, or, with `is_over`, gone, and the call has ended.
lua_State *pp_continue(void *waiting, pp_waiter *waiter, bool *is_over);
/// Ends a call that waits and cannot go on.
void pp_abandon(void *waiting);

// MARK: values

static inline void pp_push_nil(lua_State *L) { lua_pushnil(L); }
static inline void pp_push_bool(lua_State *L, bool value) { lua_pushboolean(L, value); }
static inline void pp_push_integer(lua_State *L, int64_t value) { lua_pushinteger(L, value); }
static inline void pp_push_number(lua_State *L, double value) { lua_pushnumber(L, value); }
void pp_push_string(lua_State *L, const char *bytes, size_t length);
void pp_push_numbers(lua_State *L, const double *values, size_t count);
void pp_push_integers(lua_State *L, const int64_t *values, size_t count);
/// Pushes an object of the host; its class must have been named by `pp_add_method` or has no methods.
void pp_push_object(lua_State *L, const char *class_name, int64_t id);
void pp_push_host_error(lua_State *L, int64_t id);
/// Pushes a message with the script's position in front, as `error` does.
void pp_push_message(lua_State *L, const char *bytes, size_t length);

// What is read comes back in registers: a variable whose address is taken costs a check of the stack in every caller.
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

/// A float without a fraction is an integer too; a string never is.
static inline pp_integer pp_read_integer(lua_State *L, int32_t index) {
    int is_integer = 0;
    if (lua_type(L, index) != LUA_TNUMBER) return (pp_integer){0, false};
    int64_t value = lua_tointegerx(L, index, &is_integer);
    return (pp_integer){value, is_integer};
}

static inline pp_number pp_read_number(lua_State *L, int32_t index) {
    if (lua_type(L, index) != LUA_TNUMBER) return (pp_number){0, false};
    return (pp_number){lua_tonumberx(L, index, NULL), true};
}

/// The bytes live as long as the value is on the stack.
const char *pp_read_string(lua_State *L, int32_t index, size_t *length);
bool pp_read_object(lua_State *L, int32_t index, int64_t *id);
/// Copies a sequence of numbers; false where one is none. `count` is at most the table's length.
bool pp_read_numbers(lua_State *L, int32_t index, double *values, size_t count);
bool pp_read_integers(lua_State *L, int32_t index, int64_t *values, size_t count);
/// A table's length as a sequence, or -1 for another value, or one that has keys but no sequence.
int64_t pp_sequence_length(lua_State *L, int32_t index);
static inline bool pp_is_nil(lua_State *L, int32_t index) { return lua_type(L, index) <= LUA_TNIL; }
bool pp_is_table(lua_State *L, int32_t index);
/// `number` and `integer` are told apart; an object has its class's name.
const char *pp_type_name(lua_State *L, int32_t index);

static inline int32_t pp_top(lua_State *L) { return lua_gettop(L); }
int32_t pp_absolute(lua_State *L, int32_t index);
void pp_set_top(lua_State *L, int32_t index);
void pp_push_copy(lua_State *L, int32_t index);
bool pp_check_stack(lua_State *L, int32_t count);
void pp_push_table(lua_State *L, int32_t elements, int32_t fields);
/// Pops a value, or a value and a key below it.
void pp_set_element(lua_State *L, int32_t table, int64_t index);
void pp_set_pair(lua_State *L, int32_t table);
void pp_get_element(lua_State *L, int32_t table, int64_t index);
/// Replaces the key on top by its value.
void pp_get_value(lua_State *L, int32_t table);
/// What changes with each call: a script may have worked since.
int64_t pp_calls(lua_State *L);
enum pp_next_pair { PP_NO_PAIR, PP_PAIR, PP_CHANGED };
/// Replaces the key on top by the next key and its value; else pops it. `since` is what `pp_calls` was when the table's first pair was
/// read: only a script's work can make Lua lose the place in it, which is told then.
enum pp_next_pair pp_next(lua_State *L, int32_t table, int64_t since);
/// Moves the value on top to an index, and the others up.
void pp_insert(lua_State *L, int32_t index);
/// Pops a value and puts it in the place of another.
void pp_replace(lua_State *L, int32_t index);

// MARK: the thread sanitizer

/// Tell it of a lock that it does not see; they do nothing without it.
void pp_lock_is_taken(const void *address);
void pp_lock_is_given_back(const void *address);

/// Lua's release, such as 5.4.4.
const char *pp_lua_release(void);

#endif
