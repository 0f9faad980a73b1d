// The running thread: its clocks, its C stack and its locale.

#include "thread.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static inline uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t pp_nanoseconds(void) { return read_clock(CLOCK_MONOTONIC); }
static _Thread_local uint64_t added_processor_time;
uint64_t pp_cpu_nanoseconds(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID) + added_processor_time; }
void pp_add_processor_time(uint64_t nanoseconds) { added_processor_time += nanoseconds; }

FAST_THREAD_LOCAL pp_thread_data pp_thread;

void pp_find_thread_stack(void) {
#if defined(__APPLE__)
    pp_thread.stack = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#else
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
    pp_thread.stack = (uintptr_t)lowest;
#endif
    if (pp_thread.stack == 0) pp_thread.stack = 1;
}

// MARK: the C locale

locale_t pp_c_locale;
#if defined(__GLIBC__)
/// The name of the process's locale while it is the C locale. It is known by its address, because another thread may
/// free another name at any time.
static const char *c_name;
_Atomic(int) pp_c_count = -1;

bool pp_process_has_c_locale(int count) {
    // `setlocale` sets the name before it counts.
    if (!c_name || setlocale(LC_ALL, NULL) != c_name) return false;
    atomic_store_explicit(&pp_c_count, count, memory_order_relaxed);
    return true;
}
#endif

static __attribute__((constructor)) void make_c_locale(void) {
    pp_c_locale = newlocale(LC_ALL_MASK, "C", 0);
#if defined(__GLIBC__)
    const char *name = setlocale(LC_ALL, NULL);
    if (strcmp(name, "C") == 0) c_name = name;
#endif
}
