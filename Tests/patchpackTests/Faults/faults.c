// Makes the n-th call of a kind fail, or kills the process during it. Tests load it before the C library.
//
//     FAULT=write:3:28     the third write fails with errno 28
//     FAULT=rename:1:kill  the process is killed instead of its first rename
//     FAULT=link:1:other   another process makes the file just before the first link
//     FAULT_NAMELESS=1     the file system has no files without a name (O_TMPFILE); this is not a fault
//     FAULT_LINKLESS=1     it has no hard links either
//     FAULT_THREADLESS=1   no thread can be made
//     FAULT_LOCKLESS=1     the file system has no locks
//     FAULT_NFS=1          it locks as NFS does: only a file that is open for writing can be locked alone
//     FAULT_READABLE=1     it has no permissions: others can read each new file
//     FAULT_SPAWN=1        SIGTERM comes as soon as a command was started
//     FAULT_COUNTS=FILE    the number of calls of each kind is written there when the process exits
//     FAULT_TRACE=FILE     the kind of each call and the number of bytes that it writes are appended there as they happen
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { OPEN, WRITE, FSYNC, RENAME, LINK, STAT, READDIR, KINDS };
static const char *const names[KINDS] = {"open", "write", "fsync", "rename", "link", "stat", "readdir"};
static atomic_int counts[KINDS];

static void trace(enum kind kind, size_t bytes) {
    const char *path = getenv("FAULT_TRACE");
    char text[64];
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    syscall(SYS_write, file, text, sprintf(text, "%s %zu\n", names[kind], bytes));
    syscall(SYS_close, file);
}

static int is_faulty(enum kind kind) {
    if (kind != WRITE && kind != OPEN && kind < STAT) trace(kind, 0);
    int number = atomic_fetch_add(&counts[kind], 1) + 1;
    const char *fault = getenv("FAULT");
    size_t length = strlen(names[kind]);
    if (!fault || strncmp(fault, names[kind], length) || fault[length] != ':') return 0;
    char *effect;
    if (strtol(fault + length + 1, &effect, 10) != number) return 0;
    if (strcmp(effect, ":kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    errno = atoi(effect + 1);
    return 1;
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAULT_COUNTS");
    char text[256];
    int length = 0;
    for (int kind = 0; kind < KINDS; kind++) length += sprintf(text + length, "%s %d\n", names[kind], counts[kind]);
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, file, text, length);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return getenv("FAULT_THREADLESS") ? EAGAIN : create(thread, attributes, start, argument);
}

typedef int spawner(
    pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const words[], char *const variables[]) {
    int failure = ((spawner *)dlsym(RTLD_NEXT, "posix_spawn"))(child, path, actions, attributes, words, variables);
    if (getenv("FAULT_SPAWN")) syscall(SYS_kill, getpid(), SIGTERM);
    return failure;
}

int flock(int file, int operation) {
    int isReadOnly = (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY;
    errno = EBADF;
    if (getenv("FAULT_LOCKLESS") || (getenv("FAULT_NFS") && isReadOnly && (operation & LOCK_EX))) return -1;
    return (int)syscall(SYS_flock, file, operation);
}

static int open_it(int folder, const char *path, int flags, mode_t mode) {
    if ((flags & O_TMPFILE) == O_TMPFILE && (getenv("FAULT_NAMELESS") || getenv("FAULT_LINKLESS"))) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (getenv("FAULT_READABLE")) mode |= 0044;
    return is_faulty(OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(folder, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_it(AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t count) {
    if (file > 2) trace(WRITE, count);
    return is_faulty(WRITE) ? -1 : syscall(SYS_write, file, bytes, count);
}

int fstatat(int folder, const char *path, struct stat *info, int flags) {
    int (*ask)(int, const char *, struct stat *, int) = dlsym(RTLD_NEXT, "fstatat");
    return is_faulty(STAT) ? -1 : ask(folder, path, info, flags);
}

struct dirent *readdir(DIR *folder) {
    struct dirent *(*next)(DIR *) = dlsym(RTLD_NEXT, "readdir");
    return is_faulty(READDIR) ? NULL : next(folder);
}

int fsync(int file) { return is_faulty(FSYNC) ? -1 : (int)syscall(SYS_fsync, file); }

int syncfs(int file) { return is_faulty(FSYNC) ? -1 : (int)syscall(SYS_syncfs, file); }

int rename(const char *from, const char *to) {
    return is_faulty(RENAME) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return is_faulty(RENAME) ? -1 : (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}

static int cannot_link(int folder, const char *to) {
    if (getenv("FAULT_LINKLESS")) {
        errno = EPERM;
        return 1;
    }
    if (!is_faulty(LINK)) return 0;
    if (!strstr(getenv("FAULT"), ":other")) return 1;
    int file = (int)syscall(SYS_openat, folder, to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    syscall(SYS_write, file, "other\n", 6);
    syscall(SYS_close, file);
    return 0;
}

int link(const char *from, const char *to) {
    return cannot_link(AT_FDCWD, to) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return cannot_link(to_folder, to) ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}
