// The locks of the states (lock.c explains them), and the states of a patch.

#pragma once

#include "state.h"

/// Take, if the lock is free. Returns false also if this thread has it already.
bool pp_try_lock(pp_state *state);
/// Waits for the lock of a state, which this thread does not have. Returns false if it was not released for this many
/// nanoseconds, or after `wait_nanoseconds`.
bool pp_wait_for(pp_state *state, int64_t nanoseconds);
/// Takes one of the patch's states: the one that this thread is in, the one that is reserved for it, one that is free,
/// or the first that gets free. NULL if none got free for this many nanoseconds, or after `wait_nanoseconds`; or at
/// once, if the caller may make another one (`*may_grow`).
pp_state *pp_take_any(pp_patch *patch, int64_t nanoseconds, bool *outermost, bool *may_grow);
/// Takes the lock if it is the waiter's turn, or another that it waits for. Returns the state; NULL if there is none.
pp_state *pp_take_turn(pp_waiter *waiter);
/// Hands the lock to the first waiter, or releases it.
void pp_hand_over(pp_state *state);

/// Take (lock.c). Returns whether this thread has it now; `*outermost` is true if it did not have it before.
static inline bool lock_state(pp_state *state, int64_t nanoseconds, bool *outermost) {
    uintptr_t owner = 0;
    *outermost = true;
    if (atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed)) {
        pp_thread.inside++;
        return true;
    }
    if (owner == this_thread()) {
        *outermost = false;
        return true;
    }
    return pp_wait_for(state, nanoseconds);
}

// MARK: the states of a patch

/// Whether this thread may make another state now: the patch allows one more, none is being made or has failed within
/// the last second, the memory is enough for it, and the thread has the stack for loading.
bool pp_may_grow(pp_patch *patch);
/// Locks the `queues_mutex`, if the version is not gone. Returns whether it has. If so, `pp_unlock_version` must
/// follow.
bool pp_lock_version(pp_handle handle);
void pp_unlock_version(pp_handle handle);
/// Whether the patch's memory is enough for so many states, each as large as the largest was.
bool pp_fits(const pp_patch *patch, int32_t count);
/// Removes the last state from those that calls enter, and adds its counters to the layers' counters. The caller holds
/// the `queues_mutex`.
void pp_remove_from_patch(pp_state *state);
/// Does the same if the state, which this thread has locked, is the last, and the memory is not enough for as many.
/// Returns whether it did.
bool pp_remove_if_last(pp_state *state);
