// Making the C locale, and finding out whether the process has it.

#include "c_locale.h"

#include <string.h>

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
