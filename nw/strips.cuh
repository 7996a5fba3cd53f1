/*
 * Needleman-Wunsch without any grid barrier (in no paper): a warp fills a strip of 32 rows from west to east,
 * one row for each lane, and waits only for the strip to its north, 32 columns at a time, through packed
 * words in global memory. The west neighbour's values stay in registers.
 *
 * All blocks must be resident at once, or start in the order of their numbers: the strips of a block wait for
 * the strips of the preceding block.
 */
#ifndef NW_STRIPS_CUH
#define NW_STRIPS_CUH

#include "nw/tiles.cuh"

struct NwStrips {
    enum { rows = 32, threads = 32, ring = 64, shared_bytes = rows * ring * sizeof(int) };

    NwMatrix q;
    /* values of the last row of each strip but the last, as published words: n words for each such strip */
    packed_word *borders;
    /* the tag of the words that this launch publishes; earlier launches had other tags */
    unsigned epoch;
    /* the field's scores, later the results, in shared memory, [rows][ring]; column j is at j % ring */
    int *turn;

    __device__ int lane() const { return (int)threadIdx.x; }

    __device__ void store_columns(int row, int from)
    {
        int j = from + lane();
        for (int y = 0; y < rows; y++)
            if (row + y <= q.m && j >= 1 && j <= q.n)
                *q.at(row + y, j) = turn[y * ring + j % ring];
    }

    /* Waits until the value above this lane's column j, in the strip's northern neighbour, is published, and
     * returns it. */
    __device__ int north_border(int strip, int j) const
    {
        if (j > q.n)
            return 0;
        if (strip == 0)
            return *q.at(0, j);
        return (int)packed_word_await(&borders[(size_t)(strip - 1) * (size_t)q.n + (size_t)(j - 1)], epoch);
    }

    /* Publishes one value of the strip's last row, in column j, for the strip below. Column j is the column
     * of this lane. */
    __device__ void publish(int strip, int j)
    {
        if (j >= 1 && j <= q.n && (strip + 1) * rows < q.m)
            packed_word_publish(&borders[(size_t)strip * (size_t)q.n + (size_t)(j - 1)],
                                (unsigned)turn[(rows - 1) * ring + j % ring], epoch);
    }

    /*
     * Fills a strip. At step k lane l is at column k - l + 1: one step later than the lane to its north,
     * whose last value is now its north operand and was its diagonal operand one step before. Cells outside
     * the matrix are filled, too, and not stored.
     */
    __device__ void fill(int strip)
    {
        int row = strip * rows + 1, i = row + lane();
        int value = i <= q.m ? *q.at(i, 0) : 0, diagonal = i <= q.m ? *q.at(i - 1, 0) : 0;
        int steps = (q.n + rows - 1 + 31) / 32 * 32;
        FieldColumn field;
        field.load(q, row, 1 + lane());
        for (int from = 0; from < steps; from += 32) {
            field.store(turn + (from + 1 + lane()) % ring, ring);
            /* the loads of the scores for the next 32 steps are in flight during these 32 steps */
            field.load(q, row, from + 33 + lane());
            int above = north_border(strip, from + 1 + lane());
            __syncwarp();
            UNROLL(32)
            for (int k = 0; k < 32; k++) {
                int north = (int)__shfl_up_sync(0xffffffffu, (unsigned)value, 1);
                int border = (int)__shfl_sync(0xffffffffu, (unsigned)above, k);
                int j = from + k - lane() + 1, *cell = turn + lane() * ring + (j & (ring - 1));
                north = lane() == 0 ? border : north;
                int next = q.cell(north, value, diagonal, *cell);
                if (j >= 1)
                    *cell = value = next;
                diagonal = j >= 1 ? north : diagonal;
            }
            __syncwarp();
            publish(strip, from + lane() + 1 - 31);
            store_columns(row, from + 1 - 32);
            __syncwarp();
        }
        store_columns(row, steps + 1 - 32);
        __syncwarp();
    }
};

static __global__ void nw_strips(NwStrips strips)
{
    strips.turn = dynamic_shared<int>();
    for (int strip = (int)blockIdx.x; strip * NwStrips::rows < strips.q.m; strip += (int)gridDim.x)
        strips.fill(strip);
}

#endif
