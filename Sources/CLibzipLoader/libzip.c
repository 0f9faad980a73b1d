/* Loads libzip for the tool. Debian 12 and Ubuntu 24.04 call it libzip.so.4, and other systems libzip.so.5, which has
   the same functions. Because the tool names neither, one file runs on all of them. Apps link the libzip of their
   system. */
#include "CLibzipLoader.h"

#ifdef __linux__
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

/* The linker takes these functions in place of the library's. They are hidden: libzip itself does not find them. */
#define ZIP_EXTERN __attribute__((visibility("hidden")))
#include <zip.h>

// clang-format off
/* The functions of libzip that PatchCrypto calls: result, name, parameters, arguments. */
#define FUNCTIONS(F)                                                                                                   \
    F(int, zip_close, (zip_t *zip), (zip))                                                                             \
    F(void, zip_discard, (zip_t *zip), (zip))                                                                          \
    F(int, zip_fclose, (zip_file_t *file), (file))                                                                     \
    F(zip_int64_t, zip_file_add, (zip_t *zip, const char *name, zip_source_t *source, zip_flags_t flags),              \
      (zip, name, source, flags))                                                                                      \
    F(int, zip_file_set_dostime,                                                                                       \
      (zip_t *zip, zip_uint64_t index, zip_uint16_t time, zip_uint16_t date, zip_flags_t flags),                       \
      (zip, index, time, date, flags))                                                                                 \
    F(int, zip_file_set_external_attributes,                                                                           \
      (zip_t *zip, zip_uint64_t index, zip_flags_t flags, zip_uint8_t system, zip_uint32_t attributes),                \
      (zip, index, flags, system, attributes))                                                                         \
    F(zip_file_t *, zip_fopen_index, (zip_t *zip, zip_uint64_t index, zip_flags_t flags), (zip, index, flags))         \
    F(zip_int64_t, zip_fread, (zip_file_t *file, void *bytes, zip_uint64_t count), (file, bytes, count))               \
    F(zip_int64_t, zip_get_num_entries, (zip_t *zip, zip_flags_t flags), (zip, flags))                                 \
    F(const char *, zip_libzip_version, (void), ())                                                                    \
    F(zip_t *, zip_open_from_source, (zip_source_t *source, int flags, zip_error_t *error), (source, flags, error))    \
    F(int, zip_set_file_compression, (zip_t *zip, zip_uint64_t index, zip_int32_t method, zip_uint32_t level),         \
      (zip, index, method, level))                                                                                     \
    F(zip_source_t *, zip_source_buffer, (zip_t *zip, const void *bytes, zip_uint64_t count, int owned),               \
      (zip, bytes, count, owned))                                                                                      \
    F(zip_source_t *, zip_source_buffer_create,                                                                        \
      (const void *bytes, zip_uint64_t count, int owned, zip_error_t *error), (bytes, count, owned, error))            \
    F(int, zip_source_close, (zip_source_t *source), (source))                                                         \
    F(void, zip_source_free, (zip_source_t *source), (source))                                                         \
    F(void, zip_source_keep, (zip_source_t *source), (source))                                                         \
    F(int, zip_source_open, (zip_source_t *source), (source))                                                          \
    F(zip_int64_t, zip_source_read, (zip_source_t *source, void *bytes, zip_uint64_t count), (source, bytes, count))   \
    F(int, zip_source_seek, (zip_source_t *source, zip_int64_t offset, int whence), (source, offset, whence))          \
    F(zip_int64_t, zip_source_tell, (zip_source_t *source), (source))                                                  \
    F(const char *, zip_strerror, (zip_t *zip), (zip))
// clang-format on

#define POINTER(result, name, parameters, arguments) static result(*loaded_##name) parameters;
FUNCTIONS(POINTER)

/* Why libzip cannot be used; empty if it can. A copy, because the text of dlerror lasts until the next error. */
static char error[512];

static void load(void) {
    void *handle = dlopen("libzip.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        /* The first error stays too: it is the cause if a libzip.so.5 is there, and cannot be loaded. */
        int length = snprintf(error, sizeof error, "%s; ", dlerror());
        handle = dlopen("libzip.so.4", RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            if (length < (int)sizeof error) snprintf(error + length, sizeof error - (size_t)length, "%s", dlerror());
            return;
        }
        error[0] = 0;
    }
#define SYMBOL(result, name, parameters, arguments) {(void **)&loaded_##name, #name},
    const struct {
        void **place;
        const char *name;
    } symbols[] = {FUNCTIONS(SYMBOL)};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *symbols[i].place = dlsym(handle, symbols[i].name);
        if (!*symbols[i].place) {
            snprintf(error, sizeof error, "%s", dlerror());
            return;
        }
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Each loads libzip first: the tests of the libraries call these too, and have not asked for the error. */
#define FUNCTION(result, name, parameters, arguments) \
    result name parameters {                          \
        pthread_once(&once, load);                    \
        return loaded_##name arguments;               \
    }
FUNCTIONS(FUNCTION)

const char *clibziploader_error(void) {
    pthread_once(&once, load);
    return *error ? error : NULL;
}
#else
const char *clibziploader_error(void) { return 0; }
#endif
