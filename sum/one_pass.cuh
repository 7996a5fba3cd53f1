/*
 * The one-pass sums and prefix sums from the host: how many blocks and threads each gets for n numbers, and
 * which kernel is launched for them.
 */
#ifndef SUM_ONE_PASS_CUH
#define SUM_ONE_PASS_CUH

#include "harness/check.h"
#include "harness/device.h"
#include "harness/streams.h"
#include "harness/experiment.h"
#include "harness/memory.h"
#include "harness/steps.cuh"
#include "sum/dataflow.cuh"
#include "sum/few.cuh"
#include "sum/last_block.cuh"
#include "sum/prefix.cuh"

#include <limits.h>

/* ---- shapes ---- */

static unsigned blocks_for(unsigned n, unsigned items_of_block, unsigned most)
{
    unsigned wanted = (n + items_of_block - 1) / items_of_block;
    return wanted < most ? wanted : most;
}

/* largest number of blocks of a sum for each multiprocessor: they keep memory busy, and more blocks would
 * only add partial sums */
#define SUM_BLOCKS_PER_SM 2

/* Sets the numbers of blocks and threads of a one-pass sum. Each thread loads whole batches, and there are at
 * most SUM_BLOCKS_PER_SM blocks for each multiprocessor. */
static void shape_one_pass_sum(struct point *p, unsigned n, int sm_count)
{
    unsigned batch = BATCH_OF_LOADS * 4, items = batch, most = (unsigned)sm_count * SUM_BLOCKS_PER_SM;
    p->threads = SUM_THREADS;
    while (blocks_for(n, items * p->threads, UINT_MAX) > most)
        items += batch;
    p->blocks = blocks_for(n, items * p->threads, most);
}

/* Sets the numbers of blocks and threads of prefix sums of few numbers, where each block has one tile: one
 * block if it can hold all numbers, else blocks of as few threads as possible. Returns false if that takes
 * too many blocks. */
template <class T>
static bool shape_tile_each(struct point *p, unsigned n, int sm_count)
{
    static const struct {
        unsigned threads;
        int of_sm; /* largest number of blocks for each multiprocessor; 0 means one block in all */
    } choices[] = {{128, 0}, {256, 0}, {128, 1}, {256, 2}};
    for (auto choice : choices) {
        unsigned most = choice.of_sm ? (unsigned)(choice.of_sm * sm_count) : 1;
        p->threads = choice.threads;
        p->blocks = scan_tiles<T>(n, p->threads);
        if (p->blocks <= most && resident_blocks_per_sm(prefix_of_a_tile_each<T>, p->threads,
                                                        sizeof(scan_totals<T>)) >= choice.of_sm)
            return true;
    }
    return false;
}

/* Returns how many blocks of prefix_of_tiles_in_turn can be resident on the whole device. */
template <class T>
static unsigned resident_scanners(unsigned threads, int sm_count)
{
    int of_sm =
        resident_blocks_per_sm(prefix_of_tiles_in_turn<T>, threads, shared_bytes_of_turns<T>(threads));
    return (unsigned)(sm_count * of_sm);
}

/* Sets the numbers of blocks and threads of prefix sums of many numbers: blocks of 1,024 threads, whose large
 * tiles wait least often, or of 512 threads if each block then has at most two tiles. */
template <class T>
static void shape_tiles_in_turn(struct point *p, unsigned n, int sm_count)
{
    p->threads = scan_tiles<T>(n, 512) <= 2 * resident_scanners<T>(512, sm_count) ? 512 : 1024;
    while (!resident_scanners<T>(p->threads, sm_count))
        p->threads /= 2;
    unsigned tiles = scan_tiles<T>(n, p->threads), most = resident_scanners<T>(p->threads, sm_count);
    unsigned rounds = (tiles + most - 1) / most;
    p->blocks = (tiles + rounds - 1) / rounds;
}

template <class T>
static void shape_one_pass_prefix(struct point *p, unsigned n, int sm_count)
{
    if (!shape_tile_each<T>(p, n, sm_count))
        shape_tiles_in_turn<T>(p, n, sm_count);
}

/* ---- launches ---- */

/* The arrays on the device with which a one-pass variant works on n numbers. */
template <class T>
struct one_pass {
    const T *in;      /* the n numbers, aligned to 16 bytes */
    void *parts;      /* the partial sums that blocks pass to each other, from one_pass_parts() */
    T *out;           /* the sum or the n prefix sums */
    unsigned *number; /* one word, zero before the first launch: the epoch, or how many blocks have arrived */
    unsigned n;
};

/* Allocates the array of partial sums, one for each block or tile, and clears it, so that none counts as
 * published. */
template <class T>
static void *one_pass_parts(const struct point *p, unsigned n)
{
    void *parts = NULL;
    size_t tiles = scan_tiles<T>(n, p->threads), count = tiles > p->blocks ? tiles : p->blocks;
    allocate_on_device(parts, count * sizeof(published<T>));
    CHECK(cudaMemset(parts, 0, count * sizeof(published<T>)));
    return parts;
}

template <class T>
static void run_one_pass_prefix(const struct point *p, const one_pass<T> &on)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, runs_begin_early()};
    bool tile_each = p->blocks == scan_tiles<T>(on.n, p->threads) && p->threads <= 256;
    shape.shared_bytes = tile_each ? sizeof(scan_totals<T>) : shared_bytes_of_turns<T>(p->threads);
    CHECK(launch(tile_each ? prefix_of_a_tile_each<T> : prefix_of_tiles_in_turn<T>, shape, harness_stream(),
                 on.in, (published<T> *)on.parts, on.out, on.n, on.number));
}

/* Launches the one-pass sum, by dataflow or by the last block; few numbers are summed by one block in either
 * case. */
template <class T>
static void run_one_pass_sum(const struct point *p, bool by_dataflow, const one_pass<T> &on)
{
    launch_shape shape = {p->blocks, p->threads, 0, false, runs_begin_early()};
    /* a sum for each of up to 32 warps, and a word that says whether this block is the last */
    shape.shared_bytes = 33 * sizeof(T);
    if (on.n <= few_numbers<T>())
        CHECK(launch(sum_of_few<T>, shape, harness_stream(), on.in, on.out, on.n));
    else if (by_dataflow)
        CHECK(launch(sum_by_dataflow<T>, shape, harness_stream(), on.in, (published<T> *)on.parts, on.out,
                     on.n, on.number));
    else
        CHECK(launch(sum_by_last_block<T>, shape, harness_stream(), on.in, (T *)on.parts, on.out, on.n,
                     on.number));
}

#endif
