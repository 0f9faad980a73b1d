// The running thread: its clocks and its C stack.

#include "thread.h"

#include <pthread.h>
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
