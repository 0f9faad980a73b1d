// Calls: they enter a patch's state, run its function and leave. An asynchronous call waits outside of it meanwhile
// (leaving.c).

#include "calls.h"

#include <stdlib.h>
#include <string.h>

/// One call of a layer in so many is measured.
enum { CALLS_PER_MEASUREMENT = 64 };

/// How a call waits for a state. A thread waits up to the limit. A task does not wait here: it takes the lock if the
/// lock is free, or if it is the turn of its waiter.
typedef struct patience {
    bool is_task;
    pp_waiter *waiter;
} patience;

/// Takes one of the patch's states: that of its turn for a task that has one, or else as `pp_take_any` does.
static pp_state *lock_any(pp_patch *patch, patience patience, bool *outermost, bool *may_grow) {
    pp_state *state = NULL;
    if (patience.waiter && pp_waiter_queue(patience.waiter) == &patch->queue) state = pp_take_turn(patience.waiter);
    *outermost = true;
    if (!state) {
        int64_t limit = atomic_load_explicit(&patch->lock_nanoseconds, memory_order_relaxed);
        state = pp_take_any(patch, patience.is_task ? 0 : limit, outermost, may_grow);
    }
    if (state && *outermost) note_instance(state);
    return state;
}

/// Called when a call has found a layer that is no longer on its slot, before it looks again; or NULL.
static _Atomic(pp_pause) stale_layer_found;
void pp_when_stale(pp_pause pause) { atomic_store(&stale_layer_found, pause); }

/// The outcome of an attempt to lock a state for a cell's layer.
typedef struct pp_attempt {
    /// The layer, which refuses if there is no state: then `pp_thread.refused` is its number.
    pp_layer *layer;
    pp_state *state;
    bool outermost;
    /// A `pp_refusal`.
    int32_t refusal;
} pp_attempt;

/// Whether a layer's breaker is open, and this thread does not try it.
static bool is_shut(pp_layer *layer) {
    return atomic_load(&layer->is_open) && atomic_load(&layer->tried_by) != this_thread();
}

/// Locks a state of the cell's layer, if it still is the layer that the cell means.
static __attribute__((noinline)) pp_attempt lock_layer_slowly(pp_cell *cell, patience patience) {
    if (pp_thread.is_comparing) return (pp_attempt){.refusal = PP_UNPATCHED};
    for (pp_place seen = {0};;) {
        pp_place place = pp_cell_get(cell);
        pp_layer *layer = (pp_layer *)place.layer;
        pp_thread.refused = place.number;
        // A layer that was taken off stays in the copy of a cell, and in the cell of a layer that was taken off before
        // it.
        if (!layer || (place.layer == seen.layer && place.number == seen.number))
            return (pp_attempt){layer, .refusal = PP_UNPATCHED};
        bool outermost, may_grow = false;
        if (is_shut(layer)) return (pp_attempt){layer, .refusal = PP_OPEN};
        pp_patch *patch = layer->patch;
        pp_state *state = lock_any(patch, patience, &outermost, &may_grow);
        if (!state) return (pp_attempt){layer, .refusal = may_grow ? PP_MAY_GROW : PP_BUSY};
        bool is_tried = atomic_load(&layer->is_open) && !is_shut(layer) && pp_layer_number(layer) == place.number;
        bool is_on = (is_tried || atomic_load(&layer->admits) == place.number)
            && !atomic_load_explicit(&patch->closing, memory_order_relaxed);
        if (is_on && atomic_load_explicit(&state->is_serving, memory_order_relaxed)) {
            if (is_tried) atomic_store(&layer->tried_by, 0); // only this call, and not the calls within it
            return (pp_attempt){layer, state, outermost, 0};
        }
        if (outermost) unlock_state(state);
        if (is_on) continue; // only the state was closed
        seen = place;
        pp_pause pause = atomic_load_explicit(&stale_layer_found, memory_order_relaxed);
        if (pause) pause();
    }
}

/// Returns the layer, at once if its state is free. `*locked` is NULL if it refuses.
static inline pp_layer *lock_layer(
    pp_cell *cell, patience patience, pp_state **locked, bool *outermost, int32_t *refusal) {
    pp_layer *layer = (pp_layer *)atomic_load_explicit(&cell->layer, memory_order_acquire);
    if (__builtin_expect(layer != NULL, 1)) {
        pp_state *state = atomic_load_explicit(&layer->patch->instances[pp_thread.instance], memory_order_acquire);
        uintptr_t free_owner = 0;
        if (__builtin_expect(atomic_compare_exchange_strong_explicit(
                                 &state->owner, &free_owner, this_thread(), memory_order_acquire, memory_order_relaxed),
                1)) {
            if (__builtin_expect(atomic_load_explicit(&layer->admits, memory_order_acquire)
                            == atomic_load_explicit(&cell->number, memory_order_relaxed)
                        && atomic_load_explicit(&state->is_serving, memory_order_relaxed),
                    1)) {
                pp_thread.inside++;
                *locked = state;
                *outermost = true;
                return layer;
            }
            pp_thread.inside++;
            unlock_state(state);
        }
    }
    pp_attempt attempt = lock_layer_slowly(cell, patience);
    *locked = attempt.state;
    *outermost = attempt.outermost;
    *refusal = attempt.refusal;
    return attempt.layer;
}

/// Refuses a call that cannot begin in a state, and releases the lock. Within one call by the host only the first
/// refusal is reported; the others are only counted. Returns the `pp_refusal` for the host.
static __attribute__((noinline)) int32_t refuse(
    pp_state *state, const pp_layer *layer, int32_t reason, bool outermost) {
    int32_t refusal = state->budget.has_refused ? PP_REFUSED_AGAIN : reason;
    pp_thread.refused = pp_layer_number(layer);
    if (outermost)
        unlock_state(state);
    else
        state->budget.has_refused = true;
    return refusal;
}

/// Makes room for calls as deep as the limit allows. Few scripts call themselves, so only the first have room from the
/// start. Returns false if there is as much room already, or no memory.
static __attribute__((noinline)) bool make_call_room(pp_state *state) {
    int32_t depth = state->session.limits.call_depth;
    if (state->call_room == depth) return false;
    state->deep_calls = calloc((size_t)(depth - PP_FIRST_CALLS), sizeof *state->deep_calls);
    if (!state->deep_calls) return false;
    state->call_room = depth;
    return true;
}

static inline pp_activation *call_at(pp_state *state, int32_t depth) {
    return __builtin_expect(depth < PP_FIRST_CALLS, 1) ? &state->calls[depth]
                                                       : &state->deep_calls[depth - PP_FIRST_CALLS];
}

/// Begins a budget, unless an outer call has one, and makes room for the call. Returns a `pp_refusal`, or 0.
///
/// `stack` is the Lua stack that the call shares with the outer one; NULL if it shares none.
static inline __attribute__((always_inline)) int32_t admit(
    pp_state *state, const pp_layer *layer, bool outermost, lua_State *stack) {
    if (__builtin_expect(outermost, 1)) {
        if (__builtin_expect(state->session.interval < state->session.limits.instructions_per_check, 0))
            pp_restore_interval(state);
        reset_budget(state, state->session.limits.call_fuel);
    } else if (state->budget.kill) {
        return refuse(state, layer, PP_KILLED, false);
    }
    if (__builtin_expect(state->session.depth >= state->call_room && !make_call_room(state), 0)
        || __builtin_expect(!has_stack(state->session.limits.stack_bytes), 0)
        || (__builtin_expect(stack != NULL, 0) && !lua_checkstack(stack, HOST_STACK)))
        return refuse(state, layer, PP_NO_ROOM, outermost);
    return 0;
}

static inline void begin(
    pp_state *state, pp_activation *call, pp_layer *layer, const void *slot, void *record, lua_State *L) {
    _Atomic(uint64_t) *counter = &state->counters[layer->index].calls;
    uint64_t calls = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, calls + 1, memory_order_relaxed);
    call->outer = state->activation;
    call->layer = layer;
    call->slot = slot;
    call->record = record;
    call->L = L;
    call->originals = 0;
    call->has_run = call->has_references = false;
    call->id = ++state->last_call;
    call->refused = call->is_scalar = call->has_non_finite = false;
    call->protected_calls = 0;
    call->step = -1;
    call->began = __builtin_expect(calls % CALLS_PER_MEASUREMENT == 0, 0) ? pp_nanoseconds() : 0;
    state->activation = call;
    state->session.depth++;
    state->session.trusted = true;
    call->is_of_host = state->session.host_works;
    if (__builtin_expect(call->is_of_host, 0)) host_ends(state);
}

_Static_assert(PP_OPEN < _Alignof(pp_layer), "a refusal fits into the low bits of a layer's address");
/// The address of a layer that refused, with a `pp_refusal` in its low bits.
static inline pp_entry refused_by(pp_layer *layer, int32_t refusal) {
    return (pp_entry){NULL, (uintptr_t)layer | (uintptr_t)refusal};
}

static inline __attribute__((always_inline)) pp_entry enter(
    void *cell, const void *slot, void *record, patience patience) {
    pp_state *state;
    bool outermost;
    int32_t refusal = 0;
    pp_layer *layer = lock_layer(cell, patience, &state, &outermost, &refusal);
    if (__builtin_expect(!state, 0)) return refused_by(layer, refusal);
    pp_activation *outer = state->activation;
    refusal = admit(state, layer, outermost, outer ? outer->L : NULL);
    if (__builtin_expect(refusal, 0)) return refused_by(layer, refusal);
    pp_activation *call = call_at(state, state->session.depth);
    lua_State *L = outer ? outer->L : state->main;
    begin(state, call, layer, slot, record, L);
    if (__builtin_expect(outer != NULL, 0)) {
        call->base = lua_gettop(L);
        lua_pushcfunction(L, pp_handler);
        call->handler = call->base + 1;
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->first);
    } else {
        call->base = state->bottom;
        call->handler = HANDLER;
        lua_pushvalue(L, layer->function);
        lua_pushvalue(L, layer->first);
    }
    return (pp_entry){L, 0};
}

pp_entry pp_enter(void *cell, const void *slot, void *record) { return enter(cell, slot, record, (patience){0}); }

pp_entry pp_enter_shadow(void *cell, void *record, bool is_async) {
    uint32_t instance = pp_thread.instance;
    pp_entry entry = is_async ? pp_enter_async(cell, NULL, NULL) : enter(cell, NULL, NULL, (patience){.is_task = true});
    if (!entry.L) return entry;
    state_of(entry.L)->activation->record = record;
    pp_thread.is_comparing = true;
    pp_thread.instance_before = instance;
    pp_thread.instance = PP_INSTANCES; // no patch has a state there, so that calls look whether they may enter
    return entry;
}

void pp_leave_shadow(lua_State *L) {
    pp_leave(L);
    pp_thread.is_comparing = false;
    pp_thread.instance = pp_thread.instance_before;
}

/// Whether a value is an object of the class whose table is at the other index.
static bool is_object_of(lua_State *L, int value, int class_table) {
    value = lua_absindex(L, value);
    class_table = lua_absindex(L, class_table);
    if (lua_type(L, value) != LUA_TUSERDATA || !lua_getmetatable(L, value)) return false;
    raw_field(L, -1, "__index");
    bool is_object = lua_rawequal(L, -1, class_table);
    lua_pop(L, 2);
    return is_object;
}

/// The number of arguments that the function gets: the arguments of the call and, before them, `original` or the class.
/// The class is left out if the first argument is an object of it.
static inline __attribute__((always_inline)) int all_arguments(lua_State *L, pp_layer *layer, int32_t arguments) {
    if (!layer->is_method || arguments == 0 || !is_object_of(L, -arguments, -arguments - 1)) return arguments + 1;
    lua_remove(L, -arguments - 1);
    return arguments;
}

bool pp_has_run(lua_State *L) { return state_of(L)->activation->has_run; }

void pp_host_begins(lua_State *L) { host_begins(state_of(L)); }
void pp_host_ends(lua_State *L) { host_ends(state_of(L)); }
int64_t pp_calls(lua_State *L) { return state_of(L)->last_call; }

int64_t pp_note_owning_call(lua_State *L) {
    // The values that a script receives last as long as the outermost call, or the asynchronous one, that it is in.
    pp_activation *call = state_of(L)->activation;
    if (!call) return 0;
    while (call->step < 0 && call->outer) call = call->outer;
    call->has_references = true;
    return call->id;
}

int64_t pp_current_call(lua_State *L) { return state_of(L)->activation->id; }

int64_t pp_note_call(lua_State *L) {
    state_of(L)->activation->has_references = true;
    return pp_current_call(L);
}

pp_layer *pp_current_layer(lua_State *L) { return state_of(L)->activation->layer; }
pp_place pp_current_below(lua_State *L) { return pp_cell_get(&state_of(L)->activation->layer->below); }

static const uint64_t bounds[PP_BOUNDS] = {
    100000, 1000000, 2000000, 5000000, 10000000, 20000000, 50000000, 100000000, 200000000, 500000000};

uint64_t pp_bound(int32_t place) { return bounds[place]; }

static inline void measure(pp_state *state, pp_activation *call) {
    uint64_t began = call->began;
    // A call that ran long enough for a check of the clock may be the longest.
    if (!began && !call->outer) began = state->budget.started;
    if (!began) return;
    pp_counters *counters = &state->counters[call->layer->index];
    uint64_t took = pp_nanoseconds() - began;
    if (call->began) {
        increase(&counters->measured, 1);
        increase(&counters->nanoseconds, took);
        int bound = 0;
        while (bound < PP_BOUNDS && took >= bounds[bound]) bound++;
        increase(&counters->times[bound], 1);
        note_held(state, script_bytes(state));
    }
    if (took > atomic_load_explicit(&counters->longest, memory_order_relaxed))
        atomic_store_explicit(&counters->longest, took, memory_order_relaxed);
}

static inline __attribute__((always_inline)) bool run(
    pp_state *state, pp_activation *call, lua_State *L, int32_t arguments, int32_t results) {
    if (__builtin_expect(call->refused || state->budget.kill, 0)) {
        lua_pushnil(L);
        state->session.fault_line = 0;
        return false;
    }
    int count = all_arguments(L, call->layer, arguments);
    script_begins(state);
    int status = lua_pcall(L, count, results, call->handler);
    script_ends(state);
    if (__builtin_expect(status == LUA_OK, 1)) {
        call->has_run = true;
        return true;
    }
    if (status == LUA_ERRMEM && !state->budget.kill) {
        state->budget.kill = memory_reason(state); // the handler did not run
        state->session.fault_line = 0;
        state->session.fault_script[0] = 0;
    }
    pp_describe_error(L, L);
    return false;
}

bool pp_run(lua_State *L, int32_t arguments, int32_t results) {
    pp_state *state = state_of(L);
    return run(state, state->activation, L, arguments, results);
}

/// Ends a synchronous call.
static inline __attribute__((always_inline)) void leave(pp_state *state, pp_activation *call, lua_State *L) {
    measure(state, call);
    lua_settop(L, call->base);
    if (__builtin_expect(call->has_references, 0))
        state->session.host.call_ended(state->session.context, call->id, call->has_run);
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
        state->activation = ended.outer; // objects that end with the call may call into this state
        pp_drop_call(state, call);
        take_off(state, &ended);
    }
}

// MARK: scalars

static inline void push_scalar(lua_State *L, uint64_t bits, uint32_t kind) {
    double number;
    switch (kind) {
    case PP_INTEGER: lua_pushinteger(L, (lua_Integer)bits); break;
    case PP_NUMBER:
        memcpy(&number, &bits, sizeof number);
        pp_push_number(L, number);
        break;
    default: lua_pushboolean(L, bits != 0);
    }
}

static inline __attribute__((always_inline)) bool read_scalar(
    lua_State *L, int32_t index, uint32_t kind, uint64_t *bits) {
    if (kind == PP_NUMBER) {
        pp_number number = pp_read_number(L, index);
        memcpy(bits, &number.value, sizeof *bits);
        return number.is_there;
    }
    pp_integer integer = kind == PP_INTEGER ? pp_read_integer(L, index) : pp_read_bool(L, index);
    *bits = (uint64_t)integer.value;
    return integer.is_there;
}

pp_answer pp_call_scalars(void *cell, const void *slot, void *record, const uint64_t *arguments, uint64_t kinds) {
    pp_entry entry = enter(cell, slot, record, (patience){0});
    lua_State *L = entry.L;
    if (__builtin_expect(!L, 0)) return (pp_answer){entry.refused, PP_NOT_ENTERED};
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    call->is_scalar = true;
    int32_t count = 0;
    for (uint32_t rest = (uint32_t)kinds; rest; rest >>= 4) push_scalar(L, arguments[count++], rest & 15);
    uint32_t result = (uint32_t)(kinds >> 32);
    uint64_t bits = 0;
    if (__builtin_expect(run(state, call, L, count, result != PP_NOTHING)
                && (result == PP_NOTHING || read_scalar(L, -1, result, &bits)),
            1)) {
        leave(state, call, L);
        return (pp_answer){bits, PP_ANSWERED};
    }
    return (pp_answer){(uintptr_t)L, PP_NO_ANSWER};
}

bool pp_read_scalars(lua_State *L, int32_t first, uint64_t *values, uint64_t kinds) {
    int32_t count = 0;
    for (uint32_t rest = (uint32_t)kinds; rest; rest >>= 4, count++)
        if (!read_scalar(L, first + count, rest & 15, &values[count])) return false;
    return lua_gettop(L) < first + count;
}

// MARK: asynchronous calls

/// The call that ended last, with its coroutine; NULL if there is no room on its stack. Making a coroutine takes longer
/// than running a short script in it.
static pp_activation *take_spare(pp_state *state) {
    pp_activation *call = state->spare;
    lua_State *L = call->L;
    if (!lua_checkstack(L, HOST_STACK)) return NULL; // a collection has made its stack smaller
    state->spare = NULL;
    *call = (pp_activation){.L = L, .coroutine_bytes = call->coroutine_bytes};
    // As on the main stack, the hook continues to count from call to call.
    if (lua_gethookcount(L) != state->session.interval)
        lua_sethook(L, lua_gethook(state->main), lua_gethookmask(state->main), state->session.interval);
    return call;
}

/// A new call with a coroutine; NULL without memory.
static pp_activation *new_coroutine(pp_state *state) {
    lua_State *outer = state->activation ? state->activation->L : state->main;
    pp_activation *call = calloc(1, sizeof *call);
    if (!call || !lua_checkstack(outer, HOST_STACK)) {
        free(call);
        return NULL;
    }
    int64_t before = state->session.used;
    call->L = lua_newthread(outer);
    bool has_room = lua_checkstack(call->L, HOST_STACK);
    if (state->session.used > before)
        call->coroutine_bytes = state->session.used - before; // a collection may have run in between
    state->session.coroutine_bytes += call->coroutine_bytes;
    lua_rawsetp(outer, LUA_REGISTRYINDEX, call); // keeps the coroutine until the call is freed
    if (has_room) return call;
    pp_free_call(state, call);
    return NULL;
}

pp_entry pp_enter_async(void *cell, const void *slot, pp_waiter *waiter) {
    pp_state *state;
    bool outermost;
    int32_t refusal = 0;
    pp_layer *layer = lock_layer(cell, (patience){true, waiter}, &state, &outermost, &refusal);
    if (!state) return refused_by(layer, refusal);
    refusal = admit(state, layer, outermost, NULL);
    if (refusal) return refused_by(layer, refusal);
    if (atomic_load_explicit(&state->patch->all_suspended, memory_order_relaxed) >= state->session.limits.waiting_calls)
        return refused_by(layer, refuse(state, layer, PP_CROWDED, outermost));
    state->session.trusted = true;
    pp_activation *call = state->spare ? take_spare(state) : new_coroutine(state);
    if (!call) return refused_by(layer, refuse(state, layer, PP_NO_ROOM, outermost));
    lua_State *L = call->L;
    begin(state, call, layer, slot, NULL, L);
    call->step = PP_DONE;
    if (call->outer) {
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->function);
        lua_rawgetp(L, LUA_REGISTRYINDEX, &layer->first);
    } else {
        lua_pushvalue(state->main, layer->function);
        lua_pushvalue(state->main, layer->first);
        lua_xmove(state->main, L, 2);
    }
    return (pp_entry){L, 0};
}

int32_t pp_resume(lua_State *L, int32_t values, int32_t results) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    if (lua_status(L) == LUA_OK) values = all_arguments(L, call->layer, values);
    call->step = PP_DONE;
    if (call->refused || state->budget.kill) {
        state->session.fault_line = 0;
        lua_pushnil(L);
        return PP_FAILED;
    }
    state->last_call++; // a table that the host reads may change
    script_begins(state);
    lua_State *outer = call->outer ? call->outer->L : state->main;
    int count;
    int status = lua_resume(L, outer, values, &count);
    script_ends(state);
    if (status == LUA_YIELD) return call->step;
    if (status == LUA_OK) {
        lua_settop(L, lua_gettop(L) - count + results);
        call->has_run = true;
        return PP_DONE;
    }
    if (status == LUA_ERRMEM && !state->budget.kill) state->budget.kill = memory_reason(state);
    lua_checkstack(L, 8); // a failed coroutine may have no stack left
    pp_find_fault(L, 0);
    pp_describe_error(L, outer);
    return PP_FAILED;
}

int64_t pp_memory(pp_handle handle) {
    if (!pp_lock_version(handle)) return 0;
    int64_t all = 0;
    pp_state *first = instance_at(handle.patch, 0), *state;
    for (int32_t i = 0; (state = instance_at(handle.patch, i)); i++)
        all += atomic_load_explicit(&state->held, memory_order_relaxed);
    // While another thread is in the first state, only what was noted last is known of that, too.
    bool is_free = first && pp_try_lock(first);
    if (is_free || (first && atomic_load_explicit(&first->owner, memory_order_relaxed) == this_thread()))
        all += script_bytes(first) - atomic_load_explicit(&first->held, memory_order_relaxed);
    pp_unlock_version(handle);
    if (is_free) unlock_state(first);
    return all;
}
