/*
 * How a step of micro-decode waits for the preceding step. The workers of a block execute step.cuh under
 * every order:
 *
 *     order.wait(place, first, end)   called by each worker warp, before it loads these results of a step
 *     order.arrive(place, cursor)     called by each worker, when it has left its results
 */
#ifndef MICRO_DECODE_ORDERS_CUH
#define MICRO_DECODE_ORDERS_CUH

#include "micro/decode/board.cuh"
#include "micro/decode/ring.cuh"
#include "sync/counter.cuh"
#include "sync/courier.cuh"
#include "sync/hop.cuh"
#include "sync/named_barrier.cuh"

#define WORKERS_BARRIER 1

/* Synchronizes only the workers of a block. */
static __device__ __forceinline__ void workers_sync()
{
    named_barrier_sync(WORKERS_BARRIER, WORKER_THREADS);
}

/* The members that an order has unless it declares its own */
struct AnyOrder {
    typedef PlainBoard Board;
    typedef RegisterItem Item;
    static const unsigned THREADS = WORKER_THREADS + 32 * FILLERS;
    static const unsigned BLOCKS_OF_MULTIPROCESSOR = 1;
    static const bool HAS_COURIER = false;
    /* number of steps whose inputs a block holds at once: the current step, and the next one */
    static const unsigned STEPS_AT_ONCE = 2;
    static const bool IS_GRID_BARRIER = false; /* true if every block waits, whether or not it has work */
    /* true if results contain flags that show that they are written */
    static const bool WAITS_FOR_WORDS = false;
    static const bool IS_OF_GPUS = false; /* true if several members (GPUs) decode together */

    __device__ void begin(const decoder &, const board &, gpusync_grid_barrier) {}
    __device__ void start() {}
    __device__ void wait(place, unsigned, unsigned) {}
    __device__ void arrive(place, const Cursor &) {}
    __device__ void end() {}
};

/* An order in which no block waits for another: the results are wrong if a single launch executes all
 * steps. */
struct NoOrder : AnyOrder {
};
struct NoOrderOfGpus : NoOrder {
    static const bool IS_OF_GPUS = true;
};

/* The order of launches: each step is a launch. With EarlyLaunchOrder a multiprocessor holds two blocks, one
 * of the current step and one of the next step. */
struct LaunchOrder : AnyOrder {
    typedef SlotItem Item;
    static const unsigned STEPS_AT_ONCE = 1;
};
struct EarlyLaunchOrder : LaunchOrder {
    static const unsigned BLOCKS_OF_MULTIPROCESSOR = 2;
    __device__ void begin(const decoder &, const board &, gpusync_grid_barrier) { trigger_next_kernel(); }
    __device__ void start() { wait_for_kernel_before(); }
};

struct CounterOrder : AnyOrder {
    static const bool IS_GRID_BARRIER = true;
    Counter barrier;

    __device__ void begin(const decoder &, const board &, gpusync_grid_barrier memory)
    {
        barrier.begin(memory);
    }
    __device__ void wait(place, unsigned, unsigned)
    {
        if (is_block_leader())
            barrier.wait_alone();
        workers_sync();
    }
    __device__ void arrive(place, const Cursor &)
    {
        workers_sync();
        if (is_block_leader())
            barrier.arrive_alone();
    }
    __device__ void end() { barrier.end(); }
};

/* The order by a grid barrier that one warp of each block, its courier, executes; this warp does nothing
 * else. */
struct CourierOrder : AnyOrder {
    static const unsigned THREADS = AnyOrder::THREADS + 32;
    static const bool HAS_COURIER = true;
    static const bool IS_GRID_BARRIER = true;
    Courier barrier;

    __device__ void begin(const decoder &, const board &, gpusync_grid_barrier memory)
    {
        barrier.begin(memory);
        /* the threads that take part: the workers and the courier, without the warps that fill the ring */
        barrier.threads = WORKER_THREADS + 32;
    }
    __device__ void wait(place, unsigned, unsigned) { barrier.wait(); }
    __device__ void arrive(place, const Cursor &) { barrier.arrive(); }
    __device__ void end() { barrier.end(); }
};

/*
 * The order by a counter for each tile, which is a group's share of a step's results. A block that has stored
 * results of a tile adds the number of units of these results to the tile's counter. Each warp waits only for
 * the tiles that it loads.
 */
struct TileOrder : AnyOrder {
    decoder of;
    unsigned *counters;

    __device__ void begin(const decoder &d, const board &b, gpusync_grid_barrier)
    {
        of = d;
        counters = b.counters;
    }
    __device__ unsigned *counter(place p, unsigned tile) const
    {
        return counters + (((p.token * of.layers + p.layer) * STEPS_OF_LAYER + p.kind) * of.groups + tile) *
                              COUNTER_WORDS;
    }
    __device__ unsigned results_of_tile(unsigned kind) const { return results_of(&of, kind) / of.groups; }
    __device__ unsigned units_of_tile(unsigned kind) const
    {
        return kind == ATTENTION ? chunks_of_group(&of) : results_of_tile(kind) / 2;
    }
    __device__ void wait(place p, unsigned first, unsigned end)
    {
        if (first < end) {
            unsigned width = results_of_tile(p.kind);
            for (unsigned tile = first / width + thread_in_block() % 32; tile <= (end - 1) / width;
                 tile += 32)
                hop_counter_wait(counter(p, tile), units_of_tile(p.kind));
        }
        __syncwarp();
    }
    __device__ void arrive(place p, const Cursor &c)
    {
        workers_sync();
        if (!is_block_leader() || c.units == 0)
            return;
        unsigned units = units_of_tile(p.kind), end = c.first_unit + c.units;
        fence_release();
        for (unsigned unit = c.first_unit; unit < end;) {
            unsigned end_of_tile = (unit / units + 1) * units, next = end_of_tile < end ? end_of_tile : end;
            reduce_add_relaxed(counter(p, unit / units), next - unit);
            unit = next;
        }
    }
};

/* The order by a flag in each result, for which the blocks that need the result wait. */
struct WordOrder : AnyOrder {
    typedef WordBoard Board;
    static const bool WAITS_FOR_WORDS = true;
};
struct WordsOfGpusOrder : WordOrder {
    typedef WordBoards Board;
    static const bool IS_OF_GPUS = true;
};

#endif
