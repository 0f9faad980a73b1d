// patchpack's `pack` and `verify` for many files in plain C, and the compilation that `lint` begins with, for comparing whole processes.
//
//     floor pack SIGNING.pem SCRIPT.key FOLDER SCRIPT.lua...
//     floor pack-and-verify SIGNING.pem SCRIPT.key FOLDER SCRIPT.lua...   verifies before it puts the envelope in place, as patchpack does
//     floor verify PUBLIC.pem SCRIPT.key ENVELOPE.js...
//     floor verify-keeping PUBLIC.pem SCRIPT.key ENVELOPE.js...           keeps OpenSSL's contexts from one envelope to the next
//     floor compile SCRIPT.lua...     only compiles the scripts, in one Lua state
//     floor measure COMMAND...        prints nanoseconds, kilobytes, and page faults without a disk read. The memory of a process
//                                     includes the memory of the process that started it.
#include "CFloor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned char *read_file(const char *path, size_t *size) {
    struct stat info;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &info)) exit(66);
    unsigned char *bytes = malloc((size_t)info.st_size + 1);
    *size = (size_t)read(file, bytes, (size_t)info.st_size);
    bytes[*size] = 0;
    close(file);
    return bytes;
}

/// Puts a whole file in place durably, or not at all.
static void write_file(const char *folder, const char *path, const unsigned char *bytes, size_t size) {
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644), place = open(folder, O_RDONLY | O_DIRECTORY);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || fsync(file) || close(file) || rename(temporary, path))
        exit(74);
    if (place < 0 || fsync(place) || close(place)) exit(74);
}

/// The value of a tag in a script's head.
static void tag(const char *script, const char *name, char *value) {
    char prefix[32];
    snprintf(prefix, sizeof prefix, "-- @%s ", name);
    const char *line = strstr(script, prefix);
    if (!line || sscanf(line + strlen(prefix), "%127s", value) != 1) exit(64);
}

static void pack(floor_keys *keys, const char *folder, const char *path, bool verifies) {
    size_t size, envelope_size;
    unsigned char *script = read_file(path, &size);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char id[128], version[128], app[128], replaces[128], manifest[1024], output[4096];
    tag((char *)script, "patch", id);
    tag((char *)script, "version", version);
    tag((char *)script, "app", app);
    tag((char *)script, "replaces", replaces);
    snprintf(manifest, sizeof manifest,
        "{\"app\":\"%s\",\"appVersions\":\"*\",\"engine\":1,\"id\":\"%s\",\"replaces\":[\"%s\"],\"schema\":1,"
        "\"scripts\":[{\"name\":\"%s\",\"size\":%zu}],\"version\":%s}",
        app, id, replaces, name, size, version);
    unsigned char *envelope = floor_pack(keys, manifest, name, script, size, &envelope_size);
    if (verifies) {
        unsigned char *copy = malloc(envelope_size);
        memcpy(copy, envelope, envelope_size);
        if (!floor_verify(keys, copy, envelope_size)) exit(20);
        free(copy);
    }
    snprintf(output, sizeof output, "%s/%.*s.js", folder, (int)(strlen(name) - 4), name);
    write_file(folder, output, envelope, envelope_size);
    printf("packed  %s\n", output);
    free(envelope);
    free(script);
}

static int compile(char **paths) {
    for (; *paths; paths++) {
        size_t size;
        unsigned char *script = read_file(*paths, &size);
        if (!floor_compile((char *)script, size)) return 65;
        printf("ok  %s\n", *paths);
        free(script);
    }
    return 0;
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int measure(char **command) {
    struct rusage usage;
    int status;
    long long start = now();
    pid_t process = fork();
    if (process == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        execvp(command[0], command);
        _exit(127);
    }
    if (wait4(process, &status, 0, &usage) != process || status) return 1;
    printf("%lld %ld %ld\n", now() - start, usage.ru_maxrss, usage.ru_minflt);
    return 0;
}

int main(int count, char **arguments) {
    if (count > 2 && strcmp(arguments[1], "measure") == 0) return measure(arguments + 2);
    if (count > 2 && strcmp(arguments[1], "compile") == 0) return compile(arguments + 2);
    if (count < 5) return 64;
    bool verifies = strcmp(arguments[1], "pack-and-verify") == 0, packs = verifies || strcmp(arguments[1], "pack") == 0;
    floor_keys *keys = floor_keys_read(arguments[2], packs, arguments[3]);
    if (!keys) return 66;
    if (strcmp(arguments[1], "verify-keeping") == 0) floor_keep_contexts(keys);
    for (int i = packs ? 5 : 4; i < count; i++) {
        if (packs) {
            pack(keys, arguments[4], arguments[i], verifies);
            continue;
        }
        size_t size;
        unsigned char *envelope = read_file(arguments[i], &size);
        if (!floor_verify(keys, envelope, size)) return 20;
        printf("ok  %s\n", arguments[i]);
        free(envelope);
    }
    return 0;
}
