// The budget of a run, and how work is charged to it.

#pragma once

#include "state.h"

/// In the registry: the error with which a run ends.
extern const char pp_killed_key;
/// Ends the run. The script cannot catch this.
int pp_kill_run(lua_State *L, int32_t reason);
static inline void raise_if_killed(lua_State *L) {
    pp_state *state = state_of(L);
    if (state->budget.kill) pp_kill_run(L, state->budget.kill);
}

/// Checks fuel, clock and memory, and ends a run that is past a limit.
void pp_check_budget(lua_State *L);

/// Charges for steps of a C loop, which count as instructions. Called before the work, because it may end the run. What
/// a function charges besides, such as 20 or 100, is about as many instructions as its call takes.
static inline void charge(lua_State *L, uint64_t units) {
    pp_budget *budget = &state_of(L)->budget;
    if (units > INT32_MAX) pp_kill_run(L, PP_FUEL);
    if ((budget->until_check -= (int64_t)units) <= 0) pp_check_budget(L);
}
/// The same for bytes that are read or written, sixteen of which are a step.
static inline void charge_bytes(lua_State *L, uint64_t bytes) { charge(L, bytes / 16 + 1); }

/// Subtracts the fuel that C loops have used since the last check, and starts counting again.
static inline void settle_fuel(pp_budget *budget, int interval) {
    budget->fuel -= budget->paced - budget->until_check;
    budget->paced = budget->until_check = budget->fuel < interval ? budget->fuel : interval;
}

/// Marks where the host's own code begins. Its time does not count as the script's, but the rest of a callback's time
/// does.
static inline void host_begins(pp_state *state) {
    state->session.host_works = true;
    state->session.host_since = state->budget.started ? pp_nanoseconds() : 0;
    state->session.host_cpu_since = state->budget.ask_at ? pp_cpu_nanoseconds() : 0;
}

static inline void host_ends(pp_state *state) {
    if (state->session.host_since) state->budget.excluded += pp_nanoseconds() - state->session.host_since;
    if (state->session.host_cpu_since) state->budget.cpu_began += pp_cpu_nanoseconds() - state->session.host_cpu_since;
    state->session.host_works = false;
    state->session.host_since = state->session.host_cpu_since = 0;
}

/// Stops the clocks of a waiting call. They are continued later, possibly on another thread. Until then, `excluded` and
/// `cpu_began` are relative to the time when the clocks stopped.
static inline void stop_clocks(pp_budget *budget) {
    if (budget->started) budget->excluded -= pp_nanoseconds();
    if (budget->ask_at) budget->cpu_began -= pp_cpu_nanoseconds();
}

static inline void continue_clocks(pp_budget *budget) {
    if (budget->started) budget->excluded += pp_nanoseconds();
    if (budget->ask_at) budget->cpu_began += pp_cpu_nanoseconds();
}

/// Notes that a state of the patch needs this many bytes.
static inline void note_needed(pp_patch *patch, int64_t bytes) {
    if (bytes > atomic_load_explicit(&patch->largest, memory_order_relaxed))
        atomic_store_explicit(&patch->largest, bytes, memory_order_relaxed);
}

/// Notes the bytes that a state's script holds.
static inline void note_held(pp_state *state, int64_t bytes) {
    atomic_store_explicit(&state->held, bytes, memory_order_relaxed);
    note_needed(state->patch, bytes);
}

/// Lua's allocator, which counts and refuses memory.
void *pp_allocate(void *state, void *block, size_t old_size, size_t new_size);
/// Lets the budget be checked, or each line be told, on a Lua stack of a state.
void pp_set_hook(pp_state *state, lua_State *L);

/// Begins a budget with this fuel.
static inline void reset_budget(pp_state *state, int64_t fuel) {
    state->budget = (pp_budget){.fuel = fuel};
    state->session.refusal = PP_NOT_KILLED;
    state->budget.paced = state->budget.until_check = fuel < state->session.interval ? fuel : state->session.interval;
}

/// Lets the hook check less often again, as far as the values in memory allow: between runs, so that no script delays a
/// check.
void pp_restore_interval(pp_state *state);
/// Counts that a table was given an `__index` or a `__newindex` that is a table.
void pp_count_link(pp_state *state);

/// Raises an error if a function that calls the script back has too little C stack left. Lua allows 200 nested C calls,
/// and each needs up to 2 KiB. What is asked for here leaves room for the rest.
static inline void pp_check_c_stack(lua_State *L) {
    if (__builtin_expect(!has_stack(96 * 1024), 0)) luaL_error(L, "C stack overflow");
}

/// The size of a node of a hash part (collisions.c), and how many steps of moving keys take 10 ms.
enum { PP_NODE_SIZE = 24, PP_MOST_STEPS = 2000000 };
/// Whether as many bytes may be a hash part: a power of two of nodes.
bool pp_has_size_of_hash_part(size_t size);
/// Whether a block may be a large hash part. Moving the keys of a smaller one (up to 1,024) takes at most 3 ms.
static inline bool pp_is_hash_part(size_t size) {
    return __builtin_expect(size > 1024 * PP_NODE_SIZE, 0) && pp_has_size_of_hash_part(size);
}
/// Notes a large hash part, or what has its size.
void pp_add_hash_part(pp_state *state, const void *block, size_t size);
/// Forgets it, if it was noted.
void pp_remove_hash_part(pp_state *state, const void *block);
/// Whether the keys of a table would take too long to move into a hash part of that size; true without memory.
bool pp_would_collide(pp_state *state, size_t size);

/// Ends a run whose time or fuel is used up. Called after work during which no hook runs.
void pp_check_clock(lua_State *L);
