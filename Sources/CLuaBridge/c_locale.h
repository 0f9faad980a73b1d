// The C locale, in which scripts run.

#ifndef CLUABRIDGE_C_LOCALE_H
#define CLUABRIDGE_C_LOCALE_H

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/// In the C library, the conversion of numbers to text and back, the order of strings and the classes of characters depend on the
/// thread's locale. Scripts run in this one.
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

#endif
