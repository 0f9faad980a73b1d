// Opening and closing the later states of a patch.

#include "open.h"

pp_state *pp_open_instance(pp_patch *patch) {
    pthread_mutex_lock(&patch->pool->queues_mutex);
    bool may = pp_may_grow(patch) && !atomic_load(&patch->closing);
    if (may) {
        atomic_store(&patch->is_growing, true);
        atomic_fetch_add(&patch->open_states, 1);
    }
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    if (!may) return NULL;
    pp_limits limits = patch->limits;
    // A call waits for it.
    if (limits.load_nanoseconds > limits.call_nanoseconds) limits.load_nanoseconds = limits.call_nanoseconds;
    pp_state *state = pp_open_state(patch, &limits, false);
    if (state) return state;
    pp_stop_growing(patch, false);
    return NULL;
}

/// Closes a state that this thread has opened.
static void give_up_instance(pp_state *state) {
    atomic_store(&state->closing, true);
    atomic_store(&state->has_leaving_work, true);
    pp_leave_opened(state);
}

void pp_drop_instance(pp_state *state, bool for_good) {
    pp_stop_growing(state->patch, for_good);
    give_up_instance(state);
}

bool pp_add_instance(pp_state *state, bool reserves, const char **why) {
    pp_patch *patch = state->patch;
    for (int32_t i = 0; i < patch->layer_count; i++) {
        bool is_there = lua_rawgetp(state->main, LUA_REGISTRYINDEX, &patch->layers[i]->function) != LUA_TNIL;
        lua_pop(state->main, 1);
        if (is_there) continue;
        *why = patch->layers[i]->name;
        pp_drop_instance(state, true);
        return false;
    }
    if (!pp_add_to_patch(state)) {
        give_up_instance(state);
        return false;
    }
    if (!reserves) {
        pp_leave_opened(state);
        return true;
    }
    pp_release_reserved(); // the call goes on in another patch, or in a new version
    // Its next call tries this place first, and then finds that the state is its own.
    if (pp_thread.inside == 1) pp_thread.instance = (uint32_t)state->instance;
    pp_thread.reserved = state;
    return true;
}

void pp_release_reserved(void) {
    pp_state *state = pp_thread.reserved;
    pp_thread.reserved = NULL;
    if (state) unlock_state(state);
}

bool pp_close_idle(pp_patch *patch) {
    pthread_mutex_lock(&patch->pool->queues_mutex);
    pp_state *closed = NULL;
    // Only the last one is closed, so that their places have no holes.
    for (int32_t i = atomic_load(&patch->instance_count) - 1; i > 0; i--) {
        pp_state *state = instance_at(patch, i);
        if (!pp_try_lock(state)) continue;
        bool is_idle = state->last_call == state->seen_call && state->suspended == 0;
        state->seen_call = state->last_call;
        if (!is_idle || closed || i != patch->instance_count - 1) {
            // The mutex is held, so nothing is handed over. A waiter looks again by itself.
            pp_thread.inside--;
            pp_release(state);
            continue;
        }
        pp_remove_from_patch(state);
        closed = state;
    }
    bool goes_on = atomic_load(&patch->instance_count) > 1;
    pthread_mutex_unlock(&patch->pool->queues_mutex);
    if (closed) unlock_state(closed);
    return goes_on;
}
