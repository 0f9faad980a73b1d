#ifndef CLIBZIP_SHIM_H
#define CLIBZIP_SHIM_H

#include <zip.h>
#include <zlib.h>

/* inflateInit2 is a macro. A negative window size means deflate without a zlib header, as in a zip. */
static inline int clibzip_inflateInitRaw(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

#endif
