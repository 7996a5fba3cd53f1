/*
 * The kernels of micro-components: a loop for each part of a barrier. Every kernel stores in out[block] a
 * value that shows that it did all its work. One file because components.def names each kernel of it.
 */
#ifndef MICRO_COMPONENT_KERNELS_CUH
#define MICRO_COMPONENT_KERNELS_CUH

#include "harness/kernel.cuh"
#include "harness/async.cuh"
#include "harness/mbarrier.cuh"
#include "micro/components/component_loops.h"
#include "sync/convergence.cuh"
#include "sync/named_barrier.cuh"
#include "sync/system_order.cuh"

/* number of words in a pointer chain; it is so long that the chain covers every address group within a few
 * KiB */
#define CHAIN 256
/* distance in words between successive words of the pointer chain; no two lie in one vector of 16 bytes */
#define NEXT 7
/* distance in words from a word of the chain to the next, which lies in another cache line */
#define CHAIN_STRIDE 32
/* length and distance of the pointer chain in the shared memory of another block; each thread has its own
 * start */
#define CLUSTER_CHAIN(threads) ((threads) < 32 ? 32 : (threads))
#define CLUSTER_NEXT 33
#define CYCLES_PER_ITEM 1000
#define PEER_LINES (1u << 16) /* number of cache lines of 128 bytes that the stores use in turn */

/* Accesses in PTX that only these components use. */
static __device__ __forceinline__ void store_release(unsigned *word, unsigned value)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
}
/* Relaxed accesses of a word in the shared memory of any block of the cluster; the addition returns the old
 * value. They exist since compute capability 9.0. */
static __device__ __forceinline__ unsigned load_in_cluster(unsigned from)
{
    unsigned value = from;
    SM90(asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];"
                      : "=r"(value)
                      : "r"(from)
                      : "memory");)
    return value;
}
static __device__ __forceinline__ void store_word_in_cluster(unsigned to, unsigned value)
{
    SM90(asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" : : "r"(to), "r"(value) : "memory");)
    (void)to, (void)value;
}
static __device__ __forceinline__ unsigned add_in_cluster(unsigned to, unsigned value)
{
    unsigned old = to;
    SM90(asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
                      : "=r"(old)
                      : "r"(to), "r"(value)
                      : "memory");)
    (void)value;
    return old;
}
#define add_one(number) atomicAdd(number, 1.0f)
#define count_threads(predicate) __syncthreads_count(predicate)
#define sleep_for(nanoseconds) __nanosleep(nanoseconds)
#define lanes_with_same(value) __match_any_sync(0xffffffffu, value)
#define load_past_l1(p) __ldcg(p)
static __device__ __forceinline__ unsigned first_word(unsigned value)
{
    return value;
}
static __device__ __forceinline__ unsigned first_word(uint4 value)
{
    return value.x;
}

__global__ void clock_cycle(unsigned *out, unsigned items)
{
    long long begin = clock64(), cycles = (long long)items * CYCLES_PER_ITEM;
    while (clock64() - begin < cycles) {
    }
    out[blockIdx.x] = items;
}

__global__ void arithmetic(unsigned *out, unsigned items)
{
    unsigned value = threadIdx.x;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        value = value * 3 + 1;
        dependent_instructions(1);
        asm volatile("" : "+r"(value));
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

/* An empty loop of `items` iterations, which no compiler may unroll */
__global__ void loop(unsigned *out, unsigned items)
{
    unsigned value = threadIdx.x;
    UNROLL(1)
    for (unsigned i = 0; i < items; i++) {
        value = value * 3 + 1;
        asm volatile("" : "+r"(value));
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

/*
 * Units of a multiprocessor. A loop executes one instruction whose result is the next one's operand, in every
 * warp of the block: one warp shows the latency of the instruction, and 32 warps show the rate of the unit.
 * Of a chain, step() executes the instruction, and right() returns whether the operand is the one that it was
 * at first, as it must be. A chain begins with a zero that no compiler knows, so that none computes it.
 */
struct double_chain {
    double x, half;
    __device__ double_chain(unsigned zero) : x(1 + (double)zero), half(x / 2) {}
    __device__ void step() { asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(half)); }
    __device__ bool right() const { return x == 1; }
};
struct popcount_chain { /* 1 has 1 one bit */
    unsigned x;
    __device__ popcount_chain(unsigned zero) : x(1 + zero) {}
    __device__ void step() { asm volatile("popc.b32 %0, %0;" : "+r"(x)); }
    __device__ bool right() const { return x == 1; }
};
struct ballot_chain {
    unsigned x;
    __device__ ballot_chain(unsigned zero) : x(~zero) {}
    __device__ void step() { x = __ballot_sync(~0u, (int)x); }
    __device__ bool right() const { return x == ~0u; }
};
struct reduce_chain { /* the least of 32 equal numbers */
    unsigned x;
    __device__ reduce_chain(unsigned zero) : x(1 + zero) {}
    __device__ void step() { SM80(asm volatile("redux.sync.min.u32 %0, %0, 0xffffffff;" : "+r"(x));) }
    __device__ bool right() const { return x == 1; }
};
/* A matrix of 16 x 8 ones, to which the product of two matrices of zeros is added: 16 products for each
 * number */
struct mma_chain {
    float x[4] = {1, 1, 1, 1};
    unsigned zero;
    __device__ mma_chain(unsigned none) : zero(none) {}
    __device__ void step()
    {
        SM80(asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                          "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
                          : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
                          : "r"(zero));)
    }
    __device__ bool right() const { return x[0] == 1 && x[1] == 1 && x[2] == 1 && x[3] == 1; }
};

template <class chain_of_unit>
__global__ void unit(unsigned *out, unsigned items)
{
    chain_of_unit chain(items >> 31);
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        chain.step();
    if (__syncthreads_and(chain.right()) && threadIdx.x == 0)
        out[blockIdx.x] = items;
}

/* Code without a branch that is executed again and again, of 64 KiB for each of `parts`: multiply-adds of 16
 * bytes, each of which depends on the one before. */
#define TIMES_16(text) text text text text text text text text text text text text text text text text
#define STRAIGHT_INSTRUCTIONS 4096
template <unsigned parts>
__global__ void straight_code(unsigned *out, unsigned items)
{
    unsigned value = threadIdx.x;
    UNROLL(1)
    for (unsigned i = 0; i < items; i += parts * STRAIGHT_INSTRUCTIONS) {
        UNROLL(parts)
        for (unsigned part = 0; part < parts; part++)
            asm volatile(TIMES_16(TIMES_16(TIMES_16("mad.lo.u32 %0, %0, 3, 1;\n\t"))) : "+r"(value));
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

#define DIVIDEND 40000u /* a dividend for which the quotient alternates between 199 and 200 */

/* Divisions of 32-bit numbers that are known only at run time */
__global__ void divide(unsigned *out, unsigned items, unsigned dividend)
{
    unsigned value = threadIdx.x + 199;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        value = dividend / (value + 1);
        asm volatile("" : "+r"(value));
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

/* One side of a branch: enough multiply-adds that nvcc branches around them and does not predicate them */
#define SIDE_STEPS 16
static __device__ __forceinline__ unsigned side_of_branch(unsigned value, unsigned addend)
{
    UNROLL(SIDE_STEPS)
    for (unsigned i = 0; i < SIDE_STEPS; i++) {
        value = value * 3 + addend;
        asm volatile("" : "+r"(value));
    }
    return value;
}

/* A branch in which `others` of the 32 threads of a warp take the other side than the rest: other threads in
 * each iteration. */
__global__ void branch(unsigned *out, unsigned items, unsigned others)
{
    unsigned value = threadIdx.x;
    UNROLL(1)
    for (unsigned i = 0; i < items; i++) {
        if ((threadIdx.x + i) % 32 < others)
            value = side_of_branch(value, 1);
        else
            value = side_of_branch(value, 2);
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

/* A store or, if `releases`, a release store that a condition skips: `at`, at which it is true, is larger
 * than `items`. nvcc predicates the store and its fence. */
template <bool releases>
__global__ void skipped_store(unsigned *out, unsigned items, unsigned *words, unsigned at)
{
    unsigned *word = words + blockIdx.x * CHAIN_STRIDE;
    UNROLL(1)
    for (unsigned i = 0; i < items; i++)
        if (i == at) {
            if (releases)
                store_release(word, i);
            else
                store_relaxed(word, i);
        }
    if (threadIdx.x == 0)
        out[blockIdx.x] = items + *(volatile unsigned *)word;
}

__global__ void read_clock(unsigned *out, unsigned items)
{
    long long before = 0, backwards = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        long long now = clock64();
        backwards |= now - before;
        before = now;
    }
    out[blockIdx.x] = items + (backwards < 0);
}

enum load_kind { PLAIN, PAST_L1, OF_SYSTEM };

/* A pointer chase: `chain` contains at each index the index of the next load. */
template <load_kind kind>
__global__ void chase(unsigned *out, unsigned items, const unsigned *chain)
{
    unsigned at = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        at = kind == PLAIN     ? chain[at]
             : kind == PAST_L1 ? load_relaxed(chain + at)
                               : load_relaxed_system(chain + at);
    out[blockIdx.x] = at;
}

/* Waits until all blocks have called this function `times` times. One thread of each block calls it. */
static __device__ __forceinline__ void wait_for_all(unsigned *count, unsigned times)
{
    fence_release();
    add_relaxed(count, 1);
    while (load_relaxed(count) < times * gridDim.x) {
    }
    fence_acquire();
}

/* In each round, a warp of each block stores a pointer chain of CHAIN lines; if `writes` is false, only in
 * the first round. Then its first thread follows the chain of the block that is half of the grid away.
 * words[0] counts the arrivals at the barriers after both. */
template <bool writes>
__global__ void exchange(unsigned *out, unsigned items, unsigned *words)
{
    unsigned *chains = words + CHAIN_STRIDE, *mine = chains + blockIdx.x * CHAIN * CHAIN_STRIDE,
             block = (blockIdx.x + gridDim.x / 2) % gridDim.x, at = 0;
    const unsigned *others = chains + block * CHAIN * CHAIN_STRIDE;
    for (unsigned round = 0; round < items / CHAIN; round++) {
        for (unsigned i = threadIdx.x; i < CHAIN && (writes || round == 0); i += 32)
            store_relaxed(mine + i * CHAIN_STRIDE, (i + NEXT) % CHAIN * CHAIN_STRIDE);
        __syncwarp();
        if (threadIdx.x == 0) {
            wait_for_all(words, 2 * round + 1);
            UNROLL(TURNS)
            for (unsigned i = 0; i < CHAIN; i++)
                at = load_relaxed(others + at);
            wait_for_all(words, 2 * round + 2);
        }
        __syncwarp();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = items + at;
}

#define IN_FLIGHT 8 /* number of loads that a thread issues before it waits for one */

/* Loads past the L1 cache, IN_FLIGHT at a time, of zeros. The threads of a block read neighbouring values, or
 * values that are `apart` values from each other; the blocks read lines of their own (OWN_LINES) or together
 * go through all of the memory. The number of values is a power of two. */
#define OWN_LINES true
template <class value_type, bool own, unsigned apart>
__global__ void loads_in_flight(unsigned *out, unsigned items, const unsigned *words, size_t bytes)
{
    const size_t count = (own ? CHAIN * CHAIN_STRIDE * sizeof *words : bytes) / sizeof(value_type),
                 thread = own ? threadIdx.x : (size_t)blockIdx.x * blockDim.x + threadIdx.x,
                 step = (size_t)(own ? 1 : gridDim.x) * blockDim.x * apart;
    const value_type *values =
        (const value_type *)(words + (own ? (1 + (size_t)blockIdx.x * CHAIN) * CHAIN_STRIDE : 0));
    size_t at = thread * apart;
    unsigned sum = 0;
    for (unsigned i = 0; i + IN_FLIGHT <= items; i += IN_FLIGHT) {
        UNROLL(IN_FLIGHT)
        for (unsigned k = 0; k < IN_FLIGHT; k++, at += step)
            sum += first_word(load_past_l1(&values[at & (count - 1)]));
    }
    if (__syncthreads_and(sum == 0) && threadIdx.x == 0)
        out[blockIdx.x] = items;
}

__global__ void shared_load(unsigned *out, unsigned items)
{
    __shared__ volatile unsigned chain[CHAIN];
    for (unsigned i = 0; i < CHAIN; i++)
        chain[i] = (i + NEXT) % CHAIN;
    unsigned at = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        at = chain[at];
    out[blockIdx.x] = at;
}

__global__ void shuffle(unsigned *out, unsigned items)
{
    unsigned value = (threadIdx.x + 1) % 32;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        value = __shfl_sync(0xffffffffu, value, (int)value);
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

/* Measures __match_any_sync, whose result is the next one's value: each lane's own bit, or all bits in all
 * lanes. */
template <bool all_equal>
__global__ void match(unsigned *out, unsigned items)
{
    unsigned first = all_equal ? 0xffffffffu : 1u << threadIdx.x % 32, value = first;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        value = lanes_with_same(value);
    if (threadIdx.x == 0)
        out[blockIdx.x] = value == first ? items : 0;
}

__global__ void syncwarp(unsigned *out, unsigned items)
{
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        __syncwarp();
    if (threadIdx.x == 0)
        out[blockIdx.x] = items;
}

__global__ void syncthreads(unsigned *out, unsigned items)
{
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = items;
}

/* Measures barriers of a cluster, at which all threads of its blocks arrive. */
__global__ void cluster_barriers(unsigned *out, unsigned items)
{
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        cluster_arrive();
        cluster_wait();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = items;
}

/* For clusters of two blocks. rank_here() returns the rank of this block, so that 1 - rank_here() is the rank
 * of the other block. address_at() returns the cluster-wide address of the variable at `p` in the block with
 * this rank. */
static __device__ __forceinline__ unsigned rank_here()
{
    return blockIdx.x % 2;
}
static __device__ __forceinline__ unsigned address_at(const void *p, unsigned rank)
{
    return shared_address_in(shared_address(p), rank);
}

static __device__ __forceinline__ void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

/* A pointer chase by each thread through the shared memory of the other block of its cluster. A word contains
 * the address of the next one. The threads of a warp read one word of each bank. */
__global__ void cluster_load(unsigned *out, unsigned items)
{
    unsigned *chain = dynamic_shared<unsigned>(), words = CLUSTER_CHAIN(blockDim.x), bytes = sizeof *chain,
             mine = address_at(chain, rank_here()), others = address_at(chain, 1 - rank_here()),
             at = others + threadIdx.x * bytes;
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        chain[i] = mine + (i + CLUSTER_NEXT) % words * bytes;
    cluster_sync();
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        at = load_in_cluster(at);
    cluster_sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = (at - others) / bytes;
}

/* Each thread stores its block's rank to the shared memory of the other block of the cluster. A warp stores
 * to 32 adjacent words, and then to the next 32 words. */
__global__ void cluster_store(unsigned *out, unsigned items)
{
    unsigned *words = dynamic_shared<unsigned>(), bytes = blockDim.x * (unsigned)sizeof *words,
             to = address_at(words, 1 - rank_here()), at = threadIdx.x * (unsigned)sizeof *words;
    words[threadIdx.x] = rank_here();
    cluster_sync();
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++, at = (at + 32 * (unsigned)sizeof *words) % bytes)
        store_word_in_cluster(to + at, rank_here());
    cluster_sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = items + (words[0] == rank_here());
}

/* Atomic additions to a word in the shared memory of the other block of its cluster. Each waits for the old
 * value of the preceding addition. */
__global__ void cluster_atomic(unsigned *out, unsigned items)
{
    __shared__ unsigned count;
    unsigned others = address_at(&count, 1 - rank_here()), old = 0;
    count = 0;
    cluster_sync();
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        old = add_in_cluster(others, 1 + (old >> 31));
    cluster_sync();
    out[blockIdx.x] = count;
}

/* Each of the two blocks of a cluster waits for a flag in its own shared memory, and then stores the flag of
 * the other block. */
__global__ void cluster_hop(unsigned *out, unsigned rounds)
{
    __shared__ volatile unsigned flag;
    unsigned rank = rank_here(), others = address_at((const void *)&flag, 1 - rank);
    flag = 0;
    cluster_sync();
    for (unsigned round = 1; round <= rounds; round++) {
        while (flag != (rank ? round : round - 1)) {
        }
        store_word_in_cluster(others, round);
    }
    cluster_sync();
    out[blockIdx.x] = flag;
}

__global__ void syncthreads_count(unsigned *out, unsigned items)
{
    unsigned all = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        all = (unsigned)count_threads(all != 77);
    if (threadIdx.x == 0)
        out[blockIdx.x] = items - blockDim.x + all;
}

/* Measures sleeps of 0 ns. */
__global__ void sleeps(unsigned *out, unsigned items)
{
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        sleep_for(0);
    out[blockIdx.x] = items;
}

/* Measures atomic additions, each of which waits for the old value of the preceding addition. */
template <bool of_system>
__global__ void atomic(unsigned *out, unsigned items, unsigned *word)
{
    unsigned old = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) { /* `one` is always 1, but the compiler does not know this */
        unsigned one = 1 + (old >> 31);
        old = of_system ? add_relaxed_system(word, one) : add_relaxed(word, one);
    }
    out[blockIdx.x] = items + (old >> 31);
}

/* Measures additions without a result: no thread waits for a value before the end. */
__global__ void reduction(unsigned *out, unsigned items, unsigned *word)
{
    for (unsigned i = 0; i < items; i++)
        atomicAdd(word, 1);
    __threadfence();
    out[blockIdx.x] = items;
}

/* Measures additions without a result by all threads of all blocks. `between_blocks` and `between_threads`
 * are the distances, in words, of the words to which blocks and threads add. */
__global__ void reductions(unsigned *out, unsigned items, unsigned *words, unsigned between_blocks,
                           unsigned between_threads)
{
    for (unsigned i = 0; i < items; i++)
        atomicAdd(&words[blockIdx.x * between_blocks + threadIdx.x * between_threads], 1);
    __threadfence();
    if (threadIdx.x == 0)
        out[blockIdx.x] = items;
}

/* Measures stores of whole lines of 128 bytes, which each warp executes one after another. */
__global__ void lines(unsigned *out, unsigned items, unsigned *words)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
    for (unsigned i = 0; i < items; i++)
        words[(warp + i * warps) % PEER_LINES * CHAIN_STRIDE + threadIdx.x % 32] = i;
    __threadfence_system();
    out[blockIdx.x] = items;
}

/* Measures atomics in shared memory: every thread of the block adds to the same word. */
__global__ void shared_atomic(unsigned *out, unsigned items)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    unsigned old = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        old = atomicAdd(&word, 1 + (old >> 31));
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = word / blockDim.x + (old >> 31);
}

enum lanes_kind { LANES_ADD, LANES_SWAP, LANES_COUNT, LANES_LOOP, LANES_LOOP_64 };

/*
 * Measures atomics by all lanes on the same word of shared memory. The compiler does not know that the word
 * is the same, because `stride`, the distance of the lanes' words, is a parameter (0). Otherwise it would let
 * one lane do the atomic for all. Additions without a result of the constant 1 are counted by the hardware at
 * once.
 */
template <lanes_kind kind>
static __device__ __forceinline__ void share_words(unsigned long long *wide, unsigned *out, unsigned items,
                                                   unsigned stride)
{
    unsigned lane = threadIdx.x % 32 * stride;
    unsigned *word = (unsigned *)&wide[lane], old = 0;
    if (threadIdx.x < 32)
        wide[threadIdx.x] = 0;
    __syncthreads();
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        if (kind == LANES_ADD)
            old = atomicAdd(word, 1 + (old >> 31));
        else if (kind == LANES_SWAP)
            old = atomicCAS(word, old, old >> 31);
        else if (kind == LANES_COUNT)
            atomicAdd(word, 1u);
        else if (kind == LANES_LOOP)
            add_one((float *)word);
        else
            atomicAdd(&wide[lane], 1ull);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = kind == LANES_SWAP   ? items + *word
                          : kind == LANES_LOOP ? (unsigned)*(float *)word / blockDim.x
                                               : *word / blockDim.x;
}
#define SHARED_LANES(name, kind)                                                                             \
    __global__ void name(unsigned *out, unsigned items, unsigned stride)                                     \
    {                                                                                                        \
        __shared__ unsigned long long wide[32];                                                              \
        share_words<kind>(wide, out, items, stride);                                                         \
    }
SHARED_LANES(shared_add, LANES_ADD)
SHARED_LANES(shared_swap, LANES_SWAP)
SHARED_LANES(shared_count, LANES_COUNT)
SHARED_LANES(shared_loop, LANES_LOOP)
SHARED_LANES(shared_loop_64, LANES_LOOP_64)

enum fence_kind {
    FENCE_BLOCK,
    FENCE_FULL,
    FENCE_RELEASE,
    FENCE_ACQUIRE,
    FENCE_FULL_SYSTEM,
    FENCE_RELEASE_SYSTEM,
    FENCE_ACQUIRE_SYSTEM
};

/* Measures a load of a word that no other thread changes, and a fence after it. */
__global__ void fence_after_load(unsigned *out, unsigned items, const unsigned *word)
{
    unsigned sum = 0;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        sum += load_relaxed(word + (1 + blockIdx.x) * CHAIN_STRIDE + (sum >> 31));
        __threadfence();
    }
    out[blockIdx.x] = items + sum;
}

/* Measures stores to `stores` lines of the block, and one fence after them. */
__global__ void fence_after_stores(unsigned *out, unsigned items, unsigned *words, unsigned stores)
{
    volatile unsigned *mine = words + (1 + (size_t)blockIdx.x * CHAIN) * CHAIN_STRIDE;
    for (unsigned i = 0; i < items; i++) {
        for (unsigned line = 0; line < stores; line++)
            mine[line * CHAIN_STRIDE] = i;
        __threadfence();
    }
    out[blockIdx.x] = items;
}

template <fence_kind kind, bool store_first>
__global__ void fence(unsigned *out, unsigned items, unsigned *word)
{
    volatile unsigned *mine = word + (1 + blockIdx.x) * CHAIN_STRIDE;
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++) {
        if (store_first)
            *mine = i;
        if (kind == FENCE_BLOCK)
            __threadfence_block();
        else if (kind == FENCE_FULL)
            __threadfence();
        else if (kind == FENCE_RELEASE)
            fence_release();
        else if (kind == FENCE_ACQUIRE)
            fence_acquire();
        else if (kind == FENCE_FULL_SYSTEM)
            __threadfence_system();
        else if (kind == FENCE_RELEASE_SYSTEM)
            fence_release_system();
        else
            fence_acquire_system();
    }
    out[blockIdx.x] = items;
}

/* Passes a token around the ring of blocks: block b waits for the token with this round's number and passes
 * it to block b + 1. */
__global__ void hop(unsigned *out, unsigned rounds, unsigned *flags)
{
    unsigned next = (blockIdx.x + 1) % gridDim.x;
    volatile unsigned *mine = flags + blockIdx.x * CHAIN_STRIDE;
    volatile unsigned *neighbour = flags + next * CHAIN_STRIDE;
    for (unsigned round = 1; round <= rounds; round++) {
        if (blockIdx.x != 0 || round > 1)
            while (*mine != (blockIdx.x ? round : round - 1)) {
            }
        *neighbour = round;
    }
    if (blockIdx.x == 0)
        while (*mine != rounds) {
        }
    out[blockIdx.x] = rounds;
}

/* A hop between two warps of a block, by words of its shared memory */
__global__ void shared_hop(unsigned *out, unsigned rounds)
{
    __shared__ volatile unsigned flags[2];
    if (threadIdx.x < 2)
        flags[threadIdx.x] = 0;
    __syncthreads();
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        for (unsigned round = 1; round <= rounds; round++) {
            while (flags[warp] != (warp ? round : round - 1)) {
            }
            flags[1 - warp] = round;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = flags[0];
}

/* Polls the word until it is not 0, at most `most` times, and returns the number of polls. */
static __device__ __forceinline__ unsigned looks_at(volatile unsigned *word, unsigned most)
{
    unsigned looks = 0;
    while (!*word && looks < most)
        looks++;
    return looks;
}

/* One thread of each block polls a word of its own; the other threads of its warp, if there are any, wait for
 * it. */
__global__ void poll(unsigned *out, unsigned items, unsigned *words)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = looks_at(words + blockIdx.x * CHAIN_STRIDE, items);
    __syncthreads();
}

/* The first `pollers` threads of a warp poll one word of shared memory. */
__global__ void shared_poll(unsigned *out, unsigned items, unsigned pollers)
{
    __shared__ volatile unsigned word;
    unsigned looks = 0;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    if (threadIdx.x < pollers)
        looks = looks_at(&word, items);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = looks;
}

/* One thread of each block reads a word of its own, which is 0, and counts this. With `loops`, it reads the
 * word by a polling loop, once more than `most` times. Then it meets the other threads of its warp, if there
 * are any. */
template <bool loops>
__global__ void look_at(unsigned *out, unsigned items, unsigned *words, unsigned most)
{
    volatile unsigned *word = words + (1 + blockIdx.x) * CHAIN_STRIDE;
    unsigned looks = 0;
    UNROLL(1)
    for (unsigned i = 0; i < items; i++) {
        if (threadIdx.x == 0)
            looks += loops ? 1 + looks_at(word, most) : !*word;
        __syncwarp();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = looks;
}

/* One thread of a warp polls a word of shared memory in a loop, once more than `most` times. Then it meets
 * the other threads of its warp, if there are any. */
__global__ void poll_and_meet(unsigned *out, unsigned items, unsigned most)
{
    __shared__ volatile unsigned word;
    unsigned looks = 0;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    UNROLL(1)
    for (unsigned i = 0; i < items; i++) {
        if (threadIdx.x == 0)
            looks += looks_at(&word, most);
        __syncwarp();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = items + looks;
}

/* A hop between two warps of a block, like shared_hop, with an mbarrier for each warp, at which the other
 * warp arrives. If `together` is true, all threads of a warp wait, otherwise one. */
__global__ void mbarrier_hop(unsigned *out, unsigned rounds, bool together)
{
    __shared__ mbarrier barriers[2];
    if (threadIdx.x < 2)
        mbarrier_init(&barriers[threadIdx.x], 1);
    __syncthreads();
    unsigned warp = threadIdx.x / 32, done = 0;
    if (together || threadIdx.x % 32 == 0)
        for (unsigned round = 0; round < rounds; round++, done++) {
            if (warp || round)
                mbarrier_wait(&barriers[warp], warp ? round & 1 : (round - 1) & 1);
            if (threadIdx.x % 32 == 0)
                mbarrier_arrive(&barriers[1 - warp]);
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = done;
}

/*
 * A hand-over between the two halves of a block: every warp of a half waits until all warps of the other half
 * have arrived. The halves meet at a counter in shared memory that every thread polls, at named barriers, or
 * at mbarriers.
 */
enum meeting { MEET_BY_POLLS, MEET_AT_NAMED_BARRIER, MEET_AT_MBARRIER };

template <meeting kind>
__global__ void half_hop(unsigned *out, unsigned rounds)
{
    __shared__ mbarrier barriers[2];
    __shared__ volatile unsigned counters[2];
    const unsigned half = threadIdx.x / (blockDim.x / 2), warps = blockDim.x / 64;
    if (threadIdx.x < 2) {
        counters[threadIdx.x] = 0;
        if (kind == MEET_AT_MBARRIER)
            mbarrier_init(&barriers[threadIdx.x], warps);
    }
    __syncthreads();
    for (unsigned round = 0; round < rounds; round++) {
        /* the second half has its turn after the first half, and the first half begins */
        const unsigned turns_before = half ? round + 1 : round;
        if (turns_before && kind == MEET_BY_POLLS)
            while (counters[half] < turns_before * warps) {
            }
        if (turns_before && kind == MEET_AT_NAMED_BARRIER)
            named_barrier_sync(1 + (int)half, (int)blockDim.x);
        if (turns_before && kind == MEET_AT_MBARRIER)
            mbarrier_wait(&barriers[half], (turns_before - 1) & 1);
        if (kind == MEET_AT_NAMED_BARRIER) {
            named_barrier_arrive(2 - (int)half, (int)blockDim.x);
            continue;
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0 && kind == MEET_BY_POLLS) {
            __threadfence_block();
            atomicAdd((unsigned *)&counters[1 - half], 1);
        }
        if (threadIdx.x % 32 == 0 && kind == MEET_AT_MBARRIER)
            mbarrier_arrive(&barriers[1 - half]);
    }
    if (half == 0 && kind == MEET_AT_NAMED_BARRIER)
        named_barrier_sync(1, (int)blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = rounds;
}

/* Measures tests of whether a phase of an mbarrier has completed; each thread has its own. If `completed` is
 * true, the phase has completed in every test; otherwise it has completed in none. */
__global__ void mbarrier_try(unsigned *out, unsigned items, bool completed)
{
    __shared__ mbarrier barriers[32];
    mbarrier *mine = &barriers[threadIdx.x];
    unsigned yes = 0;
    mbarrier_init(mine, 1);
    for (unsigned i = 0; i < items; i++)
        yes += mbarrier_try_wait(mine, completed);
    if (threadIdx.x == 0)
        out[blockIdx.x] = completed ? yes : items - yes;
    mbarrier_invalidate(mine);
}

/* Measures arrivals of each thread at its own mbarrier or, if `together`, of all threads at one. */
__global__ void mbarrier_arrivals(unsigned *out, unsigned items, bool together)
{
    __shared__ mbarrier barriers[32];
    mbarrier *mine = &barriers[together ? 0 : threadIdx.x];
    if (!together || threadIdx.x == 0)
        mbarrier_init(mine, together ? blockDim.x : 1);
    __syncthreads();
    UNROLL(TURNS)
    for (unsigned i = 0; i < items; i++)
        mbarrier_arrive(mine);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = items - 1 + mbarrier_try_wait(mine, (items + 1) & 1);
    __syncthreads();
    if (!together || threadIdx.x == 0)
        mbarrier_invalidate(mine);
}

__global__ void nothing(unsigned *out)
{
    if (!out)
        asm volatile("");
}

__global__ void nothing_dependent(unsigned *out)
{
    trigger_next_kernel();
    wait_for_kernel_before();
    if (!out)
        asm volatile("");
}

/* A kernel that runs so long that the next kernel is launched before it ends. */
__global__ void long_kernel(unsigned *out)
{
    for (long long begin = clock64(); clock64() - begin < LONG_KERNEL_CYCLES;) {
    }
    if (!out)
        asm volatile("");
}

#endif
