/* Where the blocks' shared memories are: each resident block has a part of one array. And two things in
 * shared memory: the lock bits of Fermi, and mbarriers. */
#ifndef MACHINE_SHARED_MEMORY_H
#define MACHINE_SHARED_MEMORY_H

#include "machine/state.h"

#include <stdint.h>

/* shared_memory_need() returns the bytes of shared memory of all of the kernel's blocks that can
 * be resident at once; shared_memory_most() returns the largest such number for any kernel. */
size_t shared_memory_need(const struct kernel *kernel);
size_t shared_memory_most(void);

/* Makes room for this number of bytes. Each kernel's part of the bytes begins at its first_shared. */
void shared_memory_open(size_t bytes);

/* Gives shared memory, all zero, to a block that begins. */
void shared_memory_give(struct block *block);

/* Fills the shared memory of a block that begins with this byte. */
void shared_memory_fill(struct block *block, unsigned char byte);

/* Is the address in shared memory, of any block? */
bool shared_memory_has(uintptr_t address);

/* Returns the block whose shared memory has the address as block `seeing` sees it: `seeing` itself, or
 * another block of its cluster. Returns NULL if that block has ended or never was. */
struct block *shared_memory_owner(struct block *seeing, uintptr_t address);

/* Is the address in the shared memory of another block, as the block sees it? */
bool shared_memory_is_of_other(const struct block *block, uintptr_t address);

/* Returns a number for the word of shared memory at the address as the block sees it. The number is the same
 * for all blocks of a cluster, and no other word has it. */
uintptr_t shared_memory_word(const struct block *block, uintptr_t address);

/* Returns the offset of an address in the shared memory of the block to which the address belongs. */
size_t shared_memory_offset(const struct block *block, uintptr_t address);

/* Returns the address of an offset as the block sees it. The offset may contain the rank of another block
 * of the cluster (shared_memory_offset_of_rank). If that block has ended, the address is one that no block
 * has. */
uintptr_t shared_memory_at(const struct block *block, size_t offset);
uint32_t shared_memory_offset_of_rank(uint32_t offset, unsigned rank);
bool shared_memory_is_nowhere(uintptr_t address);

/*
 * The lock unit of Fermi's shared memory (Li 2015, section 3 and Figure 1), whose lock bits are not part of
 * the memory. Words whose addresses differ by a multiple of lock_bits words share one bit. LDSLK loads a word
 * and tries its bit in one access; STSUL stores a word and frees its bit, whichever thread holds it. All
 * blocks of a multiprocessor share the bits.
 */

/* A lock bit. */
struct lock_bit {
    bool taken;             /* does a thread hold the bit? */
    bool used;              /* has any thread ever tried to take the bit? */
    uint64_t turns;         /* number of times that the bit has been taken */
    unsigned block, thread; /* the thread that took the bit last */
    size_t word;            /* the word through which the thread took the bit */
};

/* lock_word() returns the number of the word at this address in the multiprocessor's shared memory;
 * lock_bit_of() returns its lock bit. */
size_t lock_word(const struct block *block, uintptr_t address);
struct lock_bit *lock_bit_of(const struct block *block, uintptr_t address);

/* Takes the word's lock bit for the thread. Returns false if any thread holds the bit already. */
bool lock_try(struct block *block, unsigned thread, uintptr_t address);
void lock_release(struct block *block, uintptr_t address);

/*
 * The word of an mbarrier (PTX ISA, "mbarrier object"). Bit 63 is the phase's parity. 20 bits have the number
 * of arrivals that each phase needs, 20 bits the number that the current phase still lacks, and 23 bits the
 * number of bytes of copies that it waits for (its transaction count). A phase is complete when it lacks
 * neither arrivals nor bytes.
 */

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
