// The states of a patch: its versions, how many states it may have, their removal, and the counters of their calls.

#include "lock.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

pp_state pp_no_state = {.owner = ~(uintptr_t)1};

/// The bytes on the C stack between here and the check of a script that loads.
enum { LOADING_STACK = 16 * 1024 };

int32_t pp_processors(void) {
#if defined(__linux__)
    cpu_set_t processors;
    if (sched_getaffinity(0, sizeof processors, &processors) == 0) return CPU_COUNT(&processors);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int32_t)count : 1;
}

pp_handle pp_handle_of(pp_state *state) {
    return (pp_handle){state->patch, atomic_load_explicit(&state->patch->generation, memory_order_relaxed)};
}
int32_t pp_instance_count(pp_patch *patch) { return atomic_load(&patch->instance_count); }

bool pp_lock_version(pp_handle handle) {
    pthread_mutex_lock(&handle.patch->pool->queues_mutex);
    if (atomic_load_explicit(&handle.patch->generation, memory_order_relaxed) == handle.generation) return true;
    pp_unlock_version(handle);
    return false;
}

void pp_unlock_version(pp_handle handle) { pthread_mutex_unlock(&handle.patch->pool->queues_mutex); }

void pp_let_grow(pp_handle handle) {
    if (!pp_lock_version(handle)) return;
    if (handle.patch->limits.instances > 1 && !atomic_load(&handle.patch->closing))
        atomic_store(&handle.patch->may_grow, true);
    pp_unlock_version(handle);
}

bool pp_fits(const pp_patch *patch, int32_t count) {
    return count * atomic_load_explicit(&patch->largest, memory_order_relaxed)
        <= atomic_load_explicit(&patch->hard_memory, memory_order_relaxed);
}

bool pp_may_grow(pp_patch *patch) {
    int32_t count = atomic_load_explicit(&patch->instance_count, memory_order_relaxed);
    uint64_t grows_at = atomic_load_explicit(&patch->grows_at, memory_order_relaxed);
    return atomic_load_explicit(&patch->may_grow, memory_order_relaxed)
        && !atomic_load_explicit(&patch->is_growing, memory_order_relaxed)
        && count < atomic_load_explicit(&patch->most_instances, memory_order_relaxed) && pp_fits(patch, count + 1)
        && has_stack(atomic_load_explicit(&patch->stack_bytes, memory_order_relaxed) + LOADING_STACK)
        && (!grows_at || pp_nanoseconds() >= grows_at);
}

void pp_remove_from_patch(pp_state *state) {
    pp_patch *patch = state->patch;
    for (int32_t i = 0; i < patch->layer_count; i++) pp_add_counters(&patch->layers[i]->ended, &state->counters[i]);
    atomic_store(&patch->instances[state->instance], &pp_no_state);
    atomic_fetch_sub(&patch->instance_count, 1);
    atomic_store(&state->is_serving, false);
    atomic_store(&state->closing, true);
    atomic_store(&state->has_leaving_work, true);
}

bool pp_remove_if_last(pp_state *state) {
    pp_patch *patch = state->patch;
    int32_t count = atomic_load(&patch->instance_count);
    if (count < 2 || state->instance != count - 1 || pp_fits(patch, count)) return false;
    pthread_mutex_lock(&patch->pool->queues_mutex);
    count = atomic_load(&patch->instance_count);
    bool is_removed =
        count > 1 && instance_at(patch, count - 1) == state && state->suspended == 0 && !pp_fits(patch, count);
    if (is_removed) pp_remove_from_patch(state);
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    return is_removed;
}

// MARK: counters

void pp_add_counters(pp_counters *sum, const pp_counters *more) {
    increase(&sum->calls, more->calls);
    increase(&sum->measured, more->measured);
    increase(&sum->nanoseconds, more->nanoseconds);
    for (int i = 0; i <= PP_BOUNDS; i++) increase(&sum->times[i], more->times[i]);
    uint64_t longest = atomic_load_explicit(&more->longest, memory_order_relaxed);
    if (longest > atomic_load_explicit(&sum->longest, memory_order_relaxed))
        atomic_store_explicit(&sum->longest, longest, memory_order_relaxed);
}

void pp_reset_counters(pp_counters *counters) {
    // All members have this type.
    _Atomic(uint64_t) *each = &counters->calls;
    for (size_t i = 0; i < sizeof *counters / sizeof *each; i++)
        atomic_store_explicit(&each[i], 0, memory_order_relaxed);
}

bool pp_make_counters(pp_state *state, int32_t known, int32_t count) {
    if (count > state->counter_capacity) {
        int32_t capacity = count < 4 ? 4 : 2 * count;
        pp_counters *counters = realloc(state->counters, (size_t)capacity * sizeof *counters);
        if (!counters) return false;
        state->counters = counters;
        state->counter_capacity = capacity;
    }
    for (int32_t i = known; i < count; i++) pp_reset_counters(&state->counters[i]);
    return true;
}
