// Calls, the layers that they enter, and the faults that end them.

#ifndef CLUABRIDGE_CALLS_H
#define CLUABRIDGE_CALLS_H

#include "lock.h"

/// Ends an asynchronous call.
void pp_drop(pp_state *state, pp_activation *call);
/// Ends asynchronous calls that wait, each of which is the `outer` of the one before.
void pp_drop_calls(pp_state *state, pp_activation *call);
/// The message handler: records where an error was raised.
int pp_handler(lua_State *L);
/// Records the innermost line of Lua code, starting at a level of calls.
void pp_find_fault(lua_State *L, int level);
/// Replaces the error on top of `L` with its text, within the budget of the run that failed, unless it is an error of the host.
/// The text is made on the stack of `runner`, because a coroutine that failed cannot run anything.
void pp_describe_error(lua_State *L, lua_State *runner);
/// Adds a replacement, while the script loads.
pp_layer *pp_add_layer(lua_State *L, const char *name);
/// Pops a replacement's function and its first argument: its original, or the class of which it is a method.
void pp_set_functions(lua_State *L, pp_layer *layer, bool is_method);
/// Pops the value on top, which answers when the script cannot.
void pp_set_otherwise(lua_State *L, pp_layer *layer);
/// Replaces the value on top with its message and its code, if `host.error` has made it. Returns whether it has.
bool pp_push_error_parts(lua_State *L);
/// Counts one of the patch's states as closed. The layers end with the last one.
void pp_leave_home(pp_state *home);
/// Makes room for the counters of as many layers, which begin at 0.
bool pp_make_counters(pp_state *state, int32_t count);
void pp_add_counters(pp_counters *sum, const pp_counters *more);
pp_layer *pp_find_layer(pp_state *state, const char *name);

#endif
