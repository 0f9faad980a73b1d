#include "CInflate.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#if defined(__APPLE__)
static const char zstd_library[] = "libzstd.1.dylib";
#else
static const char zstd_library[] = "libzstd.so.1";
#endif

/* The most memory that a Zstandard stream may ask for: a window of 8 MiB, the format's recommendation for readers. */
static const int window_log = 23;

static struct {
    ZSTD_DStream *(*create)(void);
    size_t (*free)(ZSTD_DStream *);
    size_t (*set)(ZSTD_DStream *, ZSTD_dParameter, int);
    size_t (*read)(ZSTD_DStream *, ZSTD_outBuffer *, ZSTD_inBuffer *);
    unsigned (*is_error)(size_t);
} zstd;

struct ci_stream {
    ci_format format;
    int is_whole;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

static int open_zstd(void) {
    void *handle = zstd.is_error ? NULL : dlopen(zstd_library, RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        *(void **)&zstd.create = dlsym(handle, "ZSTD_createDStream");
        *(void **)&zstd.free = dlsym(handle, "ZSTD_freeDStream");
        *(void **)&zstd.set = dlsym(handle, "ZSTD_DCtx_setParameter");
        *(void **)&zstd.read = dlsym(handle, "ZSTD_decompressStream");
        *(void **)&zstd.is_error = dlsym(handle, "ZSTD_isError");
    }
    return zstd.create && zstd.free && zstd.set && zstd.read && zstd.is_error;
}

ci_format ci_format_of(const unsigned char *bytes, size_t length) {
    if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return CI_GZIP;
    if (length >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0) return CI_ZSTD;
    return CI_PLAIN;
}

ci_stream *ci_open(ci_format format, ci_status *status) {
    *status = CI_NO_LIBRARY;
    if (format == CI_ZSTD && !open_zstd()) return NULL;
    *status = CI_NO_MEMORY;
    ci_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->format = format;
    stream->is_whole = 1;
    if (format == CI_ZSTD) {
        stream->zstd = zstd.create();
        if (stream->zstd && !zstd.is_error(zstd.set(stream->zstd, ZSTD_d_windowLogMax, window_log))) return stream;
    } else if (inflateInit2(&stream->gzip, 15 + 16) == Z_OK) {
        return stream;
    }
    ci_close(stream);
    return NULL;
}

void ci_close(ci_stream *stream) {
    if (stream->zstd) zstd.free(stream->zstd);
    if (stream->format == CI_GZIP) inflateEnd(&stream->gzip);
    free(stream);
}

static ci_status read_gzip(
    ci_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length) {
    z_stream *gzip = &stream->gzip;
    size_t most = UINT_MAX;
    gzip->next_in = (unsigned char *)input;
    gzip->avail_in = (unsigned)(*input_length < most ? *input_length : most);
    gzip->next_out = output;
    gzip->avail_out = (unsigned)(*output_length < most ? *output_length : most);
    if (stream->is_whole) {
        if (inflateReset(gzip) != Z_OK) return CI_DAMAGED;
        stream->is_whole = 0;
    }
    int result = inflate(gzip, Z_NO_FLUSH);
    *input_length = (size_t)(gzip->next_in - input);
    *output_length = (size_t)(gzip->next_out - output);
    if (result == Z_STREAM_END) stream->is_whole = 1;
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? CI_OK
        : result == Z_MEM_ERROR                                              ? CI_NO_MEMORY
                                                                             : CI_DAMAGED;
}

ci_status ci_read(
    ci_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length) {
    if (stream->format == CI_GZIP) return read_gzip(stream, input, input_length, output, output_length);
    ZSTD_inBuffer in = {input, *input_length, 0};
    ZSTD_outBuffer out = {output, *output_length, 0};
    size_t rest = zstd.read(stream->zstd, &out, &in);
    *input_length = in.pos;
    *output_length = out.pos;
    if (zstd.is_error(rest)) return CI_DAMAGED;
    stream->is_whole = rest == 0;
    return CI_OK;
}

int ci_is_whole(const ci_stream *stream) { return stream->is_whole; }
