/* Random numbers for generated inputs, which are the same on every computer. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* Kernels of a GPU draw the same numbers. */
#ifdef __CUDACC__
#define RANDOM_INLINE static inline __host__ __device__
#else
#define RANDOM_INLINE static inline
#endif

struct random {
    uint64_t state; /* state of the generator, which begins as the seed */
};

/* Returns the next 64 random bits, by splitmix64 (Steele, Lea and Flood 2014). */
RANDOM_INLINE uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns a random number that is uniform in [0, 1). */
RANDOM_INLINE double random_unit(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

#endif
