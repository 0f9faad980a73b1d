// The budget of a run: fuel, time and memory, and the hook that checks them.

#include "budget.h"
#include "lock.h"

#include <stdlib.h>
#include <string.h>

/// `LIGHT` is the most bytes that one instruction may have to read, so that a thousand instructions take a few
/// milliseconds. A byte of a string counts as eight: the slowest operation compares two strings of zeros, which the C
/// library does zero by zero (8 ns each).
enum { LIGHT = 16 * 1024, STRING_WEIGHT = 8 };
/// The most links of a chain of `__index` that Lua follows.
enum { LONGEST_CHAIN = 2000 };
/// What a string's block has at most beside its bytes.
enum { STRING_HEAD = 64 };
/// The allocator refuses no string of this length, so that the names of the app and of scripts exist whatever the limit
/// is.
enum { LONGEST_OWN = 256 };
/// A run that takes this many times its limit without using the processor for so long is ended.
enum { STALLED = 20 };

const char pp_killed_key;

static void hook(lua_State *L, lua_Debug *where);

static inline int hook_mask(const pp_state *state) {
    if (is_spec(state)) return 0;
    return state->session.limits.tells_lines ? LUA_MASKCOUNT | LUA_MASKLINE : LUA_MASKCOUNT;
}

/// The most bytes that one instruction may have to read now.
static int64_t most_to_read(const pp_session *session) {
    int64_t links = session->links < LONGEST_CHAIN ? session->links : LONGEST_CHAIN;
    int64_t chain = links * session->largest_block;
    if (chain > session->used) chain = session->used;
    int64_t most = STRING_WEIGHT * session->longest_string;
    if (most < session->largest_block) most = session->largest_block;
    // All hash parts are read if one of them grows. A chain is only read, but a block may be moved.
    if (most < session->hash_bytes) most = session->hash_bytes;
    if (most < chain / 8) most = chain / 8;
    return most;
}

/// The number of instructions between two checks. It changes only by halves, so that it changes rarely: at each change
/// the hook starts counting again.
static int needed_interval(const pp_session *session) {
    int interval = session->limits.instructions_per_check;
    int64_t heavy = most_to_read(session) / LIGHT;
    while (interval > 1 && heavy * interval > session->limits.instructions_per_check) interval /= 2;
    return interval;
}

static void set_hooks(pp_state *state, int count) {
    lua_sethook(state->main, hook, hook_mask(state), count);
    for (pp_activation *call = state->activation; call; call = call->outer)
        if (call->L != state->main) lua_sethook(call->L, hook, hook_mask(state), count);
}

static void set_interval(pp_state *state, int interval) {
    state->session.interval = interval;
    set_hooks(state, interval);
}

/// Checks more often from now on, because instructions on the values in memory may take longer.
static void shorten_interval(pp_state *state) {
    if (is_spec(state)) return; // its hook is for the time limit of a spec
    int interval = needed_interval(&state->session);
    if (interval >= state->session.interval || !state->main) return;
    state->budget.fuel -= state->session.interval; // the instructions since the last check, which the hook forgets
    if (state->budget.until_check > interval) {
        state->budget.paced -= state->budget.until_check - interval;
        state->budget.until_check = interval;
    }
    set_interval(state, interval);
}

/// Counts the steps that it may take to move keys into a new hash part. No hook runs meanwhile, and small tables may be
/// moved again and again: after as many as take 10 ms, the next instruction, or the next step of a C loop, checks the
/// clock.
static void count_moves(pp_state *state, size_t size) {
    int64_t nodes = (int64_t)(size / PP_NODE_SIZE);
    if ((state->session.moves += nodes * nodes / 2) <= PP_MOST_STEPS) return;
    state->session.moves = 0;
    lua_State *running = state->activation ? state->activation->L : state->main;
    if (is_spec(state) || !running || lua_gethookcount(running) == 1) return; // it checks the clock anyway
    state->budget.fuel -= state->session.interval; // the instructions since the last check, which the hook forgets
    state->budget.paced -= state->budget.until_check;
    state->budget.until_check = 0;
    set_hooks(state, 1);
}

void pp_restore_interval(pp_state *state) {
    if (is_spec(state)) return;
    // Nothing is larger than all the memory in use.
    int64_t used = state->session.used;
    if (state->session.longest_string > used) state->session.longest_string = used;
    if (state->session.largest_block > used) state->session.largest_block = used;
    int interval = needed_interval(&state->session);
    if (interval != state->session.interval) set_interval(state, interval);
}

void pp_count_link(pp_state *state) {
    if (state->session.links++ < LONGEST_CHAIN) shorten_interval(state);
}

/// Why the script may not hold this many bytes; 0 if it may. The bytes in the patch's other states count, too. Notes
/// the bytes, as needed if it may not.
static int32_t memory_refusal(pp_state *state, int64_t bytes) {
    int64_t most = state->session.limits.hard_memory, all = bytes;
    if (bytes > most) return PP_MEMORY;
    pp_state *other;
    for (int32_t i = 0; (other = instance_at(state->patch, i)); i++) {
        if (other != state) all += atomic_load_explicit(&other->held, memory_order_relaxed);
    }
    if (all > most) {
        note_needed(state->patch, bytes);
        return PP_OTHERS;
    }
    note_held(state, bytes);
    return PP_NOT_KILLED;
}

/// Refuses a script a block. Lua collects garbage then, and asks again.
static __attribute__((cold, noinline)) void *refuse(pp_state *state, int32_t reason) {
    state->session.refusal = reason;
    return NULL;
}

/// Counts an allocation of a script for `pp_refuse_allocation`. Returns whether to refuse it.
static __attribute__((cold, noinline)) bool count_allocation(pp_state *state) {
    if (state->session.refuse_after > 1) state->session.refuse_after--;
    return state->session.refuse_after == 1;
}

void *pp_allocate(void *context, void *block, size_t old_size, size_t new_size) {
    pp_state *state = context;
    int64_t before = block ? (int64_t)old_size : 0;
    bool is_hash_part = !block && old_size == 0 && pp_is_hash_part(new_size);
    // An array can have the size of a hash part, and may move.
    if (block && pp_is_hash_part(old_size)) pp_remove_hash_part(state, block);
    if (new_size == 0) {
        state->session.used -= before;
        free(block);
        return NULL;
    }
    if ((int64_t)new_size > before) {
        // If there is no block yet, the old size is the type of the value that the block is for, with its variant.
        bool is_string = !block && (old_size & 15) == LUA_TSTRING;
        if (!state->session.trusted) {
            int64_t after = script_bytes(state) + (int64_t)new_size - before;
            if (__builtin_expect(after > state->session.share, 0)) {
                int32_t reason = memory_refusal(state, after);
                if (reason) return refuse(state, reason);
            }
            if (is_string && (int64_t)new_size > state->session.limits.string_bytes + STRING_HEAD
                && new_size > LONGEST_OWN + STRING_HEAD)
                return refuse(state, PP_STRING);
            if (is_hash_part && pp_would_collide(state, new_size)) return refuse(state, PP_COLLISIONS);
            if (state->session.refuse_after && count_allocation(state)) return refuse(state, PP_MACHINE);
        }
        int64_t *largest = is_string ? &state->session.longest_string : &state->session.largest_block;
        if (__builtin_expect((int64_t)new_size > *largest, 0)) {
            *largest = (int64_t)new_size;
            shorten_interval(state);
        }
    }
    void *moved = realloc(block, new_size);
    if (!moved) return (int64_t)new_size <= before ? block : refuse(state, PP_MACHINE);
    state->session.used += (int64_t)new_size - before;
    if (is_hash_part) {
        pp_add_hash_part(state, moved, new_size);
        shorten_interval(state);
    }
    // Moving the keys of a smaller one takes microseconds.
    if (!state->session.trusted && !block && old_size == 0 && new_size >= 64 * PP_NODE_SIZE
        && pp_has_size_of_hash_part(new_size))
        count_moves(state, new_size);
    return moved;
}

void pp_refuse_allocation(pp_state *state, int64_t n) { state->session.refuse_after = n ? n + 1 : 0; }

int pp_kill_run(lua_State *L, int32_t reason) {
    pp_state *state = state_of(L);
    state->budget.kill = reason;
    // This string exists already: ending a run for its memory must not need memory.
    lua_rawgetp(L, LUA_REGISTRYINDEX, &pp_killed_key);
    return lua_error(L);
}

static int64_t add_or_most(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/// The reason to end a run that has taken `taken` nanoseconds and may use `limit` of processor time.
///
/// The thread's clock takes seventeen times as long to read as the monotonic one. So it is read only when the limit may
/// be passed by the monotonic clock, because a run cannot use more processor time than time passes. It is first read
/// after an eighth of the limit, all of which counts as used. A run that is far past that eighth has waited before.
static __attribute__((noinline)) int32_t ask_processor(pp_budget *budget, int64_t taken, int64_t limit) {
    uint64_t now = pp_cpu_nanoseconds();
    bool is_first = !budget->ask_at;
    if (is_first) budget->cpu_began = now - (uint64_t)(limit / 8);
    int64_t used = (int64_t)(now - budget->cpu_began);
    if (used > limit) return PP_TIME;
    budget->ask_at = add_or_most(taken, limit - used);
    return !is_first && taken / STALLED > limit ? PP_STALLED : PP_NOT_KILLED;
}

/// The reason to end the run now, if there is one. Memory is not checked.
static int32_t reason_to_end(pp_state *state) {
    pp_budget *budget = &state->budget;
    if (budget->kill) return budget->kill;
    if (budget->fuel <= 0) return PP_FUEL;
    uint64_t now = pp_nanoseconds();
    if (!budget->started) budget->started = now;
    int64_t allowed =
        state->session.loading ? state->session.limits.load_nanoseconds : state->session.limits.call_nanoseconds;
    int64_t taken = (int64_t)(now - budget->started - budget->excluded);
    int64_t ask_at = budget->ask_at ? budget->ask_at : allowed / 8;
    return taken > ask_at ? ask_processor(budget, taken, allowed) : PP_NOT_KILLED;
}

void pp_check_clock(lua_State *L) {
    if (is_spec(state_of(L))) return;
    int32_t reason = reason_to_end(state_of(L));
    if (reason) pp_kill_run(L, reason);
}

bool pp_pay(lua_State *L, uint64_t steps, uint64_t bytes) {
    pp_state *state = state_of(L);
    pp_budget *budget = &state->budget;
    if (is_spec(state)) return true;
    if (budget->kill) return false;
    if (steps > INT32_MAX || bytes > (uint64_t)state->session.limits.hard_memory
        || script_bytes(state) + (int64_t)bytes > state->session.limits.hard_memory) {
        budget->kill = steps > INT32_MAX ? PP_FUEL : PP_MEMORY; // the allocator never refuses the host
    } else if ((budget->until_check -= (int64_t)steps) <= 0) {
        settle_fuel(budget, state->session.interval);
        budget->kill = reason_to_end(state);
    }
    if (budget->kill) state->session.fault_line = 0;
    return !budget->kill;
}

/// Collects garbage if memory is past the limit, in steps, and checks the clock after each step.
static void check_memory(lua_State *L) {
    pp_state *state = state_of(L);
    if (script_bytes(state) <= state->session.limits.soft_memory) return;
    state->budget.fuel -= state->session.used / 256; // a collection looks at all of it
    // Garbage that appears during this cycle is found by the next.
    for (int cycles = 0; cycles < 2 && script_bytes(state) > state->session.limits.soft_memory;) {
        if (lua_gc(L, LUA_GCSTEP, 0)) cycles++;
        pp_check_clock(L);
    }
    if (script_bytes(state) > state->session.limits.soft_memory) pp_kill_run(L, PP_MEMORY);
}

void pp_check_budget(lua_State *L) {
    pp_state *state = state_of(L);
    if (is_spec(state)) return;
    settle_fuel(&state->budget, state->session.interval);
    note_held(state, script_bytes(state));
    pp_check_clock(L);
    check_memory(L);
}

/// Ends a spec's own code, which can use all Lua libraries. After its time, each of its instructions raises an error.
static void end_spec(lua_State *L, lua_Debug *where) {
    pp_state *state = state_of(L);
    if (!state->session.deadline || pp_cpu_nanoseconds() < state->session.deadline) return;
    lua_getinfo(L, "Sl", where);
    if (strcmp(where->source, "@patchpack") == 0) return; // the code that reports the error
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);
    lua_pushfstring(L, "%s:%d: ran longer than the time limit", where->short_src, where->currentline);
    lua_error(L);
}

void pp_limit_time(lua_State *L, int64_t nanoseconds) {
    pp_state *state = state_of(L);
    state->session.deadline = nanoseconds ? pp_cpu_nanoseconds() + (uint64_t)nanoseconds : 0;
    enum { INSTRUCTIONS_PER_CHECK = 10000 };
    lua_sethook(L, hook, nanoseconds ? LUA_MASKCOUNT : 0, INSTRUCTIONS_PER_CHECK);
}

static void hook(lua_State *L, lua_Debug *where) {
    pp_state *state = state_of(L);
    if (is_spec(state)) return end_spec(L, where);
    if (where->event == LUA_HOOKLINE) {
        lua_getinfo(L, "S", where);
        WITH_RUNNER(state, state->session.host.line(state->session.context, where->source + 1, where->currentline));
        return;
    }
    int interval = lua_gethookcount(L); // a coroutine may have another count
    state->budget.fuel -= interval;
    pp_check_budget(L);
    if (interval != state->session.interval) lua_sethook(L, hook, hook_mask(state), state->session.interval);
}

void pp_set_hook(pp_state *state, lua_State *L) { lua_sethook(L, hook, hook_mask(state), state->session.interval); }
