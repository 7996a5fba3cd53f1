/*
 * A warp's ring in shared memory, through which what it multiplies comes: weights depend on nothing, so they are
 * under way long before the numbers that they are multiplied by, across the bounds of steps, layers and
 * tokens. Each warp fills its own ring: when it has read a slot, it asks for the item that goes there next,
 * and no warp waits for another. (A warp that filled the rings of all others would have to be told by each of
 * them.) Since compute capability 9.0 items come by bulk copies, which an mbarrier counts; before it, by
 * ordinary loads of the warp, which waits for them.
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

struct Ring {
    uint4 *slots;
    mbarrier *full;      /* one of each slot */
    unsigned count;      /* of slots */
    unsigned fill, use;  /* slots */
    unsigned phase;      /* of the slot to be used */
    unsigned steps_left; /* to be filled from, behind the cursor's */
    Cursor filling;
    const uint4 *weights;

    static const unsigned SLOT_VECTORS = ITEM_BYTES / 16;

    __device__ void begin(const schedule &s, const uint4 *all_weights, unsigned step, unsigned steps,
                          uint4 *all_slots, mbarrier *all_full, unsigned slots_of_warp)
    {
        unsigned warp = thread_in_block() / 32;
        count = slots_of_warp;
        slots = all_slots + warp * count * SLOT_VECTORS;
        full = all_full + warp * count;
        fill = use = phase = 0;
        weights = all_weights;
        steps_left = steps - 1;
        if (RING_OF_COPIES && thread_in_block() % 32 == 0) {
            for (unsigned i = 0; i < count; i++)
                mbarrier_init(&full[i], 1);
            fence_proxy_async_shared();
        }
        __syncwarp();
        filling.begin(s, step);
        filling.enter(s, weights);
        for (unsigned i = 0; i < count; i++)
            fill_next(s);
    }

    /* Into the slot that was read the longest ago, the warp's next item. Called by the whole warp. */
    __device__ void fill_next(const schedule &s)
    {
        while (filling.next >= filling.items) {
            if (steps_left == 0)
                return;
            steps_left--;
            filling.leave(s);
            filling.enter(s, weights);
        }
        unsigned vectors = s.shapes[filling.kind].item_vectors;
        const uint4 *item = filling.from + filling.next * vectors;
        uint4 *slot = slots + fill * SLOT_VECTORS;
#if RING_OF_COPIES
        if (thread_in_block() % 32 == 0) {
            unsigned barrier = shared_address(&full[fill]);
            fence_proxy_async_shared(); /* the lanes have read what the copy overwrites */
            mbarrier_arrive_expecting(barrier, vectors * (unsigned)sizeof(uint4));
            bulk_load(shared_address(slot), item, vectors * (unsigned)sizeof(uint4), barrier);
        }
#else
        for (unsigned i = thread_in_block() % 32; i < vectors; i += 32)
            slot[i] = item[i];
#endif
        filling.next += WORKERS;
        fill = fill + 1 == count ? 0 : fill + 1;
    }

    /* Waits for the warp's next item; a lane's vectors of it are every 32nd from here on. */
    __device__ const uint4 *await()
    {
#if RING_OF_COPIES
        if (thread_in_block() % 32 == 0) /* and the others learn of it */
            mbarrier_wait(&full[use], phase);
        __syncwarp();
#endif
        return slots + use * SLOT_VECTORS + thread_in_block() % 32;
    }
    /* Called by the whole warp: it has read them. */
    __device__ void release(const schedule &s)
    {
        __syncwarp();
        fill_next(s);
        if (++use == count) {
            use = 0;
            phase ^= 1;
        }
    }
};

#endif
