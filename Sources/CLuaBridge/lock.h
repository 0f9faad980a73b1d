// The lock of a state. lock.c explains it.

#ifndef CLUABRIDGE_LOCK_H
#define CLUABRIDGE_LOCK_H

#include "budget.h"

/// Waits for the lock. After this many nanoseconds it gives up as soon as a single call has been in the state for a tenth
/// of them.
bool pp_wait_for(pp_state *state, int64_t nanoseconds);
/// Takes the lock if it is the waiter's turn.
bool pp_take_turn(pp_waiter *waiter);
/// Hands the lock to the first waiter, or releases it.
void pp_hand_over(pp_state *state);
/// Does the work that is left to the last call in the state, and releases the lock.
void pp_attend(pp_state *state);
static inline void count_turn(pp_state *state) {
    uint64_t turns = atomic_load_explicit(&state->turns, memory_order_relaxed);
    atomic_store_explicit(&state->turns, turns + 1, memory_order_relaxed);
}
static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread_stack; }

/// Takes the lock. Returns whether this thread has it now; `*outermost` says whether it did not have it before.
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

/// Releases the lock at the outermost level.
static inline void unlock_state(pp_state *state) {
    if (__builtin_expect(atomic_load_explicit(&state->attention, memory_order_relaxed), 0)) {
        pp_attend(state);
        return;
    }
    atomic_store_explicit(&state->owner, 0, memory_order_release);
}

#endif
