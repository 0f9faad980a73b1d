// The running thread, and the C locale, in which scripts run.

#pragma once

#include "CLuaBridge.h"

#include <locale.h>
#include <stdatomic.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#if defined(__linux__)
#define FAST_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define FAST_THREAD_LOCAL _Thread_local
#endif

/// A thread, identified by the address of this.
typedef struct pp_thread_data {
    /// The lowest address of its C stack, or 0 before it is looked up.
    uintptr_t stack;
    /// The place of the state of a patch that the thread tries first, and how many states it is in. While it is in one,
    /// the place is that state's, so that a nested call finds it; PP_INSTANCES if it is in states at several places.
    uint32_t instance, inside;
    /// The state that it has made for its next call, and holds; or NULL.
    pp_state *reserved;
    /// The number of the layer that refused its last call.
    uintptr_t refused;
    /// Whether it compares a call with a patch in shadow, so that its calls enter no patch; and the `instance` that it
    /// had before.
    bool is_comparing;
    uint32_t instance_before;
} pp_thread_data;
extern FAST_THREAD_LOCAL pp_thread_data pp_thread;
static inline uintptr_t this_thread(void) { return (uintptr_t)&pp_thread; }

void pp_find_thread_stack(void);
/// Whether this thread has more than so many bytes of its C stack left.
static inline bool has_stack(int64_t bytes) {
    if (__builtin_expect(pp_thread.stack == 0, 0)) pp_find_thread_stack();
    // The address of a local would not do: the address sanitizer keeps locals on its heap.
    return (uintptr_t)__builtin_frame_address(0) - pp_thread.stack > (uintptr_t)bytes;
}

/// In the C library, the conversion of numbers to text and back, the order of strings and the classes of characters
/// depend on the thread's locale. Scripts run in this one.
extern locale_t pp_c_locale;

#if defined(__GLIBC__)
/// The C library counts the calls of `setlocale` here. (Programs that call gettext increment it themselves.)
extern int _nl_msg_cat_cntr;
/// Its value when the process's locale was last found to be the C locale.
extern _Atomic(int) pp_c_count;
bool pp_process_has_c_locale(int count);

/// Whether this thread has the C locale because the process has it. Switching to it and back takes twice as long.
static inline bool has_c_locale(void) {
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE) return false;
    int count = __atomic_load_n(&_nl_msg_cat_cntr, __ATOMIC_RELAXED);
    return __builtin_expect(count == atomic_load_explicit(&pp_c_count, memory_order_relaxed), 1)
        || pp_process_has_c_locale(count);
}
#else
static inline bool has_c_locale(void) { return false; }
#endif
