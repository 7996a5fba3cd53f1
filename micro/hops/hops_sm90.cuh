/*
 * Hops by features that GPUs have since compute capability 9.0, with the interface of micro/hops/hops.cuh:
 * bulk copies (TMA) from and to shared memory, and blocks of one cluster, which write to each other's shared
 * memory (PTX ISA, "Asynchronous copy operations", "Cluster barriers").
 */
#ifndef MICRO_HOPS_SM90_CUH
#define MICRO_HOPS_SM90_CUH

#include "harness/async.cuh"
#include "micro/hops/hops.cuh"

/* The number of bytes before the data in a block's shared memory, which begins with an mbarrier */
static const unsigned BEFORE_LETTER = 16;
static __device__ __forceinline__ uint4 *letter_in_shared()
{
    return (uint4 *)(dynamic_shared<unsigned char>() + BEFORE_LETTER);
}
static __device__ __forceinline__ mbarrier *barrier_in_shared()
{
    return dynamic_shared<mbarrier>();
}
static inline size_t shared_bytes_of_letters(const Mail &m)
{
    return BEFORE_LETTER + sizeof(uint4) * (m.vectors > m.in_vectors ? m.vectors : m.in_vectors);
}

static __device__ __forceinline__ unsigned bytes_of(const Letter &letter)
{
    return (letter.end - letter.first) * (unsigned)sizeof(uint4);
}

/* Compares the received data, which are in this block's shared memory, with the round's data. */
static __device__ __forceinline__ void compare_in_shared(const Letter &letter, unsigned round,
                                                         Findings &found)
{
    const uint4 *vectors = letter_in_shared();
    for (unsigned at = first_vector_read(letter); at < letter.end; at += threads_in_block())
        found.note(differ(vectors[at - letter.first], vector_of(round, at)));
}

/* ---- Bulk copies ---- */

/* What a block waits for after a bulk store: UNTIL_READ means until its shared memory may be reused,
 * UNTIL_WRITTEN until the stored data are written */
enum wait_until { UNTIL_READ, UNTIL_WRITTEN };

template <wait_until until>
static __device__ __forceinline__ void store_letter(const Letter &letter)
{
    bulk_store(letter.data + letter.first, shared_address(letter_in_shared()), bytes_of(letter));
    if (until == UNTIL_READ)
        bulk_wait_read();
    else
        bulk_wait();
}

/* Loads the received data into shared memory. One thread calls this function; the mbarrier completes a phase
 * when all bytes have arrived. */
static __device__ __forceinline__ void load_letter(const Letter &letter)
{
    unsigned barrier = shared_address(barrier_in_shared());
    mbarrier_arrive_expecting(barrier, bytes_of(letter));
    bulk_load(shared_address(letter_in_shared()), letter.data + letter.first, bytes_of(letter), barrier);
}

/* A hop whose data are sent by a bulk store, and read by ordinary loads or by a bulk load */
template <class Release, class Poll, wait_until until, bool reads_by_copy, bool fences_proxy>
struct BulkHop {
    static const bool IN_CLUSTER = false;
    static size_t bytes(const Mail &m) { return shared_bytes_of_letters(m); }
    __device__ void begin(const Mail &)
    {
        if (is_block_leader())
            mbarrier_init(barrier_in_shared(), 1);
        fence_proxy_async();
        __syncthreads();
    }
    __device__ void end(const Mail &) {}

    __device__ void send(const Mail &m, unsigned round)
    {
        Letter letter = letter_to_send(m);
        for_vectors_written(
            letter, [&](unsigned at) { letter_in_shared()[at - letter.first] = vector_of(round, at); });
        fence_proxy_async();
        __syncthreads();
        if (is_block_leader()) {
            store_letter<until>(letter);
            Release::signal(is_hub() ? m.sent : m.answered, round);
        }
    }
    __device__ void receive(const Mail &m, unsigned round, Findings &found)
    {
        Letter letter = letter_to_read(m);
        if (is_block_leader()) {
            if (is_hub())
                Poll::until(m.answered, round * partners());
            else
                Poll::until(m.sent, round);
            if (fences_proxy)
                fence_proxy_async();
            if (reads_by_copy)
                load_letter(letter);
        }
        if (reads_by_copy) {
            mbarrier_wait(barrier_in_shared(), (round - 1) & 1);
            compare_in_shared(letter, round, found);
        }
        __syncthreads();
        if (!reads_by_copy)
            read_letter<PLAIN>(letter, round, found);
    }
};

/* ---- Hops between two blocks of one cluster ---- */

/* Returns the address in the cluster's other block that corresponds to `p` in this block. */
static __device__ __forceinline__ unsigned address_in_other(const void *p)
{
    return shared_address_in(shared_address(p), is_hub() ? 1 : 0);
}

/* A hop as between any two blocks, executed between two blocks of one cluster */
template <class Hop>
struct InCluster : Hop {
    static const bool IN_CLUSTER = true;
};

/* A hop that stores its data into the other block's shared memory. Arrival says how the receiver learns that
 * they have arrived. */
template <class Arrival>
struct ClusterHop {
    static const bool IN_CLUSTER = true;
    static size_t bytes(const Mail &m) { return shared_bytes_of_letters(m); }
    /* Prepares the hop and synchronizes both blocks, as end() does: no block may write to a block that has
     * not begun or has ended. */
    __device__ void begin(const Mail &)
    {
        if (is_block_leader())
            mbarrier_init(barrier_in_shared(), 1);
        __syncthreads();
        cluster_arrive();
        cluster_wait();
    }
    __device__ void end(const Mail &)
    {
        cluster_arrive();
        cluster_wait();
    }
    __device__ void send(const Mail &m, unsigned round)
    {
        Letter letter = letter_to_send(m);
        unsigned place = address_in_other(letter_in_shared());
        unsigned barrier = address_in_other(barrier_in_shared());
        for_vectors_written(letter, [&](unsigned at) {
            Arrival::put(place + at * (unsigned)sizeof(uint4), vector_of(round, at), barrier);
        });
        Arrival::sent(barrier);
    }
    __device__ void receive(const Mail &m, unsigned round, Findings &found)
    {
        Letter letter = letter_to_read(m);
        Arrival::wait(letter, round);
        compare_in_shared(letter, round, found);
        __syncthreads();
    }
};

/* Waits until the phase of this block's mbarrier is complete. The thread then sees everything that the other
 * block did before its arrival. */
static __device__ __forceinline__ void wait_for_cluster(unsigned parity)
{
    while (!mbarrier_try_wait_in_cluster(shared_address(barrier_in_shared()), parity)) {
    }
}

/* Arrival by the cluster's barrier: both blocks synchronize after each transfer. */
struct ByClusterBarrier {
    static __device__ void put(unsigned place, uint4 vector, unsigned) { store_in_cluster(place, vector); }
    static __device__ void sent(unsigned)
    {
        cluster_arrive();
        cluster_wait();
    }
    static __device__ void wait(const Letter &, unsigned)
    {
        cluster_arrive();
        cluster_wait();
    }
};

/* Arrival by an mbarrier: one thread arrives at the other block's mbarrier, after a __syncthreads. */
struct ByRemoteArrival {
    static __device__ void put(unsigned place, uint4 vector, unsigned) { store_in_cluster(place, vector); }
    static __device__ void sent(unsigned barrier)
    {
        __syncthreads();
        if (is_block_leader())
            mbarrier_arrive_in_cluster(barrier);
    }
    static __device__ void wait(const Letter &, unsigned round) { wait_for_cluster((round - 1) & 1); }
};

/* Arrival by asynchronous stores, whose bytes the other block's mbarrier counts */
struct ByAsyncStores {
    static __device__ void put(unsigned place, uint4 vector, unsigned barrier)
    {
        store_async_in_cluster(place, vector, barrier);
    }
    static __device__ void sent(unsigned) {}
    static __device__ void wait(const Letter &letter, unsigned round)
    {
        if (is_block_leader())
            mbarrier_arrive_expecting(shared_address(barrier_in_shared()), bytes_of(letter));
        wait_for_cluster((round - 1) & 1);
    }
};

#endif
