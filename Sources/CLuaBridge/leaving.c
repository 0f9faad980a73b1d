// What calls leave in a state: asynchronous calls that wait until they continue, and the work for the last call.

#include "calls.h"

#include <stdlib.h>

// MARK: asynchronous calls that wait

/// Restores the budget of the call that this asynchronous call continued in.
static void put_back_budget(pp_state *state, pp_activation *call) {
    if (!call->has_outer_budget) return;
    state->budget = call->outer_budget;
    continue_clocks(&state->budget);
    call->has_outer_budget = false;
}

/// Counts calls that wait from now on, or, if `more` is below 0, that no longer do.
static void count_suspended(pp_state *state, int32_t more) {
    state->suspended += more;
    atomic_fetch_add_explicit(&state->patch->all_suspended, more, memory_order_relaxed);
    // `pp_shrink` does not remove a state in which calls are suspended. The last of them lets the next thread that
    // leaves do it.
    if (state->suspended == 0 && !pp_fits(state->patch, pp_instance_count(state->patch)))
        atomic_store(&state->has_leaving_work, true);
}

void *pp_suspend(lua_State *L) {
    pp_state *state = state_of(L);
    pp_activation *call = state->activation;
    call->budget = state->budget;
    stop_clocks(&call->budget);
    put_back_budget(state, call);
    count_suspended(state, 1);
    if (call->step == PP_ORIGINAL) call->originals++;
    take_off(state, call);
    return call;
}

void pp_free_call(pp_state *state, pp_activation *call) {
    state->session.coroutine_bytes -= call->coroutine_bytes;
    lua_pushnil(state->main);
    lua_rawsetp(state->main, LUA_REGISTRYINDEX, call);
    free(call);
}

void pp_drop_call(pp_state *state, pp_activation *call) {
    put_back_budget(state, call);
    if (call->has_references) state->session.host.call_ended(state->session.context, call->id, call->has_run);
    if (!state->spare && lua_status(call->L) == LUA_OK) {
        lua_settop(call->L, 0);
        state->spare = call;
        return;
    }
    pp_free_call(state, call);
}

/// Ends asynchronous calls that wait, each of which is the `outer` of the one before.
static void drop_calls(pp_state *state, pp_activation *call) {
    // A call's objects end with it, and may enter this state then. They must not do so as the outermost call, because
    // that would release the lock.
    state->session.depth++;
    if (state->session.depth == 1) reset_budget(state, state->session.limits.call_fuel);
    while (call) {
        pp_activation *next = call->outer;
        pp_drop_call(state, call);
        count_suspended(state, -1);
        call = next;
    }
    state->session.depth--;
}

pp_queue *pp_call_queue(void *waiting) { return &state_of(((pp_activation *)waiting)->L)->queue; }

void pp_abandon(void *waiting) {
    pp_activation *call = waiting;
    pp_state *state = state_of(call->L);
    // The next thread that leaves the state drops it.
    call->outer = atomic_load(&state->abandoned);
    while (!atomic_compare_exchange_weak(&state->abandoned, &call->outer, call)) {}
    atomic_store(&state->has_leaving_work, true);
    bool outermost;
    if (lock_state(state, 0, &outermost) && outermost) unlock_state(state);
}

lua_State *pp_continue(void *waiting, pp_waiter *waiter, bool *is_over) {
    pp_activation *call = waiting;
    pp_state *state = state_of(call->L);
    bool outermost = waiter && pp_waiter_queue(waiter) == &state->queue && pp_take_turn(waiter);
    *is_over = false;
    if (!outermost && !lock_state(state, 0, &outermost)) return NULL;
    // `closing` is not checked: calls that have begun go on, and the state is kept until they have ended.
    if (outermost) note_instance(state);
    call->outer = NULL;
    if (state->session.depth >= state->session.limits.call_depth) {
        state->session.trusted = true;
        drop_calls(state, call);
        if (outermost) unlock_state(state);
        *is_over = true;
        return NULL;
    }
    count_suspended(state, -1);
    call->outer = state->activation;
    state->activation = call;
    state->session.depth++;
    state->session.trusted = true;
    call->is_of_host = state->session.host_works;
    if (call->is_of_host) host_ends(state);
    if (!outermost) {
        call->outer_budget = state->budget;
        stop_clocks(&call->outer_budget);
        call->has_outer_budget = true;
    } else if (state->session.interval < state->session.limits.instructions_per_check) {
        pp_restore_interval(state);
    }
    state->budget = call->budget;
    continue_clocks(&state->budget);
    if (lua_gethookcount(call->L) != state->session.interval) {
        state->budget.fuel -= state->session.interval; // the instructions since the last check, which the hook forgets
        lua_sethook(call->L, lua_gethook(state->main), lua_gethookmask(state->main), state->session.interval);
    }
    return call->L;
}

// MARK: work for the last call

void pp_leave_patch(pp_patch *patch) {
    if (atomic_fetch_sub(&patch->holds, 1) != 1) return;
    for (int32_t i = 0; i < patch->layer_count; i++) {
        free(patch->layers[i]->name);
        patch->layers[i]->name = NULL;
    }
    patch->layer_count = 0;
    atomic_store(&patch->is_free, true);
}

void pp_empty(pp_state *state) {
    state->session.trusted = true;
    atomic_store(&state->is_serving, false);
    if (state->main) lua_close(state->main);
    free(state->spare);
    free(state->deep_calls);
    free(state->fault_stack);
    free(state->hash_parts);
    state->spare = NULL;
    state->deep_calls = NULL;
    state->fault_stack = NULL;
    state->hash_parts = NULL;
    state->hash_part_capacity = 0;
    state->session.coroutine_bytes = 0;
    state->main = NULL;
    state->activation = NULL;
    atomic_store(&state->held, 0);
    atomic_store(&state->is_free, true);
    pp_leave_patch(state->patch);
}

/// Removes the last state if the memory is not enough for all of them. Returns whether it did: the one before may have
/// to go, too.
static bool remove_last(pp_handle handle) {
    pp_patch *patch = handle.patch;
    if (!pp_lock_version(handle)) return false;
    int32_t count = atomic_load(&patch->instance_count);
    pp_state *last = count > 1 && !pp_fits(patch, count) ? instance_at(patch, count - 1) : NULL;
    bool is_free = last && pp_try_lock(last);
    bool is_removed = is_free && last->suspended == 0;
    if (is_removed)
        pp_remove_from_patch(last);
    else if (last)
        atomic_store(&last->has_leaving_work, true); // the thread that leaves it tries again
    pp_unlock_version(handle);
    if (is_free) unlock_state(last);
    return is_removed;
}

void pp_shrink(pp_handle handle) {
    while (remove_last(handle)) {}
}

void pp_finish_leaving(pp_state *state) {
    if (state->outer_instance) pp_thread.instance = state->outer_instance - 1;
    state->outer_instance = 0;
    void *closed_context = NULL;
    void (*report_closed)(void *) = state->session.host.closed;
    bool has_removed = false;
    pp_handle handle = pp_handle_of(state);
    if (state->main) {
        state->session.trusted = true;
        pp_activation *call;
        while ((call = atomic_exchange(&state->abandoned, NULL))) drop_calls(state, call);
        has_removed = pp_remove_if_last(state);
        if (atomic_load(&state->closing) && state->suspended == 0) {
            closed_context = state->session.context;
            pp_empty(state);
        }
    }
    pp_hand_over(state);
    // A call that was abandoned meanwhile may have found the lock taken.
    bool outermost;
    if (atomic_load(&state->abandoned) && lock_state(state, 0, &outermost) && outermost) unlock_state(state);
    if (has_removed) pp_shrink(handle);
    if (closed_context) report_closed(closed_context);
}
