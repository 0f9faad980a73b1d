// The same work as the library's, written in C directly on the underlying libraries. It is the floor for the measurements.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: envelopes

typedef struct floor_keys floor_keys;

/// Reads a private or a public key, and a script key.
floor_keys *floor_keys_read(const char *pem_path, bool is_private, const char *script_key_path);
/// Packs a script; the caller frees the envelope. The bytes are the same as patchpack's.
unsigned char *floor_pack(floor_keys *keys, const char *manifest, const char *name, const unsigned char *script,
    size_t size, size_t *envelope_size);
/// Verifies an envelope of one script; it is decrypted in place.
bool floor_verify(floor_keys *keys, unsigned char *envelope, size_t size);
/// Keeps OpenSSL's contexts from one envelope to the next.
void floor_keep_contexts(floor_keys *keys);

// MARK: calls

typedef struct floor_state floor_state;

/// A state with a count hook and a budget, whose chunk returns a function of (original, ...).
floor_state *floor_open(const char *source);
void floor_close(floor_state *state);
/// Calls the function of (price, quantity) `count` times in a chain: each result is the next price. Returns the last result, or
/// -1 for an error.
double floor_calls(floor_state *state, double price, int64_t count);
/// The same with a recursive lock around each call, which a state for calls from any thread needs.
double floor_locked_calls(floor_state *state, double price, int64_t count);
/// Calls the function with a string; returns the sum of the results' lengths.
int64_t floor_string_calls(floor_state *state, const char *text, int64_t count);
/// The two halves of such a call. The result is valid between them.
const char *floor_begin_string(floor_state *state, const char *text, size_t given, size_t *length);
void floor_end(floor_state *state);
/// Calls the function with a table of numbers; returns the sum of the lengths of the returned tables, all read.
int64_t floor_array_calls(floor_state *state, const double *values, int64_t size, int64_t count);
/// Calls the function with a table with the fields name, price and quantity; returns the sum of the prices in the returned
/// tables.
int64_t floor_strings_calls(floor_state *state, const char *text, int64_t size, int64_t count);
double floor_structs_calls(floor_state *state, const char *name, int64_t size, int64_t count);
double floor_struct_calls(floor_state *state, const char *name, double price, int64_t quantity, int64_t count);
/// Calls a function that fails, and the original in its place.
double floor_failing_calls(floor_state *state, double price, int64_t count);
/// Makes a state with the libraries, compiles and runs a script, and closes the state.
void floor_load(const char *source);
/// Only compiles a script, in a state that is kept.
bool floor_compile(const char *source, size_t size);
double floor_original(double price, int64_t quantity);
/// Does nothing. The caller's compiler does not know that.
void floor_keep(const void *value);

#endif
