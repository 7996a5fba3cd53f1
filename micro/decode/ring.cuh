/*
 * A block's ring in shared memory, through which what it multiplies comes: weights depend on nothing, so they are
 * under way long before the numbers that they are multiplied by, across the bounds of steps, layers and
 * tokens. A warp that does nothing else asks for the items, a thread for each of the other warps, by bulk copies, which
 * an mbarrier of each slot counts; a second one says that the slot has been read. Only so many copies are under way
 * at once as the memory needs to be busy (--ahead). Before compute capability 9.0 there are no such copies, and no
 * ring: a warp loads its item when it needs it.
 */
#ifndef MICRO_DECODE_RING_CUH
#define MICRO_DECODE_RING_CUH

#include "harness/async.cuh"
#include "micro/decode/schedule.cuh"

#if defined(GPUSYNC_MACHINE) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RING_OF_COPIES 1
#else
#define RING_OF_COPIES 0
#endif

#define SLOT_VECTORS (ITEM_BYTES / 16)

/* Where the ring lies. A warp's slots are side by side: its items go round in them. */
struct ring_memory {
    uint4 *slots;
    mbarrier *full, *empty; /* of each slot */
    unsigned slots_of_warp;

    __device__ void begin() const
    {
        for (unsigned i = 0; i < WORKERS * slots_of_warp; i++) {
            mbarrier_init(&full[i], 1);
            mbarrier_init(&empty[i], 1);
        }
        fence_proxy_async_shared();
    }
};

/* The place of a warp's item. */
struct ring_place {
    unsigned worker, slot, phase;

    __device__ unsigned index(const ring_memory &m) const { return worker * m.slots_of_warp + slot; }
    __device__ void go_on(const ring_memory &m)
    {
        if (++slot < m.slots_of_warp)
            return;
        slot = 0;
        phase ^= 1;
    }
};

/* A thread for each worker's warp: all of them in one warp. */
struct Filler {
    ring_memory memory;
    ring_place next, arriving; /* the place to be filled; of the oldest copy that may still be under way */
    unsigned filled, ahead;    /* items; that may be under way */

    __device__ void run(const schedule &s, const uint4 *weights, unsigned step, unsigned steps)
    {
        Cursor c;
        c.begin(s, step, next.worker);
        for (unsigned i = 0; i < steps; i++) {
            c.enter(s, weights);
            unsigned vectors = s.shapes[c.kind].item_vectors;
            for (; c.next < c.items; c.next += WORKERS)
                fill(c.from + c.next * vectors, vectors * (unsigned)sizeof(uint4));
            c.leave(s);
        }
    }

    __device__ void fill(const uint4 *item, unsigned bytes)
    {
        unsigned at = next.index(memory);
        if (filled >= ahead) {
            mbarrier_wait(&memory.full[arriving.index(memory)], arriving.phase);
            arriving.go_on(memory);
        }
        if (filled >= memory.slots_of_warp)
            mbarrier_wait(&memory.empty[at], next.phase ^ 1);
        fence_proxy_async_shared(); /* the lanes have read what the copy overwrites */
        unsigned barrier = shared_address(&memory.full[at]);
        mbarrier_arrive_expecting(barrier, bytes);
        bulk_load(shared_address(memory.slots + at * SLOT_VECTORS), item, bytes, barrier);
        next.go_on(memory);
        filled++;
    }
};

/* What a warp sees of it. */
struct Ring {
    ring_memory memory;
    ring_place place;

    __device__ void begin(const ring_memory &all)
    {
        memory = all;
        place = {thread_in_block() / 32, 0, 0};
    }

    /* The warp's next item, which lies in global memory there; a lane's vectors of it are every 32nd from here on. */
    __device__ const uint4 *await(const uint4 *item)
    {
        unsigned lane = thread_in_block() % 32;
#if RING_OF_COPIES
        unsigned at = place.index(memory);
        if (lane == 0) /* and the others learn of it */
            mbarrier_wait(&memory.full[at], place.phase);
        __syncwarp();
        item = memory.slots + at * SLOT_VECTORS;
#endif
        return item + lane;
    }
    /* Called by the whole warp: it has read it. */
    __device__ void release()
    {
#if RING_OF_COPIES
        __syncwarp();
        if (thread_in_block() % 32 == 0)
            mbarrier_arrive(&memory.empty[place.index(memory)]);
        place.go_on(memory);
#endif
    }
};

#endif
