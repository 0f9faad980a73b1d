// The running thread.

#ifndef CLUABRIDGE_THREAD_H
#define CLUABRIDGE_THREAD_H

#include "CLuaBridge.h"

#if defined(__linux__)
#define FAST_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define FAST_THREAD_LOCAL _Thread_local
#endif

/// A thread, identified by the address of this.
typedef struct pp_thread_data {
    /// The lowest address of its C stack, or 0 before it is looked up.
    uintptr_t stack;
    /// The place of the state of a patch that the thread tries first, and how many states it is in. While it is in one, the place
    /// does not change, so that a nested call finds the state that the thread is in.
    uint32_t instance, inside;
    /// The state that it has made for its next call, and holds; or NULL.
    pp_state *reserved;
    /// The number of the layer that refused its last call.
    uintptr_t refused;
} pp_thread_data;
extern FAST_THREAD_LOCAL pp_thread_data pp_thread;
static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread; }

void pp_find_thread_stack(void);
static inline bool has_stack(int64_t bytes) {
    if (__builtin_expect(pp_thread.stack == 0, 0)) pp_find_thread_stack();
    // The address of a local would not do: the address sanitizer keeps locals on its heap.
    return (uintptr_t)__builtin_frame_address(0) - pp_thread.stack > (uintptr_t)bytes;
}

#endif
