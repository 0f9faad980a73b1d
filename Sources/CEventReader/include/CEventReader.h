/* Reads lines of event logs (docs/events.md) with Boost.JSON. Strings that repeat, such as names of patches, become numbers. */
#ifndef CEVENTREADER_H
#define CEVENTREADER_H

#include "decompress.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    ER_LINE,         /* an event */
    ER_BLANK,        /* an empty line */
    ER_NOT_JSON,     /* cut, binary, or nested deeper than any event */
    ER_OTHER_SCHEMA, /* an object with another schema, or without one */
    ER_NO_DEVICE,    /* an event without an installation */
    ER_OTHER_DEVICE, /* an event of another installation than the requested one */
    ER_MISNAMED,     /* an event that names a patch, a version, a function, an error or a system in an invalid form */
} er_outcome;

/* The events that a report counts; all others are ER_OTHER. */
typedef enum {
    ER_OTHER, ER_ACTIVATED, ER_DEACTIVATED, ER_REFUSED, ER_FAILED, ER_FELL_BACK, ER_CALLED, ER_COMPARED, ER_TRIAL, ER_CONFIRMED,
    ER_ROLLED_BACK, ER_CLOSED, ER_WITHDRAWN, ER_LAUNCHED, ER_EXPIRED, ER_NOT_APPLICABLE, ER_SYNC_FAILED, ER_STORE_FAILED, ER_SYNCED, ER_SAFE_MODE,
    ER_NEVER_CONFIRMED, ER_MISUSED, ER_EVENTS,
} er_event;

/* The members that a report reads, in the order in which lines have them: of the line, of its resource, and of its attributes; all
   others are ER_NO_KEY. */
typedef enum {
    ER_NO_KEY,
    ER_SCHEMA, ER_TIMESTAMP, ER_RESOURCE, ER_EVENT, ER_ATTRIBUTES,
    ER_INSTALLATION, ER_APP_VERSION, ER_SYSTEM, ER_SYSTEM_VERSION,
    ER_PATCH, ER_VERSION, ER_FUNCTION, ER_FILE, ER_LINE_NUMBER, ER_ERROR, ER_MESSAGE, ER_STACK, ER_COUNT, ER_CALLS, ER_FAILURES, ER_FALLBACKS, ER_MEASURED,
    ER_NANOSECONDS, ER_LONGEST, ER_TIMES, ER_REASON, ER_RUNNING, ER_AGREED, ER_DIFFERED, ER_FAILED_RUNS, ER_INCOMPARABLE, ER_REASONS,
    ER_ANSWER, ER_RESULT, ER_KEYS,
    ER_WRAPPED, /* a string in which a collector keeps a line */
} er_key;

enum { ER_MOST_TIMES = 16 };

/* The number of a string, and a number beside it: a patch and its version, or a reason and its count. */
typedef struct {
    uint32_t text;
    int64_t number;
} er_pair;

typedef struct {
    er_event event;
    /* Milliseconds since 1970; negative if the line has no time. */
    int64_t time;
    /* A hash of the installation. */
    uint64_t device;
    /* The patch's version; 0 if the line names no patch. */
    int64_t version;
    /* Numbers of strings; 0 if there is no string. The message of a roll-back is its reason. */
    uint32_t patch, app_version, system, system_version, function, file, error, message, stack, answer, result;
    /* The line in the file, or 0. */
    int64_t line;
    /* How often it happened again, or 0. */
    int64_t count;
    int64_t calls, failures, fallbacks, measured, nanoseconds, longest;
    int64_t times[ER_MOST_TIMES];
    /* What a comparison counts. */
    int64_t agreed, differed, failed_runs, incomparable;
    /* How many patches a launch has, at most 64, or how many reasons a comparison has, at most 16. */
    size_t pairs;
} er_line;

typedef struct er_reader er_reader;
/* Parsed lines, whose strings have no numbers yet. */
typedef struct er_parser er_parser;

/* A reader of lines whose `schema` has this value. The words of events and keys are set before anything is read.
   NULL if there is not enough memory. */
er_reader *er_open(const char *schema);
void er_set_event(er_reader *reader, er_event event, const char *name);
void er_set_key(er_reader *reader, er_key key, const char *name);
/* Whether a string that is not empty has the form of a member. Several threads call it. */
typedef int (*er_check)(er_key key, const char *text, size_t length);
void er_set_check(er_reader *reader, er_check check);
/* Takes only events of one installation from now on. */
void er_set_installation(er_reader *reader, const char *text, size_t length);
void er_close(er_reader *reader);

/* A parser of the reader's lines. Several threads may have one each. NULL if there is not enough memory. */
er_parser *er_open_parser(const er_reader *reader);
void er_close_parser(er_parser *parser);

/* Parses whole lines at the beginning of a buffer. An event may have other text before it, or be the string `log`, `message` or
   `MESSAGE` of another object, as collectors keep lines. The buffer must not change until the lines are taken. The reader is not changed.
   Returns how many bytes they have with their line feeds, or 0 if there is no line feed, or not enough memory. */
size_t er_parse(er_parser *parser, const char *buffer, size_t length);

/* Takes the next of the parsed lines, and gives numbers to its strings. Returns 0 after the last one. */
int er_take(er_reader *reader, er_parser *parser, er_line *line, er_outcome *outcome);

/* The name of the line that was taken last, if it is ER_MISNAMED; empty if a value has another type. */
const char *er_misnamed(const er_reader *reader, size_t *length);

/* A patch or a reason of the line that was taken last, by its place from 0 to er_line.pairs. */
er_pair er_pair_of(const er_reader *reader, size_t place);

/* A string by its number, and its length. It is valid until the reader is closed. */
const char *er_text(const er_reader *reader, uint32_t number, size_t *length);

/* The number of a string, which is assigned now if it has none, before others take all numbers. 0 if there are too many. */
uint32_t er_number(er_reader *reader, const char *text, size_t length);
/* How many strings got no number, because there were too many different ones. */
uint64_t er_dropped_texts(const er_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
