/* SPDX-License-Identifier: MIT */
/*
 * A hop: one block has written data, and another block of the same GPU reads them in global memory. No
 * other block waits and no kernel ends. There are three ways; docs/dependencies.md says what each costs.
 *
 *     by a counter    data of any size, by ordinary accesses; a release fence, a word and an acquire fence
 *     packed          12 bytes and their epoch, stored and loaded by one access; no fence
 *     by a sentinel   words that are never all ones, which means empty; no fence between writer and reader
 *
 * Counters and epochs may wrap around, so the number of rounds has no limit. Contract of all three: both
 * blocks are resident (gpusync_launch), otherwise the receiver waits for ever. Rounds, goals and epochs are
 * numbers that the program counts from 1. A sender may overwrite data only if it knows that they have been
 * read, for instance by an answer. None of the three is enough between GPUs, as their scope is one GPU (see
 * multi_gpu.cuh). They need compute capability 7.0.
 */
#ifndef GPUSYNC_HOP_CUH
#define GPUSYNC_HOP_CUH

#include "device.cuh"
#include "memory_order.cuh"
#include "packed_word.cuh"
#include "vector_access.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

/*
 * ---- By a counter: a word that is 0 at first. ----
 *
 * PTX ISA, "Release and Acquire Patterns": a fence.release followed by a relaxed addition is a release
 * pattern. A relaxed load that reads from the addition (or from a later one in the counter's modification
 * order, which consists of additions only), followed by a fence.acquire, is an acquire pattern. The two
 * patterns synchronize, since all accesses are strong and their scope includes both threads. bar.sync
 * extends this to the other threads of both blocks. So after its wait the receiver's block sees everything
 * that the sender's block did before its signal, on every GPU from 7.0 on.
 */

/* Adds 1 to the counter. One thread of the block calls it, after a __syncthreads. Any number of blocks may
 * signal. */
static __device__ __forceinline__ void hop_counter_signal(unsigned *counter)
{
    fence_release();
    reduce_add_relaxed(counter, 1);
}

/* Is the count below the goal? The signed difference allows the counter to wrap around. */
static __device__ __forceinline__ bool hop_counter_is_below(unsigned count, unsigned goal)
{
    return (int)(count - goal) < 0;
}

/* Waits until the counter is at least `goal`. One thread of the block calls it, before a __syncthreads. */
static __device__ __forceinline__ void hop_counter_wait(const unsigned *counter, unsigned goal)
{
    while (hop_counter_is_below(load_relaxed(counter), goal)) {
    }
    fence_acquire();
}

/* Every thread of the block calls hop_send or hop_receive. hop_send publishes what all threads of the block
 * wrote before it, and hop_receive waits until all threads of the block may read it. */
static __device__ __forceinline__ void hop_send(unsigned *counter)
{
    __syncthreads();
    if (is_block_leader())
        hop_counter_signal(counter);
}
static __device__ __forceinline__ void hop_receive(const unsigned *counter, unsigned goal)
{
    if (is_block_leader())
        hop_counter_wait(counter, goal);
    __syncthreads();
}

/*
 * ---- Packed: 12 bytes of data and an epoch, in a place that is zero at first. ----
 *
 * One thread stores the data of an epoch to the place. Any number of threads wait for that epoch and load
 * the data with it. Nothing else is ordered: other data that the sender wrote may not be visible yet. The
 * next epoch may overwrite the place when all readers have read it.
 *
 * This is correct if a load or store of the place is a single access. The PTX ISA promises it for strong
 * accesses to scalars that overlap ("Single-Copy Atomicity"). A vector is divided into scalars that are
 * accessed in any order, and the largest scalar named is 64 bits ("Vector Data-types"). ld and st have a
 * scalar .b128 since PTX ISA 8.3 (CUDA 12.3), for 7.0 and later, which that section does not mention. CUDA
 * C++ promises that an access of 16 bytes is single: libcu++'s atomic_ref loads and stores objects of 16
 * bytes from 7.0 on, by these instructions. The form of 16 bytes relies on this promise, not on the PTX ISA
 * alone. With -DGPUSYNC_HOP_OF_WORDS, with older toolkits and on the memory machine, a place is three words
 * of 64 bits, and each word contains the epoch: the PTX ISA guarantees this form, and it stores 1.5 times
 * as many bytes. Host and device choose the same form, so that both know sizeof(hop_packed).
 */

#if !defined(GPUSYNC_MACHINE) && !defined(GPUSYNC_HOP_OF_WORDS) &&                                           \
    (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 3))
#define GPUSYNC_HOP_OF_16_BYTES 1
#else
#define GPUSYNC_HOP_OF_16_BYTES 0
#endif

struct hop_data {
    unsigned x, y, z;
};

#if GPUSYNC_HOP_OF_16_BYTES

struct alignas(16) hop_packed {
    unsigned x, y, z, epoch;
};

static __device__ __forceinline__ void hop_packed_publish(hop_packed *place, hop_data data, unsigned epoch)
{
    asm volatile("{ .reg .b64 low, high; .reg .b128 all; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4};\n"
                 "  mov.b128 all, {low, high}; st.relaxed.gpu.global.b128 [%0], all; }"
                 :
                 : "l"(place), "r"(data.x), "r"(data.y), "r"(data.z), "r"(epoch)
                 : "memory");
}

/* Returns the present content of the place; a thread may have loads of many places in flight. */
static __device__ __forceinline__ hop_packed hop_packed_load(const hop_packed *place)
{
    hop_packed now;
    asm volatile("{ .reg .b64 low, high; .reg .b128 all; ld.relaxed.gpu.global.b128 all, [%4];\n"
                 "  mov.b128 {low, high}, all; mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
                 : "=r"(now.x), "=r"(now.y), "=r"(now.z), "=r"(now.epoch)
                 : "l"(place)
                 : "memory");
    return now;
}
static __device__ __forceinline__ bool hop_packed_is(hop_packed now, unsigned epoch)
{
    return now.epoch == epoch;
}
static __device__ __forceinline__ hop_data hop_packed_data(hop_packed now)
{
    return {now.x, now.y, now.z};
}

#else

struct hop_packed {
    packed_word words[3];
};

static __device__ __forceinline__ void hop_packed_publish(hop_packed *place, hop_data data, unsigned epoch)
{
    packed_word_publish(&place->words[0], data.x, epoch);
    packed_word_publish(&place->words[1], data.y, epoch);
    packed_word_publish(&place->words[2], data.z, epoch);
}
static __device__ __forceinline__ hop_packed hop_packed_load(const hop_packed *place)
{
    return {{packed_word_load(&place->words[0]), packed_word_load(&place->words[1]),
             packed_word_load(&place->words[2])}};
}
static __device__ __forceinline__ bool hop_packed_is(hop_packed now, unsigned epoch)
{
    return packed_word_is(now.words[0], epoch) && packed_word_is(now.words[1], epoch) &&
           packed_word_is(now.words[2], epoch);
}
static __device__ __forceinline__ hop_data hop_packed_data(hop_packed now)
{
    return {packed_word_value(now.words[0]), packed_word_value(now.words[1]),
            packed_word_value(now.words[2])};
}

#endif

/* Waits until the place has this epoch, and returns its data. */
static __device__ __forceinline__ hop_data hop_packed_await(const hop_packed *place, unsigned epoch)
{
    hop_packed now;
    do {
        now = hop_packed_load(place);
    } while (!hop_packed_is(now, epoch));
    return hop_packed_data(now);
}

/*
 * ---- By a sentinel: 16 bytes, none of whose four words is ever all ones. ----
 *
 * Three places are used in turn; all their words are all ones at first (cudaMemset with 0xff). Round r is
 * stored to place r % 3. A program that may have more than 2^32 - 1 rounds counts them by
 * hop_sentinel_next. Each word is its own flag, so the four words may become visible in any order (PTX ISA,
 * "Vector Data-types"), on every GPU. The thread that stores round r then clears the place of round r - 1,
 * for round r + 2:
 *
 *     hop_sentinel_store(&place[round % 3], data);         data = hop_sentinel_await(&place[round % 3]);
 *     hop_sentinel_clear(&place[(round - 1) % 3]);         __threadfence();
 *     __threadfence();
 *
 * All readers must have read round r - 1 before round r is sent. Then the hop is correct for two reasons:
 * - The same thread stores to a word in all rounds and clears it: coherence keeps its stores in their
 * order.
 * - A thread that waits in round r + 2 must not find the content of round r - 1 in the place. It has seen
 * data of round r + 1, which the clearing thread stored after its fence, and has passed a fence since then.
 * The two fences make a release and an acquire pattern, so the waiting thread next loads the cleared word
 * or a newer one. A thread that both sends and receives has this fence in its sending; a thread that only
 * receives needs its own, as above.
 */

static const unsigned HOP_NOT_YET = 0xffffffffu;

/* Returns the number of the next round. Round 2^32 - 1, which uses place 0, is followed by round 1,
 * because 2^32 is not a multiple of 3: round 0 would use place 0 again. */
static __device__ __forceinline__ unsigned hop_sentinel_next(unsigned round)
{
    return round == 0xffffffffu ? 1 : round + 1;
}

static __device__ __forceinline__ void hop_sentinel_store(uint4 *place, uint4 data)
{
    store_four_words(place, data);
}
/* Clears the place. The caller executes one fence after it has cleared all its places. */
static __device__ __forceinline__ void hop_sentinel_clear(uint4 *place)
{
    store_four_words(place, make_uint4(HOP_NOT_YET, HOP_NOT_YET, HOP_NOT_YET, HOP_NOT_YET));
}

/* hop_sentinel_load returns the present content of a place, and hop_sentinel_is_there whether all of it has
 * been written. */
static __device__ __forceinline__ uint4 hop_sentinel_load(const uint4 *place)
{
    return load_four_words(place);
}
static __device__ __forceinline__ bool hop_sentinel_is_there(uint4 now)
{
    return now.x != HOP_NOT_YET && now.y != HOP_NOT_YET && now.z != HOP_NOT_YET && now.w != HOP_NOT_YET;
}
static __device__ __forceinline__ uint4 hop_sentinel_await(const uint4 *place)
{
    uint4 now;
    do {
        now = hop_sentinel_load(place);
    } while (!hop_sentinel_is_there(now));
    return now;
}

} // namespace gpusync

#endif
