/* Reads gzip (zlib) and Zstandard (libzstd, opened when it is first used). */
#ifndef CDECOMPRESS_H
#define CDECOMPRESS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { DC_PLAIN, DC_GZIP, DC_ZSTD } dc_format;
/* DC_LARGE_WINDOW: a Zstandard stream needs a window above 8 MiB. */
typedef enum { DC_OK, DC_DAMAGED, DC_NO_LIBRARY, DC_NO_MEMORY, DC_LARGE_WINDOW } dc_status;

typedef struct dc_stream dc_stream;

/* The format of a file, by its first bytes. */
dc_format dc_format_of(const unsigned char *bytes, size_t length);

/* Opens a stream. `format` is not DC_PLAIN. NULL if that fails; only then `status` has the reason, DC_NO_LIBRARY or
   DC_NO_MEMORY. */
dc_stream *dc_open(dc_format format, dc_status *status);
void dc_close(dc_stream *stream);

/* Reads from `input` and writes to `output` as much as possible. Both lengths are set to the bytes that were read and
   written. Streams may follow one another in a file. */
dc_status dc_read(
    dc_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length);

/* Whether the file may end here: nothing is cut off. */
int dc_is_whole(const dc_stream *stream);

#ifdef __cplusplus
}
#endif

#endif
