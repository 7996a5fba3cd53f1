/*
 * How do threads of one GPU deadlock? Each deadlock is next to its fix: the SIMD deadlock and the alias
 * deadlock of Li 2015, section 4.4, and a grid barrier with more blocks than can be resident. Another variant
 * shows how a warp takes 32 times as long if its threads wait for each other (section 4.4.1). Without
 * --variant only the fixes run. A hazard must be named; it ends by the machine's deadlock detection or, on a
 * GPU, by the watchdog (--timeout), with exit status 4. scripts/hazards shows all of them.
 *
 *     build/machine/micro-hazards --device gtx570 --variant simd-deadlock
 *     build/gpu/micro-hazards --variant grid-overfull --timeout 2
 */
#include "harness/check.h"
#include "harness/device.h"
#include "harness/experiment.h"
#include "harness/launch.cuh"
#include "harness/memory.h"
#include "sync/lock_based.cuh"
#include "sync/spin_lock.cuh"
#include "sync/tiny_lock.cuh"

#define WARP 32u
#define LOCK_BITS 1024u /* number of lock bits of a multiprocessor of Fermi */
#define HELD 400u       /* number of lock bits that each of two blocks of a multiprocessor holds at once */
/* number of rounds of a chain through a warp, enough for the chain to take longer than the launch */
#define ROUNDS 64u

/* The SIMD deadlock: every thread adds 1 to *count while it holds the block's only mutex. */
__global__ void simd_deadlock(unsigned *count)
{
    __shared__ unsigned mutex;
    if (threadIdx.x == 0)
        mutex = 0;
    __syncthreads();
    spin_lock(&mutex);
    *(volatile unsigned *)count = *(volatile unsigned *)count + 1;
    spin_unlock(&mutex);
}

__global__ void simd_fixed(unsigned *count)
{
    __shared__ unsigned mutex;
    if (threadIdx.x == 0)
        mutex = 0;
    __syncthreads();
    spin_critical_section(&mutex, [=] { *(volatile unsigned *)count = *(volatile unsigned *)count + 1; });
}

__global__ void meet_grid(gpusync_grid_barrier memory, unsigned *count)
{
    LockBased<LEADER_FENCES> barrier;
    barrier.begin(memory);
    barrier.sync();
    barrier.end();
    if (threadIdx.x == 0)
        atomicAdd(count, 1u);
}

#ifdef GPUSYNC_MACHINE

/* The SIMD deadlock, fixed as in Li 2015, Listing 8: like simd_fixed, with the lock bit of the count
 * itself. */
__global__ void tiny_simd_fixed(unsigned *count)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    tiny_critical_section(&word, [](unsigned value) { return value + 1; });
    __syncthreads();
    if (threadIdx.x == 0)
        *count = word;
}

/* A deadlock: the channel of Li 2015, Listing 6, between two threads of one warp. Where the warp reconverges,
 * the producer waits for the consumer, which waits for the producer. */
__global__ void tiny_channel(unsigned *count)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        tiny_lock(&word);
    __syncthreads();
    convergence_set();
    if (threadIdx.x == 1)
        *count = tiny_wait_lock(&word);
    convergence_wait();
    if (threadIdx.x == 0)
        tiny_unlock(&word, WARP);
}

/* The kernel tiny_channel, fixed as in Li 2015, Listing 8: a thread that holds the lock bit frees it before
 * the threads reconverge. */
__global__ void tiny_channel_fixed(unsigned *count)
{
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        tiny_lock(&word);
    __syncthreads();
    convergence_set();
    unsigned value = WARP;
    for (int held = threadIdx.x == 0, done = threadIdx.x > 1; !done;) {
        convergence_set();
        if (!held)
            value = machine_lock_load(&word, &held);
        done = held;
        if (held)
            tiny_unlock(&word, value);
        convergence_wait();
    }
    convergence_wait();
    if (threadIdx.x == 1)
        *count = value;
}

/*
 * Each thread of a warp locks a word by its lock bit, and stores the word's value plus one into the next
 * word. With `chained`, each thread has locked the next word beforehand, and unlocks it by this store, so
 * that the threads proceed one after another. Otherwise all threads proceed at once.
 */
__global__ void tiny_chain(unsigned *count, bool chained)
{
    __shared__ unsigned words[WARP + 1];
    unsigned *from = &words[threadIdx.x], value = 0;
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (chained)
            tiny_lock(from + 1);
        convergence_set();
        for (int held = 0; !held;) {
            convergence_set();
            value = machine_lock_load(from, &held);
            if (held) {
                tiny_unlock(from, value);
                tiny_unlock(from + 1, value + 1);
            }
            convergence_wait();
        }
        convergence_wait();
    }
    if (threadIdx.x == WARP - 1)
        *count = value + 1;
}

/* Each block holds the lock bits of its own words while the blocks synchronize: a deadlock if words of two
 * blocks on a multiprocessor share bits. */
__global__ void hold_and_meet(gpusync_grid_barrier memory, unsigned *count)
{
    unsigned *words = dynamic_shared<unsigned>();
    LockBased<LEADER_FENCES> barrier;
    barrier.begin(memory);
    for (unsigned i = threadIdx.x; i < HELD; i += blockDim.x)
        tiny_wait_lock(&words[i]);
    barrier.sync();
    for (unsigned i = threadIdx.x; i < HELD; i += blockDim.x)
        tiny_unlock(&words[i], 0);
    if (threadIdx.x == 0)
        atomicAdd(count, 1u);
    barrier.end();
}

/* One thread takes the lock bits of two words that are `distance` words apart: a deadlock if the words share
 * a bit. */
__global__ void take_two(unsigned *count, unsigned distance)
{
    unsigned *words = dynamic_shared<unsigned>();
    tiny_wait_lock(&words[0]);
    tiny_wait_lock(&words[distance]);
    tiny_unlock(&words[distance], 0);
    tiny_unlock(&words[0], 0);
    *count = 1;
}

/* The block takes the lock bits of `locks` words before its warps synchronize, as the producers of a chain do
 * at the start. Each thread takes its share. */
__global__ void take_many(unsigned *count, unsigned locks)
{
    unsigned *words = dynamic_shared<unsigned>();
    for (unsigned i = threadIdx.x; i < locks; i += blockDim.x)
        tiny_wait_lock(&words[i]);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < locks; i += blockDim.x)
        tiny_unlock(&words[i], i);
    atomicAdd(count, 1u);
}

#endif

enum hazard {
    SIMD_DEADLOCK,
    SIMD_FIXED,
    TINY_SIMD_FIXED,
    CHANNEL,
    CHANNEL_FIXED,
    CHAIN,
    CHAIN_FIXED,
    ALIAS_DEADLOCK,
    ALIAS_FIXED,
    ALIAS_MANY,
    ALIAS_MANY_FIXED,
    ALIAS_BLOCKS,
    ALIAS_BLOCKS_FIXED,
    GRID_OVERFULL,
    GRID_FIXED
};

#define NEEDS_LOCK_BITS "lock bits in shared memory: Fermi, on the memory machine"

static const struct variant hazards[] = {
    VARIANT(SIMD_DEADLOCK, "simd-deadlock", "32 threads of a warp want one spin lock (Li 2015, Listing 2)",
            .ordered = true, .capability = 12),
    VARIANT(SIMD_FIXED, "simd-fixed", "simd-deadlock with the unlock inside the loop (Listing 7)",
            .ordered = true, .capability = 12),
    VARIANT(TINY_SIMD_FIXED, "tiny-simd-fixed", "simd-fixed by a lock bit (Listing 8)", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(CHANNEL, "simd-channel", "a thread waits for another thread of its warp (Listing 6)",
            .ordered = true, .special = NEEDS_LOCK_BITS),
    VARIANT(CHANNEL_FIXED, "simd-channel-fixed", "simd-channel, fixed as in Listing 8", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(CHAIN, "simd-chain",
            "each thread of a warp waits for the one before: 32 times slower, no deadlock", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(CHAIN_FIXED, "simd-chain-fixed", "simd-chain without waiting", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_DEADLOCK, "alias-deadlock", "a thread takes the lock bits of [M] and [M + 1024]",
            .ordered = true, .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_FIXED, "alias-fixed", "a thread takes the lock bits of [M] and [M + 1023]", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_MANY, "alias-many", "a block takes 1,025 locks before its __syncthreads", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_MANY_FIXED, "alias-many-fixed", "a block takes 1,024 locks before its __syncthreads",
            .ordered = true, .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_BLOCKS, "alias-blocks",
            "two blocks of a multiprocessor, 24 KB apart, hold 400 locks each at a barrier", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(ALIAS_BLOCKS_FIXED, "alias-blocks-fixed", "alias-blocks, 22 KB apart", .ordered = true,
            .special = NEEDS_LOCK_BITS),
    VARIANT(GRID_OVERFULL, "grid-overfull", "a grid barrier with one block more than can be resident",
            .ordered = true),
    VARIANT(GRID_FIXED, "grid-fixed", "a grid barrier with as many blocks as can be resident",
            .ordered = true),
};

static struct {
    unsigned *count;
    gpusync_grid_barrier memory;
} bench;

static bool can_do(const struct variant *v)
{
    return !v->special || device_has_lock_bits();
}

static void shape(struct point *p, int sm_count)
{
    unsigned resident = (unsigned)(sm_count * resident_blocks_per_sm(meet_grid, WARP, 0));
    int id = p->variant->id;
    p->threads = id == ALIAS_MANY || id == ALIAS_MANY_FIXED  ? 2 * WARP
                 : id == ALIAS_DEADLOCK || id == ALIAS_FIXED ? 1
                                                             : WARP;
    p->blocks = id == GRID_OVERFULL                              ? resident + 1
                : id == GRID_FIXED                               ? resident
                : id == ALIAS_BLOCKS || id == ALIAS_BLOCKS_FIXED ? 2 * (unsigned)sm_count
                                                                 : 1;
}

static void prepare(const struct point *p)
{
    CHECK(gpusync_grid_barrier_create(&bench.memory, p->blocks));
    allocate_on_device(bench.count, sizeof *bench.count);
}

static void release(void)
{
    CHECK(gpusync_grid_barrier_destroy(&bench.memory));
    CHECK(cudaFree(bench.count));
}

static void run(const struct point *p)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, false};
    cudaStream_t stream = harness_stream();
    CHECK(cudaMemsetAsync(bench.count, 0, sizeof *bench.count, stream));
    switch (p->variant->id) {
    case SIMD_DEADLOCK:
        return CHECK(launch(simd_deadlock, shape, stream, bench.count));
    case SIMD_FIXED:
        return CHECK(launch(simd_fixed, shape, stream, bench.count));
#ifdef GPUSYNC_MACHINE
    case TINY_SIMD_FIXED:
        return CHECK(launch(tiny_simd_fixed, shape, stream, bench.count));
    case CHANNEL:
        return CHECK(launch(tiny_channel, shape, stream, bench.count));
    case CHANNEL_FIXED:
        return CHECK(launch(tiny_channel_fixed, shape, stream, bench.count));
    case CHAIN:
    case CHAIN_FIXED:
        return CHECK(launch(tiny_chain, shape, stream, bench.count, p->variant->id == CHAIN));
    case ALIAS_BLOCKS:
    /* a multiprocessor has 48 KB for the two blocks; at a distance of 22 KB their lock bits are 512 bits
     * apart */
    case ALIAS_BLOCKS_FIXED:
        shape.shared_bytes = (p->variant->id == ALIAS_BLOCKS ? 24u : 22u) << 10;
        return CHECK(launch(hold_and_meet, shape, stream, bench.memory, bench.count));
    case ALIAS_DEADLOCK:
    case ALIAS_FIXED:
        shape.shared_bytes = 2 * LOCK_BITS * sizeof(unsigned);
        return CHECK(launch(take_two, shape, stream, bench.count,
                            p->variant->id == ALIAS_FIXED ? LOCK_BITS - 1 : LOCK_BITS));
    case ALIAS_MANY:
    case ALIAS_MANY_FIXED:
        shape.shared_bytes = 2 * LOCK_BITS * sizeof(unsigned);
        return CHECK(launch(take_many, shape, stream, bench.count,
                            p->variant->id == ALIAS_MANY ? LOCK_BITS + 1 : LOCK_BITS));
#endif
    default:
        return CHECK(launch(meet_grid, shape, stream, bench.memory, bench.count));
    }
}

/* Checks that every thread, or every block that passed the barrier, has added 1 to the count. */
static struct verdict check(const struct point *p)
{
    unsigned count, expected = p->blocks > 1 ? p->blocks : p->threads;
    CHECK(cudaMemcpy(&count, bench.count, sizeof count, cudaMemcpyDeviceToHost));
    return {count == expected, count != expected, 1};
}

static double operations(const struct point *)
{
    return 1;
}

int main(int argc, char **argv)
{
    struct experiment e = {
        .name = "micro-hazards",
        .question = "how do threads of one GPU deadlock?",
        .variants = hazards,
        .variant_count = sizeof hazards / sizeof *hazards,
        .default_variants =
            "simd-fixed,tiny-simd-fixed,simd-channel-fixed,simd-chain,simd-chain-fixed,alias-fixed,"
            "alias-many-fixed,alias-blocks-fixed,grid-fixed",
        .can_do = can_do,
        .size_means = "of no meaning here",
        .gpu_sizes = "1",
        .machine_sizes = "1",
        .gpu_runs = 1,
        .launches = {.shape = shape},
    };
    return run_experiment(argc, argv, e);
}
