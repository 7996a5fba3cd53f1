/*
 * A block's ring in shared memory, through which what it multiplies comes: weights depend on nothing, so they are
 * under way long before the numbers that they are multiplied by, across the bounds of steps, layers and
 * tokens. Each warp that multiplies has slots of its own. Four further warps do nothing but ask for the items, one thread
 * each, by bulk copies, which an mbarrier of each slot counts; a second one says that the slot has been read.
 * Only so many copies are under way at once as the memory needs to be busy (--ahead): what is more than that stands in
 * line, and whatever blocks ask of each other stands in line behind it. The more of its slots are filled, the fewer
 * a block has under way: who is ahead leaves the memory to who is behind, and while all wait for results, and rings
 * are full, the results come sooner (docs/dependencies.md). Before compute capability 9.0 there are no such copies, and
 * no ring: a warp loads its items itself.
 */
#ifndef MICRO_DECODE_RING_CUH
#define MICRO_DECODE_RING_CUH

#include "harness/async.cuh"
#include "harness/warp.cuh"
#include "micro/decode/schedule.cuh"

#if defined(GPUSYNC_MACHINE) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define RING_OF_COPIES 1
#else
#define RING_OF_COPIES 0
#endif

#define SLOT_VECTORS (ITEM_BYTES / 16)
#define VECTORS_OF_LANE (SLOT_VECTORS / 32)
#define FILLERS 4 /* warps, each for WORKERS / FILLERS of the workers */
#define MOST_AHEAD 32

/* Where a warp's items go: a slot, counted over all warps, and whether it is used for an even or an odd time. */
struct ring_place {
    unsigned slot, phase;
};

/* How many copies a filler may have under way: most - fewer * (items that are filled and not released), but one in any
 * case. */
struct copies_ahead {
    unsigned most;
    float fewer;
};

/* Where the ring lies. A warp's slots are side by side: its items go round in them. */
struct ring_memory {
    uint4 *slots;
    mbarrier *full, *empty; /* of each slot */
    ring_place *under_way;  /* the last MOST_AHEAD copies of each filler */
    unsigned *phases;       /* of each slot's last copy */
    unsigned *released;     /* how many items each worker has released */
    unsigned slots_of_warp;

    /* By all threads of a block. */
    __device__ void begin() const
    {
        for (unsigned i = thread_in_block(); i < WORKERS * slots_of_warp; i += threads_in_block()) {
            mbarrier_init(&full[i], 1);
            mbarrier_init(&empty[i], 1);
        }
        if (thread_in_block() < WORKERS)
            released[thread_in_block()] = 0;
        fence_proxy_async_shared();
    }
    __device__ ring_place first(unsigned worker) const { return {worker * slots_of_warp, 0}; }
    __device__ ring_place next(ring_place now, unsigned worker) const
    {
        if (++now.slot < (worker + 1) * slots_of_warp)
            return now;
        return {worker * slots_of_warp, now.phase ^ 1};
    }
};

/* One thread, for the workers number, number + FILLERS, ... What a copy costs it bounds the rate at which weights can
 * come, so what it needs for each stays in registers. */
struct Filler {
    static const unsigned WORKERS_OF_FILLER = WORKERS / FILLERS;
    const ring_memory &memory;
    unsigned number, filled; /* items */
    ring_place places[WORKERS_OF_FILLER];
    ring_place *under_way;
    unsigned most; /* copies that may be under way */
    float fewer;   /* for each item that has not been released */
    cache_policy once;

    __device__ Filler(const ring_memory &of_block, unsigned filler, copies_ahead ahead)
        : memory(of_block), number(filler), filled(0), under_way(of_block.under_way + filler * MOST_AHEAD),
          most(ahead.most), fewer(ahead.fewer), once(loaded_once())
    {
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++)
            places[j] = memory.first(number + j * FILLERS);
    }

    __device__ void run(const schedule &s, const uint4 *weights, unsigned member, unsigned step,
                        unsigned steps)
    {
        Cursor c;
        c.begin(s, member, step, 0);
        for (unsigned i = 0; i < steps; i++) {
            c.enter(s, weights);
            const step_shape shape = s.shapes[c.kind];
            const uint4 *round = c.from;
            UNROLL(1)
            for (unsigned left = c.units; left > 0; left -= left < WORKERS ? left : WORKERS) {
                fill_round(round, shape, c.next, left);
                round += WORKERS * shape.rows * shape.row_vectors;
            }
            c.leave(s);
        }
    }

    /* A unit of each worker, of `units` that are left; two rows at a time, as they are read. Worker 0's unit is
     * number `of_first`. */
    __device__ void fill_round(const uint4 *round, const step_shape &shape, unsigned of_first, unsigned units)
    {
        UNROLL(1)
        for (unsigned row = 0; row < shape.rows; row += 2)
            UNROLL(1)
        for (unsigned segment = 0; segment < shape.segments; segment++)
            for (unsigned r = row; r < shape.rows && r < row + 2; r += shape.rows_of_item)
                fill_items(round + r * shape.row_vectors + segment * shape.item_vectors, shape, of_first,
                           units);
    }
    /* The same item of each worker's unit. */
    __device__ void fill_items(const uint4 *item, const step_shape &shape, unsigned of_first, unsigned units)
    {
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++)
            if (unit_of(j, of_first) < units)
                mbarrier_wait(&memory.empty[places[j].slot],
                              places[j].phase ^ 1); /* at once, the first time */
        fence_proxy_async_shared();                 /* the lanes have read what the copies overwrite */
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++) {
            unsigned unit = unit_of(j, of_first);
            if (unit >= units)
                continue;
            fill(places[j], item + unit * shape.rows * shape.row_vectors, shape);
            places[j] = memory.next(places[j], number + j * FILLERS);
        }
    }
    __device__ unsigned unit_of(unsigned j, unsigned of_first) const
    {
        return (of_first + number + j * FILLERS) % WORKERS;
    }

    __device__ void fill(ring_place place, const uint4 *item, const step_shape &shape)
    {
        const unsigned barrier = shared_address(&memory.full[place.slot]);
        const unsigned bytes = shape.rows_of_item * shape.item_vectors * (unsigned)sizeof(uint4);
        mbarrier_arrive_expecting(barrier, bytes);
        const unsigned copies = copies_now();
        if (filled >= copies)
            await(under_way[(filled - copies) % MOST_AHEAD]);
        bulk_load(shared_address(memory.slots + place.slot * SLOT_VECTORS), item, bytes, barrier, once);
        under_way[filled++ % MOST_AHEAD] = place;
        memory.phases[place.slot] = place.phase;
    }
    /* What is filled may be on its way, or wait for its worker. */
    __device__ unsigned copies_now() const
    {
        unsigned unreleased = filled;
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++)
            unreleased -= *(volatile unsigned *)&memory.released[number + j * FILLERS];
        unsigned less = (unsigned)(fewer * (float)unreleased);
        return less < most ? most - less : 1;
    }
    /* A slot that has been filled again since has come. */
    __device__ void await(ring_place copy) const
    {
        if (memory.phases[copy.slot] == copy.phase)
            mbarrier_wait(&memory.full[copy.slot], copy.phase);
    }
};

/* What a warp sees of it. */
struct Ring {
    ring_memory memory;
    ring_place next, held; /* the item to come; the first one that has not been released */
    unsigned released;

    __device__ void begin(const ring_memory &all)
    {
        memory = all;
        next = held = memory.first(thread_in_block() / 32);
        released = 0;
    }

    /* Have so many of the warp's next items come: one or two? Called by the whole warp. */
    __device__ bool has(unsigned items) const
    {
        const ring_place last = items > 1 ? memory.next(next, thread_in_block() / 32) : next;
        return __any_sync(ALL_LANES, thread_in_block() % 32 == 0 &&
                                         mbarrier_test_wait(&memory.full[last.slot], last.phase));
    }
    /* The warp's next item, which lies in global memory there. */
    __device__ const uint4 *await(const uint4 *item)
    {
#if RING_OF_COPIES
        if (thread_in_block() % 32 == 0) /* and the others learn of it */
            mbarrier_wait(&memory.full[next.slot], next.phase);
        __syncwarp();
        item = memory.slots + next.slot * SLOT_VECTORS;
        next = memory.next(next, thread_in_block() / 32);
#endif
        return item;
    }
    /* Called by the whole warp: it has read the first item that it awaited and has not released. */
    __device__ void release()
    {
#if RING_OF_COPIES
        __syncwarp();
        if (thread_in_block() % 32 == 0) {
            mbarrier_arrive(&memory.empty[held.slot]);
            *(volatile unsigned *)&memory.released[thread_in_block() / 32] = ++released;
        }
        held = memory.next(held, thread_in_block() / 32);
#endif
    }
};

/* ---- an item, as a lane reads it: every 32nd vector of a whole slot, though the item may be shorter ---- */

/* Of a chunk, which is eight keys and then eight values: two numbers of each of four values, from value 4 * i on. */
static __device__ __forceinline__ uint4 words_of_values(const uint4 *chunk, unsigned i)
{
    const unsigned *words =
        (const unsigned *)(chunk + CHUNK_VECTORS / 2) + 4 * i * 32 + thread_in_block() % 32;
    return make_uint4(words[0], words[32], words[64], words[96]);
}

/* In registers: its slot is free again at once. */
struct RegisterItem {
    static const bool CAN_WAIT = true;
    uint4 of_lane[VECTORS_OF_LANE];

    __device__ void take(Ring &ring, const uint4 *item)
    {
        item = ring.await(item) + thread_in_block() % 32;
        UNROLL(8)
        for (unsigned k = 0; k < VECTORS_OF_LANE; k++)
            of_lane[k] = item[32 * k];
        ring.release();
    }
    /* An item of two rows. */
    static __device__ void take_two(Ring &ring, const uint4 *item, const step_shape &shape,
                                    RegisterItem &first, RegisterItem &second)
    {
        const uint4 *of_first = ring.await(item) + thread_in_block() % 32;
        const uint4 *of_second = of_first + shape.row_vectors;
        UNROLL(4)
        for (unsigned k = 0; k < VECTORS_OF_LANE / 2; k++) {
            first.of_lane[k] = of_first[32 * k];
            second.of_lane[k] = of_second[32 * k];
        }
        ring.release();
    }
    /* A chunk: vectors 0 and 1 are the lane's of keys; a value's word number 'lane' is that of two numbers. */
    __device__ void take_chunk(Ring &ring, const uint4 *item)
    {
        const unsigned lane = thread_in_block() % 32;
        item = ring.await(item);
        of_lane[0] = item[lane];
        of_lane[1] = item[lane + 32];
        of_lane[2] = words_of_values(item, 0);
        of_lane[3] = words_of_values(item, 1);
        ring.release();
    }
    __device__ uint4 vector(unsigned k) const { return of_lane[k]; }
    __device__ uint4 keys(unsigned i) const { return of_lane[i]; }
    __device__ uint4 values(unsigned i) const { return of_lane[2 + i]; }
    __device__ void done(Ring &) const {}
};

/* Where it came to: for who has not the registers. */
struct SlotItem {
    static const bool CAN_WAIT = false;
    const uint4 *of_lane;

    __device__ void take(Ring &ring, const uint4 *item)
    {
        of_lane = ring.await(item) + thread_in_block() % 32;
    }
    static __device__ void take_two(Ring &ring, const uint4 *item, const step_shape &shape, SlotItem &first,
                                    SlotItem &second)
    {
        first.take(ring, item);
        second.of_lane = first.of_lane + shape.row_vectors;
    }
    __device__ void take_chunk(Ring &ring, const uint4 *item) { take(ring, item); }
    __device__ uint4 vector(unsigned k) const { return of_lane[32 * k]; }
    __device__ uint4 keys(unsigned i) const { return vector(i); }
    __device__ uint4 values(unsigned i) const { return words_of_values(of_lane - thread_in_block() % 32, i); }
    __device__ void done(Ring &ring) const { ring.release(); }
};

#endif
