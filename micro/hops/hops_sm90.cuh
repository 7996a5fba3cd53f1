/*
 * Hops by features that GPUs have since compute capability 9.0, with the interface of micro/hops/hops.cuh:
 * bulk copies (TMA) from and to shared memory, and blocks of one cluster, which write to each other's shared
 * memory (PTX ISA, "Asynchronous copy operations", "Cluster barriers").
 */
#ifndef MICRO_HOPS_SM90_CUH
#define MICRO_HOPS_SM90_CUH

#include "harness/mbarrier.cuh"
#include "micro/hops/hops.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SM90(...) __VA_ARGS__
#else
#define SM90(...)
#endif

/* Shared memory of a block: an mbarrier, followed by a letter. */
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
    return BEFORE_LETTER + sizeof(uint4) * (m.pieces > m.in_pieces ? m.pieces : m.in_pieces);
}

static __device__ __forceinline__ unsigned address_in_shared(const void *p)
{
    SM90(return (unsigned)__cvta_generic_to_shared(p);)
    return p != nullptr;
}

/* Compares the letter's pieces, which are in shared memory from the first one on. */
static __device__ __forceinline__ void compare_in_shared(const Letter &letter, unsigned round,
                                                         Findings &found)
{
    const uint4 *pieces = letter_in_shared();
    for (unsigned at = first_piece_read(letter); at < letter.end; at += threads_in_block())
        found.note(differ(pieces[at - letter.first], piece_of(round, at)));
}

/* Arrives at this block's mbarrier, which also waits for this number of bytes. */
static __device__ __forceinline__ void expect_bytes(unsigned bytes)
{
    unsigned barrier = address_in_shared(barrier_in_shared());
    SM90(asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                      :
                      : "r"(barrier), "r"(bytes)
                      : "memory");)
    (void)barrier, (void)bytes;
}

/* ---- bulk copies ---- */

/* What the program waits for after a bulk store: until shared memory may be reused, or until
 * the data are written. */
enum bulk_wait { UNTIL_READ, UNTIL_WRITTEN };

/* A fence between threads' writes and the copy engine's reads, and the other way round. */
static __device__ __forceinline__ void proxy_fence()
{
    SM90(asm volatile("fence.proxy.async;" ::: "memory");)
}

template <bulk_wait until>
static __device__ __forceinline__ void store_letter(const Letter &letter)
{
    unsigned from = address_in_shared(letter_in_shared());
    unsigned bytes = (letter.end - letter.first) * (unsigned)sizeof(uint4);
    SM90(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                      "cp.async.bulk.commit_group;"
                      :
                      : "l"(letter.data + letter.first), "r"(from), "r"(bytes)
                      : "memory");
         if (until == UNTIL_READ) asm volatile("cp.async.bulk.wait_group.read 0;" ::
                                                   : "memory");
         else asm volatile("cp.async.bulk.wait_group 0;" ::
                               : "memory");)
    (void)from, (void)bytes;
}

/* Called by one thread; the mbarrier completes a phase when all bytes have arrived. */
static __device__ __forceinline__ void load_letter(const Letter &letter)
{
    unsigned to = address_in_shared(letter_in_shared()), barrier = address_in_shared(barrier_in_shared());
    unsigned bytes = (letter.end - letter.first) * (unsigned)sizeof(uint4);
    expect_bytes(bytes);
    SM90(
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :
                     : "r"(to), "l"(letter.data + letter.first), "r"(bytes), "r"(barrier)
                     : "memory");)
    (void)to, (void)barrier;
}

/* The letter leaves by a bulk store, and is read by ordinary loads, or by a bulk load. */
template <class Release, class Poll, bulk_wait until, bool reads_by_copy, bool fences_proxy>
struct BulkHop {
    static const bool IN_CLUSTER = false;
    static size_t bytes(const Mail &m) { return shared_bytes_of_letters(m); }
    __device__ void begin(const Mail &)
    {
        if (is_block_leader())
            mbarrier_init(barrier_in_shared(), 1);
        proxy_fence();
        __syncthreads();
    }
    __device__ void end(const Mail &) {}

    __device__ void send(const Mail &m, unsigned round)
    {
        Letter letter = letter_to_send(m);
        for_pieces_written(letter,
                           [&](unsigned at) { letter_in_shared()[at - letter.first] = piece_of(round, at); });
        proxy_fence();
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
                proxy_fence();
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

/* ---- two blocks of one cluster ---- */

static __device__ __forceinline__ void cluster_arrive()
{
    SM90(asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");)
}
static __device__ __forceinline__ void cluster_wait()
{
    SM90(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");)
}

/* The address in the other block that corresponds to this address here. */
static __device__ __forceinline__ unsigned address_in_other(const void *p)
{
    unsigned address = address_in_shared(p), other = is_hub() ? 1 : 0;
    SM90(asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(other));)
    (void)other;
    return address;
}

/* Another hop, between blocks of one cluster. */
template <class Hop>
struct InCluster : Hop {
    static const bool IN_CLUSTER = true;
};

/* Data go to the other block's shared memory. Arrival says how the receiver learns that they have arrived. */
template <class Arrival>
struct ClusterHop {
    static const bool IN_CLUSTER = true;
    static size_t bytes(const Mail &m) { return shared_bytes_of_letters(m); }
    /* No block may write to a block that has not begun, or has ended. */
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
        for_pieces_written(letter, [&](unsigned at) {
            Arrival::put(place + at * (unsigned)sizeof(uint4), piece_of(round, at), barrier);
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

static __device__ __forceinline__ void store_in_other(unsigned place, uint4 piece)
{
    SM90(asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};"
                      :
                      : "r"(place), "r"(piece.x), "r"(piece.y), "r"(piece.z), "r"(piece.w)
                      : "memory");)
    (void)place, (void)piece;
}

static __device__ __forceinline__ void arrive_in_other(unsigned barrier)
{
    SM90(asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                      :
                      : "r"(barrier)
                      : "memory");)
    (void)barrier;
}

/* Waits until the phase is complete, with all that the other block did before. */
static __device__ __forceinline__ void wait_for_cluster(unsigned parity)
{
    unsigned done = 1, barrier = address_in_shared(barrier_in_shared());
    do {
        SM90(asm volatile("{ .reg .pred p;\n"
                          "  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                          "  selp.u32 %0, 1, 0, p; }"
                          : "=r"(done)
                          : "r"(barrier), "r"(parity)
                          : "memory");)
    } while (!done);
    (void)barrier, (void)parity;
}

/* Both blocks synchronize after each letter. */
struct ByClusterBarrier {
    static __device__ void put(unsigned place, uint4 piece, unsigned) { store_in_other(place, piece); }
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

/* One arrival at the other block's mbarrier, after a __syncthreads. */
struct ByRemoteArrival {
    static __device__ void put(unsigned place, uint4 piece, unsigned) { store_in_other(place, piece); }
    static __device__ void sent(unsigned barrier)
    {
        __syncthreads();
        if (is_block_leader())
            arrive_in_other(barrier);
    }
    static __device__ void wait(const Letter &, unsigned round) { wait_for_cluster((round - 1) & 1); }
};

/* Stores that count their bytes at the other block's mbarrier. */
struct ByAsyncStores {
    static __device__ void put(unsigned place, uint4 piece, unsigned barrier)
    {
        SM90(asm volatile(
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, "
                 "%4}, [%5];"
                 :
                 : "r"(place), "r"(piece.x), "r"(piece.y), "r"(piece.z), "r"(piece.w), "r"(barrier)
                 : "memory");)
        (void)place, (void)piece, (void)barrier;
    }
    static __device__ void sent(unsigned) {}
    static __device__ void wait(const Letter &letter, unsigned round)
    {
        if (is_block_leader())
            expect_bytes((letter.end - letter.first) * (unsigned)sizeof(uint4));
        wait_for_cluster((round - 1) & 1);
    }
};

#endif
