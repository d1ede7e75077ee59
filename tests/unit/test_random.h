/* Numbers that look random and are the same in every run; OBSTREAM_TEST_SEED gives others. */
#ifndef OBSTREAM_TEST_RANDOM_H
#define OBSTREAM_TEST_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

struct random {
    uint64_t state;
};

static inline struct random random_start(uint64_t seed)
{
    const char *given = getenv("OBSTREAM_TEST_SEED");
    return (struct random){ seed + (given != NULL ? strtoull(given, NULL, 10) << 20 : 0) };
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* low to high, both included */
static inline int64_t random_in(struct random *r, int64_t low, int64_t high)
{
    return low + (int64_t)(random_bits(r) % ((uint64_t)(high - low) + 1));
}

#endif
