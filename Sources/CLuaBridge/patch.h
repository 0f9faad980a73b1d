// The states of a patch.

#ifndef CLUABRIDGE_PATCH_H
#define CLUABRIDGE_PATCH_H

#include "state.h"

bool pp_may_grow(pp_patch *patch);
/// Locks the `queues_mutex`, if the version is not gone. Returns whether it has.
bool lock_version(pp_handle handle);
void unlock_version(pp_handle handle);
/// Whether the patch's memory is enough for as many states, each as large as the largest was.
bool pp_fits(const pp_patch *patch, int32_t count);
/// Removes the last state from those that calls enter, and adds its counters to the layers' counters. The caller holds the `queues_mutex`.
void pp_remove_from_patch(pp_state *state);
/// Does the same if the state, which this thread has locked, is the last, and the memory is not enough for as many. Returns whether it
/// did.
bool pp_remove_if_last(pp_state *state);

#endif
