// The same work as the library's, written in C straight on the Lua API: the floor that the library is measured against.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdint.h>

typedef struct floor_state floor_state;

/// A state with a count hook and a budget, whose chunk returns a function of (original, price, quantity).
floor_state *floor_open(const char *source);
void floor_close(floor_state *state);
/// Calls the function `count` times in a chain: each result is the next price. Returns the last, or -1 for an error.
double floor_calls(floor_state *state, double price, int64_t count);
/// The same with a recursive lock around each call, as a state that any thread may call needs.
double floor_locked_calls(floor_state *state, double price, int64_t count);
/// Makes a state with the libraries, compiles and runs a script, and closes the state.
void floor_load(const char *source);
double floor_original(double price, int64_t quantity);

#endif
