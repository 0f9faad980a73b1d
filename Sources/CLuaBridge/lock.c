// The locks of a patch's states: each is held by one thread at a time, which may take it again.
//
// Taking a lock is one exchange, and releasing it is a plain store. A thread tries the state that it used last. If that is taken,
// it takes any other state of the patch that is free. If none is free, another state is made, up to the limit. After that, the
// thread queues.
//
// A thread that releases a lock leaves it free, and wakes the first waiter in the queue. Handing the lock over would cost a
// switch of threads for each call. But a waiter that has waited for a millisecond is handed the next lock, if the lock was not
// handed over within the last millisecond. So threads that call all the time take turns of a millisecond. Such a turn goes to the
// first waiter that last ran on the processor that this thread is about to leave: a kernel that has to move a thread leaves the
// processor idle for up to a millisecond.
//
// A task is always handed the lock. It is woken by a callback, and it may take time until a thread runs it, so a waiting thread
// takes a turn that is not used within a millisecond. A task that has lost two turns in this way gets ten milliseconds for the
// third. If it loses that one, too, the actor that it runs on is blocked, perhaps by this very thread, and it is treated like any
// other waiter. Waiting tasks get an unused turn from the clock (`pp_tick`).
//
// Releasing a lock and joining the queue are not ordered, so the thread that releases it may not see a waiter that has just
// joined. A waiting thread therefore looks again by itself. For all waiting tasks, one clock looks (`pp_tick`). It also wakes the
// tasks that have waited for too long.
//
// A state's `owner` says whose it is:
//
//     0        free
//     T        taken by the thread whose `pp_thread` is at T
//     W | 1    reserved for the waiter W
//     ~1       always taken (`pp_taken`)
//
// and changes only in these ways, which the functions below name:
//
//     take     0 -> T        any thread, by compare and swap
//     leave    T -> 0        T: a plain store without `attention`; else under the mutex
//     give     T -> W | 1    T, under the mutex: W leaves its queue, and `W->given` is the state
//     come     W | 1 -> T    the thread of W
//     expel    W | 1 -> T    a thread that finds W late, under the mutex: W is the first of its queue again, and `W->lost` grows
//     return   W | 1 -> 0, or W | 1 -> V | 1    the task of W, which no longer waits, under the mutex: V is the next waiter
//
// What is always true:
//
//     - A waiter is in a queue, or a state is given to it, or neither. It is never both (the mutex).
//     - The queues, turns, waiting tasks, clocks and writes to `instances` are guarded by the pool's mutex.
//     - `attention` is set while the state serves a queue that is not empty, unless a waiter has joined while T left (above).
//     - The pool's `lock` is taken before its `mutex`. Under them, no callback is called but an alarm's `keep`.
//     - While a patch is open, only the state with the highest place is removed.

#include "calls.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TURN_NANOSECONDS = 1000000,
    LONG_TURN_NANOSECONDS = 10 * TURN_NANOSECONDS,
    LONG_WAIT = 20 * TURN_NANOSECONDS,
    MOST_BETWEEN_LOOKS = 50 * TURN_NANOSECONDS,
    MOST_LOST = 2,
    /// What is on the C stack between here and the check of a script that loads.
    LOADING_STACK = 16 * 1024,
    SPINS = 100,
};

struct pp_waiter {
    pp_waiter *next, *previous;
    pp_queue *queue;
    /// The patch's first state, and the state that it waits for; NULL for any of the patch.
    pp_state *home, *state;
    bool is_queued;
    /// It belongs to a task that wants to enter with a new call.
    bool enters;
    /// The state that is reserved for it, or was.
    _Atomic(pp_state *) given;
    /// Wakes a task. A thread waits for `ready`.
    pp_alarm alarm;
    pthread_cond_t ready;
    /// When it joined. It gives up if no lock that it waits for is taken for `patience`, or if it has waited for `longest`.
    uint64_t began, patience, longest;
    /// The processor that a thread ran on last.
    int processor;
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

/// The owner of a state that is given to a waiter.
static uintptr_t reserved_for(const pp_waiter *waiter) { return (uintptr_t)waiter | 1; }

/// The waiter that the lock is reserved for; NULL if it is free or taken.
static pp_waiter *waiter_of(uintptr_t owner) { return owner & 1 ? (pp_waiter *)(owner & ~(uintptr_t)1) : NULL; }

/// Take.
static bool try_lock(pp_state *state) {
    uintptr_t owner = 0;
    if (atomic_load_explicit(&state->owner, memory_order_relaxed) != 0
        || !atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    pp_thread.inside++;
    return true;
}

/// Takes a state of the patch that is free.
static pp_state *try_any(pp_state *home) {
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(home, i)); i++) {
        if (try_lock(state)) return state;
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

/// Whether the patch's memory is enough for as many states, each as large as the largest was.
static bool fits(const pp_state *home, int32_t count) {
    return count * atomic_load_explicit(&home->largest, memory_order_relaxed) <= home->session.limits.hard_memory;
}

bool pp_may_grow(pp_state *home) {
    int32_t count = atomic_load_explicit(&home->instance_count, memory_order_relaxed);
    uint64_t grows_at = atomic_load_explicit(&home->grows_at, memory_order_relaxed);
    return atomic_load_explicit(&home->may_grow, memory_order_relaxed)
        && !atomic_load_explicit(&home->is_growing, memory_order_relaxed)
        && count < home->session.limits.instances && fits(home, count + 1)
        && has_stack(home->session.limits.stack_bytes + LOADING_STACK)
        && (!grows_at || pp_nanoseconds() >= grows_at);
}

// MARK: the queues, under the pool's mutex

static void tell_of_waiters(pp_waiter *waiter) {
    if (waiter->state) {
        atomic_store(&waiter->state->attention, true);
        return;
    }
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(waiter->home, i)); i++) {
        atomic_store(&state->attention, true);
    }
}

/// Puts a waiter before another of its queue, or at the end.
static void put_before(pp_waiter *later, pp_waiter *waiter) {
    pp_queue *queue = waiter->queue;
    waiter->next = later;
    waiter->previous = later ? later->previous : queue->last;
    *(waiter->previous ? &waiter->previous->next : &queue->first) = waiter;
    *(later ? &later->previous : &queue->last) = waiter;
    waiter->is_queued = true;
    tell_of_waiters(waiter);
}

static void take_out(pp_waiter *waiter) {
    if (!waiter->is_queued) return;
    pp_queue *queue = waiter->queue;
    *(waiter->previous ? &waiter->previous->next : &queue->first) = waiter->next;
    *(waiter->next ? &waiter->next->previous : &queue->last) = waiter->previous;
    waiter->is_queued = false;
}

/// The waiter that has waited longest for the state, or for any state of its patch.
static pp_waiter *next_for(pp_state *state) {
    pp_state *home = home_of(state);
    pp_waiter *own = state->own.first, *any = home->any.first;
    if (instance_at(home, state->instance) != state) any = NULL; // it is no longer one of the patch's
    return !own ? any : !any || own->began <= any->began ? own : any;
}

static int this_processor(void) {
#if defined(__linux__)
    return sched_getcpu();
#else
    return 0;
#endif
}

/// Of the waiters that have waited for the time of a turn, the first that the kernel need not move to another processor. No
/// waiter is passed over for long.
static pp_waiter *nearest_from(pp_waiter *first, uint64_t now) {
    if (first->alarm.wake || now - first->began >= LONG_WAIT) return first;
    int processor = this_processor();
    for (pp_waiter *waiter = first; waiter && now - waiter->began >= TURN_NANOSECONDS; waiter = waiter->next) {
        if (!waiter->alarm.wake && waiter->processor == processor) return waiter;
    }
    return first;
}

/// Leave, under the mutex.
static void release(pp_state *state) {
    atomic_store(&state->attention, false);
    if (atomic_load(&state->closing) || atomic_load(&state->abandoned)) atomic_store(&state->attention, true);
    atomic_store(&state->owner, 0); // before `pp_attend` looks for abandoned calls once more
}

/// Give or leave, or return: hands the lock, which this thread holds or which is reserved for its waiter, to the first waiter, or
/// releases it.
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
    next = nearest_from(next, now);
    take_out(next);
    state->turn_given = now;
    atomic_store(&next->given, state);
    if (next_for(state)) atomic_store(&state->attention, true);
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

static void unlock_and_wake(pp_state *state, pp_alarm alarm) {
    pthread_mutex_unlock(&state->pool->mutex);
    if (alarm.wake) alarm.wake(alarm.context);
}

/// The waiter that the lock is reserved for, if it has not come in time.
static pp_waiter *late_waiter(const pp_state *state, uintptr_t owner, uint64_t now) {
    pp_waiter *late = waiter_of(owner);
    if (!late) return NULL;
    uint64_t turn = late->lost == MOST_LOST ? LONG_TURN_NANOSECONDS : TURN_NANOSECONDS;
    return now > state->turn_given + turn ? late : NULL;
}

static void loses_turn(pp_waiter *late) {
    late->lost++;
    atomic_store(&late->given, NULL);
    put_before(late->queue->first, late);
}

/// Take or expel: takes the lock if it is free, or reserved for a waiter that is late. A task never expels another waiter.
static bool take_if_possible(pp_state *state, pp_waiter *waiter) {
    uintptr_t owner = atomic_load(&state->owner);
    pp_waiter *late = waiter->alarm.wake ? NULL : late_waiter(state, owner, pp_nanoseconds());
    if (owner != 0 && !late) return false;
    if (!atomic_compare_exchange_strong_explicit(
            &state->owner, &owner, this_thread(), memory_order_acquire, memory_order_relaxed))
        return false;
    pp_thread.inside++;
    take_out(waiter);
    if (late) loses_turn(late);
    if (next_for(state)) atomic_store(&state->attention, true);
    return true;
}

/// Come: takes the lock that is reserved for this waiter, or another that it waits for and can have. Returns its state.
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
    if (waiter->state) return take_if_possible(waiter->state, waiter) ? waiter->state : NULL;
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(waiter->home, i)); i++) {
        if (take_if_possible(state, waiter)) return state;
    }
    return NULL;
}

/// How often the locks that a waiter waits for were released while there was a queue.
static uint64_t turns_of(const pp_waiter *waiter) {
    if (waiter->state) return waiter->state->turns;
    uint64_t all = 0;
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(waiter->home, i)); i++) {
        all += state->turns;
    }
    return all;
}

static bool gives_up(const pp_waiter *waiter, uint64_t now) {
    pp_queue *queue = waiter->queue;
    uint64_t turns = turns_of(waiter);
    // If no waiter has looked for a long time, this process had no processor, and the holders of the locks had none either.
    if (turns != queue->turns || now - queue->looked > MOST_BETWEEN_LOOKS) queue->moved = now;
    queue->turns = turns;
    queue->looked = now;
    uint64_t since = queue->moved > waiter->began ? queue->moved : waiter->began;
    return now - since >= waiter->patience || now - waiter->began >= waiter->longest;
}

/// - Parameter state: NULL for any state of the patch.
static void prepare(pp_waiter *waiter, pp_state *home, pp_state *state, int64_t nanoseconds) {
    *waiter = (pp_waiter){
        .home = home,
        .state = state,
        .queue = state ? &state->own : &home->any,
        .began = pp_nanoseconds(),
        .patience = (uint64_t)nanoseconds,
        .longest = (uint64_t)home->session.limits.wait_nanoseconds,
    };
}

/// - Parameter may_grow: NULL if the caller cannot make another state.
static pp_state *wait_in_queue(pp_state *home, pp_state *state, int64_t nanoseconds, bool *may_grow) {
    pp_waiter waiter;
    pthread_mutex_t *mutex = &home->pool->mutex;
    prepare(&waiter, home, state, nanoseconds);
    pthread_cond_init(&waiter.ready, NULL);
    pthread_mutex_lock(mutex);
    waiter.processor = this_processor();
    put_before(NULL, &waiter);
    pp_state *taken;
    while (!(taken = take_turn(&waiter))) {
        if (may_grow) *may_grow = pp_may_grow(home);
        if ((may_grow && *may_grow) || gives_up(&waiter, pp_nanoseconds())) {
            take_out(&waiter);
            break;
        }
        // The thread that released the lock may not have seen that this one waits, so this one checks again by itself.
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += waiter.queue->first == &waiter ? TURN_NANOSECONDS : LONG_TURN_NANOSECONDS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&waiter.ready, mutex, &until);
        waiter.processor = this_processor();
        if (waiter.is_queued) tell_of_waiters(&waiter);
    }
    pthread_mutex_unlock(mutex);
    pthread_cond_destroy(&waiter.ready);
    return taken;
}

bool pp_wait_for(pp_state *state, int64_t nanoseconds) {
    if (nanoseconds <= 0) return try_lock(state);
    for (int spin = 0; spin < SPINS; spin++) {
        if (try_lock(state)) return true;
        pause_processor();
    }
    return wait_in_queue(home_of(state), state, nanoseconds, NULL) != NULL;
}

pp_state *pp_take_any(pp_state *home, int64_t nanoseconds, bool *outermost, bool *may_grow) {
    *outermost = false;
    pp_state *state;
    for (int32_t i = 0; (state = instance_at(home, i)); i++) {
        if (atomic_load_explicit(&state->owner, memory_order_relaxed) == this_thread() && state != pp_thread.reserved)
            return state;
    }
    *outermost = true;
    if ((state = pp_thread.reserved) && home_of(state) == home) {
        pp_thread.reserved = NULL;
        return state;
    }
    if ((state = try_any(home))) return state;
    if ((*may_grow = pp_may_grow(home)) || nanoseconds <= 0) return NULL;
    for (int spin = 0; spin < SPINS; spin++) {
        if ((state = try_any(home))) return state;
        pause_processor();
    }
    return wait_in_queue(home, NULL, nanoseconds, may_grow);
}

bool pp_is_waited_for(pp_state *home) {
    pthread_mutex_lock(&home->pool->mutex);
    bool is_waited_for = home->any.first; // the others wait for a state that a call of theirs has begun in
    pthread_mutex_unlock(&home->pool->mutex);
    return is_waited_for;
}

int32_t pp_queue_length(pp_state *home) {
    pthread_mutex_lock(&home->pool->mutex);
    int32_t length = 0;
    for (pp_waiter *waiter = home->any.first; waiter; waiter = waiter->next) length++;
    pthread_mutex_unlock(&home->pool->mutex);
    return length;
}

int64_t pp_waiting_calls(pp_state *home) {
    pthread_mutex_lock(&home->pool->mutex);
    int64_t waiting = atomic_load(&home->all_suspended) + home->entering_tasks;
    pthread_mutex_unlock(&home->pool->mutex);
    return waiting;
}

void pp_hand_over(pp_state *state) {
    pthread_mutex_lock(&state->pool->mutex);
    state->turns++;
    unlock_and_wake(state, hand_over(state));
}

// MARK: tasks

/// Removes the waiter from the count of tasks that want to enter. The caller holds the mutex.
static void has_entered(pp_waiter *waiter) {
    if (waiter->enters) waiter->home->entering_tasks--;
    waiter->enters = false;
}

/// Hands over the first lock that is free, if there is one that this waiter or another waits for.
static pp_alarm hand_over_free(pp_state *home) {
    pp_alarm alarm = {0};
    pp_state *state;
    for (int32_t i = 0; !alarm.wake && (state = instance_at(home, i)); i++) {
        if (next_for(state)) alarm = hand_over_if_free(state);
    }
    return alarm;
}

pp_waiter *pp_wait(pp_state *state, pp_alarm alarm, bool enters, bool *needs_clock) {
    pp_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter) return NULL;
    pthread_mutex_lock(&state->pool->mutex);
    pp_state *home = home_of(state);
    prepare(waiter, home, enters ? NULL : state, state->session.limits.lock_nanoseconds);
    waiter->alarm = alarm;
    waiter->enters = enters;
    if (enters && atomic_load(&home->all_suspended) + home->entering_tasks >= state->session.limits.waiting_calls) {
        pthread_mutex_unlock(&home->pool->mutex);
        free(waiter);
        return NULL;
    }
    home->entering_tasks += enters;
    put_before(NULL, waiter);
    pp_state *awaited = pp_waits_for(waiter);
    awaited->waiting_tasks++;
    *needs_clock = !awaited->has_clock;
    awaited->has_clock = true;
    unlock_and_wake(home, enters ? hand_over_free(home) : hand_over_if_free(state));
    return waiter;
}

pp_state *pp_waits_for(pp_waiter *waiter) { return waiter->state ? waiter->state : waiter->home; }

static bool has_turn(pp_waiter *waiter) {
    pp_state *given = atomic_load(&waiter->given);
    return given && atomic_load(&given->owner) == reserved_for(waiter);
}

pp_turn pp_turn_of(pp_waiter *waiter) {
    pthread_mutex_t *mutex = &waiter->home->pool->mutex;
    pthread_mutex_lock(mutex);
    pp_turn turn = waiter->is_queued ? PP_NO_TURN : has_turn(waiter) ? PP_TURN : PP_GAVE_UP;
    pthread_mutex_unlock(mutex);
    return turn;
}

/// Removes the first task that has waited for too long, and returns its alarm.
static pp_alarm give_up(pp_queue *queue, uint64_t now) {
    pp_waiter *waiter = queue->first;
    while (waiter && !waiter->alarm.wake) waiter = waiter->next;
    if (!waiter || !gives_up(waiter, now)) return (pp_alarm){0}; // the waiters after it came later
    take_out(waiter);
    waiter->alarm.keep(waiter->alarm.context);
    return waiter->alarm;
}

/// Expel, and then give: hands the lock to the next waiter if it is reserved for a task that has not come for a long time.
static pp_alarm pass_on(pp_state *state, uint64_t now) {
    uintptr_t owner = atomic_load(&state->owner);
    pp_waiter *late = waiter_of(owner);
    if (!late || !late->alarm.wake || !next_for(state) || now <= state->turn_given + LONG_TURN_NANOSECONDS
        || !atomic_compare_exchange_strong(&state->owner, &owner, this_thread()))
        return (pp_alarm){0};
    pp_alarm alarm = hand_over(state);
    loses_turn(late);
    return alarm;
}

bool pp_tick(pp_state *state) {
    for (;;) {
        pthread_mutex_lock(&state->pool->mutex);
        uint64_t now = pp_nanoseconds(); // under the mutex: a waiter may have joined until then
        bool is_home = home_of(state) == state;
        pp_alarm alarm = next_for(state) ? hand_over_if_free(state) : (pp_alarm){0};
        if (!alarm.wake) alarm = pass_on(state, now);
        if (!alarm.wake) alarm = give_up(&state->own, now);
        pp_state *other;
        for (int32_t i = 1; is_home && !alarm.wake && (other = instance_at(state, i)); i++) {
            if (next_for(other)) alarm = hand_over_if_free(other);
            if (!alarm.wake) alarm = pass_on(other, now);
        }
        if (is_home && !alarm.wake) alarm = give_up(&state->any, now);
        bool goes_on = state->has_clock = alarm.wake || state->waiting_tasks > 0;
        unlock_and_wake(state, alarm);
        if (!alarm.wake) return goes_on;
    }
}

pp_state *pp_take_turn(pp_waiter *waiter) {
    pthread_mutex_t *mutex = &waiter->home->pool->mutex;
    pthread_mutex_lock(mutex);
    pp_state *taken = take_turn(waiter);
    if (taken) has_entered(waiter);
    pthread_mutex_unlock(mutex);
    return taken;
}

/// Leaves the queue. Return, if a state is given to the waiter.
void pp_stop_waiting(pp_waiter *waiter) {
    pp_state *home = waiter->home;
    pthread_mutex_lock(&home->pool->mutex);
    take_out(waiter);
    has_entered(waiter);
    pp_waits_for(waiter)->waiting_tasks--;
    unlock_and_wake(home, has_turn(waiter) ? hand_over(atomic_load(&waiter->given)) : (pp_alarm){0});
    free(waiter);
}

// MARK: a patch's states

/// Adds a state's counters to the layers' counters.
static void keep_counters(pp_state *home, pp_state *state) {
    for (int32_t i = 0; i < home->layer_count; i++) pp_add_counters(&home->layers[i]->ended, &state->counters[i]);
}

bool pp_join(pp_state *home, pp_state *state) {
    pthread_mutex_lock(&home->pool->mutex);
    atomic_store(&home->is_growing, false);
    bool joins = atomic_load(&home->may_grow) && !atomic_load(&home->closing);
    if (joins) {
        state->instance = atomic_load(&home->instance_count);
        atomic_store(&state->serves, home);
        atomic_store_explicit(&home->instances[state->instance], state, memory_order_release);
        atomic_store(&home->instance_count, state->instance + 1);
        atomic_store(&state->attention, true); // a thread may wait
    }
    pthread_mutex_unlock(&home->pool->mutex);
    return joins;
}

void pp_part(pp_state *home, pp_state *state) {
    keep_counters(home, state);
    atomic_store(&home->instances[state->instance], &pp_taken);
    atomic_fetch_sub(&home->instance_count, 1);
    atomic_store(&state->serves, NULL);
    atomic_store(&state->closing, true);
    atomic_store(&state->attention, true);
}

bool pp_part_if_last(pp_state *state) {
    pp_state *home = home_of(state);
    int32_t count = atomic_load(&home->instance_count);
    if (count < 2 || state->instance != count - 1 || fits(home, count)) return false;
    pthread_mutex_lock(&home->pool->mutex);
    count = atomic_load(&home->instance_count);
    bool parts = count > 1 && instance_at(home, count - 1) == state && state->suspended == 0 && !fits(home, count);
    if (parts) pp_part(home, state);
    pthread_mutex_unlock(&home->pool->mutex);
    return parts;
}

void pp_shrink(pp_state *home) {
    for (bool parts = true; parts;) {
        pthread_mutex_lock(&home->pool->mutex);
        int32_t count = atomic_load(&home->instance_count);
        pp_state *last = count > 1 && !fits(home, count) ? instance_at(home, count - 1) : NULL;
        bool is_free = last && try_lock(last);
        parts = is_free && last->suspended == 0;
        if (parts)
            pp_part(home, last);
        else if (last)
            atomic_store(&last->attention, true); // who leaves it looks again
        pthread_mutex_unlock(&home->pool->mutex);
        if (is_free) unlock_state(last);
    }
}

bool pp_close_idle(pp_state *home) {
    pthread_mutex_lock(&home->pool->mutex);
    pp_state *closed = NULL;
    // Only the last one is closed, so that their places have no holes.
    for (int32_t i = atomic_load(&home->instance_count) - 1; i > 0; i--) {
        pp_state *state = instance_at(home, i);
        if (!try_lock(state)) continue;
        bool is_idle = state->last_call == state->seen_call && state->suspended == 0;
        state->seen_call = state->last_call;
        if (!is_idle || closed || i != home->instance_count - 1) {
            // The mutex is held, so nothing is handed over. A waiter looks again by itself.
            pp_thread.inside--;
            release(state);
            continue;
        }
        pp_part(home, state);
        closed = state;
    }
    bool goes_on = atomic_load(&home->instance_count) > 1;
    pthread_mutex_unlock(&home->pool->mutex);
    if (closed) unlock_state(closed);
    return goes_on;
}
