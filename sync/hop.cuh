/* SPDX-License-Identifier: MIT */
/*
 * A hop: one block has written data, another reads them, in global memory of one GPU. Nobody else waits and no kernel
 * ends. Three ways; docs/dependencies.md says what each takes.
 *
 *     by a counter    data of any size, by ordinary accesses; a release fence, a word and an acquire fence on the way
 *     packed          12 bytes and their epoch, stored and loaded as one; no fence
 *     by a sentinel   words that are never all ones, where all ones means not yet; no fence on the way
 *
 * Contract of all: both blocks are resident (gpusync_launch), or who waits waits for ever. Rounds, goals and epochs are
 * numbers that the program counts from 1. Who sends over data again knows that they have been read, as by an answer.
 * Between GPUs none of this is enough: the scope is that of one GPU (multi_gpu.cuh). Compute capability 7.0.
 */
#ifndef GPUSYNC_HOP_CUH
#define GPUSYNC_HOP_CUH

#include "device.cuh"
#include "memory_order.cuh"
#include "packed_word.cuh"

GPUSYNC_NEEDS_70

namespace gpusync
{

/*
 * ---- By a counter: a word that is 0 at first. ----
 *
 * PTX ISA, "Release and Acquire Patterns": a fence.release and a relaxed addition behind it are a release pattern, a
 * relaxed load that sees the addition (or one later in the counter's modification order, which all are additions) and a
 * fence.acquire behind it an acquire pattern; the two synchronize, since all are strong and of a scope that has both
 * threads in it. bar.sync carries that to the other threads of both blocks. So everything that the sender's block did
 * before is seen by the receiver's block behind it, on every GPU from 7.0 on.
 */

/* By one thread of the block, behind a __syncthreads: the counter rises by 1. Any number of blocks may. */
static __device__ __forceinline__ void hop_counter_signal(unsigned *counter)
{
    fence_release();
    reduce_add_relaxed(counter, 1);
}

/* Counters may wrap around. */
static __device__ __forceinline__ bool hop_counter_is_below(unsigned count, unsigned goal)
{
    return (int)(count - goal) < 0;
}

/* By one thread of the block, with a __syncthreads behind it: until the counter is at least the goal. */
static __device__ __forceinline__ void hop_counter_wait(const unsigned *counter, unsigned goal)
{
    while (hop_counter_is_below(load_relaxed(counter), goal)) {
    }
    fence_acquire();
}

/* The same by every thread of the block: what all of them wrote before is sent; all may read what was. */
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
 * One thread puts data of an epoch there, any number wait for that epoch and have the data with it. Nothing else is
 * ordered: what the sender wrote elsewhere may not be there yet. The next epoch goes over it when all have read.
 *
 * Right if the place is accessed as one. PTX ISA, "Single-Copy Atomicity", says so of strong accesses that overlap, of
 * scalars; "Vector Data-types" takes a vector apart into scalars that come in any order, and names 64 bits as the largest
 * scalar. ld and st have a scalar .b128 since PTX ISA 8.3 (CUDA 12.3), for 7.0 and later, which that sentence does not
 * mention. That an access of 16 bytes is one is what CUDA C++ promises: libcu++'s atomic_ref loads and stores objects
 * of 16 bytes from 7.0 on, by these instructions. On this the form of 16 bytes rests, not on the PTX ISA alone. With
 * -DGPUSYNC_HOP_OF_WORDS, with older toolkits and on the memory machine, a place is three words of 64 bits, each of
 * which has the epoch with it: guaranteed by the PTX ISA, and half as much again to store. That is the same for host and
 * device, so that both know sizeof(hop_packed).
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

/* A place as it is now; a thread may have loads of many on their way. */
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

/* Waits for the epoch. */
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
 * Three places in turn, all ones at first (cudaMemset with 0xff): round r is stored to place r % 3. Each word is its own
 * flag, so it does not matter that the four may come in any order (PTX ISA, "Vector Data-types"), on no GPU. Whoever
 * stores round r then clears the place of round r - 1, for round r + 2:
 *
 *     hop_sentinel_store(&place[round % 3], data);         data = hop_sentinel_await(&place[round % 3]);
 *     hop_sentinel_clear(&place[(round + 2) % 3]);          __threadfence();
 *     __threadfence();
 *
 * What makes it right, beside that all have read round r - 1 before round r is sent:
 * - The same thread stores to a word in all rounds and clears it: coherence keeps its stores in their order.
 * - Who waits in round r + 2 must not find what the place held in round r - 1. It has seen data of round r + 1, which the
 *   thread that clears stored behind its fence, and has passed a fence since: the fences make a release and an acquire
 *   pattern of the two, so what it loads next is not older than the cleared word. A thread that both sends and receives
 *   has that fence in its sending; a thread that only receives needs its own, as above.
 */

#ifndef GPUSYNC_MACHINE

/* Four words that come in any order, past the L1 cache. */
static __device__ __forceinline__ void hop_store_words(uint4 *place, uint4 v)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(place), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
static __device__ __forceinline__ uint4 hop_load_words(const uint4 *place)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(place)
                 : "memory");
    return v;
}

#else /* which has no vectors */

static __device__ __forceinline__ void hop_store_words(uint4 *place, uint4 v)
{
    volatile unsigned *words = (volatile unsigned *)place;
    words[0] = v.x;
    words[1] = v.y;
    words[2] = v.z;
    words[3] = v.w;
}
static __device__ __forceinline__ uint4 hop_load_words(const uint4 *place)
{
    const volatile unsigned *words = (const volatile unsigned *)place;
    return make_uint4(words[0], words[1], words[2], words[3]);
}

#endif

static const unsigned HOP_NOT_YET = 0xffffffffu;

static __device__ __forceinline__ void hop_sentinel_store(uint4 *place, uint4 data)
{
    hop_store_words(place, data);
}
/* A fence follows, once behind all that a thread clears. */
static __device__ __forceinline__ void hop_sentinel_clear(uint4 *place)
{
    hop_store_words(place, make_uint4(HOP_NOT_YET, HOP_NOT_YET, HOP_NOT_YET, HOP_NOT_YET));
}

/* A place as it is now, and whether all of it has come. */
static __device__ __forceinline__ uint4 hop_sentinel_load(const uint4 *place)
{
    return hop_load_words(place);
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
