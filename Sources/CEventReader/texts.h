// Numbers for strings that repeat. Memory is bounded: after 65,535 strings, or 16 MiB of them, others have the number 0.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

class Texts {
public:
    /// Both are secret, and differ in each run, so that no sender can choose strings whose hashes collide.
    Texts(uint64_t seed, uint64_t key) : seed(seed), key(key | 1), table(static_cast<uint32_t *>(calloc(slots, sizeof(uint32_t)))),
              texts(static_cast<Text *>(calloc(most + 1, sizeof(Text)))) {}
    Texts(const Texts &) = delete;
    Texts &operator=(const Texts &) = delete;
    ~Texts() {
        for (uint32_t i = 1; texts && i <= count; i++) free(texts[i].bytes);
        free(table);
        free(texts);
    }

    bool is_ready() const { return table && texts; }

    /// The number of a string, from 1. 0 for an empty string, or if there are too many strings.
    uint32_t number(const char *bytes, size_t length) { return number(bytes, length, hash_of(bytes, length)); }

    /// The hash by which a string is found.
    uint64_t hash_of(const char *bytes, size_t length) const { return hash(bytes, length > longest ? longest : length); }

    uint32_t number(const char *bytes, size_t length, uint64_t hash) {
        if (length == 0) return 0;
        if (length > longest) length = longest;
        for (uint32_t probe = 0; probe < farthest; probe++) {
            uint32_t slot = (hash + probe) % slots, number = table[slot];
            if (number == 0) return add(slot, hash, bytes, length);
            const Text &text = texts[number];
            if (text.hash == hash && text.length == length && memcmp(text.bytes, bytes, length) == 0) return number;
        }
        refused++;
        return 0;
    }

    const char *text(uint32_t number, size_t *length) const {
        *length = number <= count ? texts[number].length : 0;
        return number <= count ? texts[number].bytes : nullptr;
    }

    uint64_t dropped() const { return refused; }

    /// A multiplication by the key for each eight bytes, using both halves of the product (as in wyhash), and the finalizer of
    /// MurmurHash3. With a known factor, a sender could choose strings whose hashes are the same, whatever the seed.
    uint64_t hash(const char *bytes, size_t length) const {
        uint64_t hash = seed ^ length;
        for (size_t i = 0; i < length; i += 8) {
            uint64_t word = 0;
            memcpy(&word, bytes + i, length - i < 8 ? length - i : 8);
            unsigned __int128 product = static_cast<unsigned __int128>(hash ^ word) * key;
            hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
        }
        hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
        hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
        return hash ^ (hash >> 33);
    }

private:
    struct Text {
        uint64_t hash;
        char *bytes;
        size_t length;
    };

    // At most a quarter of the slots is used, so that only strings that were chosen for their hashes are farther away.
    static const uint32_t most = 65535, slots = 1 << 18, farthest = 128;
    static const size_t longest = 512, room = 16 << 20;
    const uint64_t seed, key;
    uint32_t *table;
    Text *texts;
    uint32_t count = 0;
    size_t used = 0;
    uint64_t refused = 0;

    uint32_t add(uint32_t slot, uint64_t hash, const char *bytes, size_t length) {
        char *copy = count < most && used + length <= room ? static_cast<char *>(malloc(length)) : nullptr;
        if (!copy) {
            refused++;
            return 0;
        }
        memcpy(copy, bytes, length);
        used += length;
        count++;
        texts[count].hash = hash;
        texts[count].bytes = copy;
        texts[count].length = length;
        table[slot] = count;
        return count;
    }
};
