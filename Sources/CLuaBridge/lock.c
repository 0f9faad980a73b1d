// The locks of a patch's states: each is held by one thread at a time, which may take it again.
//
// Taking a lock is one exchange, and releasing it is a plain store. A thread tries the state that it used last. If that
// is taken, it takes any other state of the patch that is free. If none is free, another state is made, up to the
// limit. After that, the thread queues.
//
// A thread that releases a lock leaves it free, and wakes the first waiter in the queue. Handing the lock over would
// cost a switch of threads for each call. But a waiter that has waited for a millisecond is handed the next lock, if
// the lock was not handed over within the last millisecond. So threads that call all the time take turns of a
// millisecond, first come, first served.
//
// A task is always handed the lock. It is woken by a callback, and it may take time until a thread runs it, so a
// waiting thread takes a turn that is not used within a millisecond. A task that has lost two turns in this way gets
// ten milliseconds for the third. If it loses that one, too, the actor that it runs on is blocked, perhaps by this very
// thread, and it is treated like any other waiter. Waiting tasks get an unused turn from the clock (`pp_serve_tasks`).
//
// Releasing a lock and joining the queue are not ordered, so the thread that releases it may not see a waiter that has
// just joined. A waiting thread therefore looks again by itself. For all tasks in a queue, one clock looks
// (`pp_serve_tasks`). It also wakes the tasks that have waited for too long.
//
// A state's `owner` says whose it is:
//
//     0        free
//     T        taken by the thread whose `pp_thread` is at T
//     W | 1    reserved for the waiter W
//     ~1       always taken (`pp_no_state`)
//
// and changes only in these ways, which the functions below name:
//
//     take     0 -> T        any thread, by compare and swap
//     leave    T -> 0        T: a plain store without `has_leaving_work`; else under the `queues_mutex`
//     give     T -> W | 1    T, under the `queues_mutex`: W leaves its queue, and `W->given` is the state
//     come     W | 1 -> T    the thread of W
//     expel    W | 1 -> T    a thread that finds W late, under the `queues_mutex`: W is the first of its queue again,
//                            and `W->lost` grows
//     return   W | 1 -> 0, or W | 1 -> V | 1
//                            the task of W, which no longer waits, under the `queues_mutex`: V is the next waiter
//
// What is always true (LockModelTests follows every sequence of these steps):
//
//     - A waiter is in a queue, or a state is given to it, or neither. It is never both (the `queues_mutex`).
//     - The queues, turns, waiting tasks, clocks and writes to `instances` are guarded by the pool's `queues_mutex`.
//     - While a thread is in a state and a waiter is queued for it, `has_leaving_work` is set, unless a waiter was
//       woken and has not looked again yet. A thread that has begun to leave need not see who joins.
//     - The pool's `states_mutex` is locked before its `queues_mutex`. Under them, no callback is called but an alarm's
//       `keep`.
//     - While a patch is open, only the state with the highest place is removed.

#include "lock.h"

#include <stdlib.h>
#include <time.h>

enum {
    TURN_NANOSECONDS = 1000000,
    LONG_TURN_NANOSECONDS = 10 * TURN_NANOSECONDS,
    MOST_BETWEEN_CHECKS = 50 * TURN_NANOSECONDS,
    MOST_LOST = 2,
    /// How often a thread looks for a free lock before it queues.
    SPINS = 100,
};

struct pp_waiter {
    pp_waiter *next, *previous;
    pp_queue *queue;
    bool is_queued;
    /// It belongs to a task that has not entered.
    bool is_counted;
    /// The state that is reserved for it, or was.
    _Atomic(pp_state *) given;
    /// Wakes a task. A thread waits for `ready`.
    pp_alarm alarm;
    pthread_cond_t ready;
    /// When it joined. It gives up if no lock that it waits for is taken for `patience`, or if it has waited for
    /// `longest`.
    uint64_t began, patience, longest;
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

void pp_note_lock(const void *address) { __tsan_acquire(address); }
void pp_note_unlock(const void *address) { __tsan_release(address); }

/// The owner of a state that is given to a waiter.
static uintptr_t reserved_for(const pp_waiter *waiter) { return (uintptr_t)waiter | 1; }

/// The waiter that the lock is reserved for; NULL if it is free or taken.
static pp_waiter *waiter_of(uintptr_t owner) { return owner & 1 ? (pp_waiter *)(owner & ~(uintptr_t)1) : NULL; }

bool pp_try_lock(pp_state *state) {
    uintptr_t owner = 0;
    if (atomic_load_explicit(&state->owner, memory_order_relaxed) != 0
        || !atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    pp_thread.inside++;
    return true;
}

/// Takes a state of the patch that is free.
static pp_state *try_any(pp_patch *patch) {
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(patch, i)); i++) {
        if (pp_try_lock(state)) return state;
    }
    return NULL;
}

static void pause_processor(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static pthread_mutex_t *mutex_of(const pp_patch *patch) { return &patch->pool->queues_mutex; }

// MARK: the queues, under the pool's mutex

/// The states that a queue waits for, by a number from 0; NULL after the last.
static pp_state *awaited(const pp_queue *queue, int32_t number) {
    if (!queue->state) return instance_at(queue->patch, number);
    return number == 0 ? queue->state : NULL;
}

static void tell_of_waiters(const pp_queue *queue) {
    pp_state *state;
    for (int32_t i = 0; (state = awaited(queue, i)); i++) atomic_store(&state->has_leaving_work, true);
}

/// The link to the waiter after another one, or to the first if that is NULL.
static pp_waiter **link_after(pp_queue *queue, pp_waiter *waiter) { return waiter ? &waiter->next : &queue->first; }

/// The link to the waiter before another one, or to the last if that is NULL.
static pp_waiter **link_before(pp_queue *queue, pp_waiter *waiter) { return waiter ? &waiter->previous : &queue->last; }

/// Puts a waiter before another of its queue, or at the end if that is NULL.
static void put_before(pp_waiter *later, pp_waiter *waiter) {
    pp_queue *queue = waiter->queue;
    waiter->next = later;
    waiter->previous = *link_before(queue, later);
    *link_after(queue, waiter->previous) = waiter;
    *link_before(queue, later) = waiter;
    waiter->is_queued = true;
    tell_of_waiters(queue);
}

/// Takes a waiter out of its queue, if it is there.
static void take_out(pp_waiter *waiter) {
    if (!waiter->is_queued) return;
    pp_queue *queue = waiter->queue;
    *link_after(queue, waiter->previous) = waiter->next;
    *link_before(queue, waiter->next) = waiter->previous;
    waiter->is_queued = false;
}

/// The waiter that has waited longest for the state, or for any state of its patch; NULL if there is none.
static pp_waiter *next_for(pp_state *state) {
    pp_waiter *own = state->queue.first, *any = state->patch->queue.first;
    if (instance_at(state->patch, state->instance) != state) any = NULL; // it is no longer one of the patch's
    if (!own || !any) return own ? own : any;
    return own->began <= any->began ? own : any;
}

/// Leave, under the `queues_mutex`.
static void release(pp_state *state) {
    atomic_store(&state->has_leaving_work, false);
    if (atomic_load(&state->closing) || atomic_load(&state->abandoned)) atomic_store(&state->has_leaving_work, true);
    atomic_store(&state->owner, 0); // before `pp_finish_leaving` looks for abandoned calls once more
}

/// Give or leave, or return: hands the lock, which this thread holds or which is reserved for its waiter, to the first
/// waiter, or releases it.
///
/// Returns the alarm to be woken after the mutex is unlocked, because the task may run at once on this thread.
static pp_alarm hand_over(pp_state *state) {
    pp_waiter *next = next_for(state);
    if (!next) {
        release(state);
        return (pp_alarm){0};
    }
    uint64_t now = pp_nanoseconds();
    bool is_due = now - next->began >= TURN_NANOSECONDS && now - state->turn_given >= TURN_NANOSECONDS;
    if (!next->alarm.wake && !is_due) {
        release(state);
        pthread_cond_signal(&next->ready);
        return (pp_alarm){0};
    }
    take_out(next);
    state->turn_given = now;
    atomic_store(&next->given, state);
    if (next_for(state)) atomic_store(&state->has_leaving_work, true);
    atomic_store_explicit(&state->owner, reserved_for(next), memory_order_release);
    if (next->alarm.wake)
        next->alarm.keep(next->alarm.context);
    else
        pthread_cond_signal(&next->ready);
    return next->alarm;
}

/// Take, and then give or leave, if the lock is free: the thread that released it may not have seen the queue.
static pp_alarm hand_over_if_free(pp_state *state) {
    uintptr_t owner = 0;
    bool is_free = atomic_compare_exchange_strong(&state->owner, &owner, this_thread());
    return is_free ? hand_over(state) : (pp_alarm){0};
}

static void unlock_and_wake(pp_patch *patch, pp_alarm alarm) {
    pthread_mutex_unlock(mutex_of(patch));
    if (alarm.wake) alarm.wake(alarm.context);
}

/// The waiter that the lock is reserved for, if it has not come in time; else NULL.
static pp_waiter *late_waiter(const pp_state *state, uintptr_t owner, uint64_t now) {
    pp_waiter *late = waiter_of(owner);
    if (!late) return NULL;
    uint64_t turn = late->lost == MOST_LOST ? LONG_TURN_NANOSECONDS : TURN_NANOSECONDS;
    return now > state->turn_given + turn ? late : NULL;
}

/// Expel, once the lock is taken that was reserved for a waiter: it is the first of its queue again.
static void expel(pp_waiter *late) {
    late->lost++;
    atomic_store(&late->given, NULL);
    put_before(late->queue->first, late);
}

/// Take or expel: takes the lock if it is free, or reserved for a waiter that is late. A task never expels another
/// waiter.
static bool take_if_possible(pp_state *state, pp_waiter *waiter) {
    uintptr_t owner = atomic_load(&state->owner);
    pp_waiter *late = waiter->alarm.wake ? NULL : late_waiter(state, owner, pp_nanoseconds());
    if (owner != 0 && !late) return false;
    if (!atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    pp_thread.inside++;
    take_out(waiter);
    if (late) expel(late);
    if (next_for(state)) atomic_store(&state->has_leaving_work, true);
    return true;
}

/// Come: takes the lock that is reserved for this waiter, or another that it waits for and can have. Returns its state;
/// NULL if there is none.
static pp_state *take_turn(pp_waiter *waiter) {
    pp_state *given = atomic_load(&waiter->given);
    uintptr_t owner = reserved_for(waiter);
    if (given
        && atomic_compare_exchange_strong_explicit(
            &given->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed)) {
        atomic_store(&waiter->given, NULL);
        pp_thread.inside++;
        return given;
    }
    pp_state *state;
    for (int32_t i = 0; (state = awaited(waiter->queue, i)); i++) {
        if (take_if_possible(state, waiter)) return state;
    }
    return NULL;
}

/// How often the locks that a queue waits for were released while there was a queue.
static uint64_t turns_of(const pp_queue *queue) {
    uint64_t all = 0;
    pp_state *state;
    for (int32_t i = 0; (state = awaited(queue, i)); i++) all += state->turns;
    return all;
}

/// Notes whether the queue's locks were released since a waiter last looked. Returns whether this waiter gives up.
static bool check_patience(const pp_waiter *waiter, uint64_t now) {
    pp_queue *queue = waiter->queue;
    uint64_t turns = turns_of(queue);
    // If no waiter has checked for a long time, this process had no processor, and the holders of the locks had none
    // either.
    if (turns != queue->last_turns || now - queue->last_check > MOST_BETWEEN_CHECKS) queue->last_progress = now;
    queue->last_turns = turns;
    queue->last_check = now;
    uint64_t since = queue->last_progress > waiter->began ? queue->last_progress : waiter->began;
    return now - since >= waiter->patience || now - waiter->began >= waiter->longest;
}

static void prepare(pp_waiter *waiter, pp_queue *queue, int64_t nanoseconds) {
    *waiter = (pp_waiter){
        .queue = queue,
        .began = pp_nanoseconds(),
        .patience = (uint64_t)nanoseconds,
        .longest = (uint64_t)atomic_load_explicit(&queue->patch->wait_nanoseconds, memory_order_relaxed),
    };
}

// Threads wait by a clock that nobody sets. One that is set back would hold a waiting thread for as long.

static void make_condition(pthread_cond_t *condition) {
#if defined(__APPLE__)
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
#endif
}

static void wait_for_condition(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t nanoseconds) {
#if defined(__APPLE__)
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)nanoseconds};
    pthread_cond_timedwait_relative_np(condition, mutex, &time);
#else
    uint64_t end = pp_nanoseconds() + nanoseconds;
    struct timespec until = {.tv_sec = (time_t)(end / 1000000000), .tv_nsec = (long)(end % 1000000000)};
    pthread_cond_timedwait(condition, mutex, &until);
#endif
}

/// Waits in a queue until this thread has taken one of its states. NULL if it gives up, or if the caller may make
/// another state (`*may_grow`).
///
/// - Parameter may_grow: NULL if the caller cannot make another state.
static pp_state *wait_in(pp_queue *queue, int64_t nanoseconds, bool *may_grow) {
    pp_waiter waiter;
    pthread_mutex_t *mutex = mutex_of(queue->patch);
    prepare(&waiter, queue, nanoseconds);
    make_condition(&waiter.ready);
    pthread_mutex_lock(mutex);
    put_before(NULL, &waiter);
    pp_state *taken;
    while (!(taken = take_turn(&waiter))) {
        if (may_grow) *may_grow = pp_may_grow(queue->patch);
        if ((may_grow && *may_grow) || check_patience(&waiter, pp_nanoseconds())) {
            take_out(&waiter);
            if (queue->first) tell_of_waiters(queue); // only this one may have been woken
            break;
        }
        // The thread that released the lock may not have seen that this one waits, so this one checks again by itself.
        wait_for_condition(&waiter.ready, mutex, queue->first == &waiter ? TURN_NANOSECONDS : LONG_TURN_NANOSECONDS);
        if (waiter.is_queued) tell_of_waiters(queue);
    }
    pthread_mutex_unlock(mutex);
    pthread_cond_destroy(&waiter.ready);
    return taken;
}

bool pp_wait_for(pp_state *state, int64_t nanoseconds) {
    if (nanoseconds <= 0) return pp_try_lock(state);
    for (int spin = 0; spin < SPINS; spin++) {
        if (pp_try_lock(state)) return true;
        pause_processor();
    }
    return wait_in(&state->queue, nanoseconds, NULL) != NULL;
}

pp_state *pp_take_any(pp_patch *patch, int64_t nanoseconds, bool *outermost, bool *may_grow) {
    *outermost = false;
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(patch, i)); i++) {
        if (atomic_load_explicit(&state->owner, memory_order_relaxed) == this_thread() && state != pp_thread.reserved)
            return state;
    }
    *outermost = true;
    state = pp_thread.reserved;
    if (state && state->patch == patch) {
        pp_thread.reserved = NULL;
        return state;
    }
    if ((state = try_any(patch))) return state;
    *may_grow = pp_may_grow(patch);
    if (*may_grow || nanoseconds <= 0) return NULL;
    for (int spin = 0; spin < SPINS; spin++) {
        if ((state = try_any(patch))) return state;
        pause_processor();
    }
    return wait_in(&patch->queue, nanoseconds, may_grow);
}

int32_t pp_queue_length(pp_patch *patch) {
    pthread_mutex_lock(mutex_of(patch));
    int32_t length = 0;
    for (pp_waiter *waiter = patch->queue.first; waiter; waiter = waiter->next) length++;
    pthread_mutex_unlock(mutex_of(patch));
    return length;
}

/// The caller holds the mutex.
static int64_t waiting_calls(pp_patch *patch) { return atomic_load(&patch->all_suspended) + patch->queue.tasks; }

int64_t pp_waiting_calls(pp_patch *patch) {
    pthread_mutex_lock(mutex_of(patch));
    int64_t waiting = waiting_calls(patch);
    pthread_mutex_unlock(mutex_of(patch));
    return waiting;
}

void pp_hand_over(pp_state *state) {
    pthread_mutex_lock(mutex_of(state->patch));
    state->turns++;
    unlock_and_wake(state->patch, hand_over(state));
}

// MARK: tasks

pp_queue *pp_patch_queue(pp_patch *patch) { return &patch->queue; }
pp_queue *pp_waiter_queue(pp_waiter *waiter) { return waiter->queue; }

/// Removes a task that has entered, or that no longer waits, from the count. The caller holds the mutex.
static void count_off(pp_waiter *waiter) {
    waiter->queue->tasks -= waiter->is_counted;
    waiter->is_counted = false;
}

/// Hands over the first lock that is free, if there is one that a waiter of this queue or another waits for.
static pp_alarm hand_over_free(pp_queue *queue) {
    pp_alarm alarm = {0};
    pp_state *state;
    for (int32_t i = 0; !alarm.wake && (state = awaited(queue, i)); i++) {
        if (next_for(state)) alarm = hand_over_if_free(state);
    }
    return alarm;
}

pp_waiter *pp_wait(pp_queue *queue, pp_alarm alarm, bool *needs_clock) {
    pp_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter) return NULL;
    pp_patch *patch = queue->patch;
    pthread_mutex_lock(mutex_of(patch));
    bool is_new_call = !queue->state;
    if (is_new_call && waiting_calls(patch) >= atomic_load_explicit(&patch->most_waiting, memory_order_relaxed)) {
        pthread_mutex_unlock(mutex_of(patch));
        free(waiter);
        return NULL;
    }
    prepare(waiter, queue, atomic_load_explicit(&patch->lock_nanoseconds, memory_order_relaxed));
    waiter->alarm = alarm;
    waiter->is_counted = true;
    queue->tasks++;
    put_before(NULL, waiter);
    *needs_clock = !queue->has_clock;
    queue->has_clock = true;
    unlock_and_wake(patch, hand_over_free(queue));
    return waiter;
}

/// Whether a state is reserved for the waiter. The caller holds the mutex.
static bool has_turn(pp_waiter *waiter) {
    pp_state *given = atomic_load(&waiter->given);
    return given && atomic_load(&given->owner) == reserved_for(waiter);
}

pp_turn pp_turn_of(pp_waiter *waiter) {
    pthread_mutex_t *mutex = mutex_of(waiter->queue->patch);
    pthread_mutex_lock(mutex);
    pp_turn turn = PP_GAVE_UP;
    if (waiter->is_queued)
        turn = PP_NO_TURN;
    else if (has_turn(waiter))
        turn = PP_TURN;
    pthread_mutex_unlock(mutex);
    return turn;
}

/// Takes the first task out of the queue, if it has waited for too long, and returns its alarm.
static pp_alarm give_up(pp_queue *queue, uint64_t now) {
    pp_waiter *waiter = queue->first;
    while (waiter && !waiter->alarm.wake) waiter = waiter->next;
    if (!waiter || !check_patience(waiter, now)) return (pp_alarm){0}; // the waiters after it came later
    take_out(waiter);
    waiter->alarm.keep(waiter->alarm.context);
    return waiter->alarm;
}

/// Expel, and then give: hands the lock to the next waiter if it is reserved for a task that has not come for a long
/// time.
static pp_alarm pass_on(pp_state *state, uint64_t now) {
    uintptr_t owner = atomic_load(&state->owner);
    pp_waiter *late = waiter_of(owner);
    if (!late || !late->alarm.wake || !next_for(state)) return (pp_alarm){0};
    if (now <= state->turn_given + LONG_TURN_NANOSECONDS) return (pp_alarm){0};
    if (!atomic_compare_exchange_strong(&state->owner, &owner, this_thread())) return (pp_alarm){0};
    pp_alarm alarm = hand_over(state);
    expel(late);
    return alarm;
}

bool pp_serve_tasks(pp_queue *queue) {
    for (;;) {
        pthread_mutex_lock(mutex_of(queue->patch));
        uint64_t now = pp_nanoseconds(); // under the mutex: a waiter may have joined until then
        pp_alarm alarm = {0};
        pp_state *state;
        for (int32_t i = 0; !alarm.wake && (state = awaited(queue, i)); i++) {
            if (next_for(state)) alarm = hand_over_if_free(state);
            if (!alarm.wake) alarm = pass_on(state, now);
        }
        if (!alarm.wake) alarm = give_up(queue, now);
        bool goes_on = alarm.wake || queue->tasks > 0;
        queue->has_clock = goes_on;
        unlock_and_wake(queue->patch, alarm);
        if (!alarm.wake) return goes_on;
    }
}

pp_state *pp_take_turn(pp_waiter *waiter) {
    pthread_mutex_t *mutex = mutex_of(waiter->queue->patch);
    pthread_mutex_lock(mutex);
    pp_state *taken = take_turn(waiter);
    if (taken) count_off(waiter);
    pthread_mutex_unlock(mutex);
    return taken;
}

/// Leaves the queue. Return, if a state is given to the waiter.
void pp_stop_waiting(pp_waiter *waiter) {
    pp_patch *patch = waiter->queue->patch;
    pthread_mutex_lock(mutex_of(patch));
    take_out(waiter);
    count_off(waiter);
    pp_alarm alarm = {0};
    if (has_turn(waiter)) alarm = hand_over(atomic_load(&waiter->given));
    unlock_and_wake(patch, alarm);
    free(waiter);
}
