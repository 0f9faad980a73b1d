#include "decompress.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

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
    ZSTD_ErrorCode (*code)(size_t);
} zstd;

struct dc_stream {
    dc_format format;
    /* Whether the last stream has ended: the file may end here, or another one begins. */
    int is_whole;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_zstd(void) {
    void *handle = dlopen(zstd_library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    *(void **)&zstd.create = dlsym(handle, "ZSTD_createDStream");
    *(void **)&zstd.free = dlsym(handle, "ZSTD_freeDStream");
    *(void **)&zstd.set = dlsym(handle, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.read = dlsym(handle, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(handle, "ZSTD_isError");
    *(void **)&zstd.code = dlsym(handle, "ZSTD_getErrorCode");
}

/* Whether the library can be used. */
static int open_zstd(void) {
    pthread_once(&once, load_zstd);
    return zstd.create && zstd.free && zstd.set && zstd.read && zstd.is_error && zstd.code;
}

dc_format dc_format_of(const unsigned char *bytes, size_t length) {
    if (length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) return DC_GZIP;
    if (length >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0) return DC_ZSTD;
    /* A frame to skip, of which there are 16 kinds, may come first (RFC 8878, section 3.1.2). */
    if (length >= 4 && (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0) return DC_ZSTD;
    return DC_PLAIN;
}

dc_stream *dc_open(dc_format format, dc_status *status) {
    *status = DC_NO_LIBRARY;
    if (format == DC_ZSTD && !open_zstd()) return NULL;
    *status = DC_NO_MEMORY;
    dc_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->format = format;
    stream->is_whole = 1;
    if (format == DC_ZSTD) {
        stream->zstd = zstd.create();
        if (stream->zstd && !zstd.is_error(zstd.set(stream->zstd, ZSTD_d_windowLogMax, window_log))) return stream;
    } else if (inflateInit2(&stream->gzip, MAX_WBITS + 16) == Z_OK) { /* 16: the header is gzip's, not zlib's */
        return stream;
    }
    dc_close(stream);
    return NULL;
}

void dc_close(dc_stream *stream) {
    if (stream->zstd) zstd.free(stream->zstd);
    if (stream->format == DC_GZIP) inflateEnd(&stream->gzip);
    free(stream);
}

static dc_status read_gzip(
    dc_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length) {
    z_stream *gzip = &stream->gzip;
    size_t most = UINT_MAX;
    gzip->next_in = (unsigned char *)input;
    gzip->avail_in = (unsigned)(*input_length < most ? *input_length : most);
    gzip->next_out = output;
    gzip->avail_out = (unsigned)(*output_length < most ? *output_length : most);
    if (stream->is_whole) {
        if (inflateReset(gzip) != Z_OK) return DC_DAMAGED;
        stream->is_whole = 0;
    }
    int result = inflate(gzip, Z_NO_FLUSH);
    *input_length = (size_t)(gzip->next_in - input);
    *output_length = (size_t)(gzip->next_out - output);
    if (result == Z_STREAM_END) stream->is_whole = 1;
    switch (result) {
    case Z_OK:
    case Z_STREAM_END:
    case Z_BUF_ERROR: return DC_OK; /* the last: there is no more input, or no room */
    case Z_MEM_ERROR: return DC_NO_MEMORY;
    default: return DC_DAMAGED;
    }
}

dc_status dc_read(
    dc_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length) {
    if (stream->format == DC_GZIP) return read_gzip(stream, input, input_length, output, output_length);
    ZSTD_inBuffer in = {input, *input_length, 0};
    ZSTD_outBuffer out = {output, *output_length, 0};
    size_t rest = zstd.read(stream->zstd, &out, &in);
    *input_length = in.pos;
    *output_length = out.pos;
    if (zstd.is_error(rest)) {
        switch (zstd.code(rest)) {
        case ZSTD_error_frameParameter_windowTooLarge: return DC_LARGE_WINDOW;
        case ZSTD_error_memory_allocation: return DC_NO_MEMORY; /* the window, whose size the frame names */
        default: return DC_DAMAGED;
        }
    }
    stream->is_whole = rest == 0;
    return DC_OK;
}

int dc_is_whole(const dc_stream *stream) { return stream->is_whole; }
