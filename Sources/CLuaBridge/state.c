// What a state is asked, and what it counts.

#include "state.h"

#include <stdlib.h>

pp_state pp_no_state = {.owner = ~(uintptr_t)1};
pp_patch pp_no_patch = {.instances = {[0 ... PP_INSTANCES] = &pp_no_state}};

pp_handle pp_handle_of(pp_state *state) { return (pp_handle){state->patch, atomic_load_explicit(&state->patch->generation, memory_order_relaxed)}; }
lua_State *pp_main(pp_state *state) { return state->main; }
void *pp_context(lua_State *L) { return state_of(L)->session.context; }

bool pp_may_be_non_finite(lua_State *L) {
    pp_state *state = state_of(L);
    return is_spec(state) || (state->activation && state->activation->has_non_finite);
}

void pp_note_non_finite(lua_State *L) {
    pp_activation *call = state_of(L)->activation;
    if (call) call->has_non_finite = true;
}

// MARK: counters

static void add(_Atomic(uint64_t) *sum, const _Atomic(uint64_t) *more) {
    atomic_store_explicit(
        sum, atomic_load_explicit(sum, memory_order_relaxed) + atomic_load_explicit(more, memory_order_relaxed), memory_order_relaxed);
}

void pp_add_counters(pp_counters *sum, const pp_counters *more) {
    add(&sum->calls, &more->calls);
    add(&sum->measured, &more->measured);
    add(&sum->nanoseconds, &more->nanoseconds);
    for (int i = 0; i <= PP_BOUNDS; i++) add(&sum->times[i], &more->times[i]);
    uint64_t longest = atomic_load_explicit(&more->longest, memory_order_relaxed);
    if (longest > atomic_load_explicit(&sum->longest, memory_order_relaxed))
        atomic_store_explicit(&sum->longest, longest, memory_order_relaxed);
}

void pp_reset_counters(pp_counters *counters) {
    _Atomic(uint64_t) *each = &counters->calls;
    for (size_t i = 0; i < sizeof *counters / sizeof *each; i++) atomic_store_explicit(&each[i], 0, memory_order_relaxed);
}

bool pp_make_counters(pp_state *state, int32_t count) {
    if (count > state->counter_capacity) {
        int32_t capacity = count < 4 ? 4 : 2 * count;
        pp_counters *counters = realloc(state->counters, (size_t)capacity * sizeof *counters);
        if (!counters) return false;
        state->counters = counters;
        state->counter_capacity = capacity;
    }
    for (int32_t i = 0; i < count; i++) pp_reset_counters(&state->counters[i]);
    return true;
}
