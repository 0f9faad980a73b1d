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

int fsync(int file) { return fails() ? -1 : (int)syscall(SYS_fsync, file); }

int renameat(int from, const char *name, int to, const char *other) {
    return fails() ? -1 : (int)syscall(SYS_renameat2, from, name, to, other, 0);
}

int linkat(int from, const char *name, int to, const char *other, int flags) {
    return fails() ? -1 : (int)syscall(SYS_linkat, from, name, to, other, flags);
}

int unlinkat(int folder, const char *name, int flags) {
    return fails() ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

int mkdirat(int folder, const char *name, mode_t mode) {
    return fails() ? -1 : (int)syscall(SYS_mkdirat, folder, name, mode);
}

int futimens(int file, const struct timespec times[2]) {
    return fails() ? -1 : (int)syscall(SYS_utimensat, file, NULL, times, 0);
}

#else

void world_faults_set(int calls, int error, int is_dead) { (void)calls, (void)error, (void)is_dead; }
int world_faults_count(void) { return 0; }

#endif
