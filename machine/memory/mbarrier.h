/*
 * The word of an mbarrier (PTX ISA, "mbarrier object"). Bit 63 is the phase's parity. 20 bits have the number
 * of arrivals that each phase needs, 20 bits the number that the current phase still lacks, and 23 bits the
 * number of bytes of copies that it waits for (its transaction count). A phase is complete when it lacks
 * neither arrivals nor bytes.
 */
#ifndef MACHINE_MBARRIER_H
#define MACHINE_MBARRIER_H

#include <stdint.h>

#ifdef __cplusplus
#define MBARRIER_FUNCTION static inline __attribute__((always_inline, unused))
#else
#define MBARRIER_FUNCTION static inline
#endif

#define MBARRIER_COUNT 0xfffffu
#define MBARRIER_BYTES 0x7fffffu

MBARRIER_FUNCTION uint64_t mbarrier_word(uint64_t parity, uint32_t count, uint32_t pending, uint32_t bytes)
{
    return parity << 63 | (uint64_t)(count & MBARRIER_COUNT) << 43 |
           (uint64_t)(pending & MBARRIER_COUNT) << 23 | (bytes & MBARRIER_BYTES);
}
MBARRIER_FUNCTION uint64_t mbarrier_at_first(uint32_t count)
{
    return mbarrier_word(0, count, count, 0);
}
MBARRIER_FUNCTION uint32_t mbarrier_pending(uint64_t word)
{
    return (uint32_t)(word >> 23) & MBARRIER_COUNT;
}

/* Returns an mbarrier's word after a change: the phase waits for `bytes` more bytes, `arrivals` threads
 * have arrived, and `drops` of these threads will not arrive in later phases. */
MBARRIER_FUNCTION uint64_t mbarrier_after(uint64_t word, int32_t bytes, uint32_t arrivals, uint32_t drops)
{
    uint32_t count = ((uint32_t)(word >> 43) - drops) & MBARRIER_COUNT;
    uint32_t pending = (mbarrier_pending(word) - arrivals) & MBARRIER_COUNT;
    uint32_t left = ((uint32_t)word + (uint32_t)bytes) & MBARRIER_BYTES;
    return pending || left ? mbarrier_word(word >> 63, count, pending, left)
                           : mbarrier_word(word >> 63 ^ 1, count, count, 0);
}

#endif
