// The lock of a state: it is held by one thread at a time, which may take it again.
//
// Taking the lock is one exchange, and releasing it is a plain store. A thread that finds it taken tries again for a
// while, because most calls are short. After that it queues. A task queues from the start. The thread that releases the
// lock hands it to the first in the queue. A task is woken by a callback, and it may take time until a thread runs it.
// So a waiting thread takes a turn that is not used within a millisecond. A task that has lost two turns so gets ten
// milliseconds for the third. If it loses that one, too, the actor that it runs on is blocked, perhaps by this very
// thread, and it is treated as any other. Tasks that wait get a turn that is not used from the clock (`pp_tick`).
//
// Releasing the lock and joining the queue are not ordered, so the thread that releases it may not see a waiter that has
// just joined. A waiting thread therefore looks again by itself. For all tasks that wait, one clock does (`pp_tick`). It
// also wakes those that have waited for too long.

#include "lock.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { TURN_NANOSECONDS = 1000000, LONG_TURN_NANOSECONDS = 10 * TURN_NANOSECONDS, MOST_LOST = 2 };

struct pp_waiter {
    pp_waiter *next, *previous;
    pp_state *state;
    bool is_queued;
    /// It is a task's, which wants to enter with a new call.
    bool enters;
    /// Wakes a task. A thread waits for `ready`.
    pp_alarm alarm;
    pthread_cond_t ready;
    /// A task gives up after this time. A thread does if a single call has been in the state for a tenth of the whole wait.
    uint64_t deadline;
    uint64_t tenth;
    /// The last turn that it has seen, and when it saw it first.
    uint64_t turn, turn_began;
    /// How often its turn was given to another because it came late.
    int lost;
};

#if __has_feature(thread_sanitizer)
void __tsan_acquire(const void *address);
void __tsan_release(const void *address);
#else
static void __tsan_acquire(const void *address) { (void)address; }
static void __tsan_release(const void *address) { (void)address; }
#endif

void pp_lock_is_taken(const void *address) { __tsan_acquire(address); }
void pp_lock_is_given_back(const void *address) { __tsan_release(address); }

/// The owner of the lock while the next waiter has not taken it yet.
static uintptr_t reserved_for(const pp_waiter *waiter) { return (uintptr_t)waiter | 1; }

/// The waiter that the lock is reserved for; NULL if it is free or taken.
static pp_waiter *waiter_of(uintptr_t owner) { return owner & 1 ? (pp_waiter *)(owner & ~(uintptr_t)1) : NULL; }

static bool try_lock(pp_state *state) {
    uintptr_t free_owner = 0;
    if (!atomic_compare_exchange_strong_explicit(
            &state->owner, &free_owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    count_turn(state);
    return true;
}

// MARK: the queue, under its own lock

/// Puts a waiter before another, or at the end.
static void put_before(pp_waiter *later, pp_waiter *waiter) {
    pp_state *state = waiter->state;
    waiter->next = later;
    waiter->previous = later ? later->previous : state->last_waiter;
    *(waiter->previous ? &waiter->previous->next : &state->waiters) = waiter;
    *(later ? &later->previous : &state->last_waiter) = waiter;
    waiter->is_queued = true;
    atomic_store(&state->attention, true);
}

static void take_out(pp_waiter *waiter) {
    if (!waiter->is_queued) return;
    pp_state *state = waiter->state;
    *(waiter->previous ? &waiter->previous->next : &state->waiters) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &state->last_waiter) = waiter->previous;
    waiter->is_queued = false;
}

/// Hands the lock, which this thread holds or which is reserved, to the first waiter. Releases it if there is none.
///
/// Returns the alarm to be woken after the queue is unlocked, because the task may run at once on this thread.
static pp_alarm hand_over(pp_state *state) {
    pp_waiter *next = state->waiters;
    if (!next) {
        atomic_store(&state->attention, false);
        if (atomic_load(&state->closing) || atomic_load(&state->abandoned)) atomic_store(&state->attention, true);
        atomic_store_explicit(&state->owner, 0, memory_order_release);
        return (pp_alarm){0};
    }
    take_out(next);
    state->turn_given = pp_nanoseconds();
    atomic_store_explicit(&state->owner, reserved_for(next), memory_order_release);
    if (next->alarm.wake)
        next->alarm.keep(next->alarm.context);
    else
        pthread_cond_signal(&next->ready);
    return next->alarm;
}

/// Does the same if the lock is free: the thread that released it may not have seen that there is a queue.
static pp_alarm hand_over_if_free(pp_state *state) {
    uintptr_t owner = 0;
    bool is_free = atomic_compare_exchange_strong(&state->owner, &owner, this_thread());
    return is_free ? hand_over(state) : (pp_alarm){0};
}

static void unlock_and_wake(pp_state *state, pp_alarm alarm) {
    pthread_mutex_unlock(&state->queue);
    if (alarm.wake) alarm.wake(alarm.context);
}

/// The waiter that the lock is reserved for, if it has not come in time.
static pp_waiter *late_waiter(const pp_state *state, uintptr_t owner, uint64_t now) {
    pp_waiter *late = waiter_of(owner);
    if (!late) return NULL;
    uint64_t turn = late->lost == MOST_LOST ? LONG_TURN_NANOSECONDS : TURN_NANOSECONDS;
    return now > state->turn_given + turn ? late : NULL;
}

/// Takes the lock if it is free, reserved for this waiter, or reserved for one that is late. Returns whether this
/// thread has it.
static bool take_turn(pp_state *state, pp_waiter *waiter) {
    uintptr_t owner = reserved_for(waiter);
    if (atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed)) {
        count_turn(state);
        return true;
    }
    pp_waiter *late = waiter->alarm.wake ? NULL : late_waiter(state, owner, pp_nanoseconds());
    if (owner != 0 && !late) return false;
    if (!atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    count_turn(state);
    take_out(waiter);
    if (late) {
        late->lost++;
        put_before(state->waiters, late);
    }
    return true;
}

static bool gives_up(pp_waiter *waiter) {
    uint64_t now = pp_nanoseconds(), turn = atomic_load_explicit(&waiter->state->turns, memory_order_relaxed);
    if (turn != waiter->turn) {
        waiter->turn = turn;
        waiter->turn_began = now;
    }
    return now >= waiter->deadline && now - waiter->turn_began >= waiter->tenth;
}

static void prepare(pp_waiter *waiter, pp_state *state, int64_t nanoseconds) {
    uint64_t now = pp_nanoseconds();
    *waiter = (pp_waiter){
        .state = state,
        .deadline = now + (uint64_t)nanoseconds,
        .tenth = (uint64_t)nanoseconds / 10,
        .turn = atomic_load_explicit(&state->turns, memory_order_relaxed),
        .turn_began = now,
    };
}

static bool wait_in_queue(pp_state *state, int64_t nanoseconds) {
    pp_waiter waiter;
    prepare(&waiter, state, nanoseconds);
    pthread_cond_init(&waiter.ready, NULL);
    pthread_mutex_lock(&state->queue);
    put_before(NULL, &waiter);
    bool is_ours;
    while (!(is_ours = take_turn(state, &waiter))) {
        if (gives_up(&waiter)) {
            take_out(&waiter);
            break;
        }
        // The thread that released the lock may not have seen that this one waits, so this one checks again by itself.
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TURN_NANOSECONDS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&waiter.ready, &state->queue, &until);
    }
    pthread_mutex_unlock(&state->queue);
    pthread_cond_destroy(&waiter.ready);
    return is_ours;
}

bool pp_wait_for(pp_state *state, int64_t nanoseconds) {
    if (nanoseconds <= 0) return try_lock(state);
    uint64_t queues = pp_nanoseconds() + (uint64_t)nanoseconds / 50;
    for (int round = 0; round < 64 || pp_nanoseconds() < queues; round++) {
        if (try_lock(state)) return true;
        if (round < 64) continue;
        if (round < 128) {
            sched_yield();
        } else {
            struct timespec nap = {0, round < 256 ? 10000 : 100000};
            nanosleep(&nap, NULL);
        }
    }
    return wait_in_queue(state, nanoseconds - nanoseconds / 50);
}

bool pp_is_waited_for(pp_state *state) {
    pthread_mutex_lock(&state->queue);
    bool is_waited_for = state->waiters;
    pthread_mutex_unlock(&state->queue);
    return is_waited_for;
}

void pp_hand_over(pp_state *state) {
    pthread_mutex_lock(&state->queue);
    unlock_and_wake(state, hand_over(state));
}

// MARK: tasks

/// Counts it no longer among those that want to enter. The caller holds the queue.
static void has_entered(pp_waiter *waiter) {
    if (waiter->enters) waiter->state->entering_tasks--;
    waiter->enters = false;
}

pp_waiter *pp_wait(pp_state *state, pp_alarm alarm, bool enters, bool *needs_clock) {
    pp_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter) return NULL;
    prepare(waiter, state, state->session.limits.lock_nanoseconds);
    waiter->alarm = alarm;
    waiter->enters = enters;
    pthread_mutex_lock(&state->queue);
    if (enters && atomic_load(&state->suspended) + state->entering_tasks >= state->session.limits.waiting_calls) {
        pthread_mutex_unlock(&state->queue);
        free(waiter);
        return NULL;
    }
    state->entering_tasks += enters;
    put_before(NULL, waiter);
    state->waiting_tasks++;
    *needs_clock = !state->has_clock;
    state->has_clock = true;
    unlock_and_wake(state, hand_over_if_free(state));
    return waiter;
}

pp_state *pp_waits_for(pp_waiter *waiter) { return waiter->state; }

bool pp_goes_on_waiting(pp_waiter *waiter) {
    pp_state *state = waiter->state;
    pthread_mutex_lock(&state->queue);
    bool goes_on = waiter->is_queued;
    pthread_mutex_unlock(&state->queue);
    return goes_on;
}

/// Takes out the first task that has waited for too long, and returns its alarm.
static pp_alarm give_up(pp_state *state, uint64_t now) {
    pp_waiter *waiter = state->waiters;
    while (waiter && !waiter->alarm.wake) waiter = waiter->next;
    if (!waiter || now < waiter->deadline) return (pp_alarm){0}; // those after it came later
    take_out(waiter);
    waiter->alarm.keep(waiter->alarm.context);
    return waiter->alarm;
}

/// Hands the lock to the next waiter if it is reserved for a task that has not come for long. That one is next then.
static pp_alarm pass_on(pp_state *state, uint64_t now) {
    uintptr_t owner = atomic_load(&state->owner);
    pp_waiter *late = waiter_of(owner);
    if (!late || !late->alarm.wake || !state->waiters || now <= state->turn_given + LONG_TURN_NANOSECONDS
        || !atomic_compare_exchange_strong(&state->owner, &owner, this_thread()))
        return (pp_alarm){0};
    late->lost++;
    pp_alarm alarm = hand_over(state);
    put_before(state->waiters, late);
    return alarm;
}

bool pp_tick(pp_state *state) {
    uint64_t now = pp_nanoseconds();
    for (;;) {
        pthread_mutex_lock(&state->queue);
        pp_alarm alarm = hand_over_if_free(state);
        if (!alarm.wake) alarm = pass_on(state, now);
        if (!alarm.wake) alarm = give_up(state, now);
        bool goes_on = state->has_clock = alarm.wake || state->waiting_tasks > 0;
        unlock_and_wake(state, alarm);
        if (!alarm.wake) return goes_on;
    }
}

bool pp_has_turn(pp_waiter *waiter) { return atomic_load(&waiter->state->owner) == reserved_for(waiter); }

bool pp_take_turn(pp_waiter *waiter) {
    pp_state *state = waiter->state;
    pthread_mutex_lock(&state->queue);
    bool is_ours = take_turn(state, waiter);
    if (is_ours) has_entered(waiter);
    pthread_mutex_unlock(&state->queue);
    return is_ours;
}

void pp_stop_waiting(pp_waiter *waiter) {
    pp_state *state = waiter->state;
    pthread_mutex_lock(&state->queue);
    take_out(waiter);
    has_entered(waiter);
    state->waiting_tasks--;
    unlock_and_wake(state, pp_has_turn(waiter) ? hand_over(state) : (pp_alarm){0});
    free(waiter);
}
