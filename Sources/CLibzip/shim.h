#ifndef CLIBZIP_SHIM_H
#define CLIBZIP_SHIM_H

/* The header of libzip 1.11 annotates which pointers may be null, and older headers do not. Swift would import two sets
   of types. Without the annotations, all versions are imported alike. */
#define _Nonnull
#define _Nullable
#include <zip.h>
#undef _Nonnull
#undef _Nullable

#include <zlib.h>

/* inflateInit2 is a macro. A negative window size means deflate without a zlib header, as in a zip. */
static inline int clibzip_inflateInitRaw(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

#endif
