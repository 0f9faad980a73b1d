// Opening and closing the later states of a patch.

#include "open.h"

pp_state *pp_open_instance(pp_handle handle) {
    pp_patch *patch = handle.patch;
    if (!lock_version(handle)) return NULL;
    bool may = pp_may_grow(patch) && !atomic_load(&patch->closing);
    if (may) {
        atomic_store(&patch->is_growing, true);
        atomic_fetch_add(&patch->open_states, 2); // the new state, and this function
    }
    unlock_version(handle);
    if (!may) return NULL;
    pp_limits limits = patch->limits;
    // A call waits for it.
    if (limits.load_nanoseconds > limits.call_nanoseconds) limits.load_nanoseconds = limits.call_nanoseconds;
    pp_state *state = pp_open_state(patch, &limits, false);
    if (!state) pp_stop_growing(patch, false);
    pp_leave_patch(patch);
    return state;
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

bool pp_add_instance(pp_state *state, const char **why) {
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
