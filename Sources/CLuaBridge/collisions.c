// Tables whose keys are numbers that were chosen to collide. Moving n such keys into another hash part takes n² / 2
// steps in a single instruction, during which no hook runs. So the memory for the other hash part is refused.
//
// Lua has no function that returns the position of a key. The position of a number is not secret, unlike the position
// of a string. This file reads the layout of a table's nodes in Lua 5.4.3 and later; the bytes are always inside a
// block that Lua has asked for. If another version has another layout, nothing is refused, and `OverrunTests` fail.

#include "budget.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

typedef struct node {
    uint64_t value;
    uint8_t value_type, key_type;
    int32_t next;
    union {
        uint64_t integer;
        double number;
    } key;
} node;
_Static_assert(sizeof(node) == PP_NODE_SIZE, "the size of a node");

enum {
    INTEGER = LUA_TNUMBER,
    FLOAT = LUA_TNUMBER | 1 << 4, // types with their variants
};

bool pp_has_size_of_hash_part(size_t size) {
    size_t nodes = size / sizeof(node);
    return size % sizeof(node) == 0 && (nodes & (nodes - 1)) == 0;
}

void pp_add_hash_part(pp_state *state, const void *block, size_t size) {
    if (state->session.hash_part_count == state->hash_part_capacity) {
        int32_t capacity = state->hash_part_capacity ? 2 * state->hash_part_capacity : 8;
        pp_hash_part *more = realloc(state->hash_parts, (size_t)capacity * sizeof *more);
        if (!more) return;
        state->hash_parts = more;
        state->hash_part_capacity = capacity;
    }
    state->hash_parts[state->session.hash_part_count++] = (pp_hash_part){block, size};
    state->session.hash_bytes += (int64_t)size;
}

void pp_remove_hash_part(pp_state *state, const void *block) {
    for (int32_t i = state->session.hash_part_count - 1; i >= 0; i--) {
        if (state->hash_parts[i].nodes != block) continue;
        state->session.hash_bytes -= (int64_t)state->hash_parts[i].size;
        state->hash_parts[i] = state->hash_parts[--state->session.hash_part_count];
        return;
    }
}

/// The position, out of `places`, at which Lua looks for a number first (`hashint` and `l_hashfloat` in ltable.c).
static size_t place(const node *node, size_t places) {
    if (node->key_type == INTEGER) return node->key.integer % places;
    int exponent;
    double fraction = frexp(node->key.number, &exponent) * -(double)INT_MIN;
    if (!(fraction >= -0x1p63 && fraction < 0x1p63)) return 0;
    unsigned sum = (unsigned)exponent + (unsigned)(int64_t)fraction;
    return (sum <= INT_MAX ? sum : ~sum) % places;
}

/// What was found of a place.
typedef struct place_found {
    /// How many keys belong here, and the number of the last one's node.
    uint32_t count, last;
} place_found;

typedef enum verdict { HARMLESS, COLLIDING, NO_HASH_PART } verdict;

/// Whether the keys of one hash part take too long to move into one of `nodes` nodes. An array can have the size of a
/// hash part. Read as one, it has equal keys, which no table has.
///
/// - Parameter found: Room for `nodes` places.
static verdict collide(const pp_hash_part *part, size_t nodes, place_found *found) {
    const node *first = part->nodes;
    size_t count = part->size / sizeof *first, places = (nodes - 1) | 1;
    uint64_t steps = 0;
    bool is_begun = false;
    for (size_t i = 0; i < count; i++) {
        if ((first[i].value_type & 0x0F) == LUA_TNIL || (first[i].key_type != INTEGER && first[i].key_type != FLOAT))
            continue;
        if (!is_begun)
            for (size_t at = 0; at < nodes; at++) found[at] = (place_found){0}; // only for a table that has numbers
        is_begun = true;
        place_found *at = &found[place(&first[i], places)];
        const node *last = &first[at->last];
        if (at->count > 0 && last->key_type == first[i].key_type && last->key.integer == first[i].key.integer)
            return NO_HASH_PART;
        at->last = (uint32_t)i;
        if ((steps += at->count++) > PP_MOST_STEPS) return COLLIDING;
    }
    return HARMLESS;
}

bool pp_would_collide(pp_state *state, size_t size) {
    size_t nodes = size / sizeof(node);
    place_found *found = NULL;
    bool is_colliding = false;
    for (int32_t i = 0; i < state->session.hash_part_count && !is_colliding; i++) {
        if (!found && !(found = malloc(nodes * sizeof *found))) return true;
        verdict verdict = collide(&state->hash_parts[i], nodes, found);
        is_colliding = verdict == COLLIDING;
        if (verdict == NO_HASH_PART) {
            pp_remove_hash_part(state, state->hash_parts[i].nodes);
            i--; // the last one is in its place now
        }
    }
    free(found);
    return is_colliding;
}
