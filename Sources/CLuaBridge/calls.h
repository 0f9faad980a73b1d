// Calls, the layers that they enter, and the faults that end them.

#pragma once

#include "budget.h"
#include "lock.h"

/// Does the work that is left to the last call, and releases the lock: drops abandoned calls, and closes the state.
void pp_finish_leaving(pp_state *state);
/// Leave (lock.c), at the outermost level.
static inline void unlock_state(pp_state *state) {
    pp_thread.inside--;
    if (__builtin_expect(atomic_load_explicit(&state->has_leaving_work, memory_order_relaxed), 0)) {
        pp_finish_leaving(state);
        return;
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
}

/// Records that this thread is in a state of a patch. Its nested calls must find this state first.
static inline void note_instance(pp_state *state) {
    if (__builtin_expect(pp_thread.instance == (uint32_t)state->instance, 1)) return;
    if (pp_thread.inside == 1) {
        pp_thread.instance = (uint32_t)state->instance;
        return;
    }
    // Until it leaves this state, the thread searches the states that it is already in before it takes another.
    state->outer_instance = pp_thread.instance + 1;
    pp_thread.instance = PP_INSTANCES;
    atomic_store(&state->has_leaving_work, true);
}

/// Takes the innermost call off, and releases the lock after the outermost.
static inline void take_off(pp_state *state, pp_activation *call) {
    state->activation = call->outer;
    if (__builtin_expect(call->is_of_host, 0)) host_begins(state);
    if (--state->session.depth == 0) {
        state->fuel_used =
            state->session.limits.call_fuel - state->budget.fuel + state->budget.paced - state->budget.until_check;
        unlock_state(state);
    }
}

/// Frees an asynchronous call, and leaves its coroutine to the collector.
void pp_free_call(pp_state *state, pp_activation *call);
/// Ends an asynchronous call. The caller holds the state's lock.
void pp_drop_call(pp_state *state, pp_activation *call);

/// Closes the Lua state, if there is one, and gives the `pp_state` back to its patch. From then on, only the state's
/// lock, which the caller holds, keeps the next version out.
void pp_empty(pp_state *state);
/// The message handler: records where an error was raised.
int pp_handler(lua_State *L);
/// Records the innermost line of Lua code, starting at a level of calls, and the lines that called it.
void pp_find_fault(lua_State *L, int level);
/// Whether bytes have the form of a name in Lua.
bool pp_is_name(const char *bytes, size_t length);
/// Replaces the error on top of `L` with its text, within the budget of the run that failed, unless it is an error of
/// the host. The text is made on the stack of `runner`, because a coroutine that failed cannot run anything.
void pp_describe_error(lua_State *L, lua_State *runner);
/// Adds a replacement, while the script loads. In a later state of the patch, finds the one that the first has added.
/// Raises an error if that is not possible.
pp_layer *pp_add_layer(lua_State *L, const char *name, size_t length);
/// Lets no call enter a layer, because it is on no name, or its patch is closing.
void pp_refuse_calls(pp_layer *layer);
/// Pops a replacement's first argument, which is its original, or the class of which it is a method; and its function,
/// which is below.
void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method);
/// Pops the value on top, which answers when the script cannot.
void pp_set_otherwise(lua_State *L, pp_layer *layer);
/// In the registry: the metatable of the errors that `host.error` makes.
extern const char pp_error_key;
/// Gives up one of the patch's `holds`. The layers end with the last one.
void pp_leave_patch(pp_patch *patch);
