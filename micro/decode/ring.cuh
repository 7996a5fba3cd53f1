/*
 * A block's ring in shared memory, through which the weights and the cache arrive. Weights depend on nothing,
 * so they are in flight long before the numbers that they are multiplied by, across the bounds of steps,
 * layers and tokens. Each warp that multiplies (worker) has its own slots. Four further warps (fillers) only
 * request the items, one thread each, by bulk copies. An mbarrier of each slot counts the copy's bytes; a
 * second one says that the slot has been read.
 *
 * The number of copies in flight is limited to what keeps the memory busy (--ahead): further copies would
 * only queue, and blocks' requests for each other's results would queue after them. The more of a block's
 * slots are filled, the fewer copies it has in flight. So a block that is ahead leaves the memory to blocks
 * that are behind, and results arrive sooner while all blocks wait for them and the rings are full
 * (docs/dependencies.md). Before compute capability 9.0 there are no such copies and no ring: a warp loads
 * its items itself.
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
/* number of warps of a block that fill the ring; each serves WORKERS / FILLERS of the workers */
#define FILLERS 4
#define MOST_AHEAD 32

/* Identifies a slot of the ring and its use by an item: the slot's number, counted over all warps, and the
 * parity of the number of earlier uses of the slot */
struct ring_place {
    unsigned slot, phase;
};

/* Limits the number of copies that a filler may have in flight. It is most - fewer * (number of filled items
 * that are not released), but at least 1. */
struct copies_ahead {
    unsigned most;
    float fewer;
};

/* The ring's memory. The slots of a warp are adjacent, and the warp's items use them in turn. */
struct ring_memory {
    uint4 *slots;
    /* two mbarriers of each slot: one for the arrival of its copy, one for the reading of its item */
    mbarrier *full, *empty;
    ring_place *under_way; /* for each filler, the slots of its last MOST_AHEAD copies */
    unsigned *phases;      /* for each slot, the phase of its last copy */
    unsigned *released;    /* number of items that each worker has released */
    unsigned slots_of_warp;

    /* Initializes the ring. All threads of a block call it. */
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

/* A thread that fills the slots of workers number, number + FILLERS, ... of the block. The time that it takes
 * to start a copy limits the rate of the weights, so all variables for a copy stay in registers. */
struct Filler {
    static const unsigned WORKERS_OF_FILLER = WORKERS / FILLERS;
    const ring_memory &memory;
    /* the filler's number, and the number of items that it has filled */
    unsigned number, filled;
    ring_place places[WORKERS_OF_FILLER];
    ring_place *under_way;
    unsigned most; /* number of copies that may be in flight */
    float fewer;   /* by how much each filled item that is not released lowers `most` */
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

    /* Fills slots with one unit for each of this thread's workers. The block has `units` units left. The unit
     * of worker 0 has the number `of_first`. The items of two rows go into slots one after the other, because
     * a worker reads them together. */
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
    /* Fills the next slot of each worker that this thread serves. `item` is the address of the item in the
     * first unit; each worker gets the corresponding item of its own unit. */
    __device__ void fill_items(const uint4 *item, const step_shape &shape, unsigned of_first, unsigned units)
    {
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++)
            if (unit_of(j, of_first) < units)
                mbarrier_wait(&memory.empty[places[j].slot],
                              /* the first wait for a slot returns at once */
                              places[j].phase ^ 1);
        /* the lanes have read the data that the copies overwrite */
        fence_proxy_async_shared();
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
    /* Returns how many copies may be in flight now. Each filled item that is not released lowers this number:
     * its copy is in flight, or it waits for its worker. */
    __device__ unsigned copies_now() const
    {
        unsigned unreleased = filled;
        UNROLL(2)
        for (unsigned j = 0; j < WORKERS_OF_FILLER; j++)
            unreleased -= *(volatile unsigned *)&memory.released[number + j * FILLERS];
        unsigned less = (unsigned)(fewer * (float)unreleased);
        return less < most ? most - less : 1;
    }
    /* Waits until a copy has arrived. If the slot has been filled again since, the copy has arrived
     * earlier. */
    __device__ void await(ring_place copy) const
    {
        if (memory.phases[copy.slot] == copy.phase)
            mbarrier_wait(&memory.full[copy.slot], copy.phase);
    }
};

/* A worker warp's view of the ring */
struct Ring {
    ring_memory memory;
    /* the slot of the warp's next item, and the slot of its oldest item that is not released */
    ring_place next, held;
    unsigned released;

    __device__ void begin(const ring_memory &all)
    {
        memory = all;
        next = held = memory.first(thread_in_block() / 32);
        released = 0;
    }

    /* Returns whether the warp's next `items` items (1 or 2) have arrived. All lanes of the warp call this
     * function. */
    __device__ bool has(unsigned items) const
    {
        const ring_place last = items > 1 ? memory.next(next, thread_in_block() / 32) : next;
        return __any_sync(ALL_LANES, thread_in_block() % 32 == 0 &&
                                         mbarrier_test_wait(&memory.full[last.slot], last.phase));
    }
    /* Waits for the warp's next item, whose address in global memory is `item`. Returns the item's address in
     * the ring, or `item` if there is no ring. */
    __device__ const uint4 *await(const uint4 *item)
    {
#if RING_OF_COPIES
        /* only one lane waits; the others learn of the copy's arrival by __syncwarp */
        if (thread_in_block() % 32 == 0)
            mbarrier_wait(&memory.full[next.slot], next.phase);
        __syncwarp();
        item = memory.slots + next.slot * SLOT_VECTORS;
        next = memory.next(next, thread_in_block() / 32);
#endif
        return item;
    }
    /* Releases the slot of the oldest item that is not released. All lanes of the warp call this function
     * after the warp has read the item. */
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

/* ---- Items as a lane reads them: every 32nd vector of a whole slot, even if the item is shorter ---- */

/* Returns the lane's two numbers of each of four value vectors, from value vector 4 * i on. A chunk is the
 * key vectors of eight tokens, then their value vectors. */
static __device__ __forceinline__ uint4 words_of_values(const uint4 *chunk, unsigned i)
{
    const unsigned *words =
        (const unsigned *)(chunk + CHUNK_VECTORS / 2) + 4 * i * 32 + thread_in_block() % 32;
    return make_uint4(words[0], words[32], words[64], words[96]);
}

/* A lane's part of an item, copied into registers: the item's slot is released at once. */
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
    /* Takes an item that contains parts of two rows from the ring. */
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
    /* Takes a chunk of keys and values from the ring. The lane's vectors 0 and 1 are its part of the keys;
     * its vectors 2 and 3 contain two numbers of each value. */
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

/* A lane's part of an item that stays in its slot until done(), for kernels that have too few registers */
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
