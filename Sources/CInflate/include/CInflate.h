/* Reads gzip (zlib) and Zstandard (libzstd, opened when it is first used). */
#ifndef CINFLATE_H
#define CINFLATE_H

#include <stddef.h>

typedef enum { CI_PLAIN, CI_GZIP, CI_ZSTD } ci_format;
typedef enum { CI_OK, CI_DAMAGED, CI_NO_LIBRARY, CI_NO_MEMORY } ci_status;

typedef struct ci_stream ci_stream;

/* The format of a file, by its first bytes. */
ci_format ci_format_of(const unsigned char *bytes, size_t length);

/* NULL if that fails, with the reason in `status`. */
ci_stream *ci_open(ci_format format, ci_status *status);
void ci_close(ci_stream *stream);

/* Reads from `input`, and writes to `output`, as much as there is and fits. Both lengths are set to what was read and written.
   Streams may follow one another in a file. */
ci_status ci_read(ci_stream *stream, const unsigned char *input, size_t *input_length, unsigned char *output, size_t *output_length);

/* Whether the file may end here: nothing is cut off. */
int ci_is_whole(const ci_stream *stream);

#endif
