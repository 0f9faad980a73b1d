// The calls that change files, in place of those of the C library: the n-th of them fails, or it and all after it, which is what a
// killed process leaves on its disk.
#define _GNU_SOURCE
#include "world_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__

static atomic_int left = -1, number, stays, failed;

void world_faults_set(int calls, int error, int is_dead) {
    number = error;
    stays = is_dead;
    left = calls;
}

int world_faults_count(void) { return failed; }

static int fails(void) {
    if (left < 0) return 0;
    if (left > 0) {
        left--;
        return 0;
    }
    if (!stays) left = -1;
    failed++;
    errno = number;
    return 1;
}

int openat(int folder, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = va_arg(list, mode_t);
    va_end(list);
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && fails()) return -1;
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    return file > 2 && fails() ? -1 : (ssize_t)syscall(SYS_write, file, bytes, count);
}

#define FAULTY(name, number, parameters, ...) \
    int name parameters { return fails() ? -1 : (int)syscall(number, __VA_ARGS__); }

FAULTY(fsync, SYS_fsync, (int file), file)
FAULTY(renameat, SYS_renameat2, (int from, const char *name, int to, const char *other), from, name, to, other, 0)
FAULTY(linkat, SYS_linkat, (int from, const char *name, int to, const char *other, int flags), from, name, to, other,
    flags)
FAULTY(unlinkat, SYS_unlinkat, (int folder, const char *name, int flags), folder, name, flags)
FAULTY(mkdirat, SYS_mkdirat, (int folder, const char *name, mode_t mode), folder, name, mode)
FAULTY(futimens, SYS_utimensat, (int file, const struct timespec times[2]), file, NULL, times, 0)

#else

void world_faults_set(int calls, int error, int is_dead) { (void)calls, (void)error, (void)is_dead; }
int world_faults_count(void) { return 0; }

#endif
